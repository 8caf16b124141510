"""What leaves a vault for the broker."""

from __future__ import annotations

from dataclasses import dataclass

TOLD_AGAIN_S = 30.0
"""Released slips and notices are published again this often, for late listeners."""


@dataclass(frozen=True, slots=True)
class Publish:
    """Send this; what gets lost is asked for again by its receiver."""

    topic: str
    payload: bytes
