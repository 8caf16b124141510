"""Open question of a table: which tile lies in a slot of the mat where the camera cannot tell.

What the camera has seen there is kept outside the state (``controller.adapters.slot_questions``).
"""

from twinwall.game.tiles import Seat, TileRow
from twinwall.values import frozen
from twinwall.wire.events.trouble_events import TableSubject
from twinwall.wire.messages.tile_question import AskedRecord, ShownCall, ShownViolation
from vision.mat import Slot


@frozen
class SlotQuestion:
    """Which tile lies in ``slot``. ``n`` is the deal in play and ``number`` how many events its hand has so far: an answer that comes
    late is recognised by them and by the slot."""

    n: int
    number: int
    slot: Slot

    @property
    def where(self) -> str:
        """The slot as an answer names it: ``2 meld 5``."""
        return f"{self.slot.place} {self.slot.area} {self.slot.index}"


@frozen
class DoubtedPlace:
    """What the camera alone knows of the place of a question: all kinds, the likeliest first, and JPEG pictures of the place with its
    neighbours. ``before`` is from before something was laid there; empty where no frame is known from then, and of a shown hand, whose
    row held concealed tiles then."""

    question: SlotQuestion
    kinds: TileRow
    before: bytes
    after: bytes


DoubtKey = tuple[int, int, Seat | None]
"""A doubt of a record: deal, number of the event (from 1), and the seat that may have committed a violation before it; None where the doubt
is about the event itself."""


@frozen
class AskedNow:
    """What the referee is asked or called about now, of which he is shown pictures; those of anything else are discarded or kept back."""

    question: SlotQuestion | None = None
    records: tuple[DoubtKey, ...] = ()
    """The doubts of records."""
    violations: tuple[tuple[int, Seat, str], ...] = ()
    """The violations reported of the hand since the last ruling, in order: deal, seat and stable word."""
    calls: tuple[tuple[int, TableSubject], ...] = ()
    """What the table itself calls the referee about, until he has ruled: deal and subject."""


Pictures = DoubtedPlace | AskedRecord | ShownViolation | ShownCall
"""What camera or decoder has seen of a question, a doubt, a violation or a call."""
