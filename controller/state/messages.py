"""Messages of the table's queue: from the feeder, the cameras, the keys, the clock and the network. Actions of players, directors and
referees on the pages are commands of the wire (``twinwall.wire.messages.commands``).

Keys of a table, and when one counts as pressed. Pins are in ``controller.adapters.panel``, which exists only with GPIO.

Each timer says what it waits for, so that a late one is recognised.
"""

from collections.abc import Mapping
from dataclasses import field

from controller.ledger.journal_events import Events, TileArrived, TileRead
from controller.state.sides import OpenDeal
from controller.state.waits import Waiting
from controller.state.watches import Watch
from firmware_bridge.link.events import FeederEvent
from twinwall.game.deals.plan import PlannedDeal
from twinwall.game.play_events import Claim, PlayEvent
from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import Seat, Tile
from twinwall.values import frozen
from twinwall.wire.events.hand_events import HeadsNoted, RecordDoubt
from twinwall.wire.events.wall_events import DealRefused
from twinwall.wire.messages.commands import FromServer
from twinwall.wire.shapes.panel import KEYS, Key
from vision.mat import Slot


def keys_of(rules: RuleSet) -> tuple[Key, ...]:
    without = {Key.CHOW: not rules.chows, Key.RIICHI: not rules.declares_riichi}
    return tuple(key for key in KEYS if not without.get(key, False))


@frozen
class KeyPressed:
    """A key at a place (0–3) was held long enough to count; it counts once until released."""

    place: int
    key: Key


class Debouncer:
    """A key counts once when it has been closed for ``hold_s``, and again only after being open as long."""

    def __init__(self, hold_s: float) -> None:
        """``hold_s`` in seconds; common switches stop bouncing within 5 ms."""
        self._hold_s = hold_s
        self._changed: dict[tuple[int, Key], float] = {}
        self._down: set[tuple[int, Key]] = set()

    @property
    def is_busy(self) -> bool:
        """Whether a key is down or was just released."""
        return bool(self._down or self._changed)

    def scanned(self, closed: frozenset[tuple[int, Key]], now: float) -> tuple[KeyPressed, ...]:
        """Take one scan of the matrix (the closed keys) at ``now`` seconds; return the new presses."""
        pressed = []
        for key in closed ^ self._down:
            since = self._changed.setdefault(key, now)
            if now - since >= self._hold_s:
                del self._changed[key]
                self._down ^= {key}
                if key in closed:
                    pressed.append(KeyPressed(*key))
        for key in list(self._changed):
            if (key in closed) == (key in self._down):
                del self._changed[key]
        return tuple(sorted(pressed, key=lambda press: (press.place, KEYS.index(press.key))))


@frozen
class ClaimWindowTimer:
    """The end of a claim window; windows of every hand count from 1."""

    deal: int
    window: int


@frozen
class LeaseTimer:
    """The gate opened by this operation must be renewed."""

    operation: int


@frozen
class StarvedTimer:
    """No tile has come since the drum was empty after this feeder event."""

    event: int


@frozen
class WellShortTimer:
    """The count at the well stays this many tiles short while the wall of this deal waits."""

    deal: int
    missing: int


@frozen
class ExposureTimer:
    """A seat must lay what it has called."""

    watch: Watch


@frozen
class TurnTimer:
    """A seat must draw or discard after this many events of this deal's hand: its time runs out, or is ``over``."""

    deal: int
    events: int
    over: bool


@frozen
class HandTimer:
    """The next step of the clock of this deal's hand, with the elapsed seconds."""

    deal: int
    spent_s: float


@frozen
class PauseTimer:
    """The feeder gets a pause after it has refused this operation."""

    operation: int


@frozen
class StatusTimer:
    """The sensors may be asked again."""


Timer = ClaimWindowTimer | LeaseTimer | StarvedTimer | WellShortTimer | ExposureTimer | TurnTimer | HandTimer | PauseTimer | StatusTimer


@frozen
class WantedTimer:
    """A timer that must run, in seconds of play time (which a rehearsal may scale), or of wall time for safety."""

    timer: Timer
    seconds: float
    wall: bool


def timer_id(timer: Timer) -> str:
    match timer:
        case ClaimWindowTimer(deal, window):
            return f"claim-window:{deal}.{window}"
        case _:
            return type(timer).__name__


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
class TilesDecoded:
    """The decoder without the deal is certain of what a watch waits for, wherever it is on the mat, or cannot read it.

    - ``event``: what was laid; None if that is unknown, with ``asked``, the slot of the doubtful tile, if there is one
    - ``covers``: the river places (place, number) under the tiles
    - ``shown_ns``: time of the first frame that shows a discard, by the frames' clock; None without one
    """

    watch: Watch
    event: PlayEvent | None
    covers: tuple[tuple[int, int], ...] = ()
    asked: Slot | None = None
    shown_ns: int | None = field(default=None, compare=False)


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
    timer: Timer


@frozen
class PartLost:
    """A part of the table (its name in ``link-lost``) is silent, useless or takes no key; ``why`` as in ``camera-trouble``."""

    what: str
    why: str | None = None


@frozen
class PartFound:
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
    | TilesDecoded
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
