"""Running a game's source so that what it imports as `arcengine` is this engine.

Each run has a namespace of its own with its own `__import__`; `sys.modules` is neither read nor changed for
`arcengine`, so the real package may be installed and in use in the same process.
"""

from __future__ import annotations

import builtins
import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import engine
from engine import gamesource
from engine.faults import (
    ClassMissing,
    ClassNotGame,
    ConstructorRaises,
    SourceDoesNotCompile,
    SourceMissing,
    SourceRaises,
)
from engine.game import MAX_FRAME_PER_ACTION

# Under each import path of the reference, the names that it defines or passes on.
_PATHS: dict[str, tuple[str, ...]] = {
    "enums": (
        "ActionInput",
        "BlockingMode",
        "ComplexAction",
        "FrameData",
        "FrameDataRaw",
        "GameAction",
        "GameState",
        "InteractionMode",
        "MAX_REASONING_BYTES",
        "PlaceableArea",
        "SimpleAction",
    ),
    "sprites": ("BlockingMode", "InteractionMode", "Sprite"),
    "camera": ("Camera", "RenderableUserDisplay", "Sprite"),
    "level": ("BlockingMode", "Level", "PlaceableArea", "Sprite"),
    "interfaces": ("InteractionMode", "RenderableUserDisplay", "Sprite", "ToggleableUserDisplay"),
    "base_game": (
        "ARCBaseGame",
        "ActionInput",
        "Camera",
        "FrameData",
        "FrameDataRaw",
        "GameAction",
        "GameState",
        "Level",
        "Sprite",
    ),
}

Compiler = Callable[[bytes, str], CodeType]  # a source's bytes and file name -> its code

# What game code may raise at us. A game that asks the interpreter to exit must not take the server with it.
_GAME_FAILURES = (Exception, SystemExit)


def compile_source(text: bytes, filename: str) -> CodeType:
    """The source compiled. SyntaxError, ValueError, RecursionError or MemoryError if that cannot be done."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the game's style, such as "\d": nobody here can change it
        return compile(text, filename, "exec", dont_inherit=True)


# Kept, because compiling takes most of the time of loading a long game again.
remembered_code = lru_cache(maxsize=128)(compile_source)


def load_class(source: Path, class_name: str, compiler: Compiler = remembered_code) -> type[engine.ARCBaseGame]:
    """Run the source file in a new namespace and give its game class. GameLoadError if that cannot be done."""
    try:
        text = source.read_bytes()
    except OSError as error:
        raise SourceMissing(f"cannot read the source {source}: {error.strerror}") from error
    try:
        code = compiler(text, str(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise SourceDoesNotCompile(f"{source.name} does not compile: {error}") from error
    namespace = _namespace(str(source))
    try:
        exec(code, namespace)  # noqa: S102 - running a game's source is what this module is for
    except _GAME_FAILURES as error:
        raise SourceRaises(f"{source.name} raises {describe(error)} when it is run") from error
    found = namespace.get(class_name)
    if not isinstance(found, type):
        raise ClassMissing(f"{source.name} defines no class {class_name}")
    if not issubclass(found, engine.ARCBaseGame):
        raise ClassNotGame(f"{class_name} in {source.name} is not a subclass of ARCBaseGame")
    return found


def construct(game_class: type[engine.ARCBaseGame], seed: int, only_reset_levels: bool) -> engine.ARCBaseGame:
    """An instance; `seed` is passed if the constructor has a parameter of this name. ConstructorRaises if it fails."""
    try:
        arguments: dict[str, Any] = {"seed": seed} if "seed" in inspect.signature(game_class).parameters else {}
        made = game_class.__new__(game_class, **arguments)
        made.only_reset_levels = only_reset_levels  # before the constructor, which may perform resets
        game_class.__init__(made, **arguments)
    except _GAME_FAILURES as error:
        raise ConstructorRaises(f"the constructor of {game_class.__name__} raises {describe(error)}") from error
    return made


def describe(error: BaseException) -> str:
    """The exception's type and message in one line."""
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _namespace(filename: str) -> dict[str, Any]:
    """Module globals for one run of a game's source."""
    own_builtins = dict(vars(builtins))
    own_builtins["__import__"] = _import_for(_reference_modules())
    return {
        "__name__": gamesource.__name__,
        "__file__": filename,
        "__package__": "",
        "__doc__": None,
        "__loader__": None,
        "__spec__": None,
        "__builtins__": own_builtins,
    }


def _reference_modules() -> dict[str, ModuleType]:
    """New modules with the reference's paths and this engine's names: what one game does to them stays with it."""
    top = ModuleType("arcengine", engine.__doc__)
    top.__dict__.update({name: getattr(engine, name) for name in engine.__all__})
    top.__dict__.update(__version__=engine.__version__, __path__=[], __all__=[*engine.__all__])
    modules = {"arcengine": top}
    for path, names in _PATHS.items():
        module = ModuleType(f"arcengine.{path}")
        module.__dict__.update({name: getattr(engine, name) for name in names})
        setattr(top, path, module)
        modules[module.__name__] = module
    modules["arcengine.base_game"].__dict__["MAX_FRAME_PER_ACTION"] = MAX_FRAME_PER_ACTION
    return modules


def _import_for(modules: Mapping[str, ModuleType]) -> Callable[..., Any]:
    """An `__import__` that finds `arcengine` among `modules` and leaves every other name to Python's own."""

    def import_(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        if level == 0 and (name == "arcengine" or name.startswith("arcengine.")):
            if name not in modules:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            return modules[name if fromlist else "arcengine"]
        return builtins.__import__(name, globals, locals, fromlist or (), level)

    return import_
