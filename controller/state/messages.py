"""Messages of the table's queue: from the feeder, the cameras, the keys, the clock and the network. Actions of players, directors and
referees on the pages are commands of the wire (``twinwall.wire.messages.commands``).
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
    """The vault has released a deal; its slip agrees with plan and root."""

    n: int


@frozen
class GateLook(TileArrived):
    """A wanted reading of the tile in a gate: ``frame`` counts this showing's readings from 0; the set of ``back`` has its profile."""

    frame: int = 0


@frozen
class GateSeen:
    """The camera's answer to one look."""

    look: GateLook
    read: TileRead


@frozen
class SlotsSeen:
    """The tiles that a watch waits for, by slot; None for a tile without a settled vote, and in the slots of ``Watch.also``.

    - ``hidden``: something covers the slots in frame after frame: all are None, and ``also`` was not seen
    - ``shown_ns``: time of the first frame that shows something there, by the frames' clock; None if unknown
    """

    watch: Watch
    tiles: Mapping[Slot, Tile | None]
    hidden: bool = False
    shown_ns: int | None = field(default=None, compare=False)


@frozen
class DiscardDecoded:
    """The decoder without the deal is certain of the awaited discard, wherever it is on the mat.

    - ``tile``: None if its kind is unknown; ``covers``: the river places (place, number) under it
    - ``shown_ns``: time of the first frame that shows it, by the frames' clock; None without one
    """

    watch: Watch
    tile: Tile | None
    covers: tuple[tuple[int, int], ...] = ()
    shown_ns: int | None = field(default=None, compare=False)


@frozen
class ExposureDecoded:
    """The decoder without the deal is certain of the awaited meld, kong, winning tile or hand, wherever it is on the mat.

    - ``event``: None if it is unknown what was laid; ``asked``: then the slot of the doubtful tile, if there is one
    - ``covers``: the river places (place, number) under the tiles
    """

    watch: Watch
    event: PlayEvent | None
    covers: tuple[tuple[int, int], ...] = ()
    asked: Slot | None = None


@frozen
class LastDiscardDecoded:
    """The decoder without the deal finds every recorded tile on the mat, also the discard that a watch asks about."""

    watch: Watch


@frozen
class CallDecoded:
    """The decoder without the deal is certain that a seat has laid open a meld, kong or won hand without pressing its key.

    - ``n``, ``events``: deal and number of recorded events
    - ``in_time``: the tiles may have been there before the claims were over, though the certainty came later
    """

    n: int
    events: int
    seat: Seat
    call: Claim
    in_time: bool = True


@frozen
class ViolationDecoded:
    """The decoder without the deal is certain of a violation in deal ``n``; ``what``: stable word, ``rule``: the broken rule."""

    n: int
    seat: Seat
    what: str
    rule: str


@frozen
class TimerFired:
    """A timer of the outputs has ended."""

    timer: Timer


@frozen
class PartLost:
    """A part of the table (its name in ``link-lost``) is silent, useless or takes no key; ``why`` as in ``camera-trouble``."""

    what: str
    why: str | None = None


@frozen
class PartFound:
    """A lost part works again."""

    what: str


@frozen
class Worn:
    """A kind of the set with these backs: digits of certainty in its first and last walls, and the number of looks in the last."""

    back: int
    tile: Tile
    then: float
    now: float
    looks: int


@frozen
class WearSeen:
    """A hand is over; these kinds are read less surely than before (``controller.wall.wear``)."""

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
"""``OpenDeal``: found, and agrees with its commitment; ``Waiting``: has lasted too long; ``HeadsNoted``: checked heads."""
PanelMessage = KeyPressed | PartLost | PartFound


@frozen
class Refused:
    """Why a message changes nothing; for the log, never shown at the table."""

    sentence: str


Decision = Events | Refused
