"""The written form of everything that travels: canonical JSON, its hash, and times.

One form serves ledgers, messages and plans alike: keys sorted, no spaces, characters as they are
(not escaped to ASCII), one line feed at the end. What a line *says* is decided in
``twinwall.wire.events.definitions``; here is only how it is written, hashed and read back strictly.
"""

from __future__ import annotations

import hashlib
import re
from codecs import BOM_UTF8
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, TypeVar

import msgspec

from twinwall.game import typed_json
from twinwall.game.documents import DocumentError, canonical_json, parse_object

FIRST_PREV = "0" * 64
"""``prev`` of the first line of a ledger, which has no line before it."""

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z", re.ASCII)


_S = TypeVar("_S")
Text = Annotated[str, msgspec.Meta(min_length=1)]
Count = typed_json.Count
HexText = Annotated[str, msgspec.Meta(pattern=r"^([0-9a-f]{2})+\Z")]
"""Bytes in lower-case hex."""
Digest = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
"""32 bytes in lower-case hex: a hash or a public key."""


class FormError(DocumentError):
    """Bytes that are not one JSON object, a value of another shape, or a time that is not written as the contracts say."""


def canonical(value: Mapping[str, object]) -> bytes:
    """Write one object as its canonical line, the line feed included; raises FormError for what has no such line."""
    try:
        return canonical_json(value)
    except (ValueError, RecursionError) as problem:
        raise FormError(f"this cannot be written as a line: {problem}") from None


def digest(line: bytes) -> str:
    """SHA-256 of a line with its line feed, in lower-case hex (``sed -n 5p LEDGER | sha256sum`` gives the same)."""
    return hashlib.sha256(line).hexdigest()


def read_object(payload: bytes) -> dict[str, object]:
    """Read one JSON object (``parse_object``); raises FormError, and nothing else, for any other bytes."""
    if payload.startswith(BOM_UTF8):
        raise FormError("the line begins with a byte order mark")
    try:
        return parse_object(payload, "the line")
    except DocumentError as error:
        raise FormError(str(error)) from None


def read_as(value: object, shape: type[_S]) -> _S:
    """Read plain JSON, in which times are read already, into a msgspec type (``twinwall.game.typed_json``); raises FormError."""
    try:
        return typed_json.read_as(value, shape)
    except DocumentError as error:
        raise FormError(str(error)) from None


def write_time(at: datetime) -> str:
    """Write a moment in UTC to the millisecond, as ``2026-11-20T10:02:03.123Z``; raises FormError for a time without zone."""
    if at.tzinfo is None:
        raise FormError(f"{at.isoformat()} has no time zone: give UTC")
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def read_time(text: str) -> datetime:
    """Read what ``write_time`` writes; raises FormError for any other spelling."""
    if not _TIME.fullmatch(text):
        raise FormError(f"{text!r} is not a time like 2026-11-20T10:02:03.123Z")
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise FormError(f"{text!r} is not a date of the calendar") from None
