"""The link's queue of operations: which are under way, and which to send again.

One operation at a time waits for its first answer, so that the firmware receives them in the order in which they were given;
after that answer any number may be under way. If an answer is lost, the same number is sent again. Only STOP is sent before
operations that wait; the firmware refuses those as STALE.
"""

from collections import deque
from dataclasses import replace

from firmware_bridge.link.events import Acked, Done, OperationRefused, OperationRequest
from firmware_bridge.messages import Ack, Answer, DoneReport, Nak, Stop
from twinwall.values import frozen

_LONGEST_WAIT_S = 1.0
"""However long an operation may take, it is asked after this often: a lost DONE costs no more."""


@frozen
class InFlight:
    """A request that was sent: when to send it again, and whether it has been acknowledged."""

    request: OperationRequest
    again_at_s: float
    acked: bool


class Operations:
    """Requests between ``submit`` and their last answer."""

    def __init__(self, answer_timeout_s: float, probe_after_s: float) -> None:
        self._answer_timeout_s = answer_timeout_s
        self._probe_after_s = probe_after_s
        self._waiting: deque[OperationRequest] = deque()
        self._in_flight: dict[int, InFlight] = {}
        self.repeats = 0
        """How often a request was sent again because no answer had come."""

    @property
    def numbers(self) -> tuple[int, ...]:
        """Every operation that has no last answer yet."""
        return (*self._in_flight, *(request.operation for request in self._waiting))

    def submit(self, request: OperationRequest) -> None:
        """Queue a request; one that is on its way already is not queued twice."""
        if request.operation in self.numbers:
            return
        if isinstance(request.command, Stop):
            self._waiting.appendleft(request)
        else:
            self._waiting.append(request)

    def due(self, now_s: float) -> list[OperationRequest]:
        """The requests to send now, each also planned to be sent again."""
        again = [flight for flight in self._in_flight.values() if flight.again_at_s <= now_s]
        self.repeats += len(again)
        for flight in again:
            self._plan(flight, now_s)
        return [*(flight.request for flight in again), *self._new(now_s)]

    def next_s(self) -> float | None:
        """When ``due`` has something next; new requests are due at once and not counted here."""
        return min((flight.again_at_s for flight in self._in_flight.values()), default=None)

    def resume(self, now_s: float) -> None:
        """The link is up again: ask after everything that was on its way."""
        for number, flight in self._in_flight.items():
            self._in_flight[number] = replace(flight, again_at_s=now_s)

    def forget(self) -> tuple[int, ...]:
        """Drop everything (a new boot); return the numbers, whose outcome is unknown."""
        unknown = self.numbers
        self._waiting.clear()
        self._in_flight.clear()
        return unknown

    def answered(self, operation: int, answer: Answer, now_s: float) -> Acked | OperationRefused | Done | None:
        """Take an answer; None when it is a repetition that changes nothing."""
        flight = self._in_flight.get(operation)
        if flight is None:
            return None
        match answer:
            case Ack(expected_ms):
                again_at_s = now_s + min(expected_ms / 1000 + self._probe_after_s, _LONGEST_WAIT_S)
                self._in_flight[operation] = InFlight(flight.request, again_at_s, acked=True)
                return None if flight.acked else Acked(operation, expected_ms)
            case Nak(code):
                del self._in_flight[operation]
                return OperationRefused(operation, code)
            case DoneReport(result, sensors, ms):
                del self._in_flight[operation]
                return Done(result, sensors, ms, operation=operation)

    def _new(self, now_s: float) -> list[OperationRequest]:
        sent = []
        while self._waiting and (isinstance(self._waiting[0].command, Stop) or all(flight.acked for flight in self._in_flight.values())):
            request = self._waiting.popleft()
            self._plan(InFlight(request, now_s, acked=False), now_s)
            sent.append(request)
        return sent

    def _plan(self, flight: InFlight, now_s: float) -> None:
        self._in_flight[flight.request.operation] = replace(flight, again_at_s=now_s + self._answer_timeout_s)
