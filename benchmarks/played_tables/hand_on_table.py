"""A whole hand on a table in memory: what is where and when, which keys are pressed, which tiles pass the gates.

Strategies have played the hand (``players.hand_in_memory``); people carry out its events in human times, disturbed by ``Disturbances``.
Nothing is rendered and no rule is judged here.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from benchmarks.played_tables.acts import Act, done
from simulator.disturbances.camera_troubles import TimedTrouble, between_at
from simulator.disturbances.kinds import Disturbance
from simulator.players.hand_in_memory import HandAsPlayed
from simulator.scene import Between
from simulator.tabletop import Tabletop
from twinwall.art.mat import Mat
from twinwall.game.play_events import PlayEvent
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import Seat, Tile
from twinwall.values import frozen
from twinwall.wire.shapes.panel import KeyEdge


@frozen
class PeoplePace:
    """How long people take, in seconds, each ± ``spread`` of itself; ``window_s`` is the fixed claim window."""

    think_s: float = 1.2
    reach_s: float = 0.6
    window_s: float = 3.0
    spread: float = 0.4


USUAL_PACE = PeoplePace()


@frozen
class HandToPlay:
    """A hand with its walls: 13 hand tiles and the draws of every seat, and the shared tiles. ``hand`` (1 to 16) decides who sits where,
    ``name`` is part of the disturbances' seed."""

    name: str
    rules: RuleSet
    walls: Mapping[Seat, Sequence[Tile]]
    played: HandAsPlayed
    hand: int = 1
    rest: Sequence[Tile] = ()


@frozen
class TimedAct:
    """An act and its time, in ms since the first draw may begin."""

    at_ms: int
    act: Act


@frozen
class HappenedDisturbance:
    """A disturbance that happened, and its player or the player in turn."""

    at_ms: int
    kind: Disturbance
    place: int


@frozen
class HandOnTable:
    """One hand on the table: ``events`` are the true events by the rules, each with the time when it was fully visible. At ``ends_ms`` all
    is done and nothing is between camera and tiles any more; before that a table cannot read the shown hands, without which it closes no
    hand."""

    beginning: Tabletop
    events: tuple[tuple[int, PlayEvent], ...]
    acts: tuple[TimedAct, ...]
    keys: tuple[KeyEdge, ...]
    troubles: tuple[TimedTrouble, ...]
    happened: tuple[HappenedDisturbance, ...]
    ends_ms: int

    def tabletops(self) -> Iterator[tuple[int, Tabletop]]:
        """Yield the tabletop at 0, and at every change."""
        table, at_ms = self.beginning, 0
        for timed in self.acts:
            if timed.at_ms != at_ms:
                yield at_ms, table
                at_ms = timed.at_ms
            table = done(table, timed.act)
        yield at_ms, table

    def frames(self, period_ms: int, *, after_ms: int = 2000) -> Iterator[tuple[int, Tabletop, Between]]:
        """Yield what a camera with this period sees, until ``after_ms`` after the end: time, tabletop, and things in between."""
        changes = list(self.tabletops())
        current = 0
        for time_ms in range(0, self.ends_ms + after_ms, period_ms):
            while current + 1 < len(changes) and changes[current + 1][0] <= time_ms:
                current += 1
            yield time_ms, changes[current][1], between_at(self.troubles, time_ms)

    @property
    def counts(self) -> Counter[Disturbance]:
        """How often each kind happened."""
        return Counter(each.kind for each in self.happened)


@frozen
class TableSetup:
    """The mat, the pace, and the seed of the tiles' small offsets."""

    mat: Mat = field(default_factory=Mat)
    pace: PeoplePace = USUAL_PACE
    seed: int = 1


USUAL_SETUP = TableSetup()
