"""Pictures of what may be a violation are kept while the hand is played, and go with the question about it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from controller.adapters.cameras.suspect_pictures import MOST_SUSPECTS, SuspectPictures
from controller.state.messages import RecordDoubted
from controller.state.questions import RecordPictures, ViolationPictures
from twinwall.game.tiles import Seat

DOUBT = RecordDoubted(1, 9, None, None, 3.0, Seat.WEST, {"discarded-twice": "rule", "exposed-tiles": "rule"})
SEEN = ViolationPictures(1, Seat.WEST, "exposed-tiles", b"before", b"after")


def pictures(*seen: tuple[int, ViolationPictures]) -> SuspectPictures:
    kept = SuspectPictures()
    for after, each in seen:
        kept.see(after, each)
    return kept


def test_the_pictures_are_those_of_the_seat_whose_kind_and_moment_fit_best() -> None:
    kept = pictures((9, SEEN), (20, replace(SEEN, after=b"later")), (9, replace(SEEN, seat=Seat.EAST, after=b"East")))
    assert kept.of(DOUBT) == RecordPictures(1, 9, b"before", b"after", Seat.WEST)


@pytest.mark.parametrize(
    ("after", "seen"),
    [(30, SEEN), (9, replace(SEEN, what="false-claim")), (9, replace(SEEN, seat=Seat.NORTH)), (9, replace(SEEN, n=2))],
    ids=["another-moment", "another-kind", "another-seat", "another-deal"],
)
def test_a_picture_of_something_else_is_not_shown(after: int, seen: ViolationPictures) -> None:
    assert pictures((after, seen)).of(DOUBT) is None


def test_of_too_many_the_latest_are_kept() -> None:
    kept = pictures((9, SEEN), *[(9, replace(SEEN, seat=Seat.EAST))] * MOST_SUSPECTS)
    assert kept.of(DOUBT) is None
