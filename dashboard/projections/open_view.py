"""Folds what everybody may know of a table during play: only class P, in types without room for more; and the table's seat check.
``OpenView`` has the hand (number, since when, whether it is over), the wall of the next deal, calls and fault codes. The end of a hand is
secret until every table has played the deal: ``HeldView`` holds back this step, and all that would reveal it, until release. Staff see it
at once; the access policy decides who sees which."""

from collections.abc import Collection, Mapping
from dataclasses import field, replace
from datetime import datetime
from enum import StrEnum

from dashboard.projections.table_view import AT_THE_TABLE, Preparation, WallView, follow_wall
from twinwall.game.tiles import Seat
from twinwall.values import frozen
from twinwall.wire.events.catalogue import PublishedEvent
from twinwall.wire.events.definitions import EVERYWHERE
from twinwall.wire.events.hand_events import HandClosed, HandStarted
from twinwall.wire.events.seat_events import SeatsAwaited, SeatsConfirmed, SeatTaken
from twinwall.wire.events.trouble_events import CameraTrouble, FaultCleared, LinkLost, LinkRestored, RefereeCalled, TableFault
from twinwall.wire.events.wall_events import Building, DealOpened, DealRefused, HandsTaken, SheetsDue, WallRaised, WallReady
from twinwall.wire.ledger import PublicEvent, project, read_event
from twinwall.wire.messages.ruling import Ruling

_AT_THE_TABLE = (WallRaised, SheetsDue)
"""Steps that reveal the end of the hand before: the next walls rise, or people open the sheets to build them."""
_NEVER_HELD = (RefereeCalled, Ruling, LinkLost, LinkRestored)
"""Steps published at once even while the end of a hand is held back: calls, and a table's own links."""


@frozen
class OpenStep:
    """One event at a table, as everybody may know it: all else in ``body`` is unset. ``journal`` and ``seq`` name its line."""

    body: PublishedEvent
    at: datetime
    journal: str
    seq: int
    staff: bool = False
    """Whether only staff see it: faults, which may come only once a hand is over, and seat checks for other players after a hand."""


@frozen
class OpenHand:
    """The hand in play, or the last one."""

    n: int
    number: int
    session: int
    names: Mapping[Seat, str]
    started: datetime
    finished: datetime | None = None
    released: bool = False
    """Whether every table has finished it, so that a page need not say it of this one."""


@frozen
class OpenTrouble:
    """Something that needs a person, by its line in the table's ledger: a call for the referee, a fault by its stable word ``code``, or
    deal ``n`` that the table refused. Calling seat, place of a fault, and sentences are only on the table's own page."""

    journal: str
    seq: int
    since: datetime
    code: str = ""
    n: int = 0


class OpenStage(StrEnum):
    """What a table is doing, as everybody may know it."""

    WAITING = "waiting"
    OPENED = "opened"
    BUILDING = "building"
    READY = "ready"
    SHEETS = "sheets"
    TAKING = "taking"
    TAKEN = "taken"
    PLAYING = "playing"
    FINISHED = "finished"


@frozen
class OpenView:
    """One table, as everybody may know it."""

    table: str
    wall: WallView | None = None
    hand: OpenHand | None = None
    call: OpenTrouble | None = None
    faults: tuple[OpenTrouble, ...] = ()
    refused: OpenTrouble | None = None
    links_lost: tuple[str, ...] = ()
    troubles: Mapping[str, str] = field(default_factory=dict)
    """By lost camera, what is wrong with it."""
    seats: "SeatsView | None" = None
    """The seat check, for staff only; None if there is none."""

    @property
    def playing(self) -> bool:
        return self.hand is not None and self.hand.finished is None

    @property
    def stage(self) -> OpenStage:
        """PLAYING during a hand; FINISHED until its deal is released or the next wall raised; then the state of that wall."""
        if self.playing:
            return OpenStage.PLAYING
        if self.hand is not None and (self.wall is None or not (self.hand.released or self._raised)):
            return OpenStage.FINISHED
        return OpenStage.WAITING if self.wall is None else OpenStage(self.wall.preparation.value)

    @property
    def deal_at_table(self) -> int | None:
        """The number of the deal with the last raised walls."""
        if self.wall is not None and self._raised:
            return self.wall.n
        return None if self.hand is None else self.hand.n

    @property
    def _raised(self) -> bool:
        return self.wall is not None and self.wall.preparation in AT_THE_TABLE

    @property
    def since(self) -> datetime | None:
        match self.stage:
            case OpenStage.PLAYING:
                return self.hand.started if self.hand is not None else None
            case OpenStage.FINISHED:
                return self.hand.finished if self.hand is not None else None
        return None if self.wall is None else self.wall.since

    @property
    def hand_number(self) -> int | None:
        """The hand in play or the last one; before the first, the hand of the wall being built."""
        if self.hand is not None and self.stage in (OpenStage.PLAYING, OpenStage.FINISHED):
            return self.hand.number
        return None if self.wall is None else self.wall.hand


def open_step(event: PublicEvent) -> OpenStep | None:
    """The part of an event that everybody may know in the end; None if there is none."""
    match event.body:
        case TableFault(code):
            return OpenStep(TableFault(code, "", ""), event.at, event.journal, event.seq, staff=True)
        case FaultCleared() | SeatsAwaited() | SeatTaken() | SeatsConfirmed() as body:
            return OpenStep(body, event.at, event.journal, event.seq, staff=True)
        case HandClosed() as body:
            return OpenStep(body, event.at, event.journal, event.seq)
        case None:
            return None
    fields = project(event.type, event.fields, EVERYWHERE)
    return None if fields is None else OpenStep(read_event(event.type, fields, EVERYWHERE), event.at, event.journal, event.seq)


def fold_open(view: OpenView, step: OpenStep) -> OpenView:
    trouble = OpenTrouble(step.journal, step.seq, step.at)
    match step.body:
        case DealOpened(n=n, hand=hand):
            return replace(view, wall=WallView(n, hand, step.at), refused=None)
        case SheetsDue(n=n, hand=hand):
            return _raised(replace(view, wall=WallView(n, hand, step.at, Preparation.SHEETS), refused=None), step)
        case DealRefused(n=n):
            return replace(view, refused=replace(trouble, n=n))
        case Building() | WallReady() | HandsTaken():
            return replace(view, wall=follow_wall(view.wall, step.body, step.at))
        case WallRaised():
            return _raised(replace(view, wall=follow_wall(view.wall, step.body, step.at)), step)
        case HandStarted(n=n, session=session, hand=number, seats=seats):
            wall = None if view.wall is not None and view.wall.n == n else view.wall
            return replace(view, hand=OpenHand(n, number, session, seats, step.at), wall=wall)
        case HandClosed() if view.hand is not None:
            return replace(view, hand=replace(view.hand, finished=step.at))
        case RefereeCalled() if view.call is None:
            return replace(view, call=trouble)
        case Ruling(n=n) if view.deal_at_table is None or n >= view.deal_at_table:
            return replace(view, call=None)  # a ruling on a hand that was over before the call does not answer it
        case TableFault(code) if all(fault.code != code for fault in view.faults):
            return replace(view, faults=(*view.faults, replace(trouble, code=code)))
        case FaultCleared(code):
            return replace(view, faults=tuple(fault for fault in view.faults if fault.code != code))
        case LinkLost() | CameraTrouble() | LinkRestored() as link:
            lost, troubles = fold_links(view.links_lost, view.troubles, link)
            return replace(view, links_lost=lost, troubles=troubles)
        case SeatsAwaited() | SeatTaken() | SeatsConfirmed() as seats:
            return replace(view, seats=fold_seats(view.seats, seats, step.at))
        case _:
            return view


def fold_links(
    lost: tuple[str, ...], troubles: Mapping[str, str], event: LinkLost | CameraTrouble | LinkRestored
) -> tuple[tuple[str, ...], dict[str, str]]:
    """A table's lost links and the others' troubles, after one was lost, has a trouble, or is back."""
    match event:
        case LinkLost(what):
            return tuple(dict.fromkeys((*lost, what))), {**troubles}
        case CameraTrouble(what, why):
            return lost, {**troubles, what: why}
        case LinkRestored(what):
            return tuple(link for link in lost if link != what), {link: why for link, why in troubles.items() if link != what}


def _raised(view: OpenView, step: OpenStep) -> OpenView:
    """The view when the next hand is at the table: calls about the one before are over."""
    later = view.call is not None and view.call.journal == step.journal and view.call.seq > step.seq
    return view if later else replace(view, call=None)


def open_calls(view: OpenView) -> frozenset[tuple[str, int]]:
    """The lines of a table that need a person, by journal and number: calls, faults, a refused deal."""
    return frozenset((each.journal, each.seq) for each in (view.call, view.refused, *view.faults) if each is not None)


@frozen
class HeldView:
    """A view that does not reveal the end of a hand before its deal is released; ``waiting`` are the steps held back, in order. The next
    hand's wall is built during play, so its steps are published even if the hand is over: a wall without progress would reveal the end.
    Once it has risen, which happens between two hands, all later steps wait."""

    view: OpenView
    waiting: tuple[OpenStep, ...] = ()

    def take(self, step: OpenStep, opened: Collection[int]) -> "HeldView":
        """The view after one more step. ``opened`` are the deals that every table has finished."""
        risen = any(isinstance(waiting.body, _AT_THE_TABLE) for waiting in self.waiting)
        ends = isinstance(step.body, (HandClosed, *_AT_THE_TABLE)) and self.view.hand is not None and self.view.hand.n not in opened
        if isinstance(step.body, _NEVER_HELD) or not (risen or ends):
            return replace(self, view=fold_open(self.view, step))
        return replace(self, waiting=(*self.waiting, step))

    def reopen(self, opened: Collection[int]) -> "HeldView":
        """The view after more deals were opened, with all steps that may be published now."""
        fresh = HeldView(self.view)
        for step in self.waiting:
            fresh = fresh.take(step, opened)
        return fresh


@frozen
class SeatsView:
    """``players`` should sit at the places in this order, and were asked at ``since``; ``taken`` are the answers by place."""

    session: int
    players: tuple[str, ...]
    since: datetime
    taken: Mapping[int, str] = field(default_factory=dict)
    confirmed: bool = False


def fold_seats(seats: SeatsView | None, event: SeatsAwaited | SeatTaken | SeatsConfirmed, at: datetime) -> SeatsView | None:
    """The seat check after one more of its events; right answers stay valid in the same session."""
    match event:
        case SeatsAwaited(session, players):
            kept = seats.taken if seats is not None and seats.session == session else {}
            return SeatsView(session, players, at, {place: player for place, player in kept.items() if players[place] == player})
        case SeatTaken(place, player) if seats is not None:
            others = {where: who for where, who in seats.taken.items() if who != player}
            return replace(seats, taken={**others, place: player}, confirmed=False)
        case SeatsConfirmed() if seats is not None:
            return replace(seats, confirmed=True)
        case _:
            return None
