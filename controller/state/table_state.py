"""State of a table: frozen records, changed by ``controller.core.apply`` alone.

A table has two sides that work at the same time: the wall of the next deal is made in the trays from one tile set
(``Making``) while the hand of the present deal is played from the magazines with the other set (``Playing``). Places are
physical (0–3, counter-clockwise); seats are winds and belong to places for one hand.

``Setup`` is what the settings say, constant while the controller runs. Operations of the feeder are events: an event gives the
operation its number, and an output sends it. ``Seats`` has who is to sit where in this session, and who has said to sit there.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING

from controller.ledger.journal_events import Events, OperationIssued, RecordDisputed
from controller.state.making import Making, OpenDeal
from controller.state.playing import Playing
from firmware_bridge.messages import (
    Bypass,
    Capabilities,
    Command,
    Dump,
    Lock,
    NakCode,
    Place,
    Raise,
    Recirculate,
    Reject,
    Release,
    Renew,
    Return,
    Unlock,
)
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import Tile, TileRow
from twinwall.values import FrozenStruct, frozen
from twinwall.wire.events.trouble_events import TableFault


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
    capabilities: Capabilities = Capabilities()
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


if TYPE_CHECKING:  # the same for a type checker, which knows the fields of this one
    from dataclasses import replace as replace  # noqa: PLC0414 — exported
else:
    from msgspec.structs import replace as replace  # noqa: PLC0414 — exported


FEEDER, TABLE_CAMERA, BROKER, PANEL = "feeder", "table-camera", "broker", "panel"
"""Names of parts of a table that can be lost."""


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
