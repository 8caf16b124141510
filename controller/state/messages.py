"""Messages of the table's queue: from the feeder, the cameras, the keys, the clock and the network.

What players, directors and referees press on the pages comes as the commands of the wire (``twinwall.wire.messages.commands``).
"""

from collections.abc import Mapping
from dataclasses import field

from controller.ledger.journal_events import Events, TileArrived, TileRead
from controller.state.keys import KeyPressed
from controller.state.making import OpenDeal
from controller.state.timers import Timer
from controller.state.waits import Waiting
from controller.state.watches import Watch
from firmware_bridge.link.events import FeederEvent
from twinwall.game.deals.plan import PlannedDeal
from twinwall.game.play_events import Claim, PlayEvent
from twinwall.game.tiles import Seat, Tile
from twinwall.values import frozen
from twinwall.wire.events.hand_events import HeadsNoted, RecordDoubt
from twinwall.wire.events.wall_events import DealRefused
from twinwall.wire.messages.commands import FromServer
from vision.mat import Slot


@frozen
class SlipHeard:
    """The vault has released a deal: its slip is out, and agrees with plan and root."""

    n: int


@frozen
class GateLook(TileArrived):
    """Which reading of the tile in a gate is wanted: ``frame`` counts the readings of this showing from 0. Its set, known by ``back``, has
    a profile of its own."""

    frame: int = 0


@frozen
class GateSeen:
    """The camera's answer to one look."""

    look: GateLook
    read: TileRead


@frozen
class SlotsSeen:
    """What a watch waits for lies there, by slot; a tile that no vote could settle is None, and so are those that were only to be reported
    (``Watch.also``). Where something has ``hidden`` the watch's slots in frame after frame, all are None, and no camera saw ``also``.
    ``shown_ns`` is when the first frame was taken that shows something there, by the frames' clock; None where that is not known."""

    watch: Watch
    tiles: Mapping[Slot, Tile | None]
    hidden: bool = False
    shown_ns: int | None = field(default=None, compare=False)


@frozen
class DiscardDecoded:
    """The decoder without the deal is certain of the discard that a watch waits for, wherever the tile lies.

    ``covers`` are the places of rivers (place, number) on which it lies. ``tile`` is None where the decoder cannot tell its kind.
    ``shown_ns`` is when the first frame was taken that shows it, by the frames' clock; None where no frame does.
    """

    watch: Watch
    tile: Tile | None
    covers: tuple[tuple[int, int], ...] = ()
    shown_ns: int | None = field(default=None, compare=False)


@frozen
class ExposureDecoded:
    """The decoder without the deal is certain of the meld, kong, winning tile or hand that a watch waits for, wherever its tiles lie.

    ``covers`` are the places of rivers (place, number) on which they lie. ``event`` is None where the decoder cannot tell what was laid;
    ``asked`` is then the slot for which the tile in doubt was laid, where one tile is.
    """

    watch: Watch
    event: PlayEvent | None
    covers: tuple[tuple[int, int], ...] = ()
    asked: Slot | None = None


@frozen
class LastDiscardDecoded:
    """The decoder without the deal finds every tile of the table's record on the mat, the discard that a watch asks about among them."""

    watch: Watch


@frozen
class CallDecoded:
    """The decoder without the deal is certain that a seat has laid open what it calls, and no key of that call was pressed: a meld, a
    kong or a won hand in deal ``n``, after ``events`` events of its record. ``in_time``: tiles of it lay there before the claims were over
    by that record, however long it took to be certain."""

    n: int
    events: int
    seat: Seat
    call: Claim
    in_time: bool = True


@frozen
class ViolationDecoded:
    """The decoder without the deal is certain of a violation in deal ``n``; ``what`` is its stable word, ``rule`` the rule that it
    breaks."""

    n: int
    seat: Seat
    what: str
    rule: str


@frozen
class TimerFired:
    """A timer of the outputs has run out."""

    timer: Timer


@frozen
class PartLost:
    """A part of the table, by its name in ``link-lost``, is not heard, gives no frames of use or takes no key; ``why`` of a camera is as in
    ``camera-trouble``."""

    what: str
    why: str | None = None


@frozen
class PartFound:
    """It works again."""

    what: str


@frozen
class Worn:
    """A kind of the set with these backs, its digits of certainty in the first and in the last walls, and how many looks those took."""

    back: int
    tile: Tile
    then: float
    now: float
    looks: int


@frozen
class WearSeen:
    """A hand is over, and these kinds are read less surely than they were (``controller.wall.wear``), by the number of their backs."""

    found: tuple[Worn, ...]


Message = (
    OpenDeal
    | PlannedDeal
    | DealRefused
    | SlipHeard
    | HeadsNoted
    | FromServer
    | GateSeen
    | SlotsSeen
    | DiscardDecoded
    | ExposureDecoded
    | LastDiscardDecoded
    | CallDecoded
    | RecordDoubt
    | ViolationDecoded
    | TimerFired
    | Waiting
    | PartLost
    | PartFound
    | WearSeen
    | KeyPressed
    | FeederEvent
)
"""An ``OpenDeal`` was found and agrees with its commitment; a ``Waiting`` has lasted as long as it may; the heads of ``HeadsNoted`` are
checked."""
PanelMessage = KeyPressed | PartLost | PartFound


@frozen
class Refused:
    """A message that changes nothing, and why; kept for the log, never shown at the table."""

    sentence: str


Decision = Events | Refused
"""What follows from a message."""
