"""What leaves a vault for the broker."""

from twinwall.values import frozen

TOLD_AGAIN_S = 30.0
"""Released slips and notices are published again this often, for late listeners."""


@frozen
class Publish:
    """Send this; what gets lost is asked for again by its receiver."""

    topic: str
    payload: bytes
