"""The decisions of the centre's vault one after another, without its keys and without a network."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from centre.custody.field_rules import FieldCommand, FieldCustody, FieldMoment, VenueSpoke, decide
from centre.custody.venues import Venues
from twinwall.custody.release import AllowKey, CustodyRefusal, CustodyState, DealGiven, Event, apply, beginning, due_events
from twinwall.wire.messages.boot_keys import BootKeys

OPENS = datetime(2026, 11, 22, 18, tzinfo=UTC)


def keys(venue: str, boot: int = 0) -> BootKeys:
    """The sealing key of a venue's vault after a start."""
    return BootKeys(f"{venue}.{boot}".encode().ljust(32, b"."), b"")


def key(venue: str, boot: int = 0) -> str:
    """What deals are sealed to."""
    return keys(venue, boot).sealing.hex()


def shown(venue: str, boot: int = 0) -> str:
    """The fingerprint that two people compare."""
    return keys(venue, boot).fingerprint


class FieldRun:
    """The decisions of the centre's vault, one after another, with what each came from. Its monotonic clock runs with the true time."""

    def __init__(self, custody: FieldCustody) -> None:
        self.custody, self.state = custody, beginning(custody)
        self.refusals: list[str] = []
        self.happened: list[tuple[CustodyState, Event]] = []
        self._started = self.at = OPENS - timedelta(hours=1)
        for venue in custody.venues:
            self.do(AllowKey(venue, shown(venue)))

    def do(self, command: FieldCommand) -> list[Event]:
        decision = decide(self.custody, self.state, command)
        if isinstance(decision, CustodyRefusal):
            self.refusals.append(decision.sentence)
            decision = decision.events
        events = self.take(decision)
        while more := due_events(self.custody, self.state):
            events += self.take(more)
        return events

    def take(self, events: Iterable[Event]) -> list[Event]:
        for event in events:
            self.happened.append((self.state, event))
            self.state = apply(self.state, event)
        return list(events)

    @property
    def monotonic_s(self) -> float:
        return (self.at - self._started).total_seconds()

    def say(
        self,
        venue: str,
        begun: Iterable[int] = (),
        finished: Iterable[int] = (),
        *,
        asks: tuple[int, ...] = (),
        holds: Iterable[int] | None = None,
        boot: int = 0,
        clock_off: timedelta = timedelta(),
    ) -> list[Event]:
        begun, finished = frozenset(begun) | frozenset(finished), frozenset(finished)
        held, clock = None if holds is None else frozenset(holds), self.at + clock_off
        return self.do(VenueSpoke(venue, keys(venue, boot), begun, finished, asks, clock, self.monotonic_s, held))

    def wait(self, until: datetime, shown: datetime | None = None) -> list[Event]:
        """Let time pass; the vault's own clock may show another."""
        self.at = until
        return self.do(FieldMoment(shown or until, self.monotonic_s))

    def given(self, venue: str) -> list[int]:
        return [event.n for _, event in self.happened if isinstance(event, DealGiven) and event.name == venue]

    def start_again(self) -> None:
        """The vault is started from what its ledger keeps; its monotonic clock begins anew."""
        kept = [event for _, event in self.happened if isinstance(event, Venues.kept)]
        self.state, self._started = beginning(self.custody), self.at
        for event in kept:
            self.state = apply(self.state, event)
