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
