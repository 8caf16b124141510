"""A hand is compared with its deal when it is over, also by what was kept of it before the controller was killed."""

import os
import queue
import resource
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from controller.adapters.cameras.hand_reviews import MOST_WAITING, HandReviews
from controller.ledger.journal import Journal, JournalError
from controller.recorder.at_table.followed_hand import HandReview
from controller.recorder.at_table.kept_observations import KEPT_OBSERVATIONS, KeptObservations
from controller.recorder.at_table.table_decoding import TableDecoding
from controller.recorder.signals import GateEdge, Signal
from controller.state.messages import Message
from controller.state.watches import HandToDecode
from tests.support.children import ends_with_parent
from tests.support.controller.game import walls_of
from tests.support.controller.rigs import opened
from tests.support.narrowed import of_type
from tests.support.patience import PATIENCE_S
from tests.support.recorder.kept_hand import CIPHER, EVENTS, a_hand, hear, in_play, keeper, signals
from tests.support.recorder.played_hands import only
from tests.support.wire.brokers import eventually
from twinwall.custody.process_protection import refuse_core_files
from twinwall.game.play_events import TileDiscarded, TileDrawn
from twinwall.game.play_json import to_text
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat, Tile
from twinwall.wire.events.hand_events import RecordDoubt
from twinwall.wire.shapes.panel import Key, KeyEdge
from vision.mat import Mat
from vision.mat_observation import MatObservation, ObservedTile

CONCEALED = "the wall of East is 1m 2m 3m"


class Doubting(HandReview):
    """Doubts the third event."""

    def compare(self) -> tuple[RecordDoubt, ...]:
        return (doubt(self.hand.deal.n),)


class Suspected(HandReview):
    """Asks about a violation."""

    def compare(self) -> tuple[RecordDoubt, ...]:
        return (suspicion(self.hand.deal.n),)


class Failing(HandReview):
    """Fails with words that name tiles."""

    def compare(self) -> tuple[RecordDoubt, ...]:
        raise ValueError(CONCEALED)


class Tracing(HandReview):
    """Fails otherwise where its process may leave a core file than where it may not."""

    def compare(self) -> tuple[RecordDoubt, ...]:
        raise LookupError if resource.getrlimit(resource.RLIMIT_CORE) == (0, 0) else OSError


class Endless(HandReview):
    """Takes longer than any test."""

    def compare(self) -> tuple[RecordDoubt, ...]:
        time.sleep(2 * PATIENCE_S)
        return ()


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
def test_the_log_tells_no_finding(reviews: HandReviews, told: queue.SimpleQueue[Message], caplog: pytest.LogCaptureFixture) -> None:
    """A doubt follows from concealed tiles, and the deal is sealed."""
    with caplog.at_level("DEBUG", "controller"):
        reviews.begin(hand(Suspected, 1))
        reviews.begin(hand(Doubting, 2))
        assert [told.get(timeout=PATIENCE_S) for _ in range(2)] == [suspicion(1), doubt(2)]
    assert caplog.records == []


@pytest.mark.nightly
@pytest.mark.slow
def test_a_failure_costs_its_hand_alone(reviews: HandReviews, told: queue.SimpleQueue[Message], caplog: pytest.LogCaptureFixture) -> None:
    class OfThisTest(HandReview):
        """A class of a function, which no other process can find."""

    for n, review in ((1, Failing), (3, OfThisTest)):
        reviews.begin(hand(review, n))
        reviews.begin(hand(Doubting, n + 1))
        assert told.get(timeout=PATIENCE_S) == doubt(n + 1)
    assert "deal 1: its hand is not compared with the deal (ValueError" in caplog.text
    assert "deal 3: its hand is not compared with the deal (its process could not be started" in caplog.text
    assert CONCEALED not in caplog.text


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


MIDDLE = 40
"""So many signals are heard before the controller is killed."""
DISCARD = 4
"""The event of which the record holds another tile than was laid."""
KEPT: tuple[Signal, ...] = (
    KeyEdge(100, 2, Key.PUNG),
    GateEdge(150, 1, event=7),
    MatObservation(200, (ObservedTile(1.25, -300.5, 90.0, shares={Tile.M5: 0.97}, sure=True),), frozenset({(1, -2)})),
    GateEdge(250, 1, back=True, event=8),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / KEPT_OBSERVATIONS


@pytest.fixture
def kept(path: Path) -> Path:
    """A file of deal 1 whose controller has ended."""
    file = keeper(path)
    file.begin(in_play().deal)
    for item in KEPT:
        file.add(item)
    file.close()
    return path


def happened(heard: int = MIDDLE) -> int:
    """How many events the table's record has when so much has been heard."""
    return sum(at_ms <= signals()[heard - 1].at_ms for at_ms, _ in a_hand().at_table(only(), EVENTS).events)


def follow(path: Path | None, events: int = 0) -> TableDecoding:
    decoding = TableDecoding(a_hand().rules, kept=None if path is None else keeper(path))
    decoding.take_record(in_play(events))
    return decoding


def over(decoding: TableDecoding) -> HandReview | None:
    """The hand is over, and its record holds another tile than was laid."""
    hand = in_play(EVENTS - 1)
    truth = of_type(TileDiscarded, hand.events[DISCARD])
    wrong = replace(truth, tile=next(tile for tile in hand.deal.walls[truth.seat].hand if tile is not truth.tile))
    return decoding.take_record(replace(hand, events=(*hand.events[:DISCARD], wrong, *hand.events[DISCARD + 1 :]), closed=True))


def heard_of(review: HandReview | None) -> tuple[Signal, ...]:
    assert review is not None
    return review.heard


def test_after_a_kill_in_the_middle_of_a_hand_its_record_is_compared_as_without(path: Path) -> None:
    command = [sys.executable, "-m", "tests.support.recorder.kept_hand", str(path), str(MIDDLE)]
    with subprocess.Popen(ends_with_parent(command), stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"heard\n"
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    killed, whole = follow(path, happened()), follow(None)
    hear(killed, signals()[MIDDLE:])
    hear(whole, signals())
    found, due = over(killed), over(whole)
    assert found is not None
    assert due is not None
    assert found.heard == due.heard
    (doubted,) = found.compare()
    assert (doubted,) == due.compare()
    assert doubted.number == DISCARD + 1


def test_all_that_was_kept_is_there_again_and_goes_on(kept: Path) -> None:
    file, more = keeper(kept), MatObservation(300)
    assert file.resume(in_play().deal) == KEPT
    file.add(more)
    file.close()
    assert keeper(kept).resume(in_play().deal) == (*KEPT, more)


def test_a_torn_last_line_is_cut_off(kept: Path) -> None:
    content = kept.read_bytes()
    kept.write_bytes(content[: content.rindex(b'"chain"')])
    file = keeper(kept)
    assert file.resume(in_play().deal) == KEPT[:-1]
    file.add(KEPT[-1])
    file.close()
    assert keeper(kept).resume(in_play().deal) == KEPT


def changed_in_the_middle(content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    return b"".join([*lines[:2], *lines[3:]])


@pytest.mark.parametrize("harm", [changed_in_the_middle, lambda _content: b"", lambda _content: b"\x00" * 300 + b"\n"])
def test_a_damaged_file_is_refused_and_not_compared(kept: Path, harm: Callable[[bytes], bytes], caplog: pytest.LogCaptureFixture) -> None:
    kept.write_bytes(harm(kept.read_bytes()))
    decoding = follow(kept, happened())
    hear(decoding, signals()[MIDDLE:])
    assert over(decoding) is None
    assert f"deal 1: {kept} tells nothing of its hand" in caplog.text


def test_the_file_of_another_hand_is_refused(kept: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert keeper(kept).resume(in_play(n=2).deal) is None
    assert keeper(kept).resume(replace(in_play().deal, digest="00" * 32)) is None
    assert caplog.text.count("it is of deal 1") == 2


def test_a_copy_of_the_disk_shows_no_tile_and_a_line_of_the_journal_is_none_of_the_file(kept: Path) -> None:
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert b"5m" not in kept.read_bytes()
    assert KeptObservations(kept, None).resume(in_play().deal) is None
    with pytest.raises(JournalError, match="damaged"):
        Journal(kept, CIPHER)


def test_the_next_hand_overwrites_the_file_and_a_late_comparison_of_the_one_before_deletes_nothing(kept: Path) -> None:
    file = keeper(kept)
    assert file.resume(in_play().deal) is not None
    file.begin(in_play(n=2).deal)
    file.forget(1)
    assert keeper(kept).resume(in_play().deal) is None
    assert keeper(kept).resume(in_play(n=2).deal) == ()
    file.forget(2)
    assert not kept.exists()


def test_a_hand_that_was_over_when_the_controller_was_killed_is_compared_after_its_start_and_once(path: Path) -> None:
    before = follow(path)
    hear(before, signals())
    due = over(before)
    started = TableDecoding(a_hand().rules, kept=keeper(path))
    assert heard_of(over(started)) == heard_of(due)
    assert over(started) is None
    started.compared(1)
    assert over(TableDecoding(a_hand().rules, kept=keeper(path))) is None


def test_an_edge_that_the_feeder_tells_again_counts_once_and_one_that_was_not_kept_is_taken_from_the_record(path: Path) -> None:
    """Two draws are in the record; the edge of the second was not on the disk yet. A third one was, and the journal did not have it."""
    hand = in_play(4)
    first, second = (hand.deal.place(event.seat) for event in hand.events if isinstance(event, TileDrawn))
    third = GateEdge(900, (second + 1) % 4, event=12)
    before = keeper(path)
    before.begin(hand.deal)
    for item in (GateEdge(100, first, event=10), MatObservation(500), third):
        before.add(item)
    decoding = follow(path, 4)
    decoding.hear(GateEdge(2000, third.place, third.back, third.event))
    decoding.see(MatObservation(2500))
    edges = [item for item in heard_of(decoding.take_record(replace(hand, closed=True))) if isinstance(item, GateEdge)]
    assert edges == [GateEdge(100, first, event=10), third, GateEdge(900, second)]


def test_time_goes_on_where_the_clock_of_the_computer_has_begun_anew(kept: Path) -> None:
    decoding = follow(kept, 1)
    decoding.see(MatObservation(20))
    decoding.see(MatObservation(320))
    seen = [item.at_ms for item in heard_of(decoding.take_record(replace(in_play(1), closed=True))) if isinstance(item, MatObservation)]
    assert seen == sorted(seen)
    assert seen[-1] - seen[-2] == 300
    assert seen[-2] > KEPT[-1].at_ms


def test_a_disk_that_takes_nothing_ends_the_keeping_and_not_the_decoding(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.mkdir()
    decoding = follow(path)
    hear(decoding, signals())
    assert heard_of(over(decoding))
    assert caplog.text.count("is not kept") == 1
