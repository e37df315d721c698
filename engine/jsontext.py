"""Changing one value in the text of a JSON object while every other character stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

_WHITE = " \t\r\n"
_SPACE = re.compile(f"[{_WHITE}]*")
_DECODER = json.JSONDecoder()


class Member(NamedTuple):
    """One key of an object: where it lies in the text, the colon with the space around it, where its value lies."""

    key: str
    start: int
    colon: str
    value_start: int
    value_end: int


def replace_numbers(text: str, key: str, numbers: Sequence[int]) -> str:
    """The text of an object with the value of its own key `key` replaced by a list, or with the key added at the end.

    The list keeps the layout of the one it replaces; an added key takes the indentation of the last one.
    `text` must be one JSON object (ValueError if it is not); of repeated keys the last one is changed, as it counts.
    """
    members = _members(text)
    for member in reversed(members):
        if member.key == key:
            old = text[member.value_start : member.value_end]
            return text[: member.value_start] + _laid_out(numbers, old) + text[member.value_end :]
    if not members:
        brace = text.index("{") + 1
        return f"{text[:brace]}{json.dumps(key)}: {_laid_out(numbers)}{text[brace:]}"
    last = members[-1]
    gap = _space_before(text, last.start)
    if len(members) == 1 and "\n" not in gap:
        gap = " "  # there is no second key yet to tell how this line spaces them
    value = _laid_out(numbers, gap="" if last.colon == ":" else " ")
    return f"{text[: last.value_end]},{gap}{json.dumps(key)}{last.colon}{value}{text[last.value_end :]}"


def _members(text: str) -> list[Member]:
    """The members of the object that `text` is; ValueError where it is none."""
    if not isinstance(json.loads(text), dict):
        raise ValueError("not a JSON object")
    place = text.index("{") + 1
    members = []
    while text[start := _skip(text, place)] != "}":
        key, place = _DECODER.raw_decode(text, start)
        value_start = _skip(text, _skip(text, place) + 1)
        _, value_end = _DECODER.raw_decode(text, value_start)
        members.append(Member(key, start, text[place:value_start], value_start, value_end))
        place = _skip(text, value_end)
        place += text[place] == ","
    return members


def _skip(text: str, place: int) -> int:
    """The place of the next character that is not white space."""
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _space_before(text: str, place: int) -> str:
    """The white space that ends at `place`."""
    return text[len(text[:place].rstrip(_WHITE)) : place]


def _laid_out(numbers: Sequence[int], old: str = "", gap: str = " ") -> str:
    """The numbers as a JSON list, spaced as the text `old` of a list with items is, else in one line with `gap`s."""
    lead = tail = ""
    inner = old[1:-1]
    if numbers and old.startswith("[") and inner.strip(_WHITE):
        lead = inner[: _skip(inner, 0)]
        tail = _space_before(inner, len(inner))
        between = re.search(r",([ \t\r\n]*)", inner)
        gap = between.group(1) if between else lead or gap
    return f"[{lead}{f',{gap}'.join(str(number) for number in numbers)}{tail}]"
