"""Beam of the recorder's search: the paths that compete, the best one first, and how near other paths came before they were dropped."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter

from msgspec.structs import replace

from controller.recorder.hypothesis import Hypothesis
from twinwall.game.play_events import HandLaidOpen, HandShown, PlayEvent
from twinwall.values import FrozenStruct


class Beam(FrozenStruct):
    paths: Sequence[Hypothesis]
    totals: Sequence[float]
    """Cost, evidence and estimate of each path, in nats."""
    dropped: Mapping[tuple[int, int], float] = {}
    """By index and mark of an event, the least distance of a dropped path that contradicts it."""
    dropped_without: Mapping[int, float] = {}
    """By mark of a violation, the least distance of a dropped path without it."""

    @property
    def best(self) -> Hypothesis:
        return self.paths[0]

    @property
    def ranked(self) -> Iterator[tuple[float, Hypothesis]]:
        """All paths, each with its distance from the best one."""
        return ((total - self.totals[0], path) for total, path in zip(self.totals, self.paths, strict=True))

    def near(self, most: float) -> Iterator[Hypothesis]:
        """Return the paths that are less than ``most`` worse than the best one, which comes first."""
        return (path for apart, path in self.ranked if apart < most)

    def rival(self, index: int, most: float, besides: Container[PlayEvent | None] = ()) -> tuple[float, Hypothesis | None]:
        """Return the nearest path with another event of this index than the best one, not one ``besides``, and its distance; ``most`` and
        None if none is nearer than that."""
        own = self.best.marks[index : index + 1]
        others = (
            (apart, path)
            for apart, path in self.ranked
            if apart < most and path.marks[index : index + 1] != own and path.event_at(index) not in besides
        )
        return min(others, key=itemgetter(0), default=(most, None))

    def remembering(self, dropped: Iterable[tuple[float, Hypothesis]], most: float) -> Beam:
        """Return the beam with what paths contradict that did not fit into it, each with its total, if less than ``most`` worse: their
        distance limits a margin."""
        best, events, without = self.best, {**self.dropped}, {**self.dropped_without}
        for apart, path in ((total - self.totals[0], path) for total, path in dropped):
            if apart >= most:
                continue
            for event in enumerate(best.marks):
                if contradicts(path, best, event[0]):
                    events[event] = min(apart, events.get(event, apart))
            for mark in best.violation_marks - path.violation_marks:
                without[mark] = min(apart, without.get(mark, apart))
        return replace(self, dropped=events, dropped_without=without)


def contradicts(path: Hypothesis, best: Hypothesis, index: int) -> bool:
    """Whether a path lacks this event of the best one. Which tile of a shown hand won does not count."""
    if path.marks[index : index + 1] == best.marks[index : index + 1]:
        return False
    shown = shown_tiles(best, index)
    return not shown or shown_tiles(path, index) != shown


def shown_tiles(path: Hypothesis, index: int) -> tuple[object, ...]:
    """Return the seat and the tiles shown by this event; empty for another event."""
    match path.event_at(index):
        case HandShown(seat, concealed, winning, kongs):
            return seat, tuple(sorted((*concealed, winning))), kongs
        case HandLaidOpen(seat, concealed):
            return seat, concealed
        case _:
            return ()
