"""Prints for the seats of a session: score slips for a day without machines, seating slips for players, and a card for each table. There is
a score slip for each hand at each table, filled in by the winner and checked by another seat. The rule set says what it asks of a winner
(``twinwall.game.rule_set.SlipField``). Winds and names are filled in, because seat winds change from hand to hand. A name is fitted into
its box: as large as possible, on as many lines as needed, and never cut. No font is measured. A character counts as wide as the widest of
its kind in the prints' fonts, so that a line is never wider than the box."""

import base64
import re
from collections.abc import Callable, Iterator, Sequence
from unicodedata import category, combining, east_asian_width, normalize

from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import WIND_CHARACTERS, Values, Words
from twinwall.event.natural_order import natural
from twinwall.game.rules import rule_set
from twinwall.game.tiles import HANDS, SEATS, place_of
from twinwall.values import frozen

MM_A_POINT = 25.4 / 72
BROAD = "mwMW"
NARROW = "fijlrtI .,'-()"


@frozen
class FittedName:
    """The lines of a name, the size of its letters, and the height of a line."""

    lines: tuple[str, ...]
    size_pt: float
    line_mm: float


def fitted_name(name: str, width_mm: float, height_mm: float, sizes: Sequence[tuple[int, float]]) -> FittedName:
    """A name in the first of ``sizes`` (lines, points) in which it fits; if in none, in the last, reduced."""
    for most, size in sizes:
        lines = broken(name, width_mm, size)
        if len(lines) <= most:
            return FittedName(lines, size, height_mm / len(lines))
    most, size = sizes[-1]
    return fitted_name(name, width_mm, height_mm, [(most + 1, size * most / (most + 1))])


def broken(text: str, width_mm: float, size_pt: float) -> tuple[str, ...]:
    """A text broken at blanks and hyphens, and within words that are too long for a line."""
    lines, most_em = [""], width_mm / (size_pt * MM_A_POINT)
    for word in re.findall(r"[^\s-]+-?\s*|-+\s*", text):
        if _width_em(lines[-1] + word.rstrip()) > most_em:
            lines.append("")
        for character in word:
            if _width_em(lines[-1] + character.rstrip()) > most_em:
                lines.append("")
            lines[-1] += character
    return tuple(stripped for line in lines if (stripped := line.strip())) or ("",)


def _width_em(text: str) -> float:
    """The width of a text in letter heights; accents do not count."""
    return sum(map(_character_em, normalize("NFD", text)))


def _character_em(character: str) -> float:
    """At least as wide as in Noto Sans, Noto Sans CJK and DejaVu Sans."""
    if combining(character) or category(character) == "Cf":
        return 0.0
    if east_asian_width(character) in "WF":
        return 1.0
    if character in NARROW:
        return 0.45
    if not character.isascii() or not (character.isalnum() or character == "_") or character in BROAD:
        return 1.1
    return 0.81 if character.isupper() else 0.65


SLIP_WIDTH_MM, SLIP_HEIGHT_MM = 99, 71
SLIPS_ON_A_PAGE = 8
LEFT_MM, RIGHT_MM, COLUMN_MM, SCORE_MM = 5.0, 94.0, 11.0, 18.0
"""The edges of a slip's table, and the widths of its columns; names have the rest."""
TOP_MM, ROW_MM = 19.0, 8.0
"""The top of the first seat's row, and the height of a row."""
LABEL_MM = 0.8
"""Distance between a line and the text beside it."""
WIND_MM = 5.5
"""The character of a wind, with the blank behind it."""
NAME_SIZES = ((1, 11.0), (1, 9.0), (2, 9.0), (2, 7.5), (3, 6.5), (3, 5.5), (4, 4.6))
"""Lines of a name in its row, and points of its letters."""


def score_slips(scope: ViewerScope, session: int, names_width_mm: float, words: Words) -> Iterator[list[Values]]:
    """The slips of a session, one page at a time, by table in the order of the hands."""
    description = scope.event.description
    hands = HANDS if description is None else description.hands
    slips: list[Values] = [
        {"table": table, "hand": words.hand(hand), "names": [(WIND_CHARACTERS[seat], fitted[place_of(seat, hand)]) for seat in SEATS]}
        for table, players in scope.players.at_tables(session).items()
        for fitted in [[fitted_name(player, names_width_mm - WIND_MM, ROW_MM, NAME_SIZES) for player in players]]
        for hand in range(1, hands + 1)
    ]
    return (slips[first : first + SLIPS_ON_A_PAGE] for first in range(0, len(slips), SLIPS_ON_A_PAGE))


def slip_form(rules: str, words: Words) -> tuple[float, Values]:
    """The width of names in mm, and what all slips share: tab-separated ``labels`` of the columns after the names (won, from whom, the rule
    set's own, the score), their left edge in mm, and the ``lines`` as one picture, which prints much faster than a table."""
    own = ({"en": field.english, "ja": field.japanese, "zh-Hans": field.chinese}[words.language] for field in rule_set(rules).slip)
    labels = [words("slip.won"), words("slip.from"), *own, words("slip.score")]
    score = RIGHT_MM - SCORE_MM
    columns = [score - COLUMN_MM * after for after in range(len(labels) - 1, -1, -1)]
    width = columns[0] - LEFT_MM - 2 * LABEL_MM
    return width, {
        "labels": "\t".join(labels),
        "labels_left": columns[0] + LABEL_MM,
        "names_width": width,
        "lines": _lines(columns),
    }


def _lines(columns: Sequence[float]) -> str:
    bottom = TOP_MM + 4 * ROW_MM
    across = "".join(f"M{LEFT_MM} {TOP_MM + row * ROW_MM}H{RIGHT_MM}" for row in range(5))
    down = "".join(f"M{x} {TOP_MM}V{bottom}" for x in (LEFT_MM, *columns, RIGHT_MM))
    drawn, signed = f"M{LEFT_MM} 54h4v4h-4z", f"M{LEFT_MM} 67H47M52 67H{RIGHT_MM}"
    box = f'viewBox="0 0 {SLIP_WIDTH_MM} {SLIP_HEIGHT_MM}"'
    lines = f'<path d="{drawn}{across}{down}{signed}" fill="none" stroke="#000" stroke-width="0.2"/>'
    cut = f'<path d="M0 0H{SLIP_WIDTH_MM}V{SLIP_HEIGHT_MM}H0z" fill="none" stroke="#999" stroke-width="0.1" stroke-dasharray="1.5 1"/>'
    picture = f'<svg xmlns="http://www.w3.org/2000/svg" {box}>{lines}{cut}</svg>'
    return "data:image/svg+xml;base64," + base64.b64encode(picture.encode()).decode()


NAME_WIDTH_MM, NAME_HEIGHT_MM = 86.0, 16.0
SEATING_SIZES = ((2, 17.0), (3, 11.0), (4, 8.0))
"""Lines of a name on a seating slip, and points of its letters."""


def seating_slips(scope: ViewerScope, session: int, words: Words) -> list[Values]:
    """A slip for each player of a session with the first hand's wind, in the order of names, because they are handed out at the door."""
    tables = scope.players.at_tables(session)
    seated = [(player, table, seat) for table, players in tables.items() for seat, player in zip(SEATS, players, strict=True)]
    return [
        {
            "name": fitted_name(player, NAME_WIDTH_MM, NAME_HEIGHT_MM, SEATING_SIZES),
            "table": table,
            "character": WIND_CHARACTERS[seat],
            "wind": words.seat(seat),
        }
        for player, table, seat in sorted(seated, key=lambda each: natural(each[0]))
    ]


def table_cards(scope: ViewerScope, address: Callable[[str, int], str], words: Words) -> dict[str, tuple[tuple[str, str], ...]]:
    """A card for each table of the event: its places by their first winds, each with the address that its QR code opens."""
    return {table: tuple((words.wind(seat), address(table, place)) for place, seat in enumerate(SEATS)) for table in scope.event.tables}
