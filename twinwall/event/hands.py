"""Summaries of hands from the tables' public events (``summaries``): who sat where, how a hand ended, what it paid.

A table builds the next wall while it plays, so events of two deals interleave. An event that names a deal belongs to it. Other events
between a hand's start and end belong to the hand in play; those that prepare a wall belong to no hand. A closed hand does not change: an
event that would enter its result again is stored apart and reported. ``results`` and ``comparison`` compare results; ``field`` has
entrants.
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
    """One hand of a table, as far as its public events have arrived. ``check``: as the table published it; empty before. ``names``: who has
    each seat, after rulings that exchanged seats; ``places`` are 0 to 3, counter-clockwise. ``ended``: when the hand ended, with ``reason``
    and ``scores``; None during play. ``winners``: seats with shown winning hands in order, or as entered; ``sources`` gave the tile, None
    if self-drawn. ``fans``: the hand's value as entered, with ``total``. ``events``: all in order, unknown ones included. Only a ``closed``
    hand, after which the table has gone on, is a result."""

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
        """Whether its rules and options make the four scores sum to zero; False for rules that this version does not know."""
        try:
            return rule_set(self.rules, self.options).zero_sum
        except RuleSetError:
            return False


def _second_entry(event: PublicEvent, n: int) -> tuple[PublicEvent, str]:
    """An event that would enter the result of a closed hand again, with the sentence that says so; the first stays valid."""
    return event, (
        f"table {event.table} entered the result of deal {n} a second time "
        f"(journal {event.journal!r}, line {event.seq}): the first stands; a change of it is the referee's to rule"
    )


def summaries(events: Iterable[PublicEvent]) -> tuple[HandSummary, ...]:
    """The hands of these events, by deal and then by table.

    Each table's events must be in order; tables may be mixed in any way.
    """
    tables: dict[str, TableHands] = {}
    for event in events:
        tables.setdefault(event.table, TableHands(event.table)).add(event)
    found = [summary for hands in tables.values() for summary in hands.summaries()]
    return tuple(sorted(found, key=lambda summary: (summary.n, natural(summary.table))))


def left_deals(events: Iterable[PublicEvent]) -> frozenset[int]:
    """The deals that a table opened but left for another session before their hand began, so the events reveal no play."""
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
    """The hands of one table, event by event; a replacing journal continues the replaced one."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.second_entries: list[tuple[PublicEvent, str]] = []
        """What was refused because its hand was closed already, in order."""
        self._checks: dict[int, str] = {}
        self._hands: dict[int, _HandFold] = {}
        self._playing: _HandFold | None = None

    def add(self, event: PublicEvent) -> int | None:
        """Add the next event; return the number of the deal of the changed hand, or None."""
        match event.body:
            case DealOpened(n=n, check=check) | WallReady(n=n, check=check):
                self._checks[n] = check
            case HandStarted() as start:
                return self._start(event, start)
        hand = None if isinstance(event.body, Preparing) else self._hand_of(event)
        if hand is None:
            return None
        if hand.closed and isinstance(event.body, HandEnded | HandClosed):
            self.second_entries.append(_second_entry(event, hand.n))
            return None
        hand.add(event)
        if hand.closed and hand is self._playing:
            self._playing = None
            hand.summary()  # now, hand by hand, and not for a whole hall at once when the deal is released
        return hand.n

    def summaries(self) -> tuple[HandSummary, ...]:
        return tuple(self._hands[n].summary() for n in sorted(self._hands))

    def reached(self) -> tuple[tuple[int, ...], int]:
        """The deals of closed hands in the order in which they began, and the deal of the hand in play, 0 for none."""
        closed = tuple(n for n, hand in self._hands.items() if hand.closed)
        return closed, next((n for n in self._hands if n not in closed), 0)

    @property
    def any_begun(self) -> bool:
        """Whether the table has begun a hand; if so, only a staff order may start another journal for it."""
        return bool(self._hands)

    def summary(self, n: int) -> HandSummary | None:
        hand = self._hands.get(n)
        return None if hand is None else hand.summary()

    def _start(self, event: PublicEvent, start: HandStarted) -> int | None:
        n, earlier = start.n, self._hands.get(start.n)
        if earlier is not None and earlier.closed:
            self.second_entries.append(_second_entry(event, n))
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
    """A growing hand; ``summary`` is computed on demand after a change."""

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
    """Who has each seat: as the table named them at the start, after the standing rulings that exchanged seats."""
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
    # by the face-up hands, or at a table without cameras by the players' entries
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
