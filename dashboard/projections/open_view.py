"""Folds what everybody may know of a table while it plays: class P alone, in types without room for more.

``OpenView`` holds the hand (number, since when, whether it is over), the wall of the next deal, calls and fault
codes. The end of a hand is itself secret until every table has played the deal: ``HeldView`` holds back that step,
and whatever would tell it, until release. Staff see it at once; the access policy decides who sees which.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from dashboard.projections.seats_view import SEAT_FIELDS, SeatsView, fold_seats
from dashboard.projections.table_view import AT_THE_TABLE, Preparation
from twinwall.game.documents import DocumentError, DocumentFields, text_of
from twinwall.game.tiles import Seat
from twinwall.wire.events.projection import public_only
from twinwall.wire.ledger import PublicEvent, UnknownEvent

FINISHED = "finished"
"""The step by which the end of a hand is published, without how it ended."""
_AT_THE_TABLE = frozenset({"wall-raised", "sheets-due"})
"""Steps that tell that the hand before is over: the next walls rise, or people open the sheets to build them."""
_FOR_THE_STAFF: Mapping[str, tuple[str, ...]] = {"fault": ("code",), "fault-cleared": ("code",), **SEAT_FIELDS}
"""Events that only the staff see, and with which fields: faults of the table, by their code; the seat check, because other players
are asked when a hand is over."""
_NEVER_HELD = frozenset({"referee-called", "ruling", "link-lost", "link-restored"})
"""Steps that are published at once even while the end of a hand is held back: calls, and a table's own links."""


@dataclass(frozen=True, slots=True)
class OpenStep:
    """One thing that happened at a table, as far as everybody may know it. ``journal`` and ``seq`` name its line."""

    type: str
    at: datetime
    journal: str
    seq: int
    fields: Mapping[str, object] = field(default_factory=dict)
    staff: bool = False
    """Whether only the staff see it: a fault has to be seen to, and may come only once a hand is over."""


@dataclass(frozen=True, slots=True)
class OpenWall:
    """The wall of the next deal, and when the present step of its preparation began."""

    n: int
    hand: int
    since: datetime
    preparation: Preparation = Preparation.OPENED
    placed: int = 0
    of: int = 0


@dataclass(frozen=True, slots=True)
class OpenHand:
    """The hand that is played, or was last."""

    n: int
    number: int
    session: int
    names: Mapping[Seat, str]
    started: datetime
    finished: datetime | None = None
    released: bool = False
    """Whether every table has finished it; a page need not say any more that this one has."""


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """A line of a table's ledger; it identifies a call."""

    journal: str
    seq: int


@dataclass(frozen=True, slots=True)
class RefereeCall:
    """The referee is called; which seat did is the table's own."""

    line: LedgerLine
    since: datetime


@dataclass(frozen=True, slots=True)
class OpenFault:
    """A fault by its stable word; where it is, and its sentence, are the table's own."""

    line: LedgerLine
    code: str
    since: datetime


@dataclass(frozen=True, slots=True)
class RefusedDealView:
    """A deal that the table refused, and the stable word that says why."""

    line: LedgerLine
    n: int
    reason: str
    since: datetime


class OpenStage(StrEnum):
    """What a table is doing, as far as everybody may know."""

    WAITING = "waiting"
    OPENED = "opened"
    BUILDING = "building"
    READY = "ready"
    SHEETS = "sheets"
    TAKING = "taking"
    TAKEN = "taken"
    PLAYING = "playing"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class OpenView:
    """One table, as far as everybody may know it."""

    table: str
    wall: OpenWall | None = None
    hand: OpenHand | None = None
    call: RefereeCall | None = None
    faults: tuple[OpenFault, ...] = ()
    refused: RefusedDealView | None = None
    links_lost: tuple[str, ...] = ()
    troubles: Mapping[str, str] = field(default_factory=dict)
    """What is wrong with cameras that are lost."""
    seats: SeatsView | None = None
    """The seat check; None where it was not asked, and for all but the staff."""

    @property
    def playing(self) -> bool:
        """Whether a hand is being played now."""
        return self.hand is not None and self.hand.finished is None

    @property
    def stage(self) -> OpenStage:
        """The hand while it is played; FINISHED until its deal is released or the next wall raised; then what is done with that wall."""
        if self.playing:
            return OpenStage.PLAYING
        if self.hand is not None and (self.wall is None or not (self.hand.released or self._raised)):
            return OpenStage.FINISHED
        return OpenStage.WAITING if self.wall is None else OpenStage(self.wall.preparation.value)

    @property
    def deal_at_table(self) -> int | None:
        """The number of the deal whose walls rose last."""
        if self.wall is not None and self._raised:
            return self.wall.n
        return None if self.hand is None else self.hand.n

    @property
    def _raised(self) -> bool:
        return self.wall is not None and self.wall.preparation in AT_THE_TABLE

    @property
    def since(self) -> datetime | None:
        """When the present stage began."""
        match self.stage:
            case OpenStage.PLAYING:
                return self.hand.started if self.hand is not None else None
            case OpenStage.FINISHED:
                return self.hand.finished if self.hand is not None else None
        return None if self.wall is None else self.wall.since

    @property
    def hand_number(self) -> int | None:
        """The hand that is played or was last; before the first, the one whose wall is built."""
        if self.hand is not None and self.stage in (OpenStage.PLAYING, OpenStage.FINISHED):
            return self.hand.number
        return None if self.wall is None else self.wall.hand


def open_step(event: PublicEvent) -> OpenStep | None:
    """What of an event everybody may know in the end; None when that is nothing."""
    if isinstance(event, UnknownEvent):
        return None
    if event.type == "hand-closed":
        return OpenStep(FINISHED, event.at, event.journal, event.seq)
    if event.type in _FOR_THE_STAFF:
        shown = {key: event.fields[key] for key in _FOR_THE_STAFF[event.type]}
        return OpenStep(event.type, event.at, event.journal, event.seq, shown, staff=True)
    fields = public_only(event.type, event.fields)
    return None if fields is None else OpenStep(event.type, event.at, event.journal, event.seq, fields)


def fold_open(view: OpenView, step: OpenStep) -> OpenView:
    """The view after one more step; a step that is not understood changes nothing."""
    change = _CHANGES.get(step.type)
    try:
        return view if change is None else change(view, step, DocumentFields(step.fields, step.type))
    except DocumentError:
        return view


def open_calls(view: OpenView) -> frozenset[LedgerLine]:
    """The lines of a table that call for a person: calls, faults, a refused deal."""
    single = [one.line for one in (view.call, view.refused) if one is not None]
    return frozenset([*single, *(fault.line for fault in view.faults)])


@dataclass(frozen=True, slots=True)
class HeldView:
    """A view that does not tell that a hand is over before its deal is open: ``waiting`` are the steps kept back, in order.

    The wall of the next hand is built while this one is played, so its steps are published though the hand is over: a wall that stood
    still would tell that. Once it has risen, which it does between two hands, all that follows waits.
    """

    view: OpenView
    waiting: tuple[OpenStep, ...] = ()

    def take(self, step: OpenStep, opened: Collection[int]) -> HeldView:
        """After one more step. ``opened`` are the deals that every table has finished."""
        risen = any(waiting.type in _AT_THE_TABLE for waiting in self.waiting)
        if step.type in _NEVER_HELD or not (risen or self._tells_too_much(step, opened)):
            return replace(self, view=fold_open(self.view, step))
        return replace(self, waiting=(*self.waiting, step))

    def reopen(self, opened: Collection[int]) -> HeldView:
        """After more deals were opened: as many of the steps kept back as may be published now."""
        fresh = HeldView(self.view)
        for step in self.waiting:
            fresh = fresh.take(step, opened)
        return fresh

    def _tells_too_much(self, step: OpenStep, opened: Collection[int]) -> bool:
        return (step.type == FINISHED or step.type in _AT_THE_TABLE) and self.view.hand is not None and self.view.hand.n not in opened


def _deal_opened(view: OpenView, step: OpenStep, fields: DocumentFields) -> OpenView:
    return replace(view, wall=OpenWall(fields.integer("n", 0), fields.integer("hand", 1), step.at), refused=None)


def _sheets_due(view: OpenView, step: OpenStep, fields: DocumentFields) -> OpenView:
    return _prepared(Preparation.SHEETS)(_raised(_deal_opened(view, step, fields), step, fields), step, fields)


def _building(view: OpenView, step: OpenStep, fields: DocumentFields) -> OpenView:
    if view.wall is None:
        return view
    since = view.wall.since if view.wall.preparation is Preparation.BUILDING else step.at
    placed, of = fields.integer("placed", 0), fields.integer("of", 0)
    return replace(view, wall=replace(view.wall, preparation=Preparation.BUILDING, placed=placed, of=of, since=since))


def _prepared(preparation: Preparation) -> Callable[[OpenView, OpenStep, DocumentFields], OpenView]:
    def change(view: OpenView, step: OpenStep, _fields: DocumentFields) -> OpenView:
        return view if view.wall is None else replace(view, wall=replace(view.wall, preparation=preparation, since=step.at))

    return change


def _raised(view: OpenView, step: OpenStep, fields: DocumentFields) -> OpenView:
    """The next hand is at the table: calls about the one before are over."""
    later = view.call is not None and view.call.line.journal == step.journal and view.call.line.seq > step.seq
    return _prepared(Preparation.TAKING)(replace(view, call=view.call if later else None), step, fields)


def _hand_started(view: OpenView, step: OpenStep, fields: DocumentFields) -> OpenView:
    names = {seat: text_of(value, "a name") for seat, value in fields.seats("seats").items()}
    hand = OpenHand(fields.integer("n", 0), fields.integer("hand", 1), fields.integer("session", 1), names, step.at)
    wall = None if view.wall is not None and view.wall.n == hand.n else view.wall
    return replace(view, hand=hand, wall=wall)


def _finished(view: OpenView, step: OpenStep, _fields: DocumentFields) -> OpenView:
    return view if view.hand is None else replace(view, hand=replace(view.hand, finished=step.at))


def _ruled(view: OpenView, _step: OpenStep, fields: DocumentFields) -> OpenView:
    """A ruling answers the call, unless it is about a hand that was over before the call."""
    return view if view.deal_at_table is not None and fields.integer("n", 0) < view.deal_at_table else replace(view, call=None)


def _called(view: OpenView, step: OpenStep, _fields: DocumentFields) -> OpenView:
    return view if view.call is not None else replace(view, call=RefereeCall(LedgerLine(step.journal, step.seq), step.at))


def _fault(view: OpenView, step: OpenStep, fields: DocumentFields) -> OpenView:
    code = fields.text("code")
    if any(fault.code == code for fault in view.faults):
        return view
    return replace(view, faults=(*view.faults, OpenFault(LedgerLine(step.journal, step.seq), code, step.at)))


def _fault_cleared(view: OpenView, _step: OpenStep, fields: DocumentFields) -> OpenView:
    code = fields.text("code")
    return replace(view, faults=tuple(fault for fault in view.faults if fault.code != code))


def _refused(view: OpenView, step: OpenStep, fields: DocumentFields) -> OpenView:
    refused = RefusedDealView(LedgerLine(step.journal, step.seq), fields.integer("n", 0), fields.text("reason"), step.at)
    return replace(view, refused=refused)


def _link_lost(view: OpenView, _step: OpenStep, fields: DocumentFields) -> OpenView:
    return replace(view, links_lost=tuple(dict.fromkeys((*view.links_lost, fields.text("what")))))


def _link_restored(view: OpenView, _step: OpenStep, fields: DocumentFields) -> OpenView:
    what = fields.text("what")
    troubles = {link: why for link, why in view.troubles.items() if link != what}
    return replace(view, links_lost=tuple(link for link in view.links_lost if link != what), troubles=troubles)


def _camera_trouble(view: OpenView, _step: OpenStep, fields: DocumentFields) -> OpenView:
    return replace(view, troubles={**view.troubles, fields.text("what"): fields.text("why")})


def _seats(view: OpenView, step: OpenStep, fields: DocumentFields) -> OpenView:
    return replace(view, seats=fold_seats(view.seats, step.type, step.at, fields))


_CHANGES: Mapping[str, Callable[[OpenView, OpenStep, DocumentFields], OpenView]] = {
    "deal-opened": _deal_opened,
    "sheets-due": _sheets_due,
    "deal-refused": _refused,
    "building": _building,
    "wall-ready": _prepared(Preparation.READY),
    "wall-raised": _raised,
    "hands-taken": _prepared(Preparation.TAKEN),
    "hand-started": _hand_started,
    FINISHED: _finished,
    "referee-called": _called,
    "ruling": _ruled,
    "fault": _fault,
    "fault-cleared": _fault_cleared,
    "link-lost": _link_lost,
    "camera-trouble": _camera_trouble,
    "link-restored": _link_restored,
    **dict.fromkeys(SEAT_FIELDS, _seats),
}
