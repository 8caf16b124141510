"""The settings of the host's side of the link: its times, which feeder it must be, and what was known of it before."""

from firmware_bridge.messages import Capabilities, limits
from twinwall.values import frozen


@frozen
class KnownBoot:
    """What the user remembers of the feeder (in its journal): the boot, and the last event taken over."""

    boot_id: int
    last_event: int


@frozen
class LinkSettings:
    """Times of the host's side in seconds of wall time; none of them is scaled in a fast simulation."""

    heartbeat_s: float = limits.HEARTBEAT_MS / 1000
    answer_timeout_s: float = limits.QUESTION_REPEAT_MS / 1000
    """A question without an answer is asked again after this."""
    probe_after_s: float = 0.15
    """An operation that should have ended is asked after this much later."""
    silence_s: float = 1.0
    """Nothing intelligible for this long: the link is lost."""
    expected: Capabilities | None = None
    """What the feeder must have (its gate period may differ); None takes any."""
    uid: bytes | None = None
    """Which feeder it must be; None takes any."""
