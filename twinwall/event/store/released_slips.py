"""Released slips: read, checked against the event's start, and opened to their walls.

A slip that does not belong to the start is refused. The vault decides when a slip is released.
"""

from datetime import datetime

from twinwall.game.deals import Deal, Slip, StartedPlan, verify_slip
from twinwall.game.documents import DocumentError
from twinwall.values import frozen


class SlipRefusedError(ValueError):
    """No slip of this event; the message says which part fails."""


@frozen
class Released:
    """A public deal: its checked slip, its walls, and when the slip was received."""

    slip: Slip
    deal: Deal
    at: datetime

    @property
    def n(self) -> int:
        return self.deal.n


def open_slip(payload: bytes, custody: StartedPlan | None, at: datetime) -> Released:
    """Check a slip and open its deal; raises SlipRefusedError."""
    if custody is None:
        raise SlipRefusedError("a slip arrived, but this event has no plan to check it against: name plan and start in the settings")
    try:
        slip = Slip.from_json(payload)
        return Released(slip, verify_slip(custody, slip), at)
    except DocumentError as error:
        raise SlipRefusedError(f"a slip is refused: {error}") from None
