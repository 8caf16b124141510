"""A second deal for the leak scanner: the worked example in other suits and for other scores, and what is secret while it is sealed."""

from base64 import b64encode
from dataclasses import replace

from tests.support.dashboard.desks import released
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import Hall
from tests.support.dashboard.tables.questions import picture, question
from tests.support.leak_scanner import Secret, concealed, played, without
from tests.support.wire.streams import Line
from twinwall.event.hands import HandSummary
from twinwall.game.deals import Deal
from twinwall.game.tiles import Suit, Tile, format_tiles, parse_tiles
from twinwall.game.walls import SeatWall
from twinwall.wire.messages.tile_question import ShownCall, ShownViolation

TABLES = "1234"
ASKING = "4"
"""The table that still plays the second deal, and cannot read a discard."""
TILE_FIELDS = ("tile", "tiles", "concealed", "winning")
VIOLATION = ShownViolation(2, "S", "discarded-twice", after=picture(190), before=picture(30))
"""What the camera of that table saw."""
CALL = ShownCall(2, "mat-differs", picture(110))
"""The place about which that table calls."""
CALLED: Line = ("referee-called", {"about": CALL.about})
VIOLATED: Line = (
    "violation",
    {"seat": VIOLATION.seat, "what": VIOLATION.what, "sentence": "South laid a second tile", "rule": "a seat discards one tile a turn"},
)
NEXT_SUIT = {Suit.CHARACTERS: "p", Suit.DOTS: "s", Suit.BAMBOOS: "m"}


def turned(tiles: str) -> str:
    """The same tiles in the next suit, so that deal 2 is another deal than deal 1."""
    return format_tiles(_turn(tile) for tile in parse_tiles(tiles))


def _turn(tile: Tile) -> Tile:
    return tile if tile.suit is Suit.HONOURS else parse_tiles(f"{tile.rank}{NEXT_SUIT[tile.suit]}")[0]


def second_deal(table: str) -> list[Line]:
    """What a table does with deal 2: the worked example in other suits, for other scores."""
    lines: list[Line] = []
    for name, fields in closed_hand(table, 2):
        changed = {key: turned(str(value)) if key in TILE_FIELDS and value else value for key, value in fields.items()}
        for key in ("payments", "scores"):
            if isinstance(scores := fields.get(key), dict):
                changed[key] = {seat: 7 * score for seat, score in scores.items()}
        lines.append((name, changed))
    return lines


def walls_of_second_deal() -> Deal:
    first = released().deal
    walls = {
        seat: SeatWall(tuple(_turn(tile) for tile in wall.hand), tuple(_turn(tile) for tile in wall.draws))
        for seat, wall in first.walls.items()
    }
    return replace(first, n=2, walls=walls)


def plays(hall: Hall, n: int) -> dict[str, HandSummary]:
    """What the tables did with a deal, past every gate."""
    found = {table: hall.desk.hall.hand(table, n, as_referee_of=table) for table in TABLES}
    return {table: hand for table, hand in found.items() if hand is not None}


def secrets_of(hall: Hall, *, but: str = "") -> list[Secret]:
    """What is secret to somebody who has opened the tables of ``but``."""
    out = [played(hand) for hand in plays(hall, 1).values()]
    sealed = [without(played(hand), out) for table, hand in plays(hall, 2).items() if table not in but]
    pictures = [
        Secret(f"{what} at table {ASKING}", texts=(b64encode(shown).decode(),))
        for what, shown in (("a discard in doubt", question().after), ("a violation", VIOLATION.after), ("a call", CALL.picture))
        if ASKING not in but
    ]
    return [concealed(2, walls_of_second_deal().walls), *sealed, *pictures]
