"""Pictures of the violations that the table has reported since the last ruling, until the referee has ruled; in memory alone.

The decoder sees a violation, and the table tells of it or not. A picture belongs to the violation of that seat and kind that is reported
within ``UNREPORTED_S`` of it. Where a seat commits the same violation again, the picture of the last one is shown, or none.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection

from twinwall.game.tiles import Seat
from twinwall.wire.messages.tile_question import ShownViolation

MOST_VIOLATIONS = 4
"""The pictures of this many violations that the table has reported are kept, and of as many that it has not."""
UNREPORTED_S = 10.0
"""Pictures of a violation of which the table does not tell within this time are discarded: what it tells later is another one."""

ViolationKey = tuple[int, Seat, str]
"""A violation: its deal, its seat and its stable word."""


class ShownPictures:
    """Which pictures the referee may be shown; from one thread at a time."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        """``now_s`` is a monotonic clock, in seconds."""
        self._now_s = now_s
        self._reported: Counter[ViolationKey] = Counter()
        """How often each was reported since the last ruling."""
        self._told_s: dict[ViolationKey, float] = {}
        """When it was reported last."""
        self._untold: dict[ViolationKey, tuple[float, ShownViolation]] = {}
        """What the decoder has seen of late, and when; the table has not reported it."""
        self._shown: dict[ViolationKey, ShownViolation] = {}

    def see(self, pictures: ShownViolation) -> None:
        """The decoder has seen this violation; the table may have reported it a moment ago, or reports it soon, or not at all."""
        key = pictures.n, Seat(pictures.seat), pictures.what
        told_s = self._told_s.get(key)
        if key not in self._shown and told_s is not None and self._is_recent(told_s):
            self._show(key, pictures)
        else:
            self._untold.pop(key, None)
            self._untold[key] = self._now_s(), pictures
            for oldest in list(self._untold)[:-MOST_VIOLATIONS]:
                del self._untold[oldest]

    def tell(self, reported: Collection[ViolationKey]) -> None:
        """All violations since the last ruling, each as often as it was reported. Where one is reported less often than before, the
        referee has ruled or the next hand is at the table: what was seen before that is discarded."""
        self._forget()
        before, self._reported = self._reported, Counter(reported)
        if before - self._reported:
            self._untold = {key: seen for key, seen in self._untold.items() if key in self._reported}
        for key in self._reported - before:
            self._told_s[key] = self._now_s()
            self._shown.pop(key, None)
            if key in self._untold:
                self._show(key, self._untold.pop(key)[1])
        self._told_s = {key: at_s for key, at_s in self._told_s.items() if key in self._reported}
        self._shown = {key: pictures for key, pictures in self._shown.items() if key in self._reported}

    def due(self) -> tuple[ShownViolation, ...]:
        """The pictures of what the table has reported."""
        self._forget()
        return tuple(self._shown.values())

    def _is_recent(self, at_s: float) -> bool:
        return at_s >= self._now_s() - UNREPORTED_S

    def _forget(self) -> None:
        self._untold = {key: seen for key, seen in self._untold.items() if self._is_recent(seen[0])}

    def _show(self, key: ViolationKey, pictures: ShownViolation) -> None:
        self._shown[key] = pictures
        for oldest in list(self._shown)[:-MOST_VIOLATIONS]:
            del self._shown[oldest]
