"""Reviews of hands that are over: a process of its own for each, one after the other."""

import queue
import resource
import threading
import time
from collections.abc import Iterator

import pytest

from controller.adapters.cameras.hand_reviews import MOST_WAITING, HandReviews
from controller.recorder.at_table.followed_hand import HandReview, ReviewedHand
from controller.state.messages import Message
from controller.state.watches import HandToDecode
from tests.support.controller.game import walls_of
from tests.support.controller.rigs import opened
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import eventually
from twinwall.custody.process_protection import refuse_core_files
from twinwall.game.play_events import TileDiscarded
from twinwall.game.play_json import to_text
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat, Tile
from twinwall.wire.events.hand_events import RecordDoubt
from vision.mat import Mat

CONCEALED = "the wall of East is 1m 2m 3m"


class Doubting(HandReview):
    """Doubts the third event."""

    def compare(self) -> ReviewedHand:
        return ReviewedHand(2, doubt(self.hand.deal.n))


class Suspected(HandReview):
    """Asks about a violation."""

    def compare(self) -> ReviewedHand:
        return ReviewedHand(2, violations=(suspicion(self.hand.deal.n),))


class Failing(HandReview):
    """Fails with words that name tiles."""

    def compare(self) -> ReviewedHand:
        raise ValueError(CONCEALED)


class Tracing(HandReview):
    """Fails otherwise where its process may leave a core file than where it may not."""

    def compare(self) -> ReviewedHand:
        raise LookupError if resource.getrlimit(resource.RLIMIT_CORE) == (0, 0) else OSError


class Endless(HandReview):
    """Takes longer than any test."""

    def compare(self) -> ReviewedHand:
        time.sleep(2 * PATIENCE_S)
        return ReviewedHand(0)


def doubt(n: int) -> RecordDoubt:
    return RecordDoubt(n, 3, "", to_text(TileDiscarded(Seat.EAST, Tile.WHITE)), 9.0)


def suspicion(n: int) -> RecordDoubt:
    return RecordDoubt(n, 3, "", "", 2.0, Seat.WEST, {"exposed-tiles": "rule"})


def hand(kind: type[HandReview], n: int) -> HandReview:
    return kind(rule_set("mcr-duplicate"), Mat(), HandToDecode(opened(walls_of({}), n=n), 1, (), closed=True), ())


@pytest.fixture
def told() -> queue.SimpleQueue[Message]:
    return queue.SimpleQueue()


@pytest.fixture
def reviews(told: queue.SimpleQueue[Message]) -> Iterator[HandReviews]:
    running = HandReviews(told.put)
    running.start()
    yield running
    running.stop()


@pytest.mark.slow
def test_the_log_does_not_tell_what_a_review_has_found(
    reviews: HandReviews, told: queue.SimpleQueue[Message], caplog: pytest.LogCaptureFixture
) -> None:
    """A doubt follows from concealed tiles, and the deal is sealed."""
    with caplog.at_level("DEBUG", "controller"):
        reviews.begin(hand(Suspected, 1))
        reviews.begin(hand(Doubting, 2))
        assert [told.get(timeout=PATIENCE_S) for _ in range(2)] == [suspicion(1), doubt(2)]
    assert caplog.records == []


@pytest.mark.nightly
@pytest.mark.slow
def test_a_failure_is_logged_without_a_tile_and_the_next_hand_is_compared(
    reviews: HandReviews, told: queue.SimpleQueue[Message], caplog: pytest.LogCaptureFixture
) -> None:
    reviews.begin(hand(Failing, 1))
    reviews.begin(hand(Doubting, 2))
    assert told.get(timeout=PATIENCE_S) == doubt(2)
    assert "deal 1: its hand is not compared with the deal (ValueError" in caplog.text
    assert CONCEALED not in caplog.text


@pytest.mark.nightly
@pytest.mark.slow
def test_a_process_that_cannot_be_started_costs_its_hand_alone(
    reviews: HandReviews, told: queue.SimpleQueue[Message], caplog: pytest.LogCaptureFixture
) -> None:
    class OfThisTest(HandReview):
        """A class of a function, which no other process can find."""

    reviews.begin(hand(OfThisTest, 1))
    reviews.begin(hand(Doubting, 2))
    assert told.get(timeout=PATIENCE_S) == doubt(2)
    assert "deal 1: its hand is not compared with the deal (its process could not be started" in caplog.text


@pytest.mark.nightly
def test_the_process_of_a_review_is_protected_as_the_tables_is(told: queue.SimpleQueue[Message], caplog: pytest.LogCaptureFixture) -> None:
    reviews = HandReviews(told.put, refuse_core_files)
    reviews.start()
    reviews.begin(hand(Tracing, 1))
    eventually(lambda: "compared with the deal (LookupError" in caplog.text, "the review has failed in its protected process")
    reviews.stop()


def test_a_table_that_stops_names_the_hands_that_are_not_compared(reviews: HandReviews, caplog: pytest.LogCaptureFixture) -> None:
    """The first one's process runs; of the others so many wait as may, and one is told at once."""
    for n in range(1, MOST_WAITING + 3):
        reviews.begin(hand(Endless, n))
        if n == 1:
            eventually(lambda: reviews.waiting == 0, "the first review has begun")
    assert f"deal {MOST_WAITING + 2}: its hand is not compared with the deal, since {MOST_WAITING} others wait" in caplog.text
    reviews.stop()
    for n in range(1, MOST_WAITING + 2):
        assert f"deal {n}: its hand is not compared with the deal" in caplog.text
    assert not [thread for thread in threading.enumerate() if thread.name == "hand reviews"]
