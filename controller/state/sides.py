"""State of a table's two sides. Trays: the wall of the next deal, from its first tile to the raised magazines. Magazines: the hand of the
present deal, from the raised walls to the confirmed payments."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import NamedTuple

from controller.ledger.journal_events import PaymentsComputed, TileRead
from twinwall.game.deals import Deal
from twinwall.game.play import PlayState
from twinwall.game.play_events import Claim, PlayEvent
from twinwall.game.rule_set import NO_SHARED_TILES
from twinwall.game.tiles import Seat, Tile, TileRow, place_of, round_wind, seat_at
from twinwall.game.walls import SeatWall
from twinwall.values import FrozenStruct, frozen
from twinwall.wire.events.trouble_events import RefereeCalled
from vision.mat import Slot

Position = tuple[int, int]
"""A tray position: place 0–3 and index 0–33, hand tiles first and then the draws in order."""

HAND_TILES = 13


@frozen
class OpenDeal:
    """A deal at this table, in the making or in play. ``positions`` are all tray positions of its walls. At a table without cameras it is
    not opened: it has no walls, check or digest."""

    n: int
    session: int
    hand: int
    rules: str
    check: str
    walls: Mapping[Seat, SeatWall]
    digest: str
    rest: TileRow = ()
    """The shared tiles."""
    rows: tuple[tuple[int, ...], ...] = NO_SHARED_TILES
    """The shared tiles behind each seat's wall, in the order in which they come out (``RuleSet.shared_rows``)."""
    positions: tuple[Position, ...] = field(init=False, repr=False, compare=False)
    _wanted: Mapping[Position, Tile] = field(init=False, repr=False, compare=False)
    _wanting: Mapping[Tile, tuple[Position, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the walls once: a build asks for every tile which positions want it."""
        places = range(4) if self.walls else ()
        wanted = {(place, index): tile for place in places for index, tile in enumerate(self._behind(self.seat(place)))}
        wanting: dict[Tile, tuple[Position, ...]] = {}
        for position, tile in wanted.items():
            wanting[tile] = (*wanting.get(tile, ()), position)
        object.__setattr__(self, "positions", tuple(wanted))
        object.__setattr__(self, "_wanted", wanted)
        object.__setattr__(self, "_wanting", wanting)

    @property
    def round(self) -> Seat:
        return round_wind(self.hand)

    def place(self, seat: Seat) -> int:
        return place_of(seat, self.hand)

    def seat(self, place: int) -> Seat:
        return seat_at(place, self.hand)

    def wanted(self, position: Position) -> Tile:
        return self._wanted[position]

    def wanting(self, tile: Tile) -> tuple[Position, ...]:
        return self._wanting.get(tile, ())

    def shared_row(self, seat: Seat) -> tuple[int, ...]:
        """Return the shared tiles behind a seat's wall, by their numbers in ``rest``."""
        return self.rows[seat.index]

    def _behind(self, seat: Seat) -> TileRow:
        return (*self.walls[seat].tiles, *(self.rest[shared] for shared in self.shared_row(seat)))


def opened_deal(deal: Deal) -> OpenDeal:
    """Return a checked deal as the table keeps it; ``rows`` are set when it is opened."""
    return OpenDeal(deal.n, deal.session, deal.hand, deal.rules, deal.check.hex(), deal.walls, deal.digest.hex(), deal.rest)


class WallStage(StrEnum):
    """Stage of the wall in the making: none, being built, ready in the trays, waiting for the clearing, or rising into the magazines."""

    NONE = "none"
    BUILDING = "building"
    READY = "ready"
    CLEARING = "clearing"
    RAISING = "raising"


class GateTile(FrozenStruct):
    """The tile in a gate's window.

    - ``number``: the feeder's event that reported it; ``doubled``: a second tile came with it
    - ``doubted``: one of five copies, perhaps misread now, so it goes back to the drum
    - ``reads``: the readings of this showing in order (None: refused; ``reason``: why the last one was); ``looks``: those not refused
    - ``moving``: the operation that takes it away
    """

    number: int
    back: int
    doubled: bool = False
    doubted: bool = False
    reads: tuple[Tile | None, ...] = ()
    reason: str = ""
    looks: tuple[TileRead, ...] = ()
    moving: int | None = None


class Build(FrozenStruct):
    """A wall in the making.

    - ``placed``: trusted positions alone: read, moved and dropped under one operation
    - ``gates``: tiles in a gate; ``bypass``: the kind in each cell, unless about to leave (None: unknown after a restart)
    - ``surveyed``: sensors and journal have been compared since the link was last lost
    - ``doubted``: positions with a tile that must go back to the gate
    - ``recounted``: kinds read again because of a fifth copy; when another tile is missing, they are read once more
    - ``refusals``: unread showings in a row; ``unknown_backs``: by gate, showings in a row with an unknown back
    - ``starved``: the feeder's last event when the drum was found empty with positions open
    - ``decoys``: good positions being emptied, so that naming the missing tile does not tell where it belongs
    - ``blocked``: an operation that the feeder refused; nothing is asked for a moment
    - ``looks``: readings of the tile in a position or cell
    - ``reread``: positions read again for certainty; ``rereading``: those of a ready wall that are out for it
    - ``sampled``: count of those; ``differed``: count of those that came back as another kind
    - ``left``: positions that may hold a wall of another session, which drops into the drum first
    """

    placed: Mapping[Position, Tile] = {}
    bypass: Mapping[int, Tile | None] = {}
    gates: Mapping[int, GateTile] = {}
    feeding: bool = False
    surveyed: bool = False
    doubted: frozenset[Position] = frozenset()
    recounted: frozenset[Tile] = frozenset()
    refusals: int = 0
    unknown_backs: Mapping[int, int] = {}
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
    """The table being cleared: all tiles of the played set return to the drum before the next wall rises.

    - ``dropped``: tiles in the magazines at the beginning; they are there until ``emptied``
    - ``fallen``: tiles counted through the well; ``counted_before``: those at earlier openings
    - ``accepted``: staff accept the count as it is
    """

    dropped: int
    emptied: bool
    counted_before: int = 0
    fallen: int = 0
    accepted: bool = False

    @property
    def total(self) -> int:
        """Number of tiles known to be in the drum."""
        return self.dropped + self.fallen


class Making(FrozenStruct):
    """The side of the trays: the wall of the next deal.

    - ``back``: backs of its set: the set not in play; if none is, the first backs that came twice, since one tile may have strayed
    - ``backs``: those that came before; ``well_open``: the last known state of the well's door
    """

    stage: WallStage = WallStage.NONE
    deal: OpenDeal | None = None
    back: int | None = None
    backs: tuple[int, ...] = ()
    build: Build = Build()
    clearing: Clearing | None = None
    well_open: bool = False


class PlayStage(StrEnum):
    NONE = "none"
    TAKING = "taking"
    PLAYING = "playing"
    SETTLING = "settling"
    CLOSED = "closed"


class Window(FrozenStruct):
    """The claim window after a discard or an added kong: its number in the hand, bound calls, and once closed the granted seats in
    order."""

    number: int
    open: bool = True
    bound: Mapping[Seat, Claim] = {}
    granted: tuple[Seat, ...] = ()


class KnownViolation(NamedTuple):
    """A violation that the table has reported after this many events of the record."""

    after: int
    seat: Seat
    what: str


class Hand(FrozenStruct):
    """A hand at the table, from the raised walls to the confirmed payments.

    - ``unlock``: the operation that holds a draw gate open; None: all are locked
    - ``kong``, ``win``: the seat that called one at its own turn and has yet to lay it; ``riichi``: the seat that declares it with its next
      discard
    - ``claim``: what the seat in turn has called instead of drawing
    - ``lifted``: the seat whose rear gate has let out the shared tile to be turned up
    - ``players``: the players' numbers by seat at the start of the hand
    - ``put_back``: the seat whose drawn tile is in its gate again, until the referee's ruling
    - ``called``: seats that have called the last tile, in time or late (all seats once the referee was called for a meld laid in time):
      further
      presses of theirs are ignored
    - ``doubted_looks``: how often in a row the table camera saw tiles that cannot be there; ``answers``: unread tiles that the referee has
      named
    """

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
    """River places (place, number) that hold a discard of another place: the camera awaits none there."""
    unseen: bool = False
    """Whether the controller was away since the last discard, which may have been taken: no gate opens before it is seen."""
    noticed: int | None = None
    """Number of events after which the seat in turn was warned about its time."""
    overdue: int | None = None
    """Number of events after which the referee was called because its time was over."""
    spent_s: float = 0.0
    """Elapsed time of the hand, in steps of its clock."""
    limit_reported: bool = False
    """Whether the referee was called because the hand's time was over."""
    violations: tuple[KnownViolation, ...] = ()
    """The reported violations of this hand in order, kept after rulings."""


class Playing(FrozenStruct):
    """The side of the magazines: the hand of the present deal, played with the set whose backs are ``back``.

    - ``surveyed``: magazines and journal have been compared since the link was last lost
    - ``blocked``: an operation on a draw gate that the feeder refused
    - ``referee``: calls that wait for him; while ``fouled`` or ``halted``, nothing irrevocable happens before his ruling
    """

    stage: PlayStage = PlayStage.NONE
    deal: OpenDeal | None = None
    back: int | None = None
    hand: Hand = Hand()
    surveyed: bool = False
    blocked: int | None = None
    referee: frozenset[RefereeCalled] = frozenset()
    violations: tuple[tuple[Seat, str], ...] = ()
    """Violations since the last ruling, in order: seat and stable word."""
    fouled: bool = False
    halted: bool = False
    differing: frozenset[Seat] = frozenset()
    """Seats whose magazines differ from the journal and were reported to the referee."""
