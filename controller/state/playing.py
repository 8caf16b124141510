"""State of the magazine side: the hand of the present deal, from the raised walls to the confirmed payments."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from controller.ledger.journal_events import PaymentsComputed
from controller.state.making import OpenDeal
from twinwall.game.play import PlayState
from twinwall.game.play_events import Claim, PlayEvent
from twinwall.game.tiles import Seat, Tile
from twinwall.values import FrozenStruct
from twinwall.wire.events.trouble_events import RefereeCalled
from vision.mat import Slot


class PlayStage(StrEnum):
    """Stage of the hand at the table."""

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
