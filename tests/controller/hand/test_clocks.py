"""Clocks of the turn and of the hand, of which nothing else waits; and how long discards take to their public events."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from controller.discard_times import DiscardTime, DiscardTimes, Spread, logged, spread
from controller.ledger.journal_events import SightDoubted
from controller.state.messages import Decision, KeyPressed, Refused, SlotsSeen, TilesDecoded
from controller.state.table_state import Setup
from controller.state.watches import Awaited, Awaits, Watch, WatchVersion
from tests.support.controller.game import E, Game, N, S, W, walls_of
from tests.support.controller.rigs import EVENT, MakeRig, set_up
from twinwall.game.play_events import TileDiscarded
from twinwall.game.tiles import Seat, Tile
from twinwall.wire.events.hand_events import HandClosed, HandNoticed, HandOverdue, TurnNoticed
from twinwall.wire.events.trouble_events import RefereeCalled, TableFault, TableSubject
from twinwall.wire.messages.commands import PauseClock
from twinwall.wire.shapes.panel import Key
from vision.mat import Area, Slot

LIMIT_S, NOTICE_S = 150.0, 30.0
LONGEST_STEP_S = 10.0
"""So much of the hand's time is lost at most where the clock stops."""
LIMITED = set_up(hand_limit_s=LIMIT_S, hand_notice_s=NOTICE_S, last_hand=1)
WALLS = walls_of({E: "5s 1m 2m 3m 4m 6m 7m 8m 9m 1p 2p 3p 4p 5p", W: "5s 5s"})


def begun(make_rig: MakeRig, setup: Setup = LIMITED) -> Game:
    return Game(make_rig, WALLS, setup=setup).take_hands()


def noticed(played: Game) -> list[float]:
    return [event.left_s for event in played.rig.happened(HandNoticed)]


def overdue(played: Game) -> list[float]:
    return [event.limit_s for event in played.rig.happened(HandOverdue)]


def test_the_table_is_told_by_lamp_and_buzzer_and_then_the_referee_is_called_once(make_rig: MakeRig) -> None:
    played = begun(make_rig).wait(LIMIT_S - NOTICE_S - 1)
    assert (noticed(played), played.called, played.rig.lamps.buzzer) == ([], "", False)
    played.wait(2)
    assert (noticed(played), played.called, played.rig.lamps.buzzer) == ([NOTICE_S], "E", True)
    played.wait(NOTICE_S)
    assert (overdue(played), played.table_calls_about, played.called) == ([LIMIT_S], ["hand-overdue"], "")
    played.rule().wait(2 * LIMIT_S)
    assert (len(noticed(played)), len(overdue(played)), played.table_calls_about) == (1, 1, [])


def test_no_seat_is_accused_of_slow_play_of_the_hand_only_the_server_is_told_and_play_goes_on(make_rig: MakeRig) -> None:
    played = begun(make_rig).wait(LIMIT_S + 1)
    assert (overdue(played), played.violations(), played.referee_called_by) == ([LIMIT_S], [], "")
    assert played.rig.happened(RefereeCalled) == [RefereeCalled(about=TableSubject.HAND_OVERDUE)]
    assert [topic for topic, line in played.rig.broker.published if b'"hand-overdue"' in line] == [f"twinwall/{EVENT}/1/events"] * 2
    assert played.draw(E).discard(E, "5s").close_window().unlocked == "S"


def test_draws_discards_and_claim_windows_all_count(make_rig: MakeRig) -> None:
    played = begun(make_rig).wait(LIMIT_S / 2).draw(E).wait(LIMIT_S / 2 - NOTICE_S - 5)
    assert noticed(played) == []
    played.discard(E, "5s").close_window().wait(5)
    assert (noticed(played), played.called) == ([NOTICE_S], "S")


def test_a_clock_that_stands_still_goes_on_where_it_stood(make_rig: MakeRig) -> None:
    played = begun(make_rig).wait(LIMIT_S - NOTICE_S - 15).press(N, Key.REFEREE).wait(3 * LIMIT_S)
    assert (noticed(played), overdue(played)) == ([], [])
    played.rule()
    played.rig.tell(PauseClock(paused=True))
    played.wait(3 * LIMIT_S)
    assert (noticed(played), overdue(played)) == ([], [])
    played.rig.tell(PauseClock(paused=False))
    played.wait(15 + LONGEST_STEP_S)
    assert (noticed(played), overdue(played)) == ([NOTICE_S], [])


def test_a_controller_that_starts_again_goes_on_with_the_time_that_was_left(make_rig: MakeRig) -> None:
    played = begun(make_rig).wait(LIMIT_S - NOTICE_S + 1)
    played.rig.die()
    played.rig.settle()
    played.wait(NOTICE_S + LONGEST_STEP_S)
    assert (noticed(played), overdue(played)) == ([NOTICE_S], [LIMIT_S])
    played.rig.die()
    played.rig.settle()
    played.rule().wait(2 * LIMIT_S)
    assert (noticed(played), overdue(played)) == ([NOTICE_S], [LIMIT_S]), "said once a hand"


def start_again(played: Game, limit_s: float) -> None:
    """The controller is started again with another limit of the hand (s)."""
    played.rig.setup = replace(LIMITED, hand_limit_s=limit_s)
    played.rig.die()
    played.rig.settle()


@pytest.mark.parametrize("limit_s", [LIMIT_S / 2, LIMIT_S / 2 + 0.5, LIMIT_S - NOTICE_S])
def test_a_limit_set_below_the_time_that_has_passed_calls_the_referee_at_once_and_once(make_rig: MakeRig, limit_s: float) -> None:
    played = begun(make_rig).wait(LIMIT_S - NOTICE_S + 1)
    start_again(played, limit_s)
    played.wait(1)
    assert (overdue(played), played.table_calls_about) == ([limit_s], ["hand-overdue"])
    played.rule().wait(2 * LIMIT_S)
    start_again(played, limit_s / 2)
    played.wait(2 * LIMIT_S)
    assert (overdue(played), played.table_calls_about) == ([limit_s], []), "said once a hand"


def test_a_limit_raised_after_the_referee_was_called_starts_no_clock(make_rig: MakeRig) -> None:
    played = begun(make_rig).wait(LIMIT_S + 1).rule()
    start_again(played, 1.1 * LIMIT_S)
    played.wait(LIMIT_S)
    assert (len(noticed(played)), overdue(played), played.called, played.rig.lamps.buzzer) == (1, [LIMIT_S], "", False)


def test_a_limit_raised_before_it_has_passed_gives_the_time_that_is_left(make_rig: MakeRig) -> None:
    played = begun(make_rig).wait(LIMIT_S / 2)
    start_again(played, 2 * LIMIT_S)
    played.wait(LIMIT_S)
    assert (noticed(played), overdue(played)) == ([], [])
    played.wait(LIMIT_S / 2 + LONGEST_STEP_S)
    assert (noticed(played), overdue(played)) == ([NOTICE_S], [2 * LIMIT_S])


def test_the_clock_of_the_turn_runs_beside_that_of_the_hand(make_rig: MakeRig) -> None:
    played = begun(make_rig, replace(LIMITED, turn_limit_s=30.0, turn_notice_s=10.0)).wait(31)
    assert played.violations() == ["slow-play"]
    played.rule().wait(LIMIT_S)
    assert (played.violations(), overdue(played)) == (["slow-play"], [LIMIT_S])


@pytest.mark.parametrize(("limit_s", "left_s"), [(NOTICE_S, NOTICE_S / 2), (2 * NOTICE_S, NOTICE_S)])
def test_a_short_limit_is_noticed_at_its_half(make_rig: MakeRig, limit_s: float, left_s: float) -> None:
    played = begun(make_rig, replace(LIMITED, hand_limit_s=limit_s)).wait(limit_s - left_s + 1)
    assert noticed(played) == [left_s]
    of_turn = begun(make_rig, set_up(turn_limit_s=limit_s, turn_notice_s=NOTICE_S, last_hand=1))
    of_turn.wait(limit_s - left_s + 1)
    assert [event.left_s for event in of_turn.rig.happened(TurnNoticed)] == [left_s]


TURN_LIMIT_S, TURN_NOTICE_S = 60.0, 15.0
TURN_LIMITED = set_up(turn_limit_s=TURN_LIMIT_S, turn_notice_s=TURN_NOTICE_S, last_hand=1)


def turn_begun(make_rig: MakeRig) -> Game:
    return begun(make_rig, TURN_LIMITED)


def test_a_seat_is_told_by_lamp_and_buzzer_and_then_the_referee_is_called_once(make_rig: MakeRig) -> None:
    played = turn_begun(make_rig).wait(TURN_LIMIT_S - TURN_NOTICE_S + 1)
    assert [(event.seat, event.left_s) for event in played.rig.happened(TurnNoticed)] == [(E, TURN_NOTICE_S)]
    assert (played.lit, played.called, played.rig.lamps.buzzer, played.violations()) == ("E", "E", True, [])
    played.wait(TURN_NOTICE_S)
    assert (played.violations(), played.referee_called_by) == (["slow-play"], "E")
    played.wait(2 * TURN_LIMIT_S)
    assert played.violations() == ["slow-play"]


def test_each_draw_and_each_discard_has_the_whole_time(make_rig: MakeRig) -> None:
    played = turn_begun(make_rig)
    for _ in range(2):
        played.wait(TURN_LIMIT_S - TURN_NOTICE_S - 1)
        assert played.called == ""
        played.draw(E) if played.unlocked else played.discard(E, "5s")
    assert played.rig.happened(TurnNoticed) == []


def test_nobody_is_on_the_clock_while_claims_are_open_or_play_is_halted(make_rig: MakeRig) -> None:
    played = turn_begun(make_rig).draw(E).press(N, Key.REFEREE).wait(3 * TURN_LIMIT_S)
    assert (played.rig.happened(TurnNoticed), played.violations()) == ([], [])
    claimed = turn_begun(make_rig).draw(E).discard(E, "5s").press(W, Key.PUNG).close_window()
    claimed.wait(TURN_LIMITED.show_timeout_s - 1)
    assert claimed.rig.happened(TurnNoticed) == []


def test_a_seat_whose_discard_waits_to_be_named_by_the_referee_is_not_called_slow(make_rig: MakeRig) -> None:
    played = turn_begun(make_rig).draw(E).wait(30)
    played.rig.mat.blurred.add(Slot(played.place(E), Area.RIVER, 0))
    played.discard(E, "5s").wait(3 * TURN_LIMIT_S)
    assert played.rig.happened(TableFault)[-1].code == "unread-tile"
    assert (played.rig.happened(TurnNoticed), played.violations()) == ([], [])


@pytest.mark.parametrize("why", ["silent", "mat-of:12", "frozen"])
def test_nobody_is_slow_while_the_camera_over_the_mat_is_lost(why: str, make_rig: MakeRig) -> None:
    played = turn_begun(make_rig).draw(E).lose_camera(why).wait(3 * TURN_LIMIT_S)
    assert (played.rig.happened(TurnNoticed), played.violations()) == ([], [])
    played.find_camera().wait(TURN_LIMIT_S - 1)
    assert played.violations() == []
    played.wait(2)
    assert played.violations() == ["slow-play"]


def test_nobody_is_slow_to_draw_while_the_feeder_is_lost(make_rig: MakeRig) -> None:
    played = turn_begun(make_rig)
    played.rig.feeder.disconnect()
    played.rig.settle()
    played.wait(3 * TURN_LIMIT_S)
    assert (played.rig.happened(TurnNoticed), played.violations()) == ([], [])


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(lambda hand: hand.draw(E).discard(E, "5s").press(W, Key.PUNG).close_window(), id="meld"),
        pytest.param(lambda hand: hand.draw(E).press(E, Key.WIN), id="win"),
    ],
)
def test_what_was_called_may_have_been_laid_or_shown_while_the_camera_is_lost(make_rig: MakeRig, call: Callable[[Game], Game]) -> None:
    called = call(begun(make_rig, set_up(last_hand=1)))
    called.lose_camera().wait(3 * TURN_LIMITED.show_timeout_s)
    assert called.violations() == []
    called.find_camera().wait(TURN_LIMITED.show_timeout_s + 1)
    assert called.violations() == ["not-shown"]


def test_without_limits_turn_and_hand_may_take_any_time(make_rig: MakeRig) -> None:
    played = begun(make_rig, set_up(last_hand=1)).wait(3 * LIMIT_S)
    assert (noticed(played), overdue(played), played.called, played.unlocked, played.referee_called_by) == ([], [], "", "E", "")


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
        message = SlotsSeen(watch, {}, shown_ns=shown_ns) if in_slot else TilesDecoded(watch, DISCARD, shown_ns=shown_ns)
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
    assert found(caplog) == [(True, 240), (False, 1700)]


def test_what_is_believed_on_the_second_look_counts_from_the_first(times: Times, caplog: pytest.LogCaptureFixture) -> None:
    times.seen(1000, (SightDoubted("discard E 0"),))
    times.seen(1300, look=2)
    times.public(1500)
    assert found(caplog) == [(True, 500)]


@pytest.mark.parametrize("between", [None, lambda times: times.seen(1000, NOTHING)], ids=["nothing seen", "nothing taken"])
def test_an_untold_discard_is_not_timed(times: Times, caplog: pytest.LogCaptureFixture, between: Callable[[Times], None] | None) -> None:
    if between is not None:
        between(times)
    times.public(1500)
    times.close()
    assert caplog.messages == [f"{TOLD}1 not timed"]


def test_at_the_end_of_a_hand_the_log_says_how_long_its_discards_took(times: Times, caplog: pytest.LogCaptureFixture) -> None:
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
    assert (spread([3]), spread([4, 1, 3, 2])) == (Spread(1, 3, 3), Spread(4, 2, 4))
    assert (spread(range(1, 101)), spread([])) == (Spread(100, 50, 95), None)


def test_a_running_table_logs_each_hand(make_rig: MakeRig, caplog: pytest.LogCaptureFixture) -> None:
    """The camera of this table names no frame, so that nothing is timed."""
    caplog.set_level("INFO")
    game = Game(make_rig, walls_of({E: "123m 456m 789m 46s FF 5s"})).take_hands()
    for seat in (E, S, W, N):
        game.turn(seat, next(iter(game.held(seat))).text)
    game.draw(E).press(E, Key.WIN).lay_open(E, "123m 456m 789m 46s FF", "5s")
    for place in range(4):
        game.rig.tell(KeyPressed(place, Key.CONFIRM))
    assert any(line.startswith(TOLD) for line in caplog.messages)
