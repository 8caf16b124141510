"""Worn tiles: names (``ReadingHistory.worn``) the kinds of a set that are read less surely than in its first walls, from a table's journal.

A kind's surety in one wall is the mean over its looks at the gate of the digits of certainty (0 for a refusal). The last walls of a set are
compared with its first ones. Staff are informed between hands, about played walls only: a person who knows which kind is hard to read could
hear where its tiles go in the next wall.
"""

import math
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence

from controller.ledger.journal_events import Events, JournalEvent, TileArrived, TileRead
from controller.state.messages import Refused, Worn
from controller.state.sides import PlayStage
from controller.state.table_state import Setup, TableState
from twinwall.game.tiles import Tile
from twinwall.wire.events.wall_events import DealOpened, TilesWorn
from vision.reading import Reason

WALLS = 3
"""Number of first and last walls that are compared."""
_MOST_DIGITS = 4.0
_LOST_DIGITS = 0.7
_LOW_DIGITS = 2.5
"""A kind read at 99.7 % or better needs no advice, whatever it lost."""
_DOUBTS = frozenset({Reason.UNSURE.value, Reason.NOT_A_TILE.value, Reason.SHAPE.value})


class ReadingHistory:
    """Digits of certainty of every look at the gate, by set and kind, then by wall.

    A doubtful look counts for the kind with which its showing ended; with several gates, showings overlap.
    """

    def __init__(self) -> None:
        self._digits: dict[tuple[int, Tile], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        self._wall = 0
        self._showings: dict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))
        """By gate: back of the shown tile, and doubtful looks at it so far."""

    def note(self, event: JournalEvent) -> None:
        """Take the journal's next event; most concern no looks."""
        match event:
            case DealOpened():
                self._wall = event.n
            case TileArrived():
                self._showings[event.gate] = event.back, 0
            case TileRead(None, _, reason):
                back, doubts = self._showings[event.gate]
                self._showings[event.gate] = back, doubts + (reason in _DOUBTS)
            case TileRead(tile, probability, _) if tile is not None:
                back, doubts = self._showings[event.gate]
                digits = min(-math.log10(max(1.0 - probability, 10.0**-_MOST_DIGITS)), _MOST_DIGITS)
                self._digits[back, tile][self._wall] += [digits, *[0.0] * doubts]
                self._showings[event.gate] = back, 0

    @property
    def walls(self) -> int:
        """The most walls in which any set has been seen."""
        return max(map(len, self._digits.values()), default=0)

    def worn(self, of: Container[int] | None = None) -> list[Worn]:
        """Return the worn kinds, largest loss first, from walls of the deals ``of``; a set needs twice as many walls as are compared."""
        found = []
        for (back, tile), by_wall in self._digits.items():
            counted = [digits for n, digits in sorted(by_wall.items()) if of is None or n in of]
            if len(counted) < 2 * WALLS:
                continue
            sureties = [sum(digits) / len(digits) for digits in counted]
            then, now = (sum(part) / WALLS for part in (sureties[:WALLS], sureties[-WALLS:]))
            if now <= then - _LOST_DIGITS and now <= _LOW_DIGITS:
                found.append(Worn(back, tile, then, now, sum(map(len, counted[-WALLS:]))))
        return sorted(found, key=lambda one: (one.now - one.then, one.back, one.tile))


def looks_of(events: Iterable[JournalEvent]) -> ReadingHistory:
    """Return the history of a whole journal."""
    looks = ReadingHistory()
    for event in events:
        looks.note(event)
    return looks


def advice(setup: Setup, state: TableState, found: Sequence[Worn]) -> Events | Refused:
    """Report wear to staff, by set, when it differs from the last report, and never during a hand."""
    if state.playing.stage not in (PlayStage.NONE, PlayStage.CLOSED):
        return Refused("worn tiles are not reported while a hand is played")
    worn: list[JournalEvent] = []
    for back, name in setup.sets.items():
        of_set = [one for one in found if one.back == back]
        tiles = tuple(sorted(one.tile for one in of_set))
        if tiles != state.worn.get(back, ()):
            worn.append(TilesWorn(back, name, tiles or None, sum(one.looks for one in of_set)))
    return tuple(worn)
