"""Summaries of hands from the public events of tables: who sat where, how a hand ended, what it paid.

The fold is pure. A table builds the next wall while it plays, so events of two deals interleave: an event that names a deal
belongs to it; any other event between a hand's start and its end belongs to the hand in play; events that prepare a wall belong
to no hand. A closed hand stays as it is, and an event that would enter its result a second time is kept apart and named.
Comparison of results is in ``results`` and ``comparison``, entrants are in ``field``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from twinwall.event.natural_order import natural
from twinwall.game.documents import DocumentError, DocumentFields, integer_of, text_of
from twinwall.game.play_events import EndReason
from twinwall.game.rule_set import Fan
from twinwall.game.rulings import SeatsExchanged
from twinwall.game.tiles import Seat
from twinwall.wire.events.catalogue import GROUPS
from twinwall.wire.ledger import PublicEvent, UnknownEvent
from twinwall.wire.messages.ruling import read_ruling

_PREPARING = frozenset(event_type.name for event_type in GROUPS["Preparing the wall"])
_TELLING = frozenset({"win-declared", "hand-shown", "win-refused", "hand-ruled-dead", "result-entered", "payments-proposed", "hand-ended"})
"""What tells how a hand ends."""


@dataclass(frozen=True, slots=True)
class HandSummary:
    """One hand of one table, as far as its public events have come.

    Attributes:
        n: number of the deal in the plan; ``session`` and ``hand`` are from 1.
        check: of the deal, as the table published it; empty when it has not.
        names: who holds each seat, after rulings that exchanged seats; ``places`` is where that is, 0 to 3 counter-clockwise.
        ended: when the hand was over, with its ``reason`` and ``scores``; None while it is played.
        winners: whose shown hands were won with, in that order, or who was entered to have won; ``sources`` are the seats that the tiles
            came from, None where self-drawn.
        fans: what the hand is worth as entered, with their ``total``.
        events: the hand's events in their order, from its start, the unknown ones included.
        closed: whether the hand is recorded and the table has gone on: only then is it a result.
    """

    table: str
    n: int
    session: int
    hand: int
    rules: str
    options: Mapping[str, object]
    check: str
    names: Mapping[Seat, str]
    places: Mapping[Seat, int]
    started: datetime
    ended: datetime | None = None
    reason: EndReason | None = None
    scores: Mapping[Seat, int] | None = None
    winners: tuple[Seat, ...] = ()
    sources: tuple[Seat | None, ...] = ()
    fans: tuple[Fan, ...] = ()
    total: int = 0
    events: tuple[PublicEvent, ...] = ()
    closed: bool = False


@dataclass(frozen=True, slots=True)
class SecondEntry:
    """An event that would enter the result of a closed hand again; the first stands."""

    table: str
    n: int
    event: PublicEvent

    @property
    def sentence(self) -> str:
        """What happened and what to do, for people."""
        return (
            f"table {self.table} entered the result of deal {self.n} a second time "
            f"(journal {self.event.journal!r}, line {self.event.seq}): the first stands; a change of it is the referee's to rule"
        )


def summaries(events: Iterable[PublicEvent]) -> tuple[HandSummary, ...]:
    """The hands that these events tell of, by deal and then by table.

    The events of each table come in their order; tables may be mixed in any way.
    """
    tables: dict[str, TableHands] = {}
    for event in events:
        tables.setdefault(event.table, TableHands(event.table)).add(event)
    found = [summary for hands in tables.values() for summary in hands.summaries()]
    return tuple(sorted(found, key=lambda summary: (summary.n, natural(summary.table))))


class TableHands:
    """The hands of one table, event by event; a journal that replaces another goes on where that one stood."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.second_entries: list[SecondEntry] = []
        """What was refused because its hand was closed already, in order."""
        self._checks: dict[int, str] = {}
        self._hands: dict[int, _HandFold] = {}
        self._playing: _HandFold | None = None

    def add(self, event: PublicEvent) -> int | None:
        """Take the next event; the number of the deal whose hand it changed, None when it changed none."""
        if event.type in _PREPARING:
            self._prepare(event)
            return None
        if event.type == "hand-started" and not isinstance(event, UnknownEvent):
            return self._start(event)
        hand = self._hand_of(event)
        if hand is None:
            return None
        if hand.closed and event.type in ("hand-ended", "hand-closed"):
            self.second_entries.append(SecondEntry(self.table, hand.n, event))
            return None
        hand.add(event)
        if hand.closed and hand is self._playing:
            self._playing = None
            hand.summary()  # now, hand by hand, and not for a whole hall at once when the deal is released
        return hand.n

    def summaries(self) -> tuple[HandSummary, ...]:
        """All hands, by deal."""
        return tuple(self._hands[n].summary() for n in sorted(self._hands))

    def reached(self) -> tuple[tuple[int, ...], int]:
        """The deals whose hands are closed, in the order in which they began, and the deal of the hand in play, 0 for none."""
        closed = tuple(n for n, hand in self._hands.items() if hand.closed)
        return closed, next((n for n in self._hands if n not in closed), 0)

    @property
    def any_begun(self) -> bool:
        """Whether the table has begun a hand: then another journal of it takes an order of the staff."""
        return bool(self._hands)

    def summary(self, n: int) -> HandSummary | None:
        """The hand of one deal; None when it has not begun."""
        hand = self._hands.get(n)
        return None if hand is None else hand.summary()

    def _prepare(self, event: PublicEvent) -> None:
        n, check = event.fields.get("n"), event.fields.get("check")
        if isinstance(n, int) and isinstance(check, str) and not isinstance(event, UnknownEvent):
            self._checks[n] = check

    def _start(self, event: PublicEvent) -> int | None:
        n = integer_of(event.fields["n"], "n")
        earlier = self._hands.get(n)
        if earlier is not None and earlier.closed:
            self.second_entries.append(SecondEntry(self.table, n, event))
            self._playing = _HandFold(event, "")  # what follows belongs to what was refused, and to no hand that is shown
            return None
        self._hands[n] = self._playing = _HandFold(event, self._checks.get(n, ""))
        return n

    def _hand_of(self, event: PublicEvent) -> _HandFold | None:
        named = event.fields.get("n")
        if isinstance(named, int) and (self._playing is None or self._playing.n != named):
            return self._hands.get(named)
        return self._playing


@dataclass(slots=True)
class _HandFold:
    """A hand that grows; ``summary`` is computed when it is asked for after a change."""

    start: PublicEvent
    check: str
    events: list[PublicEvent] = field(default_factory=list)
    closed: bool = False
    known: HandSummary | None = None

    def __post_init__(self) -> None:
        self.events.append(self.start)

    @property
    def n(self) -> int:
        return integer_of(self.start.fields["n"], "n")

    def add(self, event: PublicEvent) -> None:
        self.events.append(event)
        self.closed = self.closed or (event.type == "hand-closed" and not isinstance(event, UnknownEvent))
        self.known = None

    def summary(self) -> HandSummary:
        if self.known is None:
            self.known = _summary(self)
        return self.known


def players_of(events: Sequence[PublicEvent]) -> dict[Seat, str]:
    """Who holds each seat by the events of a hand: whom the table named at its start, after the rulings that exchanged seats and stand."""
    players = {seat: text_of(name, "a name") for seat, name in DocumentFields(events[0].fields, "hand-started").seats("seats").items()}
    known = (event for event in events if event.type == "ruling" and not isinstance(event, UnknownEvent))
    rulings = [read_ruling(event.fields) for event in known]
    revoked = {ruling.revokes for ruling in rulings}
    for effect in (effect for ruling in rulings if ruling.identity not in revoked for effect in ruling.effects):
        if isinstance(effect, SeatsExchanged):
            players[effect.seat], players[effect.other] = players[effect.other], players[effect.seat]
    return players


def _summary(hand: _HandFold) -> HandSummary:
    start = DocumentFields(hand.start.fields, "hand-started")
    outcome = _Outcome()
    for event in hand.events:
        if event.type in _TELLING and not isinstance(event, UnknownEvent):
            outcome.take(event)
    return HandSummary(
        table=hand.start.table,
        n=hand.n,
        session=start.integer("session", 0),
        hand=start.integer("hand", 0),
        rules=start.text("rules"),
        options=dict(start.mapping("options")) if "options" in start else {},
        check=hand.check,
        names=players_of(hand.events),
        places={seat: integer_of(place, "a place") for seat, place in start.seats("places").items()},
        started=hand.start.at,
        ended=outcome.ended,
        reason=outcome.reason,
        scores=outcome.scores,
        winners=outcome.winners,
        sources=tuple(map(outcome.sources.get, outcome.winners)),
        fans=outcome.fans,
        total=outcome.total,
        events=tuple(hand.events),
        closed=hand.closed,
    )


@dataclass(slots=True)
class _Outcome:
    """How a hand ends, as its events are read one after another."""

    ended: datetime | None = None
    reason: EndReason | None = None
    scores: Mapping[Seat, int] | None = None
    shown: list[Seat] = field(default_factory=list)
    sources: dict[Seat, Seat | None] = field(default_factory=dict)
    entered: Seat | None = None
    fans: tuple[Fan, ...] = ()
    total: int = 0

    @property
    def winners(self) -> tuple[Seat, ...]:
        """Who has won: by the hands that lie open, or at a table without cameras by what its players have entered."""
        match self.reason:
            case EndReason.WON:
                return tuple(self.shown)
            case EndReason.ENTERED:
                return () if self.entered is None else (self.entered,)
            case _:
                return ()

    def take(self, event: PublicEvent) -> None:
        fields = DocumentFields(event.fields, event.type)
        match event.type:
            case "result-entered":
                winner, source = fields.take("winner"), fields.take("source")
                self.entered = None if winner is None else Seat(winner)
                if self.entered is not None:
                    self.sources[self.entered] = None if source is None else Seat(source)
            case "win-declared":
                source = fields.take("from")
                self.sources[fields.seat("seat")] = None if source is None else Seat(source)
            case "hand-shown":
                self.shown.append(fields.seat("seat"))
            case "win-refused" | "hand-ruled-dead":
                refused = fields.seat("seat")
                self.shown = [seat for seat in self.shown if seat is not refused]
            case "payments-proposed":
                self.fans, self.total = tuple(map(_fan, fields.items("fans"))), fields.integer("total", 0)
            case "hand-ended":
                self.ended, self.reason = event.at, EndReason(fields.text("reason"))
                self.scores = {seat: integer_of(score, "a score") for seat, score in fields.seats("scores").items()}
            case _:
                pass


def _fan(value: object) -> Fan:
    if not isinstance(value, dict):
        raise DocumentError("a fan must be an object")
    fields = DocumentFields(value, "a fan")
    return Fan(fields.text("id"), fields.text("name"), fields.integer("value", 0), fields.integer("count", 0))
