"""Pictures of what may be a violation are kept while the hand is played, and go with the question about it."""

import pytest
from msgspec.structs import replace

from controller.adapters.cameras.hand_pictures import MOST_SUSPECTS, SuspectPictures
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import RecordDoubt
from twinwall.wire.messages.tile_question import AskedRecord, ShownViolation

DOUBT = RecordDoubt(1, 9, "", "", 3.0, Seat.WEST, {"discarded-twice": "rule", "exposed-tiles": "rule"})
SEEN = ShownViolation(1, "W", "exposed-tiles", after=b"after", before=b"before")


def pictures(*seen: tuple[int, ShownViolation]) -> SuspectPictures:
    kept = SuspectPictures()
    for after, each in seen:
        kept.see(after, each)
    return kept


def test_the_pictures_are_those_of_the_seat_whose_kind_and_moment_fit_best() -> None:
    kept = pictures((9, SEEN), (20, replace(SEEN, after=b"later")), (9, replace(SEEN, seat="E", after=b"East")))
    assert kept.of(DOUBT) == AskedRecord(1, 9, after=b"after", before=b"before", seat="W")


@pytest.mark.parametrize(
    ("after", "seen"),
    [(30, SEEN), (9, replace(SEEN, what="false-claim")), (9, replace(SEEN, seat="N")), (9, replace(SEEN, n=2))],
    ids=["another-moment", "another-kind", "another-seat", "another-deal"],
)
def test_a_picture_of_something_else_is_not_shown(after: int, seen: ShownViolation) -> None:
    assert pictures((after, seen)).of(DOUBT) is None


def test_of_too_many_the_latest_are_kept() -> None:
    kept = pictures((9, SEEN), *[(9, replace(SEEN, seat="E"))] * MOST_SUSPECTS)
    assert kept.of(DOUBT) is None
