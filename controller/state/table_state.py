"""State of a table: frozen records, changed by ``controller.core.apply`` alone; whether a hand may start (``may_begin``).

A table has two sides that work at the same time: the wall of the next deal is made in the trays from one tile set (``Making``) while the
hand of the present deal is played from the magazines with the other set (``Playing``). Places are physical (0–3, counter-clockwise); seats
are winds and belong to places for one hand. Operations of the feeder are events: an event gives the operation its number, and an output
sends it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING

from controller.ledger.journal_events import Events, OperationIssued, RecordDisputed
from controller.state.sides import Making, OpenDeal, Playing
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
    """The settings of a controller, constant while it runs. Times are in seconds of play time, the lease in wall time.

    - ``rules``, made with ``options``; ``names``: the players by place; ``sets``: names of the tile sets by the feeder's number of their
      backs
    - ``frames_to_agree``: readings of a tile that must agree before it is placed
    - ``frames_before_recirculating``: readings after which a tile goes back to the drum to be shown again
    - ``showings_before_rejecting``: unread showings in a row after which what looks like no tile is rejected (a smear or a reflection can
      look so)
    - ``showings_before_staff``: unread showings in a row after which staff are called
    - ``decoys_before_naming``: good places emptied before a missing kind is named
    - ``show_timeout_s``: a called meld or hand must be open within this time, else the referee is called
    - ``turn_limit_s``: time of a seat to draw and then discard (0: no limit); ``turn_notice_s``: notice before it, then the referee is
      called
    - ``hand_limit_s``, ``hand_notice_s``: the same for a whole hand
    - ``last_hand``: last hand of the session; ``sessions_follow``: later sessions follow it
    - ``well_patience_s``: a well count that stays short for this long calls staff; ``machine_patience_s``: so does a wait for the machine
      (``controller.state.waits``)
    - ``custody``: deals come from a vault, which announces each release
    - ``paper``: players build walls from printed sheets and enter the scores; no deal is opened
    - ``re_read_share``: share of a ready wall that is read once more during a hand
    - ``most_doubtful``: most positions read again because the looks at a full wall leave doubt
    - ``seat_check``: no hand of ``session`` starts before the four players have said to sit at their places
    - ``decodes``: decoders follow each hand (``controller.recorder``); without ``senses_draws`` people report draws
    """

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
        """Whether this is the only hand that the table plays, so that one tile set is enough."""
        return hand == self.last_hand and not self.sessions_follow

    def leaves(self, deal: OpenDeal | None) -> bool:
        """Whether a deal without a begun hand stays unplayed: it is of another session."""
        return deal is not None and deal.session != self.session


PLACES = range(4)


class SeatStage(StrEnum):
    NONE = "none"
    AWAITED = "awaited"
    CONFIRMED = "confirmed"


class Seats(FrozenStruct):
    """``players``: those of this session, in the order of their places; ``taken``: who says to sit at which place."""

    stage: SeatStage = SeatStage.NONE
    session: int = 0
    players: tuple[str, ...] = ()
    taken: Mapping[int, str] = {}

    @property
    def missing(self) -> frozenset[int]:
        return frozenset(place for place in PLACES if place not in self.taken)

    @property
    def wrong(self) -> frozenset[int]:
        return frozenset(place for place, player in self.taken.items() if player != self.players[place])


def may_begin(setup: Setup, seats: Seats, *, paused: bool) -> bool:
    """Whether a wall may rise and a hand start: the clock runs, and the players sit at their places."""
    return not paused and not are_awaited(setup, seats)


def are_awaited(setup: Setup, seats: Seats) -> bool:
    """Whether players of this session have yet to say that they sit at their places."""
    if not setup.seat_check:
        return False
    return seats.stage is not SeatStage.CONFIRMED or (seats.session, seats.players) != (setup.session, setup.names)


if TYPE_CHECKING:  # the same for a type checker, which knows the fields of this one
    from dataclasses import replace as replace  # noqa: PLC0414 — exported
else:
    from msgspec.structs import replace as replace  # noqa: PLC0414 — exported


FEEDER, TABLE_CAMERA, BROKER, PANEL = "feeder", "table-camera", "broker", "panel"
"""Names of parts that can be lost."""


class TableState(FrozenStruct):
    """Everything a table knows; the fold of its journal."""

    journal: str = ""
    """The journal's id."""
    next_operation: int = 1
    boot: int | None = None
    last_event: int = 0
    """Number of the feeder's last event in the journal."""
    lost: frozenset[str] = frozenset()
    troubles: Mapping[str, str] = {}
    pending: tuple[OperationIssued, ...] = ()
    """Operations without a final answer of the feeder."""
    making: Making = Making()
    playing: Playing = Playing()
    seats: Seats = Seats()
    paused: bool = False
    """Whether the director has paused the clock: no hand begins."""
    faults: tuple[TableFault, ...] = ()
    closed: tuple[int, ...] = ()
    """Deals played and recorded."""
    released: frozenset[int] = frozenset()
    """Those that every table has finished."""
    disputes: tuple[RecordDisputed, ...] = ()
    """Unanswered doubts of records, asked about or not."""
    worn: Mapping[int, TileRow] = {}
    """By backs, the kinds of a set whose wear staff know of."""
    rulings: frozenset[str] = frozenset()
    """Ids of all rulings received, refused ones included."""

    @property
    def done(self) -> tuple[int, ...]:
        """Deals that need not be fetched any more: those played, and the one in play."""
        deal = self.playing.deal
        return self.closed if deal is None or deal.n in self.closed else (*self.closed, deal.n)

    def awaits(self, *commands: type) -> bool:
        return any(isinstance(pending.command, commands) for pending in self.pending)

    def issued(self, operation: int) -> OperationIssued | None:
        return next((pending for pending in self.pending if pending.operation == operation), None)

    def has_fault(self, code: str) -> bool:
        return any(fault.code == code for fault in self.faults)


MOTIONS = (Place, Bypass, Release, Return, Recirculate, Reject, Dump, Raise)
"""Operations that move a tile; while one is unanswered, the sensors prove nothing."""

OF_MAGAZINES = (Dump, Raise)
"""Those that fill or empty the magazines."""

AT_DRAW_GATES = (Unlock, Renew, Lock)
"""Operations of the playing side; all others belong to the wall in the making."""

REFUSED = "refused-"
"""Prefix of a result that the feeder refused; the protocol's own word follows."""

SURPRISES = frozenset(
    REFUSED + code.name.lower()
    for code in (NakCode.NO_TILE, NakCode.OCCUPIED, NakCode.EMPTY, NakCode.UNSUPPORTED, NakCode.COVERED, NakCode.WELL_OPEN)
)
"""Refusals that show that the machine differs from the journal."""


def busy(state: TableState) -> bool:
    return any(not isinstance(pending.command, AT_DRAW_GATES) for pending in state.pending)


def issue(state: TableState, command: Command, tile: Tile | None = None) -> Events:
    """Return the event that orders an operation; ``tile``: the kind that moves."""
    return (OperationIssued(state.next_operation, command, tile),)


def issue_all(state: TableState, commands: Iterable[Command]) -> Events:
    """Return the events that order these operations; none moves a tile of known kind."""
    return tuple(OperationIssued(number, command, None) for number, command in enumerate(commands, state.next_operation))
