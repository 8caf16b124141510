"""Strict JSON and TOML, canonical JSON, its hash, and times. A missing, unknown or repeated key and a wrong type are errors that name the
document and the key. The type that reads the values decides what they mean."""

import hashlib
import json
import math
import re
import tomllib
from codecs import BOM_UTF8
from collections.abc import Mapping
from datetime import UTC, datetime

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z", re.ASCII)
TOO_DEEP = "lists and objects lie too deep in each other"


class DocumentError(ValueError):
    """A document does not follow its format; the message names the document, the key and what is allowed."""


class Reading:
    """Adds the document's name to errors: ``with Reading("the plan"):``."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, error: object, _trace: object) -> None:
        if isinstance(error, DocumentError):
            error.args = (f"{self._what}: {error}",)  # keeps the subclass, such as SignatureError


def canonical_json(document: Mapping[str, object]) -> bytes:
    """Write canonical JSON: sorted keys, no spaces, no ASCII escapes, one line feed at the end; raises DocumentError."""
    try:
        return (_WRITER.encode(document) + "\n").encode()
    except (ValueError, RecursionError) as problem:
        raise DocumentError(f"this cannot be written as a line: {problem}") from None


def digest(line: bytes) -> str:
    """SHA-256 of a line with its line feed, in lower-case hex (as ``sed -n 5p LEDGER | sha256sum``)."""
    return hashlib.sha256(line).hexdigest()


def write_time(at: datetime) -> str:
    """A time in UTC to the millisecond: ``2026-11-20T10:02:03.123Z``; raises DocumentError for a time without zone."""
    if at.tzinfo is None:
        raise DocumentError(f"{at.isoformat()} has no time zone: give UTC")
    return at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def read_time(text: str) -> datetime:
    """Read a time of ``write_time``; raises DocumentError for any other spelling."""
    if not _TIME.fullmatch(text):
        raise DocumentError(f"{text!r} is not a time like 2026-11-20T10:02:03.123Z")
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise DocumentError(f"{text!r} is not a date of the calendar") from None


def pretty_json(document: object) -> bytes:
    """Write JSON for people too: keys in the order given, indented by one space."""
    return (json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def json_text(value: object) -> str:
    """A value for an error text: as JSON, or else as Python's ``str``."""
    return json.dumps(value, ensure_ascii=False, default=str)


def parse_object(text: bytes | str, name: str = "the line") -> dict[str, object]:
    """Read one JSON object; ``name`` is the document's name in errors."""
    value = _parse(text, name)
    if not isinstance(value, dict):
        raise DocumentError(f"{name} is not a JSON object")
    return value


def parse_list(text: bytes | str, name: str) -> list[object]:
    """Read one JSON list; ``name`` is the document's name in errors."""
    value = _parse(text, name)
    if not isinstance(value, list):
        raise DocumentError(f"{name} is not a JSON list")
    return value


def parse_toml(text: bytes | str, name: str) -> dict[str, object]:
    """Read TOML; ``name`` is the document's name in errors."""
    try:
        return tomllib.loads(text if isinstance(text, str) else text.decode())
    except RecursionError:
        raise DocumentError(f"{name} is not TOML that can be read: {TOO_DEEP}") from None
    except ValueError as error:  # also of bytes that are no text, and a number with too many digits
        raise DocumentError(f"{name} is not TOML: {error}") from None


def _parse(text: bytes | str, name: str) -> object:
    try:
        written = text if isinstance(text, str) else text.removeprefix(BOM_UTF8).decode()  # Windows editors write a BOM
        value: object = _READER.decode(written)
        if "\\u" in written:
            _WRITER.encode(value).encode()  # half of a surrogate pair cannot be encoded
    except RecursionError:
        raise DocumentError(f"{name} is not JSON that can be read: {TOO_DEEP}") from None
    except ValueError as error:
        raise DocumentError(f"{name} is not JSON{_trouble(error)}") from None
    return value


def _trouble(error: ValueError) -> str:
    """Why a text is not JSON, in plain words."""
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
