"""Last discard: whether the tile that lay last before the controller was away still lies there, by all tiles on the mat.

Somebody may have taken it meanwhile. It lies there where every tile of the table's record is found, that discard near its place, or
nothing face up beside them: a tile that was claimed lies in a meld now, with tiles that the record does not have.
"""

from controller.recorder.at_table.followed_hand import FollowedHand, agreeing
from controller.recorder.decoder import DecoderLimits
from controller.recorder.hypothesis import TileRole
from controller.recorder.moves.candidates import against
from controller.recorder.places import is_beside
from controller.state.messages import LastDiscardDecoded
from controller.state.watches import Awaited
from vision.mat import Area


def still_there(followed: FollowedHand) -> LastDiscardDecoded | None:
    """The report to the table of the discard that it asks about, once; None where that is nothing new, and while the tiles of the record
    are not all found."""
    watch, events = followed.hand.last_discard, followed.hand.events
    if watch is None or watch in followed.reported or followed.decoder.searching:
        return None
    if agreeing(followed.decoder.held, events) < len(events) and not followed.anchor(watch):
        return None
    if not _lies(followed, watch.awaited):
        return None
    followed.reported.add(watch)
    return LastDiscardDecoded(watch)


def _lies(followed: FollowedHand, awaited: Awaited) -> bool:
    """Whether the last tile of a seat's river is found, and it cannot have been laid where it is since."""
    river = followed.play.seat(awaited.seat).river
    track = followed.decoder.lying_as(TileRole(awaited.seat.index, Area.RIVER, len(river) - 1))
    if track is None or against(track, river[-1].tile) >= DecoderLimits().publish:
        return False
    slots = followed.mat.slots(followed.hand.deal.place(awaited.seat), Area.RIVER)
    return is_beside(followed.mat, slots[min(awaited.number, len(slots) - 1)], track) or not _beside_the_record(followed)


def _beside_the_record(followed: FollowedHand) -> bool:
    """Whether tiles lie face up that the record does not have."""
    unexplained, lying = followed.decoder.unexplained, followed.decoder.tracks.lying
    return len(followed.decoder.held) > len(followed.hand.events) or any(track.face_up for track in lying if track.id in unexplained)
