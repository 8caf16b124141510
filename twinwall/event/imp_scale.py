"""The IMP scale (``ImpScale.imp``): the smallest difference of scores for each international match point.

A scale file names the source of its numbers and its status. It is official if a person whom the reader trusts has signed it; otherwise it
is provisional, whatever it says of itself. Reading is strict and look-ups are exact.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import pairwise
from math import lcm
from typing import Annotated, ClassVar

from twinwall.game.documents import DocumentError, Reading, canonical_json, digest, parse_toml
from twinwall.game.typed_json import WrittenAs, read_document
from twinwall.values import frozen
from twinwall.wire.messages.file_signature import signer_of

FORMAT = "twinwall-scale-1"
_BOUND = re.compile(r"[0-9]{1,9}(/[1-9][0-9]{0,8})?")


class ScaleStatus(Enum):
    """How far a scale can be trusted: ``official`` only with the signature of a person whom the reader trusts."""

    PROVISIONAL = "provisional"
    OFFICIAL = "official"


def _line(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("must be one line of text")
    return text


def _bound(value: object) -> Fraction:
    if type(value) is int or (isinstance(value, str) and _BOUND.fullmatch(value)):
        return Fraction(value)
    raise ValueError("must be a whole number or an exact fraction in quotes such as '7/2'")


Line = Annotated[str, WrittenAs(_line, str)]


@frozen
class _ScaleFile:
    FORMAT: ClassVar = FORMAT

    name: Line
    status: ScaleStatus
    source: Line
    bounds: tuple[Annotated[Fraction, WrittenAs(_bound, str, object)], ...]
    signature: object = None


@frozen
class ImpScale:
    """Lower bounds of 1, 2, 3 … IMP, all above zero and rising. ``claims``: the status in the file. ``signer``: the trusted person who
    signed the file. ``doubt``: why a scale that calls itself official is not."""

    name: str
    claims: ScaleStatus
    source: str
    bounds: tuple[Fraction, ...]
    signer: str | None = None
    doubt: str | None = None
    _unit: int = field(init=False, repr=False, compare=False)
    """The factor that makes every bound a whole number."""
    _whole: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Prepare the look-up, which large halls use often."""
        unit = lcm(*(bound.denominator for bound in self.bounds))
        object.__setattr__(self, "_unit", unit)
        object.__setattr__(self, "_whole", tuple(int(bound * unit) for bound in self.bounds))

    @property
    def status(self) -> ScaleStatus:
        """The scale's status for this reader."""
        return self.claims if self.signer is not None else ScaleStatus.PROVISIONAL

    @property
    def digest(self) -> str:
        """SHA-256 in hex of the file's content: equal in reports with the same numbers."""
        content = {"format": FORMAT, "name": self.name, "status": self.claims.value, "source": self.source}
        return digest(canonical_json({**content, "bounds": [str(bound) for bound in self.bounds]}))

    def imp(self, difference: Fraction) -> int:
        """The IMP of a difference, with its sign, without rounding (7/4 is below 2)."""
        return self.imp_of(difference.numerator, difference.denominator)

    def imp_of(self, numerator: int, denominator: int) -> int:
        """The IMP of a difference as a quotient, which need not be in lowest terms; the denominator must be above 0."""
        points = bisect_right(self._whole, abs(numerator) * self._unit // denominator)
        return points if numerator >= 0 else -points

    def interval(self, difference: Fraction) -> tuple[Fraction, Fraction | None]:
        """The scale's interval of a difference's size: from a bound to below the next (None: no upper bound)."""
        points = bisect_right(self.bounds, abs(difference))
        return self.bounds[points - 1] if points else Fraction(0), self.bounds[points] if points < len(self.bounds) else None


@cache
def provisional_scale() -> ImpScale:
    """The scale that ships with the program, for events without their own."""
    name = "provisional.toml"
    return parse_scale(files("twinwall.event").joinpath("scales", name).read_bytes(), name)


def parse_scale(content: bytes, file: str, signature: bytes | None = None, trusted: Mapping[str, bytes] | None = None) -> ImpScale:
    """Read a scale; ``file`` is its name in errors, ``signature`` its signature file, ``trusted`` the signers' names and keys.

    An old ``[signature]`` table in the file is ignored. Raises DocumentError for no TOML, unknown or missing keys, bounds that do not rise,
    or "official" in the name of a scale that is not.
    """
    read = read_document(content, _ScaleFile, file, parse_toml)
    rising = pairwise((Fraction(0), *read.bounds))
    with Reading(file):
        if not read.bounds:
            raise DocumentError("bounds must be a list of the lower bounds of 1, 2, 3 … IMP")
        if (fall := next((pair for pair in rising if pair[1] <= pair[0]), None)) is not None:
            raise DocumentError(f"bounds must rise from above 0, but {fall[1]} does not lie above {fall[0]}")
        signer, doubt = _standing(content, signature, trusted or {}) if read.status is ScaleStatus.OFFICIAL else (None, None)
        if signer is None and ScaleStatus.OFFICIAL.value in read.name.casefold():
            why = f": {doubt}" if doubt else ""
            raise DocumentError(f"the name {read.name!r} says official, which only a signed scale is; choose another name{why}")
    return ImpScale(read.name, read.status, read.source, read.bounds, signer, doubt)


def _standing(content: bytes, signature: bytes | None, trusted: Mapping[str, bytes]) -> tuple[str | None, str | None]:
    """Who signed a scale that calls itself official, or why it is provisional."""
    if signature is None:
        return None, "it calls itself official, but it is not signed (twinwall admin sign FILE --key KEY writes FILE.sig)"
    try:
        return signer_of(content, signature, trusted), None
    except DocumentError as error:
        return None, f"it calls itself official, but {error}"
