"""Timers of a table: what each waits for, so that a late one is recognised."""

from controller.state.watches import Watch
from twinwall.values import frozen


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
    """Return the id of a timer for a clock in another process, and the name of its thread."""
    match timer:
        case ClaimWindowTimer(deal, window):
            return f"claim-window:{deal}.{window}"
        case _:
            return type(timer).__name__
