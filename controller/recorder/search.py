"""Search: from the paths of a beam one move after the other, as long as anything waits to be explained.

Paths compete after equally many moves. A search may be stopped after a number of weighed paths and resumed at the next observation,
unless that changes what the paths have to explain: then a new one begins with the paths that this one leaves.
"""

import math
from collections import deque
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from operator import itemgetter

from controller.recorder import costs
from controller.recorder.dues import hand_waits, last_taken, stays
from controller.recorder.estimate import estimate
from controller.recorder.hypothesis import Hypothesis, TableContext, Workings
from controller.recorder.moves import moves
from controller.recorder.moves.unseen import comes_to_light, discard_lies, next_lies

_Met = tuple[float, Hypothesis, float]
"""A path with its total and with what the camera says against its kinds."""


class Search:
    """One search, of which all is weighed at the time of its beginning; ``found`` are the paths met so far with their totals, by keys."""

    def __init__(
        self, table: TableContext, beam: Sequence[Hypothesis], *, again: bool = False, behind: Container[int] = frozenset()
    ) -> None:
        """Begin with the paths of a beam; ``again``: the search before found so much at once that paths which are about as good may not
        have gone so far. It was stopped before it had gone on from those whose numbers are ``behind``: the others have explained more."""
        self.found: dict[tuple[object, ...], tuple[float, Hypothesis]] = {}
        self._table = replace(table, workings=Workings(kept=[(path.marks, path.waits) for path in beam]))
        self._fresh: list[_Met] = []
        self._level: deque[_Met] = deque()
        self._going: Iterator[Hypothesis] | None = None
        self._left, self._again = 12 * table.beam, again
        self._best = math.inf
        self._first = True
        """Whether nothing has been gone on from yet."""
        self._all_at_once = min(len(path.loose) for path in beam) >= costs.A_HAND
        self._at_once = costs.TWO_TURNS if self._all_at_once or any(hand_waits(self._table, path) for path in beam) else 0
        self._width = max(table.beam, len(beam))
        # until it has explained what is new, that costs a path which can explain it at once so much more than one that waits
        most, kept = costs.MOST + costs.WAITING + costs.AGAINST_SIGHT, set[object]()
        # the paths are held, since the id of one that is freed may become another's
        self._behind = {id(path): path for number, path in enumerate(beam) if number in behind}
        for path in beam:
            waits = (path.edges, path.loose)
            in_one_move = waits not in kept and comes_to_light(table, path)
            kept.add(waits)
            self._meet(path, path.reading(table), most=math.inf if in_one_move or id(path) in self._behind else most)

    @property
    def weighed(self) -> int:
        """How many paths have been weighed."""
        return self._table.workings.weighed

    @property
    def over(self) -> bool:
        """Whether nothing is left to go on from."""
        return self._going is None and (self._left <= 0 or not (self._level or self._fresh))

    @property
    def left(self) -> list[Hypothesis]:
        """The paths that are to be gone on from next."""
        return [] if self.over else [path for _, path, _ in (*self._level, *sorted(self._fresh, key=itemgetter(0))[: self._width])]

    def go_on(self, most: float) -> None:
        """Go on until nothing is left, or ``most`` paths have been weighed."""
        while not self.over and self.weighed < most:
            if not self._level:
                self._next_level()
            _, path, reading = self._level[0]
            if self._goes_on_from(path, reading, most):
                self._level.popleft()

    def _goes_on_from(self, path: Hypothesis, reading: float, most: float) -> bool:
        """Go on from one path; whether that is done, and not left for later."""
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
        """Take the best paths after equally many moves, which compete with one another alone. One that is much worse is kept and not gone
        on from, unless a violation, an unseen discard, a claim or what comes to light may better it. A path that is to take a discard which
        lies there may be worse at first by what that costs it until it takes it. At first they come in the order of the beam: that was the
        best before what is new, which all of them have yet to explain."""
        fresh = sorted(self._fresh, key=itemgetter(0))[: self._width]
        least, best, _ = fresh[0]
        waits = best.edges or best.missing or self._again or not self._table.gates
        overdue = costs.AGAINST_SIGHT if self._first and waits else 0.0
        limit = least + costs.ODD
        self._level.extend(
            (total, path, reading)
            for total, path, reading in (self._fresh if self._first else fresh)
            if total <= limit
            or id(path) in self._behind
            or (total <= limit + overdue and discard_lies(self._table, path, costs.REACH))
            or self._yet_to_say(path)
            or _may_better(self._table, path)
        )
        self._fresh, self._first, self._at_once = [], False, max(0, self._at_once - 1)
        self._width = self._table.beam if self._at_once else self._table.beam // 2

    def _meet(self, path: Hypothesis, reading: float, most: float = costs.MOST) -> None:
        """Keep a path that is no more than ``most`` worse than the best one."""
        total, key = path.cost + reading + estimate(self._table, path), path.key
        known = self.found.get(key)
        if (total < self._best + most or self._yet_to_say(path)) and (known is None or total < known[0] - 1e-9):
            self._best = min(self._best, total)
            self.found[key] = (total, path)
            self._fresh.append((total, path, reading))

    def _yet_to_say(self, path: Hypothesis) -> bool:
        """Whether a path may still say whose hand it is that lies there."""
        return self._at_once > 0 and (self._all_at_once or hand_waits(self._table, path))


def _may_better(table: TableContext, path: Hypothesis) -> bool:
    """Whether a path that is dear now may turn out to be the one that explains what the others wait for."""
    guessed = any(grounds.never_seen for grounds in path.grounds)
    claimed = bool(path.loose) and last_taken(path)  # somebody may have claimed the last discard, since other tiles wait
    return guessed or claimed or comes_to_light(table, path) or next_lies(table, path) or bool(stays(table, path))
