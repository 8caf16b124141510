"""Pictures of the places of discards and melds of a hand, from before and after, until the hand has been compared with its deal; and of
the next place of each river, from before, for a violation.

They are cut from whole frames while the hand is played, of each discard and meld alike: which event will be doubted nobody knows then.
They are in memory alone, and only those of an event whose record is doubted, or of a violation that the table has told, leave it
(``controller.adapters.slot_questions``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from controller.state.decoding import HandToDecode
from controller.state.questions import RecordPictures
from controller.state.watches import AwaitedDiscard, AwaitedMeld
from twinwall.game.play_events import Claimed, TileDiscarded
from vision.cameras.port import CameraFrame
from vision.mat import Area, Slot

PictureOf = Callable[[CameraFrame, Slot], bytes | None]
LiesAt = Callable[[int], Slot | None]
_SURELY_BEFORE_MS = 500
"""A tile is seen to lie so long after the hand that lays it is in the picture."""


@dataclass(frozen=True, slots=True)
class _Awaited:
    """The event of this index is awaited, to be seen in a slot, of which this is the picture from before."""

    index: int
    slot: Slot
    before: bytes


class HandPictures:
    """The pictures of one hand after the other; from one thread."""

    def __init__(self, picture: PictureOf, lies_at: LiesAt) -> None:
        """``picture`` cuts a slot out of a frame; ``lies_at`` tells near which slot the tile of an event (by its index) lies, where
        that is known."""
        self._picture, self._lies_at = picture, lies_at
        self._n: int | None = None
        self._awaited: _Awaited | None = None
        self._pictures: dict[int, RecordPictures] = {}

    def see(self, frame: CameraFrame, hand: HandToDecode) -> None:
        """A frame in which the hand has come so far."""
        if hand.deal.n != self._n:
            self._n, self._awaited, self._pictures = hand.deal.n, None, {}
        awaited, index = self._awaited, len(hand.events)
        if awaited is not None and awaited.index < index:
            self._awaited = None
            if isinstance(hand.events[awaited.index], TileDiscarded | Claimed):
                self._keep(frame, awaited)
        slot = _to_be_seen(hand)
        if slot is not None and self._awaited is None:
            before = self._picture(frame, slot) if slot.area is Area.RIVER else None
            self._awaited = _Awaited(index, slot, before or b"")

    def of(self, n: int) -> Mapping[int, RecordPictures]:
        """The pictures of the hand of deal ``n``, by the number of the event (from 1); they are forgotten here."""
        kept = self._pictures if n == self._n else {}
        self._pictures, self._awaited = {}, None
        return kept

    def _keep(self, frame: CameraFrame, awaited: _Awaited) -> None:
        """What was awaited has been laid: the picture from before is of use where it lies in that place."""
        assert self._n is not None
        near = self._lies_at(awaited.index) or awaited.slot
        after = self._picture(frame, near)
        if after is not None:
            before = awaited.before if near == awaited.slot else b""
            self._pictures[awaited.index + 1] = RecordPictures(self._n, awaited.index + 1, before, after)


def _to_be_seen(hand: HandToDecode) -> Slot | None:
    """Where the awaited discard is due, or the middle of the awaited meld."""
    match hand.awaited:
        case None:
            return None
        case watch if isinstance(watch.awaited, AwaitedDiscard):
            return Slot(hand.deal.place(watch.awaited.seat), Area.RIVER, watch.awaited.river_place)
        case watch if isinstance(watch.awaited, AwaitedMeld) and watch.slots:
            return watch.slots[1]
        case _:
            return None


class NextPlaces:
    """The next place of each river from when it became that, for a violation that is seen there later; from one thread."""

    def __init__(self, picture: PictureOf) -> None:
        """``picture`` cuts a slot out of a frame."""
        self._picture = picture
        self._seen: dict[Slot, tuple[int, bytes]] = {}
        """By place, when it was seen and its picture."""

    def see(self, frame: CameraFrame, at_ms: int, places: Collection[Slot]) -> None:
        """A frame in which these are the next places; one picture of each is kept for as long as it is that."""
        self._seen = {slot: kept for slot, kept in self._seen.items() if slot in places}
        fresh = next((slot for slot in places if slot not in self._seen), None)  # one a frame, so that no frame takes long
        picture = None if fresh is None else self._picture(frame, fresh)
        if fresh is not None and picture is not None:
            self._seen[fresh] = at_ms, picture

    def before(self, slot: Slot, since_ms: int) -> bytes:
        """The place before a tile was laid there at that time; empty where no picture is so old."""
        at_ms, picture = self._seen.get(slot, (since_ms, b""))
        return picture if at_ms < since_ms - _SURELY_BEFORE_MS else b""
