"""Statistics of a link since it was made: frames, damaged frames, repeats, answer times, losses.

They leave out how many operations there were, since that number would tell about the hand that is played.
"""

from collections import deque

from firmware_bridge.frames import LineCounts
from twinwall.values import frozen

_ROUND_TRIPS_KEPT = 1000


@frozen
class LinkStatistics:
    up: bool
    line: LineCounts
    """What came in: frames, bytes, and what was thrown away and why."""
    frames_sent: int
    repeats: int
    """Operations that were sent again because no answer had come."""
    times_up: int
    """How often a session was opened: 1 is a link that was never lost."""
    times_lost: int
    round_trip_p50_ms: float | None
    """From HEARTBEAT to BEAT, over the last thousand; None before the first."""
    round_trip_p99_ms: float | None


class RoundTrips:
    """Times from a heartbeat to the beat that answers it.

    A beat does not say which heartbeat it answers: where one was lost, the next is not counted.
    """

    def __init__(self) -> None:
        self._kept_s: deque[float] = deque(maxlen=_ROUND_TRIPS_KEPT)
        self._sent_s: float | None = None
        self._unanswered = 0

    def sent(self, now_s: float) -> None:
        self._unanswered += 1
        self._sent_s = now_s if self._unanswered == 1 else None

    def answered(self, now_s: float) -> None:
        if self._sent_s is not None:
            self._kept_s.append(now_s - self._sent_s)
        self.forget()

    def forget(self) -> None:
        """Nothing is on its way any more, such as when the link was lost."""
        self._sent_s = None
        self._unanswered = 0

    def quantile_ms(self, share: float) -> float | None:
        """The time that this share of the round trips did not exceed."""
        if not self._kept_s:
            return None
        ordered = sorted(self._kept_s)
        return 1000 * ordered[min(int(share * len(ordered)), len(ordered) - 1)]
