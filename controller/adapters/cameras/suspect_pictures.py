"""Pictures of tiles that may be of a violation, until the hand has been compared with its deal; in memory alone.

The decoder without the deal suspects a violation where it may still hold that for play by the rules. It reports nothing. When the hand is
over and the decoder with the deal asks about it, the picture goes along: that of the seat whose kind and moment fit best.
"""

from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import RecordDoubt
from twinwall.wire.messages.tile_question import AskedRecord, ShownViolation

MOST_SUSPECTS = 16
"""The pictures of this many suspected violations of a hand are kept, the latest."""
_SEEN_WITHIN = range(-2, 13)
"""By this many events the record may have come farther than the act when its tile has lain for as long as a violation does."""


class SuspectPictures:
    """The pictures of one hand; from one thread, until the hand is over."""

    def __init__(self) -> None:
        self._suspects: list[tuple[int, ShownViolation]] = []
        """Each with how many events the record had when the picture was taken."""

    def see(self, after: int, pictures: ShownViolation) -> None:
        """What may be a violation lies there when the record has this many events."""
        self._suspects = [*self._suspects, (after, pictures)][-MOST_SUSPECTS:]

    def of(self, doubt: RecordDoubt) -> AskedRecord | None:
        """The pictures of a violation in doubt; None where there is none."""
        suspects = [
            (after, pictures)
            for after, pictures in self._suspects
            if pictures.n == doubt.n
            and doubt.seat is Seat(pictures.seat)
            and pictures.what in (doubt.violations or ())
            and after - (doubt.number - 1) in _SEEN_WITHIN
        ]
        if not suspects:
            return None
        _, found = min(suspects, key=lambda each: abs(each[0] - doubt.number))
        return AskedRecord(doubt.n, doubt.number, after=found.after, before=found.before, seat=found.seat)
