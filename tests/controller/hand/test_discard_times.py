"""How long discards take from the first frame that shows them to their public events is logged, in their slots and off them apart."""

from collections.abc import Callable

import pytest

from controller.discard_times import DiscardTime, DiscardTimes, Spread, logged, spread
from controller.ledger.journal_events import SightDoubted
from controller.state.keys import KeyPressed
from controller.state.messages import Decision, DiscardDecoded, Refused, SlotsSeen
from controller.state.watches import Awaited, Awaits, Watch, WatchVersion
from tests.support.controller.game import E, Game, N, S, W, walls_of
from tests.support.controller.rigs import MakeRig
from twinwall.game.play_events import TileDiscarded
from twinwall.game.tiles import Seat, Tile
from twinwall.wire.events.hand_events import HandClosed
from twinwall.wire.shapes.panel import Key

_MS = 1_000_000
DISCARD = TileDiscarded(Seat.EAST, Tile.M1)
NOTHING = Refused("nobody waits for it")
TOLD = "deal 1: from the first frame that shows a discard to its event: "


class Times:
    """Discard times with a clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now_ms = 0
        self._times = DiscardTimes(lambda: self.now_ms * _MS)

    def seen(self, shown_ms: int, decision: Decision = (DISCARD,), *, events: int = 1, look: int = 1, in_slot: bool = True) -> None:
        """Reader or decoder tells of a discard that a frame of ``shown_ms`` shows first."""
        watch = Watch(Awaited(Awaits.DISCARD, Seat.EAST, 0), (), version=WatchVersion(1, events, look, 0))
        shown_ns = shown_ms * _MS
        message = SlotsSeen(watch, {}, shown_ns=shown_ns) if in_slot else DiscardDecoded(watch, Tile.M1, shown_ns=shown_ns)
        self._times.decided(message, decision)

    def public(self, at_ms: int) -> None:
        self.now_ms = at_ms
        self._times.published([DISCARD])

    def close(self) -> None:
        self._times.published([HandClosed(1)])


@pytest.fixture
def times(caplog: pytest.LogCaptureFixture) -> Times:
    caplog.set_level("INFO")
    return Times()


def found(caplog: pytest.LogCaptureFixture) -> list[DiscardTime]:
    return list(logged(caplog.messages))


def test_a_discard_takes_from_its_first_frame_to_its_public_event(times: Times, caplog: pytest.LogCaptureFixture) -> None:
    times.seen(1000)
    times.public(1240)
    times.seen(2000, events=4, in_slot=False)
    times.public(3700)
    assert found(caplog) == [DiscardTime(in_slot=True, ms=240), DiscardTime(in_slot=False, ms=1700)]


def test_what_is_believed_on_the_second_look_counts_from_the_first(times: Times, caplog: pytest.LogCaptureFixture) -> None:
    times.seen(1000, (SightDoubted("discard E 0"),))
    times.seen(1300, look=2)
    times.public(1500)
    assert found(caplog) == [DiscardTime(in_slot=True, ms=500)]


@pytest.mark.parametrize("between", [None, lambda times: times.seen(1000, NOTHING)], ids=["nothing seen", "nothing taken"])
def test_a_discard_that_neither_reader_nor_decoder_told_is_counted_and_not_timed(
    times: Times, caplog: pytest.LogCaptureFixture, between: Callable[[Times], None] | None
) -> None:
    if between is not None:
        between(times)
    times.public(1500)
    times.close()
    assert caplog.messages == [f"{TOLD}1 not timed"]


def test_at_the_end_of_a_hand_the_log_says_how_long_its_discards_took_and_begins_anew(
    times: Times, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(20):
        times.seen(0, events=number)
        times.public(201 + number)
    times.seen(0, events=20, in_slot=False)
    times.public(1900)
    for _ in range(2):
        times.close()
    assert caplog.messages[-2:] == [
        f"{TOLD}in their slots 210 ms (p50) and 219 ms (p95) of 20, off their slots 1900 ms (p50) and 1900 ms (p95) of 1, 0 not timed",
        f"{TOLD}0 not timed",
    ]


def test_a_share_is_the_least_time_that_holds_for_so_many() -> None:
    assert spread([3]) == Spread(1, 3, 3)
    assert spread([4, 1, 3, 2]) == Spread(4, 2, 4)
    assert spread(range(1, 101)) == Spread(100, 50, 95)
    assert spread([]) is None


def test_a_running_table_logs_each_hand(make_rig: MakeRig, caplog: pytest.LogCaptureFixture) -> None:
    """The camera of this table names no frame, so that nothing is timed."""
    caplog.set_level("INFO")
    game = Game(make_rig, walls_of({E: "123m 456m 789m 46s FF 5s"})).take_hands()
    for seat in (E, S, W, N):
        held = next(iter(game.held(seat)))
        game.turn(seat, held.text)
    game.draw(E).press(E, Key.WIN).lay_open(E, "123m 456m 789m 46s FF", "5s")
    for place in range(4):
        game.rig.tell(KeyPressed(place, Key.CONFIRM))
    assert any(line.startswith(TOLD) for line in caplog.messages)
