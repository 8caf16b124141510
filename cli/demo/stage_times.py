"""Stage times: how long the stages of hands lasted, from the tables' journals.

The wall of the next hand is built while one is played, so the stages overlap; ``wait`` is the time that a session
loses to building: from the end of one hand until the next wall is ready.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from statistics import fmean

from twinwall.game.documents import read_time

STEPS = (
    ("build", "deal-opened", "wall-ready"),
    ("clear", "clearing-began", "cleared"),
    ("hands", "wall-raised", "hand-started"),
    ("play", "hand-started", "payments-computed"),
    ("settle", "payments-computed", "hand-closed"),
)
"""A stage, the event that begins it, and the one that ends it; both of the same deal."""
WALL_EVENTS = frozenset({"deal-opened", "wall-ready", "clearing-began", "cleared", "wall-raised"})
PLAY_EVENTS = frozenset({"hand-started", "payments-computed", "hand-closed"})


@dataclass(slots=True)
class StageTimes:
    """When each stage of each deal began and ended at one table, event by event."""

    times: dict[tuple[str, int], datetime] = field(default_factory=dict)
    wall: int = 0
    play: int = 0

    def take(self, event: Mapping[str, object]) -> None:
        """Note the next line of the journal; what belongs to no stage is passed over."""
        kind = str(event["type"])
        if kind == "deal-opened":
            self.wall = int(str(event["n"]))
        elif kind == "hand-started":
            self.play = int(str(event["n"]))
        if kind in WALL_EVENTS or kind in PLAY_EVENTS:
            n = self.wall if kind in WALL_EVENTS else self.play
            self.times.setdefault((kind, n), read_time(str(event["at"])))

    def lengths_s(self) -> Iterable[tuple[str, float]]:
        """Each stage that has begun and ended, with its length."""
        deals = {n for _, n in self.times}
        for name, begin, end in STEPS:
            for n in deals & {n for kind, n in self.times if kind == end} & {n for kind, n in self.times if kind == begin}:
                yield name, (self.times[end, n] - self.times[begin, n]).total_seconds()
        for n in deals:
            closed, ready = self.times.get(("hand-closed", n - 1)), self.times.get(("wall-ready", n))
            if closed is not None and ready is not None:
                yield "wait", max((ready - closed).total_seconds(), 0.0)


def mean_stages_s(tables: Iterable[StageTimes]) -> dict[str, float]:
    """The mean length of each stage over all hands of all tables, in seconds."""
    lengths: defaultdict[str, list[float]] = defaultdict(list)
    for table in tables:
        for name, seconds in table.lengths_s():
            lengths[name].append(seconds)
    return {name: round(fmean(lengths[name]), 3) for name in ("build", "wait", *(name for name, _, _ in STEPS[1:])) if name in lengths}
