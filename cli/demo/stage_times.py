"""Stage times: how long the stages of hands lasted, from the tables' journals.

The wall of the next hand is built while one is played, so the stages overlap; ``wait`` is the time that a session
loses to building: from the end of one hand until the next wall is ready.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain
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


def _lengths_s(journal: Iterable[Mapping[str, object]]) -> Iterator[tuple[str, float]]:
    """Each stage of each deal that has begun and ended at one table, with its length."""
    times: dict[tuple[str, int], datetime] = {}
    wall = play = 0
    for event in journal:
        kind = str(event["type"])
        if kind == "deal-opened":
            wall = int(str(event["n"]))
        elif kind == "hand-started":
            play = int(str(event["n"]))
        if kind in WALL_EVENTS or kind in PLAY_EVENTS:
            times.setdefault((kind, wall if kind in WALL_EVENTS else play), read_time(str(event["at"])))
    for n in {n for _, n in times}:
        for name, begin, end in STEPS:
            if (begin, n) in times and (end, n) in times:
                yield name, (times[end, n] - times[begin, n]).total_seconds()
        if ("hand-closed", n - 1) in times and ("wall-ready", n) in times:
            yield "wait", max((times["wall-ready", n] - times["hand-closed", n - 1]).total_seconds(), 0.0)


def mean_stages_s(journals: Iterable[Iterable[Mapping[str, object]]]) -> dict[str, float]:
    """The mean length of each stage over all hands of all tables, in seconds, from the lines of their journals."""
    lengths: defaultdict[str, list[float]] = defaultdict(list)
    for name, seconds in chain.from_iterable(map(_lengths_s, journals)):
        lengths[name].append(seconds)
    return {name: round(fmean(lengths[name]), 3) for name in ("build", "wait", *(name for name, _, _ in STEPS[1:])) if name in lengths}
