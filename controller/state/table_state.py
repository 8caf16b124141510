"""What a table knows: frozen records, changed only by ``controller.core.apply``.

A table has two sides that go on at once: the wall of the next deal is made in the trays from one
set of tiles (``Making``) while the hand of the present deal is played from the magazines with the
other set (``Playing``). Places are physical (0–3, counter-clockwise); seats are winds and belong to
places for one hand. ``Setup`` is what stays the same while a controller runs and comes from settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from controller.ledger.events import Fault, PaymentsComputed, TileRead
from firmware_bridge.messages import Capabilities, Command
from twinwall.game.deals import Deal, SeatWall
from twinwall.game.play import PlayState
from twinwall.game.play_events import Claim, PlayEvent
from twinwall.game.rule_set import NO_SHARED_TILES, RuleSet
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
    Deals follow each other up to ``last_hand`` of the session; ``sets`` are the names of the tile sets by the colour
    of their backs, as the feeder tells it, and a well whose count stays short for ``well_patience_s`` calls staff.
    ``custody`` says that deals come from a vault, which tells when each is released.
    Of a ready wall ``re_read_share`` is read once more while a hand is played; ``most_doubtful`` positions at most are read
    again because the looks at a full wall leave doubt."""

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
    well_patience_s: float = 20.0
    last_hand: int = 1
    sets: Mapping[int, str] = field(default_factory=lambda: {1: "blue", 2: "green"})
    capabilities: Capabilities = field(default_factory=Capabilities)
    custody: bool = False
    re_read_share: float = 0.15
    most_doubtful: int = 8


class WallStage(StrEnum):
    """Where the wall in the making is: not begun, being built, standing ready in the trays, waiting for the table to be
    cleared of the hand before, or on its way into the magazines."""

    NONE = "none"
    BUILDING = "building"
    READY = "ready"
    CLEARING = "clearing"
    RAISING = "raising"


class PlayStage(StrEnum):
    """Where the hand at the table is."""

    NONE = "none"
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
    """The tile in a gate's window, as event ``number`` of the feeder told; ``doubled`` when a second one came with it.
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


@dataclass(frozen=True, slots=True)
class Build:
    """A wall in the making. ``placed`` holds only trusted positions: read, moved and dropped under one operation.

    ``gates`` are the tiles that lie in a gate. ``bypass`` maps cells to the kind that waits there (None when unknown after a
    restart) and is not about to leave. ``doubted`` positions hold a tile that must go back to the gate. ``recounted`` are the
    kinds whose positions have been read again after a fifth copy showed up, until another tile is missing: then they are read once
    more. ``refusals`` counts showings in a row that could not be read. ``surveyed`` says
    that the sensors have been compared with the journal since the link was last lost. ``starved`` is the last of the
    feeder's events when the drum was found empty with positions open; ``decoys`` are the good positions being emptied
    so that the missing tile can be named without telling where it belongs. ``blocked`` is an operation that the feeder
    refused: it is left alone for a moment. ``looks`` are the readings with which the tile of a position, or of a cell, came
    there; ``reread`` are positions read again for the sake of certainty, ``rereading`` those of a wall that was ready which are out for it.
    ``sampled`` counts the positions that were, and ``differed`` those of them that came back as another kind.
    """

    placed: Mapping[Position, Tile] = field(default_factory=dict)
    bypass: Mapping[int, Tile | None] = field(default_factory=dict)
    gates: Mapping[int, GateTile] = field(default_factory=dict)
    feeding: bool = False
    surveyed: bool = False
    doubted: frozenset[Position] = frozenset()
    recounted: frozenset[Tile] = frozenset()
    refusals: int = 0
    starved: int | None = None
    decoys: frozenset[Position] = frozenset()
    blocked: int | None = None
    looks: Mapping[Position | int, tuple[TileRead, ...]] = field(default_factory=dict)
    reread: frozenset[Position] = frozenset()
    rereading: frozenset[Position] = frozenset()
    sampled: int = 0
    differed: int = 0


@dataclass(frozen=True, slots=True)
class OpenDeal:
    """A deal opened at this table: the one in the making or the one in play. ``positions`` are all tray positions of its walls."""

    n: int
    session: int
    hand: int
    rules: str
    check: str
    walls: Mapping[Seat, SeatWall]
    digest: str
    rest: tuple[Tile, ...] = ()
    """The tiles of no seat."""
    rows: tuple[tuple[int, ...], ...] = NO_SHARED_TILES
    """Which of them stand behind each seat's wall, in the order in which they come out (``RuleSet.shared_rows``)."""
    positions: tuple[Position, ...] = field(init=False, repr=False, compare=False)
    _wanted: Mapping[Position, Tile] = field(init=False, repr=False, compare=False)
    _wanting: Mapping[Tile, tuple[Position, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Look the walls up once: a build asks for every tile what wants it."""
        wanted = {(place, index): tile for place in range(4) for index, tile in enumerate(self._behind(self.seat(place)))}
        wanting: dict[Tile, tuple[Position, ...]] = {}
        for position, tile in wanted.items():
            wanting[tile] = (*wanting.get(tile, ()), position)
        object.__setattr__(self, "positions", tuple(wanted))
        object.__setattr__(self, "_wanted", wanted)
        object.__setattr__(self, "_wanting", wanting)

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
        return self._wanted[position]

    def wanting(self, tile: Tile) -> tuple[Position, ...]:
        """The tray positions where tiles of a kind belong."""
        return self._wanting.get(tile, ())

    def shared_row(self, seat: Seat) -> tuple[int, ...]:
        """The shared tiles behind a seat's wall, by their numbers in ``rest``."""
        return self.rows[seat.index]

    def _behind(self, seat: Seat) -> tuple[Tile, ...]:
        """A seat's wall and the shared tiles behind it."""
        return (*self.walls[seat].tiles, *(self.rest[shared] for shared in self.shared_row(seat)))


def opened_deal(deal: Deal) -> OpenDeal:
    """A deal that has been checked, as the table holds it; how shared tiles stand behind walls is known once it is opened."""
    return OpenDeal(deal.n, deal.session, deal.hand, deal.rules, deal.check.hex(), deal.walls, deal.digest.hex(), deal.rest)


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
    own turn and has still to lay it, ``win`` the one that has called a win there and has still to lay its tile, ``riichi`` the
    one that declares riichi with its next discard, and ``claim`` what the seat to draw has called instead. ``lifted`` is the seat whose
    rear gate has let out the shared tile that is to be turned up.
    ``put_back`` is the seat whose drawn tile lies in its gate again, to be given out after the referee's ruling.
    ``doubted_looks`` counts how often in a row the overhead camera settled on tiles that cannot lie where it looks now."""

    taken: frozenset[tuple[Seat, int]] = frozenset()
    play: PlayState | None = None
    events: tuple[PlayEvent, ...] = ()
    unlock: int | None = None
    windows: int = 0
    window: Window | None = None
    kong: Seat | None = None
    win: Seat | None = None
    riichi: Seat | None = None
    claim: Claim | None = None
    lifted: Seat | None = None
    put_back: Seat | None = None
    payments: PaymentsComputed | None = None
    proposed: bool = False
    doubted_looks: int = 0


@dataclass(frozen=True, slots=True)
class Clearing:
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


@dataclass(frozen=True, slots=True)
class Making:
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


@dataclass(frozen=True, slots=True)
class Playing:
    """The side of the magazines: the hand of the present deal, played with the set whose backs are ``back``.

    ``surveyed`` says that the magazines have been compared with the journal since the link was last lost, ``blocked``
    is an operation on a draw gate that the feeder refused. ``referee`` are the seats that called him, or that he was called
    to; while the deal is ``fouled``, or play is ``halted``, nothing irrevocable happens before he has ruled.
    """

    stage: PlayStage = PlayStage.NONE
    deal: OpenDeal | None = None
    back: int | None = None
    hand: Hand = Hand()
    surveyed: bool = False
    blocked: int | None = None
    referee: frozenset[Seat] = frozenset()
    fouled: bool = False
    halted: bool = False
    differing: frozenset[Seat] = frozenset()
    """Seats whose magazines hold other tiles than they should, of which the referee knows."""


@dataclass(frozen=True, slots=True)
class TableState:
    """Everything a table knows; the fold of its journal."""

    journal: str = ""
    """The journal's id."""
    next_operation: int = 1
    boot: int | None = None
    last_event: int = 0
    """The last of the feeder's numbered events that is in the journal."""
    lost: frozenset[str] = frozenset()
    troubles: Mapping[str, str] = field(default_factory=dict)
    pending: tuple[Pending, ...] = ()
    making: Making = Making()
    playing: Playing = Playing()
    faults: tuple[Fault, ...] = ()
    closed: tuple[int, ...] = ()
    """Numbers of the deals played and recorded."""
    released: frozenset[int] = frozenset()
    """Those of them that every table has finished."""
    worn: Mapping[int, tuple[Tile, ...]] = field(default_factory=dict)
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
