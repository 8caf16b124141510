"""Summaries of hands from the public events of tables: who sat where, how a hand ended, what it paid.

The fold is pure. A table builds the next wall while it plays, so events of two deals interleave: an event that names a deal
belongs to it; any other event between a hand's start and its end belongs to the hand in play; events that prepare a wall belong
to no hand. A closed hand stays as it is, and an event that would enter its result a second time is kept apart and named.
Comparison of results is in ``results`` and ``comparison``, entrants are in ``field``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from twinwall.event.natural_order import natural
from twinwall.game.play_events import EndReason, HandEnded, HandRuledDead, HandShown, SeatsExchanged, WinDeclared, WinRefused
from twinwall.game.rule_set import Fan
from twinwall.game.rules import RuleSetError, rule_set
from twinwall.game.tiles import Seat
from twinwall.values import frozen
from twinwall.wire.events.hand_events import HandClosed, HandStarted, PaymentsProposed, ResultEntered
from twinwall.wire.events.wall_events import DealOpened, Preparing, WallReady
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.ruling import Ruling


@frozen
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

    @property
    def zero_sum(self) -> bool:
        """Whether its rules, with their options, make the four scores sum to zero; rules that this version does not know do not."""
        try:
            return rule_set(self.rules, self.options).zero_sum
        except RuleSetError:
            return False


@frozen
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


def left_deals(events: Iterable[PublicEvent]) -> frozenset[int]:
    """The deals that a table opened in a journal and left for another session, before a hand began with them: they tell of no play."""
    left: set[int] = set()
    waiting: DealOpened | None = None
    for event in events:
        match event.body:
            case DealOpened() as opened:
                left.discard(opened.n)
                if waiting is not None and waiting.session != opened.session:
                    left.add(waiting.n)
                waiting = opened
            case HandStarted(n) if waiting is not None and waiting.n == n:
                waiting = None
    return frozenset(left)


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
        match event.body:
            case DealOpened(n=n, check=check) | WallReady(n=n, check=check):
                self._checks[n] = check
            case HandStarted() as start:
                return self._start(event, start)
        hand = None if isinstance(event.body, Preparing) else self._hand_of(event)
        if hand is None:
            return None
        if hand.closed and isinstance(event.body, HandEnded | HandClosed):
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

    def _start(self, event: PublicEvent, start: HandStarted) -> int | None:
        n, earlier = start.n, self._hands.get(start.n)
        if earlier is not None and earlier.closed:
            self.second_entries.append(SecondEntry(self.table, n, event))
            self._playing = _HandFold(start, "", [event])  # what follows belongs to what was refused, and to no hand that is shown
            return None
        self._hands[n] = self._playing = _HandFold(start, self._checks.get(n, ""), [event])
        return n

    def _hand_of(self, event: PublicEvent) -> "_HandFold | None":
        named = event.fields.get("n")
        if isinstance(named, int) and (self._playing is None or self._playing.n != named):
            return self._hands.get(named)
        return self._playing


@dataclass(slots=True)
class _HandFold:
    """A hand that grows; ``summary`` is computed when it is asked for after a change."""

    start: HandStarted
    check: str
    events: list[PublicEvent]
    closed: bool = False
    known: HandSummary | None = None

    @property
    def n(self) -> int:
        return self.start.n

    def add(self, event: PublicEvent) -> None:
        self.events.append(event)
        self.closed = self.closed or isinstance(event.body, HandClosed)
        self.known = None

    def summary(self) -> HandSummary:
        if self.known is None:
            self.known = _summary(self)
        return self.known


def players_of(events: Sequence[PublicEvent]) -> dict[Seat, str]:
    """Who holds each seat by the events of a hand: whom the table named at its start, after the rulings that exchanged seats and stand."""
    start = events[0].body
    assert isinstance(start, HandStarted)
    players = dict(start.seats)
    rulings = [event.body for event in events if isinstance(event.body, Ruling)]
    revoked = {ruling.revokes for ruling in rulings}
    for effect in (effect for ruling in rulings if ruling.identity not in revoked for effect in ruling.effects):
        if isinstance(effect, SeatsExchanged):
            players[effect.seat], players[effect.other] = players[effect.other], players[effect.seat]
    return players


def _summary(hand: _HandFold) -> HandSummary:
    start = hand.start
    ended: datetime | None = None
    reason: EndReason | None = None
    scores: Mapping[Seat, int] | None = None
    entered: Seat | None = None
    shown: list[Seat] = []
    sources: dict[Seat, Seat | None] = {}
    fans: tuple[Fan, ...] = ()
    total = 0
    for event in hand.events:
        match event.body:
            case ResultEntered(winner=winner, source=source):
                entered = winner
                if winner is not None:
                    sources[winner] = source
            case WinDeclared(seat, source):
                sources[seat] = source
            case HandShown(seat):
                shown.append(seat)
            case WinRefused(refused) | HandRuledDead(refused):
                shown = [seat for seat in shown if seat is not refused]
            case PaymentsProposed(fans=fans, total=total):
                pass
            case HandEnded(reason, scores):
                ended = event.at
    # by the hands that lie open, or at a table without cameras by what its players have entered
    won = {EndReason.WON: shown, EndReason.ENTERED: [] if entered is None else [entered]}
    winners = [] if reason is None else won.get(reason, [])
    return HandSummary(
        table=hand.events[0].table,
        n=hand.n,
        session=start.session,
        hand=start.hand,
        rules=start.rules,
        options=start.options,
        check=hand.check,
        names=players_of(hand.events),
        places=start.places,
        started=hand.events[0].at,
        ended=ended,
        reason=reason,
        scores=scores,
        winners=tuple(winners),
        sources=tuple(map(sources.get, winners)),
        fans=fans,
        total=total,
        events=tuple(hand.events),
        closed=hand.closed,
    )
