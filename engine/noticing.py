"""Attributes, methods and classes that games replace on single objects, noticed when they do."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getattr_static
from operator import attrgetter
from types import MethodType
from typing import Any


def noticed(name: str, notice: Callable[[Any], None]) -> Any:
    """An attribute that is kept under `name`; `notice` is called with the object after each assignment."""

    def write(owner: Any, value: Any) -> None:
        setattr(owner, name, value)
        notice(owner)

    return property(attrgetter(name), write)


class NoticedMethod[**P, R]:
    """A method; `notice` is called with the object after one object was given another function of the same name."""

    def __init__(self, method: Callable[P, R], notice: Callable[[Any], None]) -> None:
        self._method = method
        self._notice = notice
        self._name = method.__name__
        self.__doc__ = method.__doc__

    def __get__(self, owner: Any, kind: type) -> Callable[..., R]:
        if owner is None:
            return self._method
        own = owner.__dict__.get(self._name)
        if own is None or getattr_static(kind, self._name) is not self:  # the second: asked by `super()` of a subclass
            return MethodType(self._method, owner)
        function: Callable[..., R] = own
        return function

    def __set__(self, owner: Any, function: Callable[..., R]) -> None:
        owner.__dict__[self._name] = function
        self._notice(owner)

    def __delete__(self, owner: Any) -> None:
        try:
            del owner.__dict__[self._name]
        except KeyError:
            raise AttributeError(self._name) from None
        self._notice(owner)


def noticed_method[**P, R](notice: Callable[[Any], None]) -> Callable[[Callable[P, R]], NoticedMethod[P, R]]:
    return lambda method: NoticedMethod(method, notice)


_class_of = vars(object)["__class__"]


def noticed_class(notice: Callable[[Any], None]) -> Any:
    """`__class__`; `notice` is called with the object after it was given another one."""

    def write(owner: Any, kind: type) -> None:
        _class_of.__set__(owner, kind)
        notice(owner)

    return property(type, write)


def is_changed(kind: type, base: type, names: tuple[str, ...]) -> bool:
    """True if the subclass has one of these of its own."""
    return kind is not base and any(getattr(kind, name) is not getattr(base, name) for name in names)


def prepare_early(kind: type, prepare: Callable[[Any], None]) -> None:
    """Let `prepare` have each new object of a subclass first: its constructor may use it before it calls ours."""

    def new(actual: type, *_: Any, **__: Any) -> Any:
        made: Any = object.__new__(actual)
        prepare(made)
        return made

    if "__new__" not in vars(kind):
        kind.__new__ = new  # type: ignore[assignment,method-assign]
