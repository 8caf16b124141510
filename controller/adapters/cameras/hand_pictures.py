"""Pictures for the referee: of a hand's discards and melds, before and after, and of each place of the rivers, before.

Those of discards and melds are kept until the hand has been compared with its deal. Those of river places serve violations and tiles in
doubt. They are cut from whole frames during the hand, of all discards and melds, because it is unknown then which event will be doubted.
They are only in memory. The server gets only those of an event in a doubted record, of a violation that the table has reported, or of a
tile that it asks about (``controller.adapters.slot_questions``).

The decoder without the deal suspects a violation that may still be legal play, and reports nothing. After the hand, if the decoder with the
deal asks about it, the picture of this seat with the best matching kind and time is added.
"""

from collections.abc import Callable, Collection, Iterable, Mapping

from controller.recorder.places import beside, slots_of
from controller.state.watches import Awaits, HandToDecode
from twinwall.game.play_events import Claimed, TileDiscarded
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import RecordDoubt
from twinwall.wire.messages.tile_question import AskedRecord, ShownViolation
from vision.cameras.port import CameraFrame
from vision.mat import Area, Mat, Slot

PictureOf = Callable[[CameraFrame, Slot], bytes | None]
LiesAt = Callable[[int], Slot | None]
MOST_A_FRAME = 4
"""River places cut out of one frame, so that none takes long: each costs about half a millisecond."""
_SURELY_BEFORE_MS = 500
"""A tile is seen on the mat this long after the hand that lays it appears in the picture."""


class HandPictures:
    """The pictures of one hand after the other; for one thread."""

    def __init__(self, picture: PictureOf, lies_at: LiesAt) -> None:
        """``picture`` cuts a slot out of a frame; ``lies_at`` returns the slot near the tile of an event (by its index), if known."""
        self._picture, self._lies_at = picture, lies_at
        self._n: int | None = None
        self._awaited: tuple[int, Slot, bytes] | None = None
        """The awaited event's index, its slot, and the slot's picture before."""
        self._pictures: dict[int, AskedRecord] = {}

    def see(self, frame: CameraFrame, hand: HandToDecode) -> None:
        if hand.deal.n != self._n:
            self._n, self._awaited, self._pictures = hand.deal.n, None, {}
        awaited, index = self._awaited, len(hand.events)
        if awaited is not None and awaited[0] < index:
            self._awaited = None
            if isinstance(hand.events[awaited[0]], TileDiscarded | Claimed):
                self._keep(frame, *awaited)
        slot = _to_be_seen(hand)
        if slot is not None and self._awaited is None:
            before = self._picture(frame, slot) if slot.area is Area.RIVER else None
            self._awaited = index, slot, before or b""

    def of(self, n: int) -> Mapping[int, AskedRecord]:
        """The pictures of the hand of deal ``n``, by the number of the event (from 1); they are removed here."""
        kept = self._pictures if n == self._n else {}
        self._pictures, self._awaited = {}, None
        return kept

    def _keep(self, frame: CameraFrame, index: int, slot: Slot, before: bytes) -> None:
        assert self._n is not None
        near = self._lies_at(index) or slot
        after = self._picture(frame, near)
        if after is not None:
            self._pictures[index + 1] = AskedRecord(self._n, index + 1, after=after, before=before if near == slot else b"")


def _to_be_seen(hand: HandToDecode) -> Slot | None:
    """The slot of the awaited discard, or the middle of the awaited meld."""
    match hand.awaited:
        case None:
            return None
        case watch if watch.awaited.kind is Awaits.DISCARD:
            return watch.in_river(hand.deal)
        case watch if watch.awaited.kind is Awaits.MELD and watch.slots:
            return watch.slots[1]
        case _:
            return None


class RiverPlaces:
    """The places of one hand's rivers before the next tile was laid there; for one thread.

    A place is cut out of a frame once, and again when by the record a tile was laid on it or beside it, or taken from there. So the picture
    is from the time when the table began to wait for the next tile there.
    """

    def __init__(self, picture: PictureOf, mat: Mat) -> None:
        self._picture, self._mat = picture, mat
        self._seen: dict[Slot, tuple[int, bytes]] = {}
        """By place, the time and the picture of its cut."""
        self._due = list(slots_of(mat, Area.RIVER))
        """Places to cut, the most urgent first."""

    def changed(self, slot: Slot) -> None:
        """Note that by the record a tile was laid near this place, or taken from there."""
        fresh = [each for each in beside(self._mat, slot) if each.area is Area.RIVER]
        self._due = [*fresh, *(each for each in self._due if each not in fresh)]

    def see(self, frame: CameraFrame, at_ms: int, next_places: Collection[Slot]) -> None:
        """Add a frame with these next places, which come first, then their neighbours."""
        near = {each for slot in next_places for each in beside(self._mat, slot)}
        for slot in sorted(self._due, key=lambda each: (each not in next_places, each not in near))[:MOST_A_FRAME]:
            picture = self._picture(frame, slot)
            if picture is not None:
                self._seen[slot] = at_ms, picture
                self._due.remove(slot)

    def before(self, slot: Slot, since_ms: int) -> bytes:
        """The place before a tile was laid there at that time; empty if no picture is old enough, or for no place of a river."""
        at_ms, picture = self._seen.get(slot, (since_ms, b""))
        return picture if at_ms < since_ms - _SURELY_BEFORE_MS else b""


MOST_SUSPECTS = 16
"""Most suspected violations of a hand with pictures, the latest."""
_SEEN_WITHIN = range(-2, 13)
"""How many events the record may be ahead of the act, once its tile has been there as long as a violation needs."""
Suspects = Iterable[tuple[int, ShownViolation]]
"""The pictures of a hand's possible violations, each with the number of events in the record when it was taken."""


def picture_of(doubt: RecordDoubt, suspects: Suspects) -> AskedRecord | None:
    fitting = [
        (after, pictures)
        for after, pictures in suspects
        if pictures.n == doubt.n
        and doubt.seat is Seat(pictures.seat)
        and pictures.what in (doubt.violations or ())
        and after - (doubt.number - 1) in _SEEN_WITHIN
    ]
    if not fitting:
        return None
    _, found = min(fitting, key=lambda each: abs(each[0] - doubt.number))
    return AskedRecord(doubt.n, doubt.number, after=found.after, before=found.before, seat=found.seat)
