"""Open question of a table: which tile is in a slot of the mat that the camera cannot read. The pictures are kept outside the state
(``controller.adapters.slot_questions``)."""

from twinwall.game.tiles import Seat, TileRow
from twinwall.values import frozen
from twinwall.wire.events.trouble_events import TableSubject
from twinwall.wire.messages.tile_question import AskedRecord, ShownCall, ShownViolation
from vision.mat import Slot


@frozen
class SlotQuestion:
    """Which tile is in ``slot``? ``n`` is the deal in play, ``number`` the number of its events so far: a late answer has other values."""

    n: int
    number: int
    slot: Slot

    @property
    def where(self) -> str:
        """The slot as an answer names it, such as ``2 meld 5``."""
        return f"{self.slot.place} {self.slot.area} {self.slot.index}"


@frozen
class DoubtedPlace:
    """What the camera shows for a question: all kinds, the likeliest first, and JPEG pictures of the place with its neighbours. ``before``
    is older than the tile; empty if no such frame is known, and for a shown hand, whose row held concealed tiles."""

    question: SlotQuestion
    kinds: TileRow
    before: bytes
    after: bytes


DoubtKey = tuple[int, int, Seat | None]
"""A doubt of a record: deal, event number (from 1), and the seat of a possible violation before it; None: the doubt is about the event."""


@frozen
class AskedNow:
    """What the referee is asked or called about now, and so sees pictures of; other pictures are deleted or kept back."""

    question: SlotQuestion | None = None
    records: tuple[DoubtKey, ...] = ()
    violations: tuple[tuple[int, Seat, str], ...] = ()
    """Violations of the hand since the last ruling, in order: deal, seat and stable word."""
    calls: tuple[tuple[int, TableSubject], ...] = ()
    """The table's own calls since the last ruling: deal and subject."""


Pictures = DoubtedPlace | AskedRecord | ShownViolation | ShownCall
"""What camera or decoder shows of a question, a doubt, a violation or a call."""
