"""What a table knows: frozen records, changed only by ``controller.apply``.

Places are physical (0–3, counter-clockwise); seats are winds and belong to places for one hand.
``Setup`` is what stays the same while a controller runs and comes from settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from controller.events import Fault, PaymentsComputed
from firmware_bridge.messages import Capabilities, Command
from twinwall.game.deals import SeatWall
from twinwall.game.play import Claim, PlayEvent, PlayState, RuleSet
from twinwall.game.session import place_of, round_wind, seat_at
from twinwall.game.tiles import Seat, Tile

Position = tuple[int, int]
"""A tray position: place 0–3 and index 0–33, hand tiles first and then the draws in order."""

HAND_TILES = 13


@dataclass(frozen=True, slots=True)
class Setup:
    """What a controller is told once. ``options`` are those that ``rules`` was made with;
    ``names`` are the players by place; times are in seconds of play time,
    the lease in wall time. ``frames_to_agree`` readings of a tile must agree before it may be placed;
    after ``frames_before_recirculating`` it goes back to the drum to be shown another time; a smear or a reflection can
    look like no tile at all, so only after ``showings_before_rejecting`` unreadable showings in a row is what
    is no tile rejected, and after ``showings_before_staff``
    unreadable showings in a row a person is called; ``decoys_before_naming`` good places are emptied before
    a missing kind is named. A meld or hand that does not appear within ``show_timeout_s`` calls the referee.
    ``custody`` says that deals come from a vault, which tells when each is released."""

    table: str
    rules: RuleSet
    names: tuple[str, str, str, str]
    claim_window_s: float
    unlock_lease_s: float
    options: Mapping[str, bool | int | str] = field(default_factory=dict)
    drum_empty_s: float = 8.0
    frames_to_agree: int = 2
    frames_before_recirculating: int = 3
    showings_before_rejecting: int = 4
    showings_before_staff: int = 12
    decoys_before_naming: int = 8
    show_timeout_s: float = 60.0
    capabilities: Capabilities = field(default_factory=Capabilities)
    custody: bool = False


class Stage(StrEnum):
    """Where the table is between one deal and the next."""

    IDLE = "idle"
    BUILDING = "building"
    RAISING = "raising"
    TAKING = "taking"
    PLAYING = "playing"
    SETTLING = "settling"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Pending:
    """An operation the feeder has not answered for good."""

    operation: int
    command: Command
    tile: Tile | None


@dataclass(frozen=True, slots=True)
class GateTile:
    """The tile in the gate's window, as event ``number`` of the feeder told. ``reads`` are the readings of this
    showing in order (None where the reader refused, ``reason`` why the last one did); ``moving`` is the
    operation that takes it away."""

    number: int
    back: int
    reads: tuple[Tile | None, ...] = ()
    reason: str = ""
    moving: int | None = None


@dataclass(frozen=True, slots=True)
class Build:
    """A wall in the making. ``placed`` holds only trusted positions: read, moved and dropped under one operation.

    ``bypass`` maps cells to the kind that waits there (None when unknown after a restart). ``doubted`` positions
    hold a tile that must go back to the gate. ``recounted`` are the kinds whose positions have been read again
    after a fifth copy showed up. ``refusals`` counts showings in a row that could not be read. ``surveyed`` says
    that the sensors have been compared with the journal since the link was last lost. ``starved`` says that the
    drum ran empty with positions open; ``decoys`` are the good positions being emptied so that the missing tile
    can be named without telling where it belongs. ``blocked`` says that the feeder refused an operation and is
    left alone for a moment.
    """

    placed: Mapping[Position, Tile] = field(default_factory=dict)
    bypass: Mapping[int, Tile | None] = field(default_factory=dict)
    gate: GateTile | None = None
    feeding: bool = False
    surveyed: bool = False
    doubted: frozenset[Position] = frozenset()
    recounted: frozenset[Tile] = frozenset()
    refusals: int = 0
    starved: bool = False
    decoys: frozenset[Position] = frozenset()
    blocked: bool = False


@dataclass(frozen=True, slots=True)
class OpenDeal:
    """The deal on the table."""

    n: int
    session: int
    hand: int
    rules: str
    check: str
    walls: Mapping[Seat, SeatWall]
    digest: str

    @property
    def round(self) -> Seat:
        """The wind of the round."""
        return round_wind(self.hand)

    def place(self, seat: Seat) -> int:
        """Where a seat sits in this hand."""
        return place_of(seat, self.hand)

    def seat(self, place: int) -> Seat:
        """The seat at a place in this hand."""
        return seat_at(place, self.hand)

    def wanted(self, position: Position) -> Tile:
        """The tile that belongs at a tray position."""
        place, index = position
        return self.walls[self.seat(place)].tiles[index]

    @property
    def positions(self) -> tuple[Position, ...]:
        """All tray positions of the deal."""
        return tuple((place, index) for place in range(4) for index in range(len(self.walls[self.seat(place)].tiles)))


@dataclass(frozen=True, slots=True)
class Window:
    """The claim window after a discard, or a tile added to a kong: its number in the hand, who is bound to what, and after it closed
    whose claims stand, in order of priority."""

    number: int
    open: bool = True
    bound: Mapping[Seat, Claim] = field(default_factory=dict)
    granted: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand at the table, from the raised walls to the confirmed payments. ``unlock`` is the operation that
    holds the present draw gate open, None while all are locked; ``kong`` the seat that has declared a kong at its
    own turn and has still to lay it. ``doubted_looks`` counts how often in a row the overhead camera settled on
    tiles that cannot lie where it looks now."""

    taken: frozenset[tuple[Seat, int]] = frozenset()
    play: PlayState | None = None
    events: tuple[PlayEvent, ...] = ()
    unlock: int | None = None
    windows: int = 0
    window: Window | None = None
    kong: Seat | None = None
    payments: PaymentsComputed | None = None
    proposed: bool = False
    doubted_looks: int = 0


@dataclass(frozen=True, slots=True)
class TableState:
    """Everything a table knows; the fold of its journal."""

    stage: Stage = Stage.IDLE
    next_operation: int = 1
    boot: int | None = None
    last_event: int = 0
    """The last of the feeder's numbered events that is in the journal."""
    lost: frozenset[str] = frozenset()
    pending: tuple[Pending, ...] = ()
    deal: OpenDeal | None = None
    build: Build = Build()
    hand: Hand = Hand()
    faults: tuple[Fault, ...] = ()
    referee: frozenset[Seat] = frozenset()
    fouled: bool = False
    closed: tuple[int, ...] = ()
    released: frozenset[int] = frozenset()
    """Numbers of the deals played and recorded."""

    def awaits(self, command: type) -> bool:
        """Whether an operation of this kind is unanswered."""
        return any(isinstance(pending.command, command) for pending in self.pending)
