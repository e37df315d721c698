"""What the kernel refuses the process of one game, as far as this kernel can (Linux, Landlock).

Behind the walls nothing can be executed, made, changed or removed in any folder, and nothing read but Python, its
packages, the engine and the game's own folder; no other process can be signalled, traced or looked into; no TCP
connection can be made or awaited. Older kernels know only some of this, see docs/engine.md; `engine.host_calls` refuses
what Landlock leaves open.
"""

import ctypes
import errno
import os
import stat
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

_LIBC = ctypes.CDLL(None, use_errno=True)
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
_VERSION_FLAG, _PATH_BENEATH = 1, 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_FILES = (1 << 13) - 1  # all that the first version knows: also to make and to remove files of every kind
_TCP = 0b11  # bind, connect
_SCOPES = 0b11  # abstract sockets, signals
_CAPABILITIES_VERSION = 0x20080522

_PACKAGE = Path(__file__).absolute().parent
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/usr/share/zoneinfo")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """The version of Landlock that the kernel has, 0 for none."""
    return max(0, _LIBC.syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG)) if sys.platform == "linux" else 0


def readable_paths() -> list[str]:
    """What every game may read: Python, its packages, the engine; no folder that the engine itself lies in."""
    python = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    library = sysconfig.get_config_var("LIBDIR")  # where libpython lies, where that is a file of its own
    paths = (*_LIBRARIES, *python, *sys.path, *([library] if library else []))
    allowed = [path for path in paths if path and Path(path).absolute() not in _PACKAGE.parents]
    return list(dict.fromkeys((*allowed, str(_PACKAGE))))


def build(version: int, readable: Iterable[str]) -> None:
    """Shut this process in, for good. OSError if a kernel with this version of Landlock refuses.

    The process must have given up gaining privileges (PR_SET_NO_NEW_PRIVS), or be root.
    """
    if version < 1:
        return
    files = _FILES | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    files |= _IOCTL_DEV if version >= 5 else 0
    rules = _Ruleset(files, _TCP, _SCOPES)
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset = _called(_LIBC.syscall(_CREATE_RULESET, ctypes.byref(rules), size, 0))
    try:
        for path in readable:
            _allow(ruleset, path, _READ_FILE | _READ_DIR)
        for path in _DEVICES:
            _allow(ruleset, path, _READ_FILE | _WRITE_FILE)
        _called(_LIBC.syscall(_RESTRICT_SELF, ruleset, 0))
    finally:
        os.close(ruleset)


def drop_capabilities() -> None:
    """Give up what root may and others may not, such as raising limits. Nothing changes for anybody else."""
    if sys.platform == "linux":
        header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
        _called(_LIBC.capset(header, (ctypes.c_uint32 * 6)()))


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # not on this system
        return
    try:
        if not stat.S_ISDIR(os.fstat(folder).st_mode):
            access &= ~_READ_DIR
        rule = _PathBeneath(access, folder)
        _called(_LIBC.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0))
    finally:
        os.close(folder)


def _called(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{os.strerror(number)} ({errno.errorcode.get(number, number)})")
    return result
