"""System calls that the process of one game may not make (Linux on x86-64 and 64-bit ARM, seccomp).

Landlock (`engine.host_walls`) guards files and knows little else. Refused here is what reaches beyond the process: new
sockets and processes, shared memory that outlives it, other processes' limits and priorities, the rights and times of
files. Everything else is allowed, so that a new Python or numpy does not need a new list.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

_LIBC = ctypes.CDLL(None, use_errno=True)
_SET_MODE_FILTER, _SPEC_ALLOW = 1, 4  # the second: do not slow the process down for it
_MACHINES = {"x86_64": (0, 317, 0xC000003E), "aarch64": (1, 277, 0xC00000B7)}  # column below, seccomp, AUDIT_ARCH
_X32 = 0x40000000  # another way to number the calls of x86-64
_NR, _ARCH, _ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000

type Calls = dict[str, tuple[int | None, int | None]]
"""Names of calls, with their numbers on x86-64 and on 64-bit ARM, None where there is no such call."""

_REFUSED: Calls = {
    # sockets; the one to the server is there already
    "socket": (41, 198),
    "connect": (42, 203),
    "accept": (43, 202),
    "accept4": (288, 242),
    "bind": (49, 200),
    "listen": (50, 201),
    "io_uring_setup": (425, 425),
    # what outlives the process, or is seen by others
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "memfd_secret": (447, 447),
    # rights, owners, times and attributes of files, which Landlock leaves open; watching and other ways in
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "mount": (165, 40),
    "umount2": (166, 39),
    "chroot": (161, 51),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
    # the kernel's rarer machinery, and programs
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "personality": (135, 92),
    "execve": (59, 221),
    "execveat": (322, 281),
}
_FORKING: Calls = {"clone": (56, 220), "clone3": (435, 435), "fork": (57, None), "vfork": (58, None)}
_SIGNALS: Calls = {"kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131)}  # allowed to itself
_LIMITS: Calls = {"prlimit64": (302, 261)}  # allowed to itself, which it says as 0


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def supported() -> bool:
    """Whether this kind of machine has such a filter; whether its kernel does, `refuse` tells."""
    return sys.platform == "linux" and platform.machine() in _MACHINES


def refuse() -> bool:
    """Refuse these calls to this process, for good; False where that is not possible.

    The process must have given up gaining privileges (PR_SET_NO_NEW_PRIVS), or be root.
    """
    if not supported():
        return False
    column, seccomp, architecture = _MACHINES[platform.machine()]
    steps = _steps(column, architecture, os.getpid())
    program = _Program(len(steps), b"".join(steps))
    done: int = _LIBC.syscall(seccomp, _SET_MODE_FILTER, _SPEC_ALLOW, ctypes.byref(program))
    return done == 0


def _steps(column: int, architecture: int, pid: int) -> list[bytes]:
    """The filter in the kernel's language: each step is an instruction, what to skip if true, if false, a number."""

    def step(code: int, number: int, if_true: int = 0, if_false: int = 0) -> bytes:
        return struct.pack("HBBI", code, if_true, if_false, number)

    def numbers(calls: Calls) -> list[int]:
        return [number for call in calls.values() if (number := call[column]) is not None]

    def refused(code: int) -> bytes:
        return step(_RETURN, _ERRNO | code)

    steps = [step(_LOAD, _ARCH), step(_EQUAL, architecture, 1), refused(errno.EPERM)]
    steps += [step(_LOAD, _NR), step(_AT_LEAST, _X32, 0, 1), refused(errno.EPERM)]
    for calls, code in ((_REFUSED, errno.EPERM), (_FORKING, errno.EAGAIN)):
        for number in numbers(calls):
            steps += [step(_EQUAL, number, 0, 1), refused(code)]
    for calls, itself in ((_SIGNALS, pid), (_LIMITS, 0)):
        for number in numbers(calls):
            asked = [step(_LOAD, _ARGUMENT), step(_EQUAL, itself, 1), refused(errno.EPERM), step(_RETURN, _ALLOW)]
            steps += [step(_EQUAL, number, 0, len(asked)), *asked]
    return [*steps, step(_RETURN, _ALLOW)]
