"""The host's side of TWF without any I/O: bytes and time go in, bytes and events come out.

Here is what the user calls. ``exchange`` decides when to send or repeat what, when the link is up or lost, and which events are
new; where bytes come from is left to ``feeder_port``, what to do with the table to the user.
"""

from firmware_bridge.link.events import FeederEvent, LinkDown, OperationRequest
from firmware_bridge.link.exchange import LinkExchange
from firmware_bridge.link.settings import KnownBoot, LinkSettings
from firmware_bridge.link.statistics import LinkStatistics
from firmware_bridge.link.transitions import GREETING, TIMERS, LinkPhase, LinkTimer
from firmware_bridge.messages import EventAck


class FeederLink:
    """One feeder as its host sees it.

    ``nonce`` begins the row of numbers that tie answers to greetings; draw it at random.
    """

    def __init__(self, settings: LinkSettings, nonce: int, known: KnownBoot | None = None) -> None:
        self._exchange = LinkExchange(settings, nonce, known)

    @property
    def phase(self) -> LinkPhase:
        return self._exchange.phase

    @property
    def wrong_port(self) -> bool:
        """Whether the feeder that is wanted is not at this port."""
        return self._exchange.phase in GREETING and self._exchange.wrong_port

    def statistics(self) -> LinkStatistics:
        return LinkStatistics(
            up=self._exchange.phase is LinkPhase.UP,
            line=self._exchange.decoder.counts,
            frames_sent=self._exchange.writer.count,
            repeats=self._exchange.operations.repeats,
            times_up=self._exchange.times_up,
            times_lost=self._exchange.times_lost,
            round_trip_p50_ms=self._exchange.round_trips.quantile_ms(0.5),
            round_trip_p99_ms=self._exchange.round_trips.quantile_ms(0.99),
        )

    def connect(self, now_s: float, *, another: bool = False) -> None:
        """A port is open: begin to greet. ``another`` port on the search for the same feeder is no new cause for complaint."""
        self._exchange.open(now_s, another=another)

    def disconnect(self, reason: str) -> None:
        """The port has gone, or could not be opened."""
        if self._exchange.phase is not LinkPhase.CLOSED or not self._exchange.complained:
            self._exchange.complain(LinkDown(reason))
        self.leave()

    def leave(self) -> None:
        """The port has been closed to try another one."""
        self._exchange.close()

    def submit(self, request: OperationRequest, now_s: float) -> None:
        """Send an operation, now or when the link is up; the same number again is safe."""
        self._exchange.operations.submit(request)
        self._exchange.send_due(now_s)

    def request_status(self, now_s: float) -> None:
        """Ask for a ``FeederStatus``; requests that cross are answered by one."""
        self._exchange.due_s.setdefault(LinkTimer.STATUS, now_s)
        self._exchange.send_due(now_s)

    def acknowledge(self, number: int, now_s: float) -> None:
        """Every event up to and including this one has been taken over."""
        if self._exchange.numbers.take_over(number) and self._exchange.phase is LinkPhase.UP:
            self._exchange.send(EventAck(number), now_s)

    def receive(self, received: bytes, now_s: float) -> None:
        """Take bytes from the port, in pieces of any size."""
        if self._exchange.phase is LinkPhase.CLOSED:
            return
        if self._exchange.phase in GREETING:
            self._exchange.handshake.hear(received)
        for frame in self._exchange.decoder.feed(received):
            self._exchange.take_frame(frame, now_s)
        self._exchange.send_due(now_s)

    def handle_timer(self, now_s: float) -> None:
        """Do what is due by now."""
        self._exchange.run_timers((LinkTimer.SILENCE, LinkTimer.QUESTION), now_s)
        self._exchange.send_due(now_s)

    def next_timer(self) -> float | None:
        """When ``handle_timer`` wants to be called; None while the port is closed."""
        due_s = [due_s for timer, due_s in self._exchange.due_s.items() if timer in TIMERS[self._exchange.phase]]
        if self._exchange.phase is LinkPhase.UP and (probe_s := self._exchange.operations.next_s()) is not None:
            due_s.append(probe_s)
        return min(due_s, default=None)

    def data_to_send(self) -> bytes:
        """Bytes for the port; they are forgotten here."""
        return self._exchange.writer.take()

    def next_event(self) -> FeederEvent | None:
        """The oldest event not yet fetched."""
        return self._exchange.events.popleft() if self._exchange.events else None
