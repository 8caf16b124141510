"""Timers of a table: what each waits for, so that a timer that fires too late is recognised."""

from controller.state.watches import Watch
from twinwall.values import frozen


@frozen
class ClaimWindowTimer:
    """A claim window has its length; windows of every hand count from 1."""

    deal: int
    window: int


@frozen
class LeaseTimer:
    """The gate that this operation opened must be renewed."""

    operation: int


@frozen
class StarvedTimer:
    """No tile has come since the drum was empty after this event of the feeder."""

    event: int


@frozen
class WellShortTimer:
    """The count at the well stands still, this many tiles short, while the wall of this deal waits."""

    deal: int
    missing: int


@frozen
class ExposureTimer:
    """What a seat has called is to be laid."""

    watch: Watch


@frozen
class TurnTimer:
    """A seat is to draw or to discard after this many events of this deal's hand: time runs out, or is ``over``."""

    deal: int
    events: int
    over: bool


@frozen
class HandTimer:
    """The next step of the clock of this deal's hand, with the seconds that are spent."""

    deal: int
    spent_s: float


@frozen
class PauseTimer:
    """The feeder is left alone after it has refused this operation."""

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
    """The id under which a clock in another process is asked for a timer, and the name of its thread."""
    match timer:
        case ClaimWindowTimer(deal, window):
            return f"claim-window:{deal}.{window}"
        case _:
            return type(timer).__name__
