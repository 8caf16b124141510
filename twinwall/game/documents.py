"""Strict reading of the game's JSON documents: plans, deals, slips, records, play events.

A key that is missing, unknown, written twice or of the wrong kind is an error that names the document and the key. What the
values mean is left to the type that reads them.
"""

from __future__ import annotations

import json
import math
import tomllib
from codecs import BOM_UTF8
from collections.abc import Mapping

from twinwall.game.tiles import NotationError, Seat, Tile, parse_tile, parse_tiles

TOO_DEEP = "lists and objects lie too deep in each other"


class DocumentError(ValueError):
    """A document that is not written as its format says; the message names the document, the key and what is allowed."""


def canonical_json(document: Mapping[str, object]) -> bytes:
    """Write canonical JSON: sorted keys, no spaces, characters as they are, one line feed at the end."""
    return (_WRITER.encode(document) + "\n").encode()


def pretty_json(document: Mapping[str, object]) -> bytes:
    """Write JSON for files that people also look at: keys in the order given, one space of indent."""
    return (json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def json_text(value: object) -> str:
    """A value as an error shows it: as JSON writes it, and what JSON has no form for in Python's."""
    return json.dumps(value, ensure_ascii=False, default=str)


def parse_object(text: bytes | str, name: str) -> dict[str, object]:
    """Read one JSON object; ``name`` is what the error calls the document."""
    value = _parse(text, name)
    if not isinstance(value, dict):
        raise DocumentError(f"{name} is not a JSON object")
    return value


def parse_list(text: bytes | str, name: str) -> list[object]:
    """Read one JSON list; ``name`` is what the error calls the document."""
    value = _parse(text, name)
    if not isinstance(value, list):
        raise DocumentError(f"{name} is not a JSON list")
    return value


def parse_toml(text: str, name: str) -> dict[str, object]:
    """Read TOML; ``name`` is what the error calls the document."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise DocumentError(f"{name} is not TOML that can be read: {TOO_DEEP}") from None
    except tomllib.TOMLDecodeError as error:
        raise DocumentError(f"{name} is not TOML: {error}") from None


def _parse(text: bytes | str, name: str) -> object:
    try:
        written = text if isinstance(text, str) else text.removeprefix(BOM_UTF8).decode()  # editors of Windows write it
        value: object = _READER.decode(written)
        if "\\u" in written:
            _WRITER.encode(value).encode()  # half of a surrogate pair is no text
    except RecursionError:
        raise DocumentError(f"{name} is not JSON that can be read: {TOO_DEEP}") from None
    except ValueError as error:
        raise DocumentError(f"{name} is not JSON{_trouble(error)}") from None
    return value


def _trouble(error: ValueError) -> str:
    """What is wrong with a text that is not JSON, in plain words."""
    match error:
        case json.JSONDecodeError(doc=document) if not document.strip():
            return ": it is empty"
        case json.JSONDecodeError(doc=document, msg=what, pos=place, lineno=line, colno=column):
            cut = place >= len(document.rstrip()) or what.startswith("Unterminated")
            where = f"{f'line {line}, ' if line > 1 else ''}character {column}"
            return f": {what[:1].lower()}{what[1:].removesuffix(' at')} at {where}" + ("; if it was cut short, get it again" if cut else "")
        case UnicodeDecodeError(start=start):
            return f": byte {start + 1} is no UTF-8 text"
        case UnicodeEncodeError():
            return ": it has half of a surrogate pair"
        case DocumentError():
            return f": {error}"
        case _:
            return " that can be read: a number has too many digits"


def _no_key_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise DocumentError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is written twice")
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise DocumentError(f"{text} is more than a number can hold")
    return number


def _no_constant(text: str) -> object:
    raise DocumentError(f"{text} is not a number of JSON")


_WRITER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_READER = json.JSONDecoder(object_pairs_hook=_no_key_twice, parse_constant=_no_constant, parse_float=_finite)


def object_of(value: object, name: str) -> Mapping[str, object]:
    """Take a value that must be a JSON object."""
    if not isinstance(value, dict):
        raise DocumentError(f"{name} must be an object")
    return value


def list_of(value: object, name: str) -> list[object]:
    """Take a value that must be a JSON list."""
    if not isinstance(value, list):
        raise DocumentError(f"{name} must be a list")
    return value


def text_of(value: object, name: str) -> str:
    """Take a value that must be text."""
    if not isinstance(value, str):
        raise DocumentError(f"{name} must be text")
    return value


def integer_of(value: object, name: str) -> int:
    """Take a value that must be a whole number (true and false are none)."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise DocumentError(f"{name} must be a whole number")
    return value


def seat_of(value: object, name: str) -> Seat:
    """Take a value that must be one of E, S, W, N."""
    try:
        return Seat(value)
    except ValueError:
        raise DocumentError(f"{name} must be one of E, S, W, N, not {json_text(value)}") from None


class DocumentFields:
    """The keys of one object, taken one by one; ``done`` refuses whatever was not asked for."""

    def __init__(self, value: Mapping[str, object], name: str) -> None:
        self._left = dict(value)
        self._name = name

    def __contains__(self, key: str) -> bool:
        return key in self._left

    def label(self, key: str) -> str:
        """What an error calls the value of a key."""
        return f"{key!r} of {self._name}"

    def take(self, key: str) -> object:
        """The value of a key that must be there."""
        try:
            return self._left.pop(key)
        except KeyError:
            raise DocumentError(f"{self._name} lacks the key {key!r}") from None

    def text(self, key: str) -> str:
        """Text, possibly empty."""
        return text_of(self.take(key), self.label(key))

    def integer(self, key: str, lowest: int, highest: int | None = None) -> int:
        """A whole number from ``lowest`` up (to ``highest``, where there is an end)."""
        value = integer_of(self.take(key), self.label(key))
        if value < lowest or (highest is not None and value > highest):
            raise DocumentError(f"{self.label(key)} must be {lowest} {'or more' if highest is None else f'to {highest}'}, not {value}")
        return value

    def switch(self, key: str) -> bool:
        """True or false."""
        value = self.take(key)
        if not isinstance(value, bool):
            raise DocumentError(f"{self.label(key)} must be true or false")
        return value

    def mapping(self, key: str) -> Mapping[str, object]:
        """Another object."""
        return object_of(self.take(key), self.label(key))

    def items(self, key: str) -> list[object]:
        """A list."""
        return list_of(self.take(key), self.label(key))

    def seat(self, key: str) -> Seat:
        """A seat by its wind."""
        return seat_of(self.take(key), self.label(key))

    def seat_list(self, key: str) -> tuple[Seat, ...]:
        """Seats in a list, none twice."""
        seats = tuple(seat_of(item, self.label(key)) for item in self.items(key))
        if len(set(seats)) != len(seats):
            raise DocumentError(f"{self.label(key)} names a seat twice")
        return seats

    def tiles(self, key: str) -> tuple[Tile, ...]:
        """Tiles in the order written."""
        text = self.text(key)
        try:
            return parse_tiles(text)
        except NotationError as error:
            raise DocumentError(f"{self.label(key)}: {error}") from None

    def tile(self, key: str) -> Tile:
        """Exactly one tile."""
        text = self.text(key)
        try:
            return parse_tile(text)
        except NotationError as error:
            raise DocumentError(f"{self.label(key)}: {error}") from None

    def done(self) -> None:
        """Refuse unread keys."""
        for key in self._left:
            raise DocumentError(f"{self._name} has the unknown key {key!r}")
