"""Small validated records: the part of pydantic's models that games and tools use, without pydantic.

A record is built from keywords only, ignores keywords it does not know, and reads every value leniently ("5" is 5).
Assignment afterwards is not validated. What cannot be read raises `ValidationError`, a ValueError.
"""

from __future__ import annotations

import copy
import json
import math
import operator
import re
import reprlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from typing import Any, ClassVar, NamedTuple, Self

Reader = Callable[[Any], Any]

_INTEGER_TEXT = re.compile(r"[+-]?\d+(?:_\d+)*(?:\.0+)?", re.ASCII)
_TRUE_TEXTS = frozenset({"true", "t", "yes", "y", "on", "1"})
_FALSE_TEXTS = frozenset({"false", "f", "no", "n", "off", "0"})


class Problem(NamedTuple):
    """One field that could not be read."""

    field: str
    message: str
    value: Any


class ValidationError(ValueError):
    """Values that a record cannot be built from; the message names each field and the offending value."""

    def __init__(self, title: str, problems: list[Problem]) -> None:
        super().__init__(title, problems)
        self.title = title
        self.problems = problems

    def __str__(self) -> str:
        lines = [
            f"{self.title}.{p.field}".rstrip(".") + f": {p.message}, got {_shortened(p.value)}" for p in self.problems
        ]
        return "\n".join(lines)

    def errors(self) -> list[dict[str, Any]]:
        """The problems as pydantic lists them: `loc` (a tuple of one field name), `msg` and `input`."""
        return [{"loc": (p.field,), "msg": p.message, "input": p.value} for p in self.problems]

    def error_count(self) -> int:
        return len(self.problems)


def _shortened(value: Any) -> str:
    try:
        return reprlib.repr(value)
    except ValueError:  # a number of thousands of digits
        return f"{type(value).__name__} too large to print"


# Readers: one value in, the value to keep out, ValueError (and nothing else) for what they cannot read.


def read_any(value: Any) -> Any:
    return value


def read_str(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8")
    raise ValueError("should be a string")


def read_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        lowered = value.lower()
        if lowered in _TRUE_TEXTS:
            return True
        if lowered in _FALSE_TEXTS:
            return False
    elif not isinstance(value, complex) and (hasattr(value, "__index__") or hasattr(value, "__float__")):
        with suppress(TypeError, ValueError, OverflowError):
            if (number := float(value)) in (0.0, 1.0):
                return bool(number)
    raise ValueError("should be a boolean")


def _as_int(value: Any) -> int:
    if type(value) is int:
        return value
    if isinstance(value, Enum):
        return _as_int(value.value)
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        text = value.strip()
        if _INTEGER_TEXT.fullmatch(text):
            return int(text.partition(".")[0])
        raise ValueError("should be an integer, unable to read the text as one")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("should be a finite number")
        if not value.is_integer():
            raise ValueError("should be an integer, got a fractional part")
        return int(value)
    try:
        return operator.index(value)
    except TypeError:
        raise ValueError("should be an integer") from None


def read_int(ge: int | None = None, le: int | None = None) -> Reader:
    """A reader of integers within [ge, le]."""

    def read(value: Any) -> int:
        number = _as_int(value)
        if ge is not None and number < ge:
            raise ValueError(f"should be greater than or equal to {ge}")
        if le is not None and number > le:
            raise ValueError(f"should be less than or equal to {le}")
        return number

    return read


def read_list(item: Reader) -> Reader:
    """A reader of lists whose items `item` reads; always a new list."""

    def read(value: Any) -> list[Any]:
        if isinstance(value, (str, bytes, bytearray, Mapping)) or not isinstance(value, Iterable):
            raise ValueError("should be a list")
        return [item(entry) for entry in value]

    return read


def read_dict(value: Any) -> dict[str, Any]:
    """A new dictionary with string keys."""
    if type(value) is dict:
        for key in value:
            if type(key) is not str:
                break
        else:
            return value.copy()
    if not isinstance(value, Mapping):
        raise ValueError("should be a dictionary")
    return {read_str(key): entry for key, entry in value.items()}


def read_optional(reader: Reader) -> Reader:
    return lambda value: None if value is None else reader(value)


class Field(NamedTuple):
    """How a record gets one of its values: from a keyword through `read`, else from `default`."""

    default: Callable[[], Any]
    read: Reader


class Record:
    """Base of the records; a subclass lists its fields, in order, in `_fields`."""

    __slots__ = ("__dict__", "_given")
    _fields: ClassVar[dict[str, Field]] = {}
    _given: set[str]

    def __init__(self, **values: Any) -> None:
        state = self.__dict__
        problems: list[Problem] = []
        for name, (default, read) in self._fields.items():
            if name not in values:
                state[name] = default()
                continue
            try:
                state[name] = read(values[name])
            except ValueError as error:
                problems.append(Problem(name, str(error), values[name]))
        if problems:
            raise ValidationError(type(self).__name__, problems)
        object.__setattr__(self, "_given", set(values))

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._fields:
            self.__dict__[name] = value
            self._given.add(name)
        elif hasattr(type(self), name):
            object.__setattr__(self, name, value)
        else:
            raise ValueError(f'"{type(self).__name__}" object has no field "{name}"')

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        return ((name, self.__dict__[name]) for name in self._fields)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # mutable, like the reference's models

    def _pairs(self, joined_by: str) -> str:
        return joined_by.join(f"{name}={value!r}" for name, value in self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._pairs(', ')})"

    def __str__(self) -> str:
        return self._pairs(" ")

    @property
    def model_fields_set(self) -> set[str]:
        """Names of the fields that were given or assigned, not defaulted."""
        return self._given & self._fields.keys()

    @classmethod
    def model_construct(cls, **values: Any) -> Self:
        """A record of these values, taken without validation."""
        record = cls.__new__(cls)
        state = record.__dict__
        for name, (default, _) in cls._fields.items():
            state[name] = values[name] if name in values else default()
        object.__setattr__(record, "_given", set(values))
        return record

    @classmethod
    def model_validate(cls, obj: Any) -> Self:
        """`obj` itself if it is such a record, else one read from a dictionary."""
        if isinstance(obj, cls):
            return obj
        if not isinstance(obj, dict):
            problem = Problem("", f"should be a dictionary or {cls.__name__}", obj)
            raise ValidationError(cls.__name__, [problem])
        return cls(**{key: value for key, value in obj.items() if isinstance(key, str)})

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray) -> Self:
        try:
            obj = json.loads(json_data)
        except ValueError as error:
            raise ValidationError(cls.__name__, [Problem("", f"invalid JSON: {error}", json_data)]) from None
        return cls.model_validate(obj)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy; values in `update` are taken without validation."""
        record = copy.deepcopy(self) if deep else copy.copy(self)
        object.__setattr__(record, "_given", set(self._given))
        for name, value in (update or {}).items():
            record.__dict__[name] = value
            record._given.add(name)
        return record

    def model_dump(
        self,
        *,
        mode: str = "python",
        include: Collection[str] | None = None,
        exclude: Collection[str] | None = None,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
    ) -> dict[str, Any]:
        """The fields as a dictionary of new containers; mode "json" also turns enum members into their values."""
        inner: dict[str, Any] = {
            "exclude_unset": exclude_unset,
            "exclude_defaults": exclude_defaults,
            "exclude_none": exclude_none,
        }
        dumped = {}
        for name, value in self:
            left_out = (
                (include is not None and name not in include)
                or (exclude is not None and name in exclude)
                or (exclude_unset and name not in self._given)
                or (exclude_none and value is None)
                or (exclude_defaults and value == self._fields[name].default())
            )
            if not left_out:
                dumped[name] = _dumped(value, mode == "json", inner)
        return dumped

    def model_dump_json(self, *, indent: int | None = None, **choices: Any) -> str:
        """The fields as JSON text; `choices` as for `model_dump`. NaN and infinities are null."""
        tree = _without_nan(self.model_dump(mode="json", **choices))
        separators = (",", ":") if indent is None else None
        return json.dumps(tree, indent=indent, separators=separators, ensure_ascii=False)


def _dumped(value: Any, as_json: bool, choices: dict[str, Any]) -> Any:
    """A copy of a field's value made of plain containers; `choices` are for the records in it."""
    if isinstance(value, Record):
        return value.model_dump(mode="json" if as_json else "python", **choices)
    if isinstance(value, dict):
        return {key: _dumped(entry, as_json, choices) for key, entry in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        kind: type = list if as_json else type(value)
        return kind([_dumped(entry, as_json, choices) for entry in value])
    if as_json:
        if isinstance(value, Enum):
            return _dumped(value.value, as_json, choices)
        if isinstance(value, bytes):
            return value.decode("utf-8")
        if value is not None and not isinstance(value, (str, int, float)):
            raise ValueError(f"Unable to serialize unknown type: {type(value)}")
    return value


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_without_nan(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
