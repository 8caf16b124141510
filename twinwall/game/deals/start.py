"""The start of an event, ``twinwall-start-1``: plan, root and public value, fixed once; its hash is the start code (``Start.code``).

The root alone leaves the public value open, so a seed holder could try values until a deal pleases. Every deal and slip is therefore
checked against one start for the whole event. People compare its code as eight groups of four symbols in Crockford's base 32.

A plan's ``public`` text names the source of the value. Two forms are checked: ``beacon: NAME, ROUND`` (a pulse of a published random
beacon) and ``tiles: N`` (N tiles drawn face up in the room). Any other text fits every value. People compare the value with the source.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from twinwall.game.deals.encoding import DIGEST_SIZE, DealDocument, DealError, Sha256, encode_parts, sha256
from twinwall.game.deals.plan import Plan
from twinwall.game.tiles import ALL_TILES, NotationError, Tile, TileRow, format_tiles, parse_tiles
from twinwall.values import frozen

BEACON, TILES = "beacon:", "tiles:"
FEWEST_TILES = 8
"""Eight tiles are about 40 bits: more values than anybody can try between the draw and the start."""


class TilesError(DealError):
    """Typed tiles that are not a public value: ``why`` is a stable word, ``values`` fill a translated sentence."""

    def __init__(self, sentence: str, why: str, values: Mapping[str, int | str]) -> None:
        super().__init__(sentence)
        self.why, self.values = why, values


_BEACON = re.compile(r"beacon: [^,]*[^,\s][^,]*, .*\d.*")
_TILES = re.compile(r"tiles: ([1-9]\d{0,3})")
_PULSE = re.compile(r"[0-9a-f]{64}|[0-9a-f]{128}")


def check_source(source: str) -> None:
    """Raise DealError for a source that begins like one of the two forms but does not follow it."""
    if source.startswith(BEACON) and not _BEACON.fullmatch(source):
        raise DealError(f"{source!r} must name a beacon and its pulse, such as 'beacon: drand quicknet, round 12345678'")
    if source.startswith(TILES) and tiles_drawn(source) < FEWEST_TILES:
        raise DealError(f"{source!r} must say how many tiles are drawn, {FEWEST_TILES} or more, such as 'tiles: 32'")


def tiles_drawn(source: str) -> int:
    """The number of tiles that the room draws; 0 for another source."""
    match = _TILES.fullmatch(source)
    return 0 if match is None else int(match[1])


def check_drawn(source: str, value: str) -> None:
    """Raise DealError for a public value that the plan's source cannot give."""
    check_source(source)
    if source.startswith(BEACON) and not _PULSE.fullmatch(value):
        raise DealError(
            f"the plan names {source!r} as the source, whose values are 64 or 128 lower-case hex digits, not {value!r}: "
            "give the pulse as the beacon published it, in lower case"
        )
    if source.startswith(TILES):
        tiles, drawn = _read(value, tiles_drawn(source)), tiles_drawn(source)
        if len(tiles) != drawn:
            sentence = f"the plan says that {drawn} tiles are drawn, these are {len(tiles)}: give all, table by table in the hall's order"
            raise TilesError(sentence, "count", {"count": len(tiles), "wanted": drawn})
        if format_tiles(tiles) != value:
            raise DealError(f"write the tiles one by one with one blank between: {format_tiles(tiles)!r}")


def check_random(source: str, value: str) -> None:
    """Raise DealError for tiles that no honest draw shows, before they become the public value: who knows it in advance knows the deals. 32
    tiles drawn from whole sets have fewer than eleven kinds in less than one of 10⁸ draws."""
    drawn = tiles_drawn(source)
    kinds = len(set(_read(value, drawn))) if drawn else 0
    if 3 * kinds < min(drawn, len(ALL_TILES)):
        sentence = f"{drawn} tiles with {kinds} different ones are no draw: turn up tiles of a mixed set, and write what they show"
        raise TilesError(sentence, "kinds", {"kinds": kinds, "wanted": drawn})


def one_by_one(value: str) -> str:
    """Typed tiles in their one spelling, with single blanks; unreadable text is returned unchanged."""
    try:
        return format_tiles(parse_tiles(value))
    except NotationError:
        return value


def _read(value: str, drawn: int) -> TileRow:
    tiles: list[Tile] = []
    for word in value.split():
        try:
            tiles += parse_tiles(word)
        except NotationError as error:
            raise TilesError(f"the plan says that {drawn} tiles are drawn: {error}", "tile", {"text": word}) from None
    return tuple(tiles)


START_FORMAT = "twinwall-start-1"
WORDS_SIZE = 20
"""Bytes of the code that people read aloud: its first 160 bits."""
GROUP_SIZE = 4

_SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_SYMBOL_BITS = 5
_READ_AS = str.maketrans({"O": "0", "I": "1", "L": "1"})
_APART = frozenset({"Pd", "Zs", "Cc"})
"""Unicode categories that may separate symbols: hyphens, spaces, tabs, line feeds."""
_HEX = frozenset("0123456789abcdef")


class Start(DealDocument, tag_field="format", tag=START_FORMAT):
    """The start: the plan's digest P, the root R, and the public value V in one exact spelling."""

    called = "the start"

    plan: Sha256
    root: Sha256
    public: str

    def __post_init__(self) -> None:
        check_public(self.public)

    @property
    def code(self) -> Sha256:
        """S, the start code."""
        return sha256(encode_parts(START_FORMAT, self.plan, self.root, self.public))

    @property
    def words(self) -> str:
        return words_of_code(self.code)


@frozen
class StartedPlan:
    """A plan with its start: all that checking a deal or slip needs."""

    plan: Plan
    start: Start

    def __post_init__(self) -> None:
        """Refuse the start of another plan."""
        if self.start.plan != self.plan.digest:
            raise DealError(
                f"the start {self.start.words} is of another plan: it names the plan {self.start.plan.hex()}, "
                f"the plan of {self.plan.event!r} is {self.plan.digest.hex()}"
            )


def check_public(public: str) -> None:
    """Raise DealError for a public value without one exact spelling: empty, blanks at its ends, invisible characters."""
    if not public.strip():
        raise DealError("the public value is empty: give its exact text")
    if public != public.strip():
        raise DealError(f"the public value {public!r} has blanks at its ends: give it without them")
    if not public.isprintable():
        raise DealError(f"the public value {public!r} has a line break or another character that cannot be seen: give it without")


def words_of_code(code: bytes) -> str:
    """A start code as eight groups of four symbols, joined by hyphens."""
    number = int.from_bytes(code[:WORDS_SIZE], "big")
    count = WORDS_SIZE * 8 // _SYMBOL_BITS
    symbols = "".join(_SYMBOLS[number >> _SYMBOL_BITS * place & 31] for place in range(count - 1, -1, -1))
    return "-".join(symbols[begin : begin + GROUP_SIZE] for begin in range(0, count, GROUP_SIZE))


def read_code(text: str) -> bytes:
    """Read a start code in hex or in words; returns the whole code, or its first ``WORDS_SIZE`` bytes. Raises DealError. Words may be lower
    case or full-width, with O for 0 and I or L for 1; blanks and hyphens are ignored."""
    given = "".join(symbol for symbol in unicodedata.normalize("NFKC", text) if unicodedata.category(symbol) not in _APART)
    if len(given) == 2 * DIGEST_SIZE and set(given.lower()) <= _HEX:
        return bytes.fromhex(given)
    symbols = [_symbol(symbol) for symbol in given]
    count = WORDS_SIZE * 8 // _SYMBOL_BITS
    if len(symbols) != count:
        groups = count // GROUP_SIZE
        raise DealError(f"a start code has {count} symbols, {groups} groups of {GROUP_SIZE}, not {len(symbols)}: read it again")
    number = 0
    for value in symbols:
        number = number << _SYMBOL_BITS | value
    return number.to_bytes(WORDS_SIZE, "big")


def _symbol(symbol: str) -> int:
    read = symbol.upper().translate(_READ_AS)
    if not symbol.isascii() or read not in _SYMBOLS:
        raise DealError(f"a start code has no {symbol!r}: it is written with the digits and the letters but I, L, O and U")
    return _SYMBOLS.index(read)


def start_of_code(code: bytes, candidates: Iterable[Start]) -> Start | None:
    """The candidate with this code (of ``read_code``), or None."""
    return next((start for start in candidates if start.code[: len(code)] == code), None)
