"""Numbers of an observation file with what is allowed of each: no camera, gate or person tells of others.

Costs of places are computed from squares of distances, which overflow where a coordinate is large enough.
"""

from typing import Annotated

from msgspec import Meta

from twinwall.wire.shapes.panel import MOST_MS

AskedMs = Annotated[int, Meta(ge=-60_000, le=MOST_MS)]
"""The time of a question, which is somewhat earlier than what it is about."""
MatMm = Annotated[float, Meta(ge=-2000, le=2000)]
"""A coordinate from the middle of the mat."""
Degrees = Annotated[float, Meta(ge=0, le=180)]
Share = Annotated[float, Meta(ge=0, le=1)]
Square = Annotated[int, Meta(ge=-100, le=100)]
"""A column or row of squares of 20 mm from the middle of the mat."""
Count = Annotated[int, Meta(ge=0, le=2**53)]
"""A number of an event; 0 where none is known."""
MOST_SHARES = 1.0001
"""Most that the shares of one tile sum to: each is rounded to millionths."""
