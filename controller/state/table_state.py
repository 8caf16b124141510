"""State of a table: frozen records, changed by ``controller.core.apply`` alone.

A table has two sides that work at the same time: the wall of the next deal is made in the trays from one tile set
(``Making``) while the hand of the present deal is played from the magazines with the other set (``Playing``). Places are
physical (0–3, counter-clockwise); seats are winds and belong to places for one hand.

State of the tray side: the wall of the next deal, from its first tile to the raised magazines.

State of the magazine side: the hand of the present deal, from the raised walls to the confirmed payments.

Feeder operations as events: an event gives the operation its number, and an output sends it.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from controller.ledger.journal_events import Events, OperationIssued, PaymentsComputed, RecordDisputed, TileRead
from controller.state.setup import OpenDeal, Position, Seats
from firmware_bridge.messages import Bypass, Command, Dump, Lock, NakCode, Place, Raise, Recirculate, Reject, Release, Renew, Return, Unlock
from twinwall.game.play import PlayState
from twinwall.game.play_events import Claim, PlayEvent
from twinwall.game.tiles import Seat, Tile, TileRow
from twinwall.values import FrozenStruct
from twinwall.wire.events.trouble_events import RefereeCalled, TableFault
from vision.mat import Slot


class WallStage(StrEnum):
    """Where the wall in the making is: not begun, being built, standing ready in the trays, waiting for the table to be
    cleared of the hand before, or on its way into the magazines."""

    NONE = "none"
    BUILDING = "building"
    READY = "ready"
    CLEARING = "clearing"
    RAISING = "raising"


class GateTile(FrozenStruct):
    """The tile in a gate's window, as event ``number`` of the feeder reported; ``doubled`` when a second one came with it.
    One of five copies is ``doubted``: this showing may be the one that was misread, so it goes round. ``reads`` are the
    readings of this showing in order (None where the reader refused, ``reason`` why the last one did), ``looks`` those that
    were reads; ``moving`` is the operation that takes it away."""

    number: int
    back: int
    doubled: bool = False
    doubted: bool = False
    reads: tuple[Tile | None, ...] = ()
    reason: str = ""
    looks: tuple[TileRead, ...] = ()
    moving: int | None = None


class Build(FrozenStruct):
    """A wall in the making. ``placed`` holds only trusted positions: read, moved and dropped under one operation.

    ``gates`` are the tiles that lie in a gate. ``bypass`` maps cells to the kind that waits there (None when unknown after a restart) and
    is not about to leave. ``doubted`` positions hold a tile that must go back to the gate. ``recounted`` are the kinds whose positions have
    been read again after a fifth copy showed up, until another tile is missing: then they are read once more. ``refusals`` counts showings
    in a row that could not be read. ``surveyed`` says that the sensors have been compared with the journal since the link was last lost.
    ``starved`` is the last of the feeder's events when the drum was found empty with positions open; ``decoys`` are the good positions
    being emptied so that the missing tile can be named without telling where it belongs. ``blocked`` is an operation that the feeder
    refused: it is left alone for a moment. ``looks`` are the readings with which the tile of a position, or of a cell, came there;
    ``reread`` are positions read again for the sake of certainty, ``rereading`` those of a wall that was ready which are out for it.
    ``sampled`` counts the positions that were, and ``differed`` those of them that came back as another kind. At ``left`` positions tiles
    may lie of a wall of another session, which is not played: they drop into the drum before anything is placed.
    """

    placed: Mapping[Position, Tile] = {}
    bypass: Mapping[int, Tile | None] = {}
    gates: Mapping[int, GateTile] = {}
    feeding: bool = False
    surveyed: bool = False
    doubted: frozenset[Position] = frozenset()
    recounted: frozenset[Tile] = frozenset()
    refusals: int = 0
    starved: int | None = None
    decoys: frozenset[Position] = frozenset()
    blocked: int | None = None
    looks: Mapping[Position | int, tuple[TileRead, ...]] = {}
    reread: frozenset[Position] = frozenset()
    rereading: frozenset[Position] = frozenset()
    sampled: int = 0
    differed: int = 0
    left: frozenset[Position] = frozenset()


class Clearing(FrozenStruct):
    """The table being cleared, so that all tiles of the set that was played are in the drum before the next wall rises.

    ``dropped`` tiles lay in the magazines when it began, until ``emptied`` they still do; ``fallen`` have been counted
    through the well, ``counted_before`` of them at earlier openings. ``accepted`` says that staff go on with the count as it is.
    """

    dropped: int
    emptied: bool
    counted_before: int = 0
    fallen: int = 0
    accepted: bool = False

    @property
    def total(self) -> int:
        """How many tiles are known to be in the drum."""
        return self.dropped + self.fallen


class Making(FrozenStruct):
    """The side of the trays: the wall of the next deal. ``back`` is the colour of the set that it is built from: the one that
    is not in play, or, while none is, the first that has come twice (one tile alone may have strayed); ``backs`` are those that
    have come before that is known. ``well_open`` is the well's door as it was last heard of."""

    stage: WallStage = WallStage.NONE
    deal: OpenDeal | None = None
    back: int | None = None
    backs: tuple[int, ...] = ()
    build: Build = Build()
    clearing: Clearing | None = None
    well_open: bool = False


class PlayStage(StrEnum):
    """Where the hand at the table is."""

    NONE = "none"
    TAKING = "taking"
    PLAYING = "playing"
    SETTLING = "settling"
    CLOSED = "closed"


class Window(FrozenStruct):
    """The claim window after a discard, or a tile added to a kong: its number in the hand, who is bound to what, and after it closed
    whose claims stand, in order of priority."""

    number: int
    open: bool = True
    bound: Mapping[Seat, Claim] = {}
    granted: tuple[Seat, ...] = ()


class KnownViolation(NamedTuple):
    """A violation that the table has reported, after this many events of its hand's record."""

    after: int
    seat: Seat
    what: str


class Hand(FrozenStruct):
    """A hand at the table, from the raised walls to the confirmed payments. ``unlock`` is the operation that holds the present draw gate
    open, None while all are locked; ``kong`` the seat that has declared a kong at its own turn and has still to lay it, ``win`` the one
    that has called a win there and has still to lay its tile, ``riichi`` the one that declares riichi with its next discard, and ``claim``
    what the seat to draw has called instead. ``lifted`` is the seat whose rear gate has let out the shared tile that is to be turned up.
    ``players`` are the players' numbers by seat, as they were when the hand started. ``put_back`` is the seat whose drawn tile lies in its
    gate again, to be given out after the referee's ruling. ``called`` are the seats that have called the tile that lay last, in time or too
    late, and all seats once the referee was called for a meld laid in time: a press of theirs says nothing more. ``doubted_looks`` counts
    how often in a row the overhead camera settled on tiles that cannot lie where it looks now; ``answers`` are the tiles that it cannot
    read there, as the referee has named them."""

    taken: frozenset[tuple[Seat, int]] = frozenset()
    play: PlayState | None = None
    players: Mapping[Seat, str] = {}
    events: tuple[PlayEvent, ...] = ()
    unlock: int | None = None
    windows: int = 0
    window: Window | None = None
    kong: Seat | None = None
    win: Seat | None = None
    riichi: Seat | None = None
    claim: Claim | None = None
    called: frozenset[Seat] = frozenset()
    lifted: Seat | None = None
    put_back: Seat | None = None
    payments: PaymentsComputed | None = None
    proposed: bool = False
    doubted_looks: int = 0
    answers: Mapping[Slot, Tile] = {}
    astray: frozenset[tuple[int, int]] = frozenset()
    """Places of rivers (place, number) on which a discard lies that belongs elsewhere: the camera awaits none there."""
    unseen: bool = False
    """Whether the controller was away since the last discard, which somebody may have taken meanwhile: no gate opens before it is seen."""
    noticed: int | None = None
    """After this many events the seat whose turn it is was warned that its time runs out."""
    overdue: int | None = None
    """After this many events the referee was called because its time was over."""
    spent_s: float = 0.0
    """So much of the hand's own time has passed, in the steps of its clock."""
    limit_reported: bool = False
    """Whether the referee was called because the hand's own time was over."""
    violations: tuple[KnownViolation, ...] = ()
    """The violations reported of this hand, in order: rulings forget none of it."""


class Playing(FrozenStruct):
    """The side of the magazines: the hand of the present deal, played with the set whose backs are ``back``.

    ``surveyed`` says that the magazines have been compared with the journal since the link was last lost, ``blocked`` is an operation on a
    draw gate that the feeder refused. ``referee`` are the calls that wait for him; while the deal is ``fouled``, or play is ``halted``,
    nothing irrevocable happens before he has ruled.
    """

    stage: PlayStage = PlayStage.NONE
    deal: OpenDeal | None = None
    back: int | None = None
    hand: Hand = Hand()
    surveyed: bool = False
    blocked: int | None = None
    referee: frozenset[RefereeCalled] = frozenset()
    violations: tuple[tuple[Seat, str], ...] = ()
    """The violations reported since the last ruling, in order: by whom, and its stable word."""
    fouled: bool = False
    halted: bool = False
    differing: frozenset[Seat] = frozenset()
    """Seats whose magazines hold other tiles than they should, of which the referee knows."""


if TYPE_CHECKING:  # the same for a type checker, which knows the fields of this one
    from dataclasses import replace as replace  # noqa: PLC0414 — exported
else:
    from msgspec.structs import replace as replace  # noqa: PLC0414 — exported


class TableState(FrozenStruct):
    """Everything a table knows; the fold of its journal."""

    journal: str = ""
    """The journal's id."""
    next_operation: int = 1
    boot: int | None = None
    last_event: int = 0
    """The last of the feeder's numbered events that is in the journal."""
    lost: frozenset[str] = frozenset()
    troubles: Mapping[str, str] = {}
    pending: tuple[OperationIssued, ...] = ()
    """Operations that the feeder has not answered for good."""
    making: Making = Making()
    playing: Playing = Playing()
    seats: Seats = Seats()
    paused: bool = False
    """Whether the director has paused the clock: no hand begins."""
    faults: tuple[TableFault, ...] = ()
    closed: tuple[int, ...] = ()
    """Numbers of the deals played and recorded."""
    released: frozenset[int] = frozenset()
    """Those of them that every table has finished."""
    disputes: tuple[RecordDisputed, ...] = ()
    """Doubts of the records of hands that the referee has not answered, asked about or not."""
    worn: Mapping[int, TileRow] = {}
    """The kinds of each set, by its backs, of which staff know that they are read less surely than they were."""
    rulings: frozenset[str] = frozenset()
    """The ids of all rulings that have come, those that were refused included."""

    @property
    def done(self) -> tuple[int, ...]:
        """Numbers of the deals that need not be asked for any more: those played, and the one in play."""
        deal = self.playing.deal
        return self.closed if deal is None or deal.n in self.closed else (*self.closed, deal.n)

    def awaits(self, *commands: type) -> bool:
        """Whether an operation of one of these kinds is unanswered."""
        return any(isinstance(pending.command, commands) for pending in self.pending)

    def has_fault(self, code: str) -> bool:
        """Whether a fault of this code is standing."""
        return any(fault.code == code for fault in self.faults)


FEEDER, TABLE_CAMERA, BROKER, PANEL = "feeder", "table-camera", "broker", "panel"
"""Names of parts of a table that can be lost."""

MOTIONS = (Place, Bypass, Release, Return, Recirculate, Reject, Dump, Raise)
"""Operations that move a tile: while one is unanswered the sensors are in the middle of something."""

OF_MAGAZINES = (Dump, Raise)
"""Those of them that fill or empty the magazines."""

AT_DRAW_GATES = (Unlock, Renew, Lock)
"""Operations of the side that plays; all others belong to the wall in the making."""

REFUSED = "refused-"
"""A result that begins so tells that the feeder refused; the protocol's own word follows."""

SURPRISES = frozenset(
    REFUSED + code.name.lower()
    for code in (NakCode.NO_TILE, NakCode.OCCUPIED, NakCode.EMPTY, NakCode.UNSUPPORTED, NakCode.COVERED, NakCode.WELL_OPEN)
)
"""Refusals that tell of a machine which is not as the journal has it."""


def busy(state: TableState) -> bool:
    """Whether an operation on the wall in the making is unanswered."""
    return any(not isinstance(pending.command, AT_DRAW_GATES) for pending in state.pending)


def issue(state: TableState, command: Command, tile: Tile | None = None) -> Events:
    """The event that tells the feeder to do this; ``tile`` is the kind that moves."""
    return (OperationIssued(state.next_operation, command, tile),)


def issue_all(state: TableState, commands: Iterable[Command]) -> Events:
    """The events that tell the feeder to do all this; none of it moves a tile whose kind is known."""
    return tuple(OperationIssued(number, command, None) for number, command in enumerate(commands, state.next_operation))
