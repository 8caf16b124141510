"""All that is known at one table (classes P and T): its wall, its hand, its troubles, as frozen values. ``dashboard.projections.fold``
makes it from events; the access policy decides who may see it. A table builds the next deal's wall during play: ``deal`` is the deal of
that wall, ``hand`` the hand in play or the last one. Views are msgspec structs: each event makes a changed copy."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import TypeVar

import msgspec
from msgspec import structs

from twinwall.game.play import Phase as PlayPhase
from twinwall.game.play import PlayState
from twinwall.game.play_events import HandEnded, HandShown, Meld, WinDeclared
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import SEATS, Seat, Tile, TileRow
from twinwall.values import FrozenStruct
from twinwall.wire.events.hand_events import PaymentsProposed, ResultEntered
from twinwall.wire.events.trouble_events import RefereeCalled, TableFault, TablePart, TableSubject, Violation
from twinwall.wire.events.wall_events import Building, DealRefused, HandsTaken, WallRaised, WallReady
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.tile_question import AskedTile

TileRows = tuple[tuple[Tile | None, ...], ...]
"""Rows of tiles, such as a seat's melds; None is an unknown tile, or none."""
SHOWN_CALLS = frozenset({TableSubject.MAT_DIFFERS.value})
"""Subjects of the table's own calls with a picture."""
ABOUT_VIOLATION = "violation"
"""Subject of a call that the table makes for a seat just after it reported a violation of that seat."""
UNREAD_TILE = "unread-tile"
"""The fault code of a tile on the mat that cannot be read."""


class Preparation(StrEnum):
    """How far the wall of the next hand is."""

    OPENED = "opened"
    BUILDING = "building"
    READY = "ready"
    SHEETS = "sheets"
    """At a table without cameras: people build the walls from sheets."""
    TAKING = "taking"
    TAKEN = "taken"


AT_THE_TABLE = (Preparation.SHEETS, Preparation.TAKING, Preparation.TAKEN)
"""The walls of the hand are at the seats, or are built there."""


class WallView(FrozenStruct):
    """The wall of the next deal, and when the present step of its preparation began."""

    n: int
    hand: int
    since: datetime
    preparation: Preparation = Preparation.OPENED
    placed: int = 0
    of: int = 0


class DealView(WallView, kw_only=True):
    """The deal being prepared, and its wall; ``draws`` is each seat's number of draws, by the rules."""

    rules: str
    check: str
    draws: Mapping[Seat, int]


_W = TypeVar("_W", bound=WallView)
_PREPARED = {WallReady: Preparation.READY, WallRaised: Preparation.TAKING, HandsTaken: Preparation.TAKEN}


def follow_wall(wall: _W | None, event: object, at: datetime) -> _W | None:
    """The wall after one more event of its table; unchanged if it is no step of its preparation."""
    match event:
        case Building(placed, of) if wall is not None:
            since = wall.since if wall.preparation is Preparation.BUILDING else at
            return structs.replace(wall, preparation=Preparation.BUILDING, placed=placed, of=of, since=since)
        case WallReady() | WallRaised() | HandsTaken() if wall is not None:
            return structs.replace(wall, preparation=_PREPARED[type(event)], since=at)
        case _:
            return wall


class HandView(FrozenStruct):
    """The hand in play, or just closed. ``play`` is None if its events could not be followed."""

    n: int
    number: int
    rules: RuleSet | None
    names: Mapping[Seat, str]
    draws: Mapping[Seat, int]
    started: datetime
    since: datetime
    """The time of its last event."""
    play: PlayState | None
    gate: Seat | None = None
    claims_open: bool = False
    bound: Mapping[Seat, str] = msgspec.field(default_factory=dict)
    shown: tuple[HandShown, ...] = ()
    """The shown winning hands, in order."""
    declared: WinDeclared | None = None
    """The win of the next hand to show, or of the last one shown."""
    winners: tuple[Seat, ...] = ()
    """Seats with declared and not refused wins, in order."""
    apart: Mapping[Seat, Tile] = msgspec.field(default_factory=dict)
    """The winning tiles that are face up beside their hands."""
    proposal: PaymentsProposed | None = None
    """The hand's value as a seat entered it."""
    confirmed_by: Seat | None = None
    """The other seat that agreed."""
    payments: Mapping[Seat, int] | None = None
    ended: HandEnded | None = None
    paper: bool = False
    """Whether it is played from sheets, so that its play is unknown."""
    entered: tuple[ResultEntered, ...] = ()
    """At a table without cameras, players' entries about its end since the last ruling, in order."""

    @property
    def entries(self) -> tuple[ResultEntered, ...]:
        """The results that players stand by: each seat's last entry, and of equal ones the first."""
        by_payments: dict[tuple[int, ...], ResultEntered] = {}
        for entry in {entry.seat: entry for entry in self.entered}.values():
            by_payments.setdefault(tuple(entry.payments[seat] for seat in SEATS), entry)
        return tuple(by_payments.values())


class ClearingView(FrozenStruct):
    """The table is being cleared: the number of the set's tiles back in the drum."""

    since: datetime
    counted: int = 0
    of: int = 0


class FaultView(FrozenStruct):
    """A part of the table that needs a person, and since when."""

    fault: TableFault
    since: datetime


class RefusedHand(FrozenStruct):
    """A shown hand that does not win, with the seat's melds, and its violation."""

    violation: PublicEvent
    shown: HandShown
    melds: tuple[Meld, ...]


class TableView(FrozenStruct):
    """All that the pages know of one table from its events."""

    table: str
    last: datetime | None = None
    deal: DealView | None = None
    refused: DealRefused | None = None
    hand: HandView | None = None
    clearing: ClearingView | None = None
    links_lost: tuple[str, ...] = ()
    troubles: Mapping[str, str] = msgspec.field(default_factory=dict)
    """By lost camera, what is wrong with it."""
    faults: tuple[FaultView, ...] = ()
    worn: Mapping[str, tuple[TileRow, int]] = msgspec.field(default_factory=dict)
    """By the name of a tile set, the kinds that are read less reliably than before, and the looks that they took in the last walls."""
    called: Mapping[Seat, str] = msgspec.field(default_factory=dict)
    """Who calls, and about what (``CallSubject``; empty for a call by key), or for whom the table calls (``ABOUT_VIOLATION``)."""
    called_by_table: tuple[str, ...] = ()
    """Subjects of the table's own calls (``TableSubject``); they accuse no seat."""
    fouled: str | None = None
    halted: str | None = None
    """Why play waits for the referee (the stable word of `play-halted`), or None."""
    unclear: str | None = None
    """Why the stream cannot be followed, or None."""
    log: tuple[PublicEvent, ...] = ()
    violations: tuple[PublicEvent, ...] = ()
    """Violations of the hand at the table, reported since the last ruling on it, in order."""
    refused_hands: tuple[RefusedHand, ...] = ()
    """The shown hands of violations that are false wins."""
    concerned: Seat | None = None
    """The seat of the last violation or call without a ruling, or None."""
    rulings: tuple[PublicEvent, ...] = ()
    """All rulings given here, and those that the table refused."""

    @property
    def violated(self) -> tuple[Violation, ...]:
        return tuple(event.body for event in self.violations if isinstance(event.body, Violation))

    @property
    def playing(self) -> bool:
        return self.hand is not None and self.hand.ended is None

    @property
    def raised(self) -> bool:
        """Whether the walls of the next hand are at the seats, and its players take their tiles."""
        return self.deal is not None and self.deal.preparation in AT_THE_TABLE

    @property
    def deal_at_table(self) -> int | None:
        """The number of the deal with the last raised walls."""
        if self.deal is not None and self.raised:
            return self.deal.n
        return None if self.hand is None else self.hand.n

    @property
    def since(self) -> datetime | None:
        """When the present step began: of the hand at the table, otherwise of the next wall."""
        if self.clearing is not None:
            return self.clearing.since
        hand = shown_hand(self)
        if hand is not None:
            return hand.since
        return None if self.deal is None else self.deal.since


def fault_asked_about(view: TableView, asked: AskedTile) -> TableFault | None:
    """The unread tile that a table asks about; None if it is read, or the hand is another one."""
    if view.hand is None or view.hand.n != asked.n:
        return None
    at = UNREAD_TILE, TablePart(asked.area), asked.place, asked.slot
    faults = (each.fault for each in view.faults)
    return next((fault for fault in faults if (fault.code, fault.part, fault.place, fault.number) == at), None)


class TablePhase(StrEnum):
    """What a table is doing, as one word of the pages."""

    WAITING = "waiting"
    OPENED = "opened"
    BUILDING = "building"
    READY = "ready"
    SHEETS = "sheets"
    TAKING = "taking"
    TAKEN = "taken"
    PLAYING = "playing"
    CLAIMS = "claims"
    SHOWING = "showing"
    SHOWN = "shown"
    CONFIRMING = "confirming"
    SETTLED = "settled"
    CLOSED = "closed"
    CLEARING = "clearing"


def call_follows_violation(event: PublicEvent, before: PublicEvent | None) -> bool:
    """Whether an event is the table's call about a violation that it has just reported."""
    violation = None if before is None else before.body
    return isinstance(violation, Violation) and violation.n is None and event.body == RefereeCalled(violation.seat)


def shown_hand(view: TableView) -> HandView | None:
    """The hand at the table: the one in play, and the last one until the next walls are raised."""
    return None if view.raised and not view.playing else view.hand


def stage(view: TableView) -> TablePhase:
    """The most important stage now: that of the hand at the table, otherwise of the wall."""
    if view.clearing is not None:
        return TablePhase.CLEARING
    hand = shown_hand(view)
    if hand is not None:
        return TablePhase.CLOSED if hand.ended is not None else _stage_of_hand(hand)
    return TablePhase.WAITING if view.deal is None else TablePhase(view.deal.preparation.value)


def _stage_of_hand(hand: HandView) -> TablePhase:
    if hand.payments is not None:
        return TablePhase.SETTLED
    if hand.proposal is not None:
        return TablePhase.CONFIRMING
    if hand.play is not None and hand.play.phase is PlayPhase.SHOW:
        to_show = hand.declared is not None and hand.play.seat(hand.declared.seat).shown is None
        return TablePhase.SHOWING if to_show else TablePhase.SHOWN
    return TablePhase.CLAIMS if hand.claims_open else TablePhase.PLAYING
