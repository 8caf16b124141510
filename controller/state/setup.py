"""Set-up of a controller, constant while it runs: table, rules, players, times and limits, all from the settings.

Opened deal at a table: its walls by seat, and the kind that each tray position wants.

State of the seat check: who is to sit where in this session, and who has said to sit there.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from firmware_bridge.messages import Capabilities
from twinwall.game.deals import Deal
from twinwall.game.rule_set import NO_SHARED_TILES, RuleSet
from twinwall.game.session import place_of, round_wind, seat_at
from twinwall.game.tiles import Seat, Tile, TileRow
from twinwall.game.walls import SeatWall
from twinwall.values import FrozenStruct, frozen

Position = tuple[int, int]
"""A tray position: place 0–3 and index 0–33, hand tiles first and then the draws in order."""

HAND_TILES = 13


@frozen
class OpenDeal:
    """A deal at this table: the one in the making or the one in play. ``positions`` are all tray positions of its walls.

    At a table without cameras it is not opened: it has no walls, check or digest here.
    """

    n: int
    session: int
    hand: int
    rules: str
    check: str
    walls: Mapping[Seat, SeatWall]
    digest: str
    rest: TileRow = ()
    """The tiles of no seat."""
    rows: tuple[tuple[int, ...], ...] = NO_SHARED_TILES
    """Which of them stand behind each seat's wall, in the order in which they come out (``RuleSet.shared_rows``)."""
    positions: tuple[Position, ...] = field(init=False, repr=False, compare=False)
    _wanted: Mapping[Position, Tile] = field(init=False, repr=False, compare=False)
    _wanting: Mapping[Tile, tuple[Position, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Look the walls up once: a build asks for every tile what wants it."""
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

    def _behind(self, seat: Seat) -> TileRow:
        """A seat's wall and the shared tiles behind it."""
        return (*self.walls[seat].tiles, *(self.rest[shared] for shared in self.shared_row(seat)))


def opened_deal(deal: Deal) -> OpenDeal:
    """A deal that has been checked, as the table holds it; how shared tiles stand behind walls is known once it is opened."""
    return OpenDeal(deal.n, deal.session, deal.hand, deal.rules, deal.check.hex(), deal.walls, deal.digest.hex(), deal.rest)


@frozen
class Setup:
    """The settings of a controller. ``options`` are those that ``rules`` was made with; ``names`` are the players by place; times are in
    seconds of play time, the lease in wall time. ``frames_to_agree`` readings of a tile must agree before it may be placed; after
    ``frames_before_recirculating`` it goes back to the drum to be shown another time; a smear or a reflection can look like no tile at all,
    so only after ``showings_before_rejecting`` unreadable showings in a row is what is no tile rejected, and after
    ``showings_before_staff`` unreadable showings in a row a person is called; ``decoys_before_naming`` good places are emptied before a
    missing kind is named. A meld or hand that does not appear within ``show_timeout_s`` calls the referee. A seat that has not drawn or
    discarded within ``turn_limit_s`` (0 for no limit) is warned ``turn_notice_s`` before; then he is called. A hand that is not over within
    ``hand_limit_s`` (0 for no limit) calls him too, ``hand_notice_s`` after a notice. Deals follow each other until ``last_hand`` of the
    session was played, and where ``sessions_follow`` in later sessions too; ``sets`` are the names of the tile sets by the colour of their
    backs, as the feeder tells it, and a well whose count stays short for ``well_patience_s`` calls staff; so does a wait for the machine
    that lasts ``machine_patience_s`` (``controller.state.waits``). ``custody`` says that deals come from a vault, which tells when each is
    released. At a ``paper`` table people build walls from printed sheets and enter the scores; no deal is opened here. Of a ready wall
    ``re_read_share`` is read once more while a hand is played; ``most_doubtful`` positions at most are read again because the looks at a
    full wall leave doubt. With ``seat_check`` no hand of ``session`` starts before the four players have said to sit where they belong.
    With ``decodes`` decoders follow each hand beside the table's own record (``controller.recorder``); without ``senses_draws`` people say
    when a seat has drawn."""

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
    turn_limit_s: float = 0.0
    turn_notice_s: float = 10.0
    hand_limit_s: float = 0.0
    hand_notice_s: float = 60.0
    well_patience_s: float = 20.0
    machine_patience_s: float = 60.0
    last_hand: int = 1
    sessions_follow: bool = False
    sets: Mapping[int, str] = field(default_factory=lambda: {1: "blue", 2: "green"})
    capabilities: Capabilities = field(default_factory=Capabilities)
    custody: bool = False
    paper: bool = False
    re_read_share: float = 0.15
    most_doubtful: int = 8
    session: int = 1
    seat_check: bool = False
    decodes: bool = False
    senses_draws: bool = True

    def plays_only(self, hand: int) -> bool:
        """Whether the table plays no hand but this one, where it has not played any yet: then one tile set does."""
        return hand == self.last_hand and not self.sessions_follow

    def leaves(self, deal: OpenDeal | None) -> bool:
        """Whether a deal whose hand has not begun stays unplayed: it is of another session than this one."""
        return deal is not None and deal.session != self.session


PLACES = range(4)


class SeatStage(StrEnum):
    """Where the seat check is."""

    NONE = "none"
    AWAITED = "awaited"
    CONFIRMED = "confirmed"


class Seats(FrozenStruct):
    """``players`` are to sit at the places of their order in this session; ``taken`` says who sits at which place, by the players' own
    word."""

    stage: SeatStage = SeatStage.NONE
    session: int = 0
    players: tuple[str, ...] = ()
    taken: Mapping[int, str] = {}

    @property
    def missing(self) -> frozenset[int]:
        """Places that no player has claimed."""
        return frozenset(place for place in PLACES if place not in self.taken)

    @property
    def wrong(self) -> frozenset[int]:
        """Places where somebody else sits."""
        return frozenset(place for place, player in self.taken.items() if player != self.players[place])


def may_begin(setup: Setup, seats: Seats, *, paused: bool) -> bool:
    """Whether a wall may rise and a hand start: the clock is not paused, and the players sit where they belong."""
    return not paused and not are_awaited(setup, seats)


def are_awaited(setup: Setup, seats: Seats) -> bool:
    """Whether a hand must not start yet: the players of this session have not all said to sit where they belong."""
    if not setup.seat_check:
        return False
    return seats.stage is not SeatStage.CONFIRMED or (seats.session, seats.players) != (setup.session, setup.names)
