"""Beam search: extends the paths of a beam by one move after the other, while anything is unexplained, and drops the worst.

Paths compete after equal numbers of moves. A search may stop after a number of weighed paths and continue at the next observation. If that
observation adds something to explain, a new search begins with the paths that this one leaves.
"""

import math
from collections import deque
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from operator import itemgetter

from controller.recorder import costs
from controller.recorder.estimate import estimate
from controller.recorder.hypothesis import Hypothesis, SearchCache, TableContext
from controller.recorder.moves import moves
from controller.recorder.moves.unseen import discard_uncovered, due_discard_visible, next_discard_visible
from controller.recorder.pending_tiles import hand_waits, last_taken, unexplainable_tiles

_Met = tuple[float, Hypothesis, float]
"""A path with its total and the camera's evidence against its kinds."""


class Search:
    """One search; it weighs everything at the time of its beginning. ``found``: the paths met so far with their totals, by key."""

    def __init__(
        self, table: TableContext, beam: Sequence[Hypothesis], *, again: bool = False, behind: Container[int] = frozenset()
    ) -> None:
        """Begin with the paths of a beam. ``again``: the last search found so much at once that paths of about equal cost may lag behind.
        ``behind``: numbers of the paths that it had not expanded; the others have explained more."""
        self.found: dict[tuple[object, ...], tuple[float, Hypothesis]] = {}
        self._table = replace(table, cache=SearchCache(kept=[(path.marks, path.waits) for path in beam]))
        self._fresh: list[_Met] = []
        self._level: deque[_Met] = deque()
        self._going: Iterator[Hypothesis] | None = None
        self._left, self._again = 12 * table.beam, again
        self._best = math.inf
        self._first = True
        """Whether nothing has been expanded yet."""
        self._all_at_once = min(len(path.loose) for path in beam) >= costs.A_HAND
        self._at_once = costs.TWO_TURNS if self._all_at_once or any(hand_waits(self._table, path) for path in beam) else 0
        self._width = max(table.beam, len(beam))
        # a path that can explain the new signals may cost this much more than one that waits, until it has explained them
        most, kept = costs.MOST + costs.WAITING + costs.AGAINST_SIGHT, set[object]()
        # holds the paths: a freed path's id may be reused
        self._behind = {id(path): path for number, path in enumerate(beam) if number in behind}
        for path in beam:
            waits = (path.edges, path.loose)
            in_one_move = waits not in kept and discard_uncovered(table, path)
            kept.add(waits)
            self._meet(path, path.reading(table), most=math.inf if in_one_move or id(path) in self._behind else most)

    @property
    def weighed(self) -> int:
        return self._table.cache.weighed

    @property
    def over(self) -> bool:
        """Whether no path is left to expand."""
        return self._going is None and (self._left <= 0 or not (self._level or self._fresh))

    @property
    def left(self) -> list[Hypothesis]:
        return [] if self.over else [path for _, path, _ in (*self._level, *sorted(self._fresh, key=itemgetter(0))[: self._width])]

    def advance(self, most: float) -> None:
        """Continue until no path is left, or ``most`` paths have been weighed."""
        while not self.over and self.weighed < most:
            if not self._level:
                self._next_level()
            _, path, reading = self._level[0]
            if self._expand(path, reading, most):
                self._level.popleft()

    def _expand(self, path: Hypothesis, reading: float, most: float) -> bool:
        """Expand one path; False if the limit stopped it before its end."""
        if self._going is None and self.found[path.key][1] is path and (path.loose or path.edges or path.keys or path.missing):
            self._going, self._left = moves(self._table, path), self._left - 1
        for after in self._going or ():
            if after is not path:
                self._meet(after, reading + self._table.against(islice(after.kinds.items(), len(path.kinds), None)))
            if self.weighed >= most:
                return False
        self._going = None
        return True

    def _next_level(self) -> None:
        """Take the best paths after equal numbers of moves. One that is much worse than the best is kept but not expanded, unless it may
        become better. On the first level a path whose due discard is visible may be worse by what waiting draws cost until it takes that
        discard. The first level keeps the order of the beam: all of its paths have yet to explain what is new."""
        fresh = sorted(self._fresh, key=itemgetter(0))[: self._width]
        least, best, _ = fresh[0]
        waits = best.edges or best.missing or self._again or not self._table.gates
        limit = least + costs.ODD
        if_due_visible = limit + costs.AGAINST_SIGHT if self._first and waits else limit
        self._level.extend(
            (total, path, reading)
            for total, path, reading in (self._fresh if self._first else fresh)
            if total <= limit or (total <= if_due_visible and due_discard_visible(self._table, path, costs.REACH)) or self._may_better(path)
        )
        self._fresh, self._first, self._at_once = [], False, max(0, self._at_once - 1)
        self._width = self._table.beam if self._at_once else self._table.beam // 2

    def _meet(self, path: Hypothesis, reading: float, most: float = costs.MOST) -> None:
        """Keep a path that is at most ``most`` worse than the best one."""
        total, key = path.cost + reading + estimate(self._table, path), path.key
        known = self.found.get(key)
        if (total < self._best + most or self._may_show_hand(path)) and (known is None or total < known[0] - 1e-9):
            self._best = min(self._best, total)
            self.found[key] = (total, path)
            self._fresh.append((total, path, reading))

    def _may_show_hand(self, path: Hypothesis) -> bool:
        """Whether a path may still decide whose hand is on the mat."""
        return self._at_once > 0 and (self._all_at_once or hand_waits(self._table, path))

    def _may_better(self, path: Hypothesis) -> bool:
        """Whether a violation, an unseen discard, a claim or an uncovered tile may make an expensive path the one that explains what the
        others wait for."""
        table = self._table
        return (
            id(path) in self._behind
            or self._may_show_hand(path)
            or any(grounds.never_seen for grounds in path.grounds)
            or (bool(path.loose) and last_taken(path))  # the last discard may have been claimed
            or discard_uncovered(table, path)
            or next_discard_visible(table, path)
            or bool(unexplainable_tiles(table, path))
        )
