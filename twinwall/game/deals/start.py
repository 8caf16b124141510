"""The start of an event, ``twinwall-start-1``: plan, root and public value, fixed once, and their hash, the start code.

The root alone leaves the public value open, so a holder of the seeds could try values until a deal pleases. Every deal and slip
is therefore checked against a start, which names one value for the whole event. People compare the code as eight groups of four
symbols in Crockford's base 32. Where a start is kept, and that there is only one, is decided where deals are given and taken.

Source of the public value, as a plan's ``public`` text names it, and the form of a value that comes from there.

Two texts have a form: ``beacon: NAME, ROUND`` (a published random beacon and the pulse, by number or time) and ``tiles: N`` (N tiles,
drawn face up in the room). Any other text is a sentence for people, and fits every value. Whether a value is the one that the beacon
published, or that the room drew, is for people to compare.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from twinwall.game.deals.encoding import DIGEST_SIZE, CanonicalDocument, DealError, Sha256, encode_parts, sha256
from twinwall.game.deals.plan import Plan
from twinwall.game.tiles import ALL_TILES, NotationError, Tile, TileRow, format_tiles, parse_tiles
from twinwall.values import frozen

BEACON, TILES = "beacon:", "tiles:"
FEWEST_TILES = 8
"""Eight tiles are some 40 bits: more values than anybody can try in the time between the draw and the start."""


class TilesError(DealError):
    """Typed tiles that are no public value: ``why`` is a stable word, ``values`` what a sentence in any language names."""

    def __init__(self, sentence: str, why: str, values: Mapping[str, int | str]) -> None:
        super().__init__(sentence)
        self.why, self.values = why, values


_BEACON = re.compile(r"beacon: [^,]*[^,\s][^,]*, .*\d.*")
_TILES = re.compile(r"tiles: ([1-9]\d{0,3})")
_PULSE = re.compile(r"[0-9a-f]{64}|[0-9a-f]{128}")


def check_source(source: str) -> None:
    """Refuse the text of a plan that begins as one of the two forms and is not; raises DealError."""
    if source.startswith(BEACON) and not _BEACON.fullmatch(source):
        raise DealError(f"{source!r} must name a beacon and its pulse, such as 'beacon: drand quicknet, round 12345678'")
    if source.startswith(TILES) and tiles_drawn(source) < FEWEST_TILES:
        raise DealError(f"{source!r} must say how many tiles are drawn, {FEWEST_TILES} or more, such as 'tiles: 32'")


def tiles_drawn(source: str) -> int:
    """How many tiles the room draws by the text of a plan; 0 for another source."""
    match = _TILES.fullmatch(source)
    return 0 if match is None else int(match[1])


def check_drawn(source: str, value: str) -> None:
    """Refuse a public value that cannot come from the source that the plan names; raises DealError."""
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
    """Refuse tiles that no draw shows, before they are fixed as the public value; raises DealError. Someone who knows the value beforehand
    knows the deals; of 32 tiles drawn from whole sets fewer than eleven kinds come in less than one draw of 10⁸."""
    drawn = tiles_drawn(source)
    kinds = len(set(_read(value, drawn))) if drawn else 0
    if 3 * kinds < min(drawn, len(ALL_TILES)):
        sentence = f"{drawn} tiles with {kinds} different ones are no draw: turn up tiles of a mixed set, and write what they show"
        raise TilesError(sentence, "kinds", {"kinds": kinds, "wanted": drawn})


def one_by_one(value: str) -> str:
    """Typed tiles in their one spelling, with one blank between; what cannot be read stays as it is."""
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
"""Bytes of the code that are read aloud: its first 160 bits."""
GROUP_SIZE = 4

_SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_SYMBOL_BITS = 5
_READ_AS = str.maketrans({"O": "0", "I": "1", "L": "1"})
_APART = frozenset({"Pd", "Zs", "Cc"})
"""Unicode's categories of what may stand between symbols: hyphens, spaces, tabs and line feeds."""
_HEX = frozenset("0123456789abcdef")


class Start(CanonicalDocument, tag_field="format", tag=START_FORMAT):
    """The start document: the digest P of the plan, the root R, and the public value V in its one exact spelling."""

    called = "the start"

    plan: Sha256
    root: Sha256
    public: str

    def __post_init__(self) -> None:
        """Refuse a public value that two people could spell differently."""
        check_public(self.public)

    @property
    def code(self) -> Sha256:
        """S, the start code."""
        return sha256(encode_parts(START_FORMAT, self.plan, self.root, self.public))

    @property
    def words(self) -> str:
        """The start code to read aloud."""
        return words_of_code(self.code)


@frozen
class StartedPlan:
    """A plan with its start: all that anybody needs to check a deal or a slip of the event."""

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
    """Refuse a public value without one exact spelling: empty, with blanks at its ends, or with characters that cannot be seen."""
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
    """Read a start code as a person gives it: the whole code in hex, or its words.

    Words may be in lower case or full-width, with O for 0 and I or L for 1; blanks and hyphens do not count. Returns the whole code,
    or the first ``WORDS_SIZE`` bytes of it; raises DealError.
    """
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
    """The start that has this code (of ``read_code``); None when it is none of the candidates."""
    return next((start for start in candidates if start.code[: len(code)] == code), None)
