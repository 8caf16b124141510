"""The IMP scale: the smallest difference of scores for each international match point.

A scale file names the source of its numbers and its standing. Reading is strict and the look-up exact. Which results are compared
is left to ``comparison``.
"""

from __future__ import annotations

import datetime
import hashlib
import re
import tomllib
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import pairwise

from twinwall.game.documents import canonical_json

FORMAT = "twinwall-scale-1"
_KEYS = ("format", "name", "status", "source", "bounds", "signature")
_SIGNATURE_KEYS = ("referee", "on", "digest")
_BOUND = re.compile(r"[0-9]{1,9}(/[1-9][0-9]{0,8})?")


class ScaleError(ValueError):
    """A scale that is not written as its format says; the message names the file, the key and what is allowed."""


class ScaleStatus(Enum):
    """How far a scale can be trusted: ``official`` only with the signature of the referee who entered it."""

    PROVISIONAL = "provisional"
    OFFICIAL = "official"


@dataclass(frozen=True, slots=True)
class Signature:
    """Who entered an official scale, when, and the digest of what was signed."""

    referee: str
    on: datetime.date
    digest: str


@dataclass(frozen=True, slots=True)
class Interval:
    """The differences that earn some IMP: from ``lower`` up to but not including ``upper`` (None: without end)."""

    imp: int
    lower: Fraction
    upper: Fraction | None


@dataclass(frozen=True, slots=True)
class Scale:
    """Lower bounds of 1, 2, 3 … IMP, all above zero and rising; ``signature`` is there if and only if the status is official."""

    name: str
    status: ScaleStatus
    source: str
    bounds: tuple[Fraction, ...]
    signature: Signature | None = None

    @property
    def digest(self) -> str:
        """SHA-256 in hex over everything but the signature, so that a changed number no longer fits what was signed."""
        signed = {"format": FORMAT, "name": self.name, "status": self.status.value, "source": self.source}
        return hashlib.sha256(canonical_json({**signed, "bounds": [str(bound) for bound in self.bounds]})).hexdigest()

    def imp(self, difference: Fraction) -> int:
        """The IMP of a difference, with its sign; nothing is rounded (7/4 is below 2)."""
        points = bisect_right(self.bounds, abs(difference))
        return points if difference >= 0 else -points

    def interval(self, difference: Fraction) -> Interval:
        """The interval of the scale that the size of a difference falls into."""
        points = bisect_right(self.bounds, abs(difference))
        lower = self.bounds[points - 1] if points else Fraction(0)
        return Interval(points, lower, self.bounds[points] if points < len(self.bounds) else None)


@cache
def provisional_scale() -> Scale:
    """The scale that ships with the program, for events that have entered none of their own."""
    name = "provisional.toml"
    return parse_scale(files("twinwall.event").joinpath("scales", name).read_bytes(), name)


def parse_scale(content: bytes, file: str) -> Scale:
    """Read a scale; ``file`` is what errors call it.

    Raises:
        ScaleError: for what is not TOML, unknown or missing keys, bounds that do not rise, an official scale that
            nobody signed or that was changed after it was signed.
    """
    try:
        document: dict[str, object] = tomllib.loads(content.decode())
    except ValueError as error:  # of the decoding as well
        raise ScaleError(f"{file} is not TOML: {error}") from None
    _check_keys(document, _KEYS, {"signature"}, file)
    if document["format"] != FORMAT:
        raise ScaleError(f"{file}: the format must be {FORMAT!r}, not {document['format']!r}")
    scale = Scale(
        name=_text(document, "name", file),
        status=_status(document["status"], file),
        source=_text(document, "source", file),
        bounds=_bounds(document["bounds"], file),
        signature=_signature(document["signature"], file) if "signature" in document else None,
    )
    _check_standing(scale, file)
    return scale


def _check_standing(scale: Scale, file: str) -> None:
    """Only a scale that is signed as it stands may call itself official, in its status or by its name."""
    if scale.status is ScaleStatus.PROVISIONAL:
        if scale.signature is not None:
            raise ScaleError(f"{file}: a provisional scale has no signature: take it away, or let the referee make the status official")
        if ScaleStatus.OFFICIAL.value in scale.name.casefold():
            raise ScaleError(f"{file}: the name {scale.name!r} says official, which only a signed scale is: choose another name")
    elif scale.signature is None:
        raise ScaleError(
            f"{file}: an official scale needs the signature of the referee who entered it: a table [signature] with referee, on "
            f"and digest (of the scale as it stands: {scale.digest}); otherwise the status is provisional"
        )
    elif scale.signature.digest != scale.digest:
        raise ScaleError(
            f"{file}: {scale.signature.referee} signed the digest {scale.signature.digest!r}, but the scale as it stands has "
            f"{scale.digest}: it was changed after it was signed, so the referee must check it and sign it again"
        )


def _check_keys(table: Mapping[str, object], known: tuple[str, ...], optional: set[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise ScaleError(f"{where}: the key {key!r} is not known; known are {', '.join(known)}")
    for key in known:
        if key not in table and key not in optional:
            raise ScaleError(f"{where}: the key {key!r} is missing")


def _text(table: Mapping[str, object], key: str, where: str) -> str:
    value = table[key]
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise ScaleError(f"{where}: {key} must be one line of text, not {value!r}")
    return value


def _status(value: object, file: str) -> ScaleStatus:
    for status in ScaleStatus:
        if value == status.value:
            return status
    raise ScaleError(f"{file}: the status must be one of {', '.join(status.value for status in ScaleStatus)}, not {value!r}")


def _bounds(value: object, file: str) -> tuple[Fraction, ...]:
    if not isinstance(value, list) or not value:
        raise ScaleError(f"{file}: bounds must be a list of the lower bounds of 1, 2, 3 … IMP")
    bounds = tuple(_bound(item, file) for item in value)
    for lower, upper in pairwise((Fraction(0), *bounds)):
        if upper <= lower:
            raise ScaleError(f"{file}: bounds must rise from above 0, but {upper} does not lie above {lower}")
    return bounds


def _bound(value: object, file: str) -> Fraction:
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, str) and _BOUND.fullmatch(value):
        return Fraction(value)
    raise ScaleError(f"{file}: a bound must be a whole number or an exact fraction in quotes such as '7/2', not {value!r}")


def _signature(value: object, file: str) -> Signature:
    where = f"{file}: signature"
    if not isinstance(value, dict):
        raise ScaleError(f"{where} must be a table with {', '.join(_SIGNATURE_KEYS)}")
    _check_keys(value, _SIGNATURE_KEYS, set(), where)
    on = value["on"]
    if not isinstance(on, datetime.date) or isinstance(on, datetime.datetime):
        raise ScaleError(f"{where}: on must be a date such as 2026-11-20, not {on!r}")
    return Signature(_text(value, "referee", where), on, _text(value, "digest", where))
