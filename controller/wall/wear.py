"""Worn tiles: names the kinds of a set that are read less surely than in its first walls, from a table's journal.

A kind's surety in one wall is the mean over its looks at the gate: the digits of certainty of a read, zero for a
refusal. The last walls are compared with the first ones of the same set. Staff are informed between hands, about walls that
have been played: a person who knows which kind is hard to read could hear where its tiles go in the next wall.
"""

import math
from collections import defaultdict
from collections.abc import Container, Iterable, Sequence

from controller.ledger.journal_events import Events, JournalEvent, TileArrived, TileRead
from controller.state.messages import Refused, Worn
from controller.state.playing import PlayStage
from controller.state.table_state import Setup, TableState
from twinwall.game.tiles import Tile
from twinwall.wire.events.wall_events import DealOpened, TilesWorn
from vision.reading import Reason

WALLS = 3
"""This many first and last walls of a set are compared."""
_MOST_DIGITS = 4.0
_LOST_DIGITS = 0.7
_LOW_DIGITS = 2.5
"""A kind that is still read at 99.7 % or better needs no advice, whatever it lost."""
_DOUBTS = frozenset({Reason.UNSURE.value, Reason.NOT_A_TILE.value, Reason.SHAPE.value})


class ReadingHistory:
    """The digits of certainty of every look at the gate so far, by set and kind, then by wall.

    A doubtful look counts for the kind that its showing ended with; where there are several gates, their showings overlap.
    """

    def __init__(self) -> None:
        self._digits: dict[tuple[int, Tile], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        self._wall = 0
        self._showings: dict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))
        """By gate: the back of the tile that is shown, and the doubtful looks at it so far."""

    def note(self, event: JournalEvent) -> None:
        """Take the journal's next event; most say nothing of looks."""
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
        """The most walls that any set has been seen in so far."""
        return max(map(len, self._digits.values()), default=0)

    def worn(self, of: Container[int] | None = None) -> list[Worn]:
        """The kinds that have lost most, first; a set needs at least twice as many walls as are compared.

        Only the walls of the deals ``of`` count, where that is given.
        """
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
    """All looks of a whole journal."""
    looks = ReadingHistory()
    for event in events:
        looks.note(event)
    return looks


def advice(setup: Setup, state: TableState, found: Sequence[Worn]) -> Events | Refused:
    """The reports of wear to the staff: of each set, when it is another than before, and never while a hand is played."""
    if state.playing.stage not in (PlayStage.NONE, PlayStage.CLOSED):
        return Refused("worn tiles are not reported while a hand is played")
    worn: list[JournalEvent] = []
    for back, name in setup.sets.items():
        of_set = [one for one in found if one.back == back]
        tiles = tuple(sorted(one.tile for one in of_set))
        if tiles != state.worn.get(back, ()):
            worn.append(TilesWorn(back, name, tiles or None, sum(one.looks for one in of_set)))
    return tuple(worn)
