"""Portable Mahjong Notation (PMN): tags in square brackets; the play is one text with four letters per move.

Follows the README and example files of python-majiang. Tags of our own (``OWN_TAGS``) have what else a record knows; other programs skip
them, and a file without them can be read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from twinwall.event.forms.sheet import UNKNOWN, FormTextError, HandMove, HandSheet, MoveType, ReleasedHand, named_move, tile_codes
from twinwall.game.documents import DocumentError, parse_toml
from twinwall.game.rules import DEFAULT_RULES
from twinwall.game.tiles import ALL_TILES, HANDS, SEATS, Seat, Tile, TileRow, round_wind
from twinwall.game.typed_json import read_as
from twinwall.game.walls import HAND_SIZE

LETTERS = "cdbwr"
CODES = tile_codes(LETTERS)
TILES = dict(zip(CODES, ALL_TILES, strict=True))
FLOWERS = "f"
_DRAWN = "z1"
"""Stands for the tile drawn in the same turn."""
_ACTIONS = {
    MoveType.DRAW: "T",
    MoveType.DISCARD: "D",
    MoveType.CHOW: "C",
    MoveType.PUNG: "P",
    MoveType.CONCEALED_KONG: "A",
    MoveType.ADDED_KONG: "B",
    MoveType.KONG: "Z",
    MoveType.WIN: "H",
}
_MOVES = {action: move for move, action in _ACTIONS.items()} | {"M": MoveType.WIN}
"""``M`` means a win in the README's own example."""
_MOVE = re.compile(r"([HM])([0-3])|([TDCPABZ])([0-3])([cdbwrz][1-9])")


def move_text(move: HandMove) -> str:
    begins = f"{_ACTIONS[move.type]}{move.seat.index}"
    match move.type:
        case MoveType.WIN:
            return begins
        case MoveType.DISCARD if move.drawn:
            return begins + _DRAWN
        case MoveType.CHOW:
            return begins + CODES[move.run[1]]
        case _:
            return begins + CODES[move.tile]


def moves_in(text: str) -> Iterator[HandMove]:
    """The moves of a play; raises FormTextError, which names the move."""
    position, number = 0, 0
    before: HandMove | None = None
    while position < len(text):
        number += 1
        found = _MOVE.match(text, position)
        if found is None:
            raise FormTextError(_no_move(text[position : position + 4], number))
        position = found.end()
        if found[1]:
            yield HandMove(MoveType.WIN, SEATS[int(found[2])], before.tile if before is not None else Tile.EAST)
            continue
        before = _move(found, before, f"move {number}")
        yield before
    if number == 0:
        raise FormTextError("the tag Play is empty: there is no move in it")


def _no_move(text: str, number: int) -> str:
    if text.startswith("R"):
        return f"move {number} replaces a flower: no rule set here has flowers"
    if len(text) < 4:
        return f"move {number} is cut short ({text!r}): get the file again"
    return f"move {number} is {text!r}: write an action (T D C P A B Z H), a seat 0 to 3 and a tile such as c5"


def _move(found: re.Match[str], before: HandMove | None, place: str) -> HandMove:
    move, seat, code = _MOVES[found[3]], SEATS[int(found[4])], found[5]
    tile = TILES.get(code)
    if code == _DRAWN and move is MoveType.DISCARD and before is not None and before.type is MoveType.DRAW:
        tile = before.tile
    if tile is None:
        raise FormTextError(f"{place} has {code}, which is no tile" + (" here" if code == _DRAWN else ""))
    return named_move(HandMove(move, seat, tile), before, place, code)


_SEAT_TAGS = dict(zip(SEATS, ("East", "South", "West", "North"), strict=True))
OWN_TAGS = ("Session", "Hand", "Table", "Rules", "Options", "Check", "Riichi", "From", "Wall")
"""Our own tags, for what the form has no tag."""
_FROM_RECORD = ("Event", "Board", "PWind", *_SEAT_TAGS.values(), "Deal", "Result", "Play", *OWN_TAGS)
_BESIDE = {"Site": UNKNOWN, "Date": "????.??.??", "Starting": "0 0 0 0", "Penalty": "0 0 0 0"}
_ORDER = (
    *("Event", "Site", "Date", "Board", "PWind", "East", "South", "West", "North", "Deal", "Scoring"),
    *("Starting", "Result", "Penalty", "Play", "Fan"),
)

_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
_SOURCE = re.compile("([1-9][0-9]{0,4})([ESWN])")
_HAND = re.compile("".join(rf"{letter}(?P<{letter}>[1-9]*)" for letter in f"{LETTERS}{FLOWERS}"))

_FANS = """
big-four-winds big-three-dragons all-green nine-gates four-kongs seven-shifted-pairs thirteen-orphans all-terminals little-four-winds
little-three-dragons all-honors four-concealed-pungs pure-terminal-chows quadruple-chow four-pure-shifted-pungs four-pure-shifted-chows
three-kongs all-terminals-and-honors seven-pairs greater-honors-and-knitted-tiles all-even-pungs full-flush pure-triple-chow
pure-shifted-pungs upper-tiles middle-tiles lower-tiles pure-straight three-suited-terminal-chows pure-shifted-chows all-five
triple-pung three-concealed-pungs lesser-honors-and-knitted-tiles knitted-straight upper-four lower-four big-three-winds mixed-straight
reversible-tiles mixed-triple-chow mixed-shifted-pungs chicken-hand last-tile-draw last-tile-claim out-with-replacement-tile
robbing-the-kong two-concealed-kongs all-pungs half-flush mixed-shifted-chows all-types melded-hand two-dragons-pungs outside-hand
fully-concealed-hand two-melded-kongs last-tile dragon-pung prevalent-wind seat-wind concealed-hand all-chows tile-hog double-pung
two-concealed-pungs concealed-kong all-simples pure-double-chow mixed-double-chow short-straight two-terminal-chows
pung-of-terminals-or-honors melded-kong one-voided-suit no-honors edge-wait closed-wait single-wait self-drawn flower-tile
concealed-kong-and-melded-kong
"""
FAN_IDS = tuple(_FANS.split())
"""Our fan ids in the order of the form's list, which counts from 1."""
_FAN_NUMBERS = {fan: number for number, fan in enumerate(FAN_IDS, 1)}


def write(released: ReleasedHand, tags: Mapping[str, str]) -> str:
    """A hand as PMN; ``tags`` add what a record lacks, such as ``Site`` and ``Date``."""
    record, sheet = released.record, released.sheet
    deal = " ".join(_hand_text(sheet.hands[seat]) for seat in SEATS)
    values = {
        **_BESIDE,
        "Scoring": "Duplicate" if record.rules == DEFAULT_RULES else record.rules,
        "Fan": _fan(released),
        **tags,
        "Event": sheet.event,
        "Board": str(sheet.n),
        "PWind": round_wind(sheet.hand).value,
        **{tag: sheet.players[seat] for seat, tag in _SEAT_TAGS.items()},
        "Deal": deal,
        "Result": " ".join(str(record.scores[seat]) for seat in SEATS),
        "Play": "".join(move_text(move) for move in sheet.moves),
        **_own(sheet),
    }
    names = [*_ORDER, *(name for name in values if name not in _ORDER)]
    return "".join(f'[{name} "{_escaped(values[name])}"]\n' for name in names)


def _own(sheet: HandSheet) -> dict[str, str]:
    assert sheet.walls is not None and sheet.rules is not None and sheet.check is not None
    walls = [*(sheet.walls[seat] for seat in SEATS), *([sheet.rest] if sheet.rest else [])]
    riichi = [str(number) for number, move in enumerate(sheet.moves, 1) if move.riichi]
    sources = list(_doubtful_sources(sheet.moves))
    return {
        "Session": str(sheet.session),
        "Hand": str(sheet.hand),
        "Table": sheet.table,
        "Rules": sheet.rules,
        **({"Options": ", ".join(f"{name} = {_option(value)}" for name, value in sheet.options.items())} if sheet.options else {}),
        "Check": sheet.check.hex(),
        **({"Riichi": " ".join(riichi)} if riichi else {}),
        **({"From": " ".join(sources)} if sources else {}),
        "Wall": " ".join("".join(CODES[tile] for tile in wall) for wall in walls),
    }


def _doubtful_sources(moves: Iterable[HandMove]) -> Iterator[str]:
    """Yield sources of claimed tiles that another seat has discarded since, which happens when a claim waits for its turn (Seigo)."""
    last: dict[Seat, Tile] = {}
    for number, move in enumerate(moves, 1):
        if move.type in (MoveType.DISCARD, MoveType.ADDED_KONG):
            last.pop(move.seat, None)
            last[move.seat] = move.tile
        elif move.type in (MoveType.PUNG, MoveType.KONG) and move.source is not None:
            latest = next((seat for seat in reversed(last) if seat is not move.seat and last[seat] is move.tile), None)
            if latest is not move.source:
                yield f"{number}{move.source.value}"


def _option(value: object) -> str:
    """An option as in TOML, but without double quotes, which some programs cannot read in a tag."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}'" if isinstance(value, str) else str(value)


def _escaped(text: str) -> str:
    return " ".join(text.splitlines()).replace("\\", "\\\\").replace('"', '\\"')


def _hand_text(tiles: TileRow) -> str:
    codes = sorted(CODES[tile] for tile in tiles)
    return "".join(letter + "".join(code[1] for code in codes if code[0] == letter) for letter in f"{LETTERS}{FLOWERS}")


def _fan(released: ReleasedHand) -> str:
    """The winners' fans by number; empty for other rules, which have no numbers in the form."""
    wins = released.played.wins if released.record.rules == DEFAULT_RULES else {}
    return " ".join(
        ".".join(f"{_FAN_NUMBERS[fan.id]}/{fan.count}" for fan in wins[seat].fans) if seat in wins else "None" for seat in SEATS
    )


def read(text: str) -> Iterator[HandSheet]:
    """The hands of a PMN text; a repeated tag begins the next hand.

    Raises FormTextError, which names the line, tag or move.
    """
    tags: dict[str, str] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip() or line.startswith(("%", ";")):
            continue
        found = _TAG.fullmatch(line)
        if found is None:
            raise FormTextError(f'line {number} is no tag: write [Name "value"]; if the file was cut short, get it again')
        name, value = found[1], re.sub(r"\\(.)", r"\1", found[2])
        if name in tags:
            yield _sheet(tags)
            tags = {}
        tags[name] = value
    if not tags:
        raise FormTextError("there is no tag in it")
    yield _sheet(tags)


def _sheet(tags: Mapping[str, str]) -> HandSheet:
    for needed in ("Deal", "Play"):
        if needed not in tags:
            raise FormTextError(f"the tag {needed} is missing: without it there is no hand to read")
    n = _number(tags, "Board", 1)
    walls, rest = _walls(tags)
    hands = _hands(tags["Deal"])
    if walls is not None:
        _compare(hands, walls)
        hands = {seat: walls[seat][:HAND_SIZE] for seat in SEATS}
    return HandSheet(
        hands=hands,
        moves=_moves(tags),
        scores=_scores(tags),
        players={seat: tags.get(tag) or UNKNOWN for seat, tag in _SEAT_TAGS.items()},
        event=tags.get("Event") or UNKNOWN,
        session=_number(tags, "Session", 1),
        hand=_number(tags, "Hand", _hand_number(n, tags.get("PWind", ""))),
        n=n,
        table=tags.get("Table") or "1",
        rules=tags.get("Rules"),
        options=_options(tags.get("Options", "")),
        check=_check(tags.get("Check")),
        walls=walls,
        rest=rest,
        tags={name: value for name, value in tags.items() if name not in _FROM_RECORD},
    )


def _moves(tags: Mapping[str, str]) -> tuple[HandMove, ...]:
    """The play, with the riichi discards and sources of claims from our own tags, by number of the move."""
    riichi, sources = set(tags.get("Riichi", "").split()), _sources(tags.get("From", ""))
    return tuple(
        replace(move, riichi=str(number) in riichi, source=sources.get(number, move.source))
        for number, move in enumerate(moves_in(tags["Play"]), 1)
    )


def _sources(text: str) -> dict[int, Seat]:
    found = {word: _SOURCE.fullmatch(word) for word in text.split()}
    wrong = next((word for word, each in found.items() if each is None), None)
    if wrong is not None:
        raise FormTextError(f"the tag From has {wrong!r}: write the number of a claim and the seat of the discard, such as 62N")
    return {int(each[1]): Seat(each[2]) for each in found.values() if each is not None}


def _number(tags: Mapping[str, str], name: str, default: int) -> int:
    value = tags.get(name, str(default))
    if not re.fullmatch("[1-9][0-9]{0,8}", value, re.ASCII):
        raise FormTextError(f"the tag {name} is {value!r}: write a number from 1 on")
    return int(value)


def _hand_number(n: int, wind: str) -> int:
    """The hand of a session for a board: by its number, or if its prevalent wind differs, the first hand with this wind."""
    hand = (n - 1) % HANDS + 1
    rounds = [seat.value for seat in SEATS]
    return hand if wind not in rounds or round_wind(hand).value == wind else rounds.index(wind) * 4 + 1


def _scores(tags: Mapping[str, str]) -> dict[Seat, int] | None:
    if "Result" not in tags:
        return None
    if not re.fullmatch(r"[+-]?\d{1,9}( [+-]?\d{1,9}){3}", tags["Result"], re.ASCII):
        raise FormTextError(f"the tag Result is {tags['Result']!r}: write four whole numbers")
    return dict(zip(SEATS, map(int, tags["Result"].split()), strict=True))


def _options(text: str) -> dict[str, object]:
    try:
        return read_as(parse_toml(f"options = {{{text}}}", "its value")["options"], dict[str, object], "the tag Options")
    except DocumentError as error:
        raise FormTextError(f"the tag Options cannot be read: {error}") from None


def _check(text: str | None) -> bytes | None:
    if text is None:
        return None
    if not re.fullmatch("[0-9a-f]{64}", text):
        raise FormTextError("the tag Check must be 64 lower-case hex digits")
    return bytes.fromhex(text)


def _hands(text: str) -> dict[Seat, TileRow]:
    words = text.split()
    if len(words) != len(SEATS):
        raise FormTextError(f"the tag Deal has {len(words)} hands, not {len(SEATS)}")
    return {seat: _hand(word, seat) for seat, word in zip(SEATS, words, strict=True)}


def _hand(word: str, seat: Seat) -> TileRow:
    found = _HAND.fullmatch(word)
    if found is None:
        raise FormTextError(f"{seat.value}'s hand {word!r} of the tag Deal is not written like c123d45b6w1r2f")
    if found[FLOWERS]:
        raise FormTextError(f"{seat.value}'s hand of the tag Deal has flowers: no rule set here has them")
    codes = [letter + rank for letter in LETTERS for rank in found[letter]]
    wrong = next((code for code in codes if code not in TILES), None)
    if wrong is not None or len(codes) != HAND_SIZE:
        what = f"has {len(codes)} tiles, not {HAND_SIZE}" if wrong is None else f"has {wrong}, which is no tile"
        raise FormTextError(f"{seat.value}'s hand of the tag Deal {what}")
    return tuple(TILES[code] for code in codes)


def _walls(tags: Mapping[str, str]) -> tuple[dict[Seat, TileRow] | None, TileRow]:
    """Whole walls and shared tiles, if the file has our own tag for them."""
    if "Wall" not in tags:
        return None, ()
    words = tags["Wall"].split()
    codes = [[word[place : place + 2] for place in range(0, len(word), 2)] for word in words]
    wrong = next((code for word in codes for code in word if code not in TILES), None)
    if wrong is not None or len(words) not in (len(SEATS), len(SEATS) + 1):
        what = f"has {len(words)} walls" if wrong is None else f"has {wrong!r}, which is no tile"
        raise FormTextError(f"the tag Wall {what}: write the walls of East, South, West and North, each as its tiles in order")
    tiles = [tuple(TILES[code] for code in word) for word in codes]
    return dict(zip(SEATS, tiles[: len(SEATS)], strict=True)), tiles[len(SEATS)] if len(tiles) > len(SEATS) else ()


def _compare(hands: Mapping[Seat, TileRow], walls: Mapping[Seat, TileRow]) -> None:
    for seat in SEATS:
        if sorted(walls[seat][:HAND_SIZE]) != sorted(hands[seat]):
            raise FormTextError(f"the tags Wall and Deal give {seat.value} different hands: one of them has been changed")
