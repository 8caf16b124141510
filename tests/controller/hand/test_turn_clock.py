"""The turn clock: a seat that takes long is told first, then the referee is called; nothing else waits."""

from dataclasses import replace

import pytest

from controller.state.setup import Setup
from tests.support.controller.game import E, Game, N, W, walls_of
from tests.support.controller.rigs import MakeRig, set_up
from twinwall.wire.events.hand_events import TurnNoticed
from twinwall.wire.events.trouble_events import TableFault
from twinwall.wire.shapes.panel import Key
from vision.mat import Area, Slot

LIMIT_S, NOTICE_S = 60.0, 15.0
LIMITED = set_up(turn_limit_s=LIMIT_S, turn_notice_s=NOTICE_S, last_hand=1)
WALLS = walls_of({E: "5s 1m 2m 3m 4m 6m 7m 8m 9m 1p 2p 3p 4p 5p", W: "5s 5s"})


def begun(make_rig: MakeRig, setup: Setup = LIMITED) -> Game:
    return Game(make_rig, WALLS, setup=setup).take_hands()


def test_a_seat_is_told_by_lamp_and_buzzer_and_then_the_referee_is_called_once(make_rig: MakeRig) -> None:
    played = begun(make_rig)
    played.wait(LIMIT_S - NOTICE_S + 1)
    assert [(event.seat, event.left_s) for event in played.rig.happened(TurnNoticed)] == [(E, NOTICE_S)]
    assert (played.lit, played.called, played.rig.lamps.buzzer, played.violations()) == ("E", "E", True, [])
    played.wait(NOTICE_S)
    assert (played.violations(), played.referee_called_by) == (["slow-play"], "E")
    played.wait(2 * LIMIT_S)
    assert played.violations() == ["slow-play"]


def test_each_draw_and_each_discard_has_the_whole_time(make_rig: MakeRig) -> None:
    played = begun(make_rig)
    for _ in range(2):
        played.wait(LIMIT_S - NOTICE_S - 1)
        assert played.called == ""
        played.draw(E) if played.unlocked else played.discard(E, "5s")
    assert played.rig.happened(TurnNoticed) == []


def test_nobody_is_on_the_clock_while_claims_are_open_or_play_is_halted(make_rig: MakeRig) -> None:
    played = begun(make_rig).draw(E)
    played.press(N, Key.REFEREE)
    played.wait(3 * LIMIT_S)
    assert (played.rig.happened(TurnNoticed), played.violations()) == ([], [])
    claimed = begun(make_rig).draw(E).discard(E, "5s").press(W, Key.PUNG).close_window()
    claimed.wait(LIMITED.show_timeout_s - 1)
    assert claimed.rig.happened(TurnNoticed) == []


def test_a_seat_whose_discard_waits_to_be_named_by_the_referee_is_not_called_slow(make_rig: MakeRig) -> None:
    played = begun(make_rig).draw(E)
    played.wait(30)
    played.rig.mat.blurred.add(Slot(played.place(E), Area.RIVER, 0))
    played.discard(E, "5s").wait(3 * LIMIT_S)
    assert played.rig.happened(TableFault)[-1].code == "unread-tile"
    assert (played.rig.happened(TurnNoticed), played.violations()) == ([], [])


@pytest.mark.parametrize("why", ["silent", "mat-of:12", "frozen"])
def test_nobody_is_slow_while_the_camera_over_the_mat_is_lost(why: str, make_rig: MakeRig) -> None:
    played = begun(make_rig).draw(E).lose_camera(why).wait(3 * LIMIT_S)
    assert (played.rig.happened(TurnNoticed), played.violations()) == ([], [])
    played.find_camera().wait(LIMIT_S - 1)
    assert played.violations() == []
    played.wait(2)
    assert played.violations() == ["slow-play"]


def test_nobody_is_slow_to_draw_while_the_feeder_is_lost(make_rig: MakeRig) -> None:
    played = begun(make_rig)
    played.rig.feeder.disconnect()
    played.rig.settle()
    played.wait(3 * LIMIT_S)
    assert (played.rig.happened(TurnNoticed), played.violations()) == ([], [])


def test_a_called_meld_may_have_been_laid_while_the_camera_is_lost(make_rig: MakeRig) -> None:
    claimed = begun(make_rig, set_up(last_hand=1)).draw(E).discard(E, "5s").press(W, Key.PUNG).close_window()
    claimed.lose_camera().wait(3 * LIMITED.show_timeout_s)
    assert claimed.violations() == []
    claimed.find_camera().wait(LIMITED.show_timeout_s + 1)
    assert claimed.violations() == ["not-shown"]


def test_a_called_win_may_have_been_shown_while_the_camera_is_lost(make_rig: MakeRig) -> None:
    called = begun(make_rig, set_up(last_hand=1)).draw(E).press(E, Key.WIN)
    called.lose_camera().wait(3 * LIMITED.show_timeout_s)
    assert called.violations() == []
    called.find_camera().wait(LIMITED.show_timeout_s + 1)
    assert called.violations() == ["not-shown"]


def test_without_a_limit_nobody_is_told_anything(make_rig: MakeRig) -> None:
    played = begun(make_rig, set_up(last_hand=1))
    played.wait(3 * LIMIT_S)
    assert (played.called, played.unlocked, played.referee_called_by) == ("", "E", "")


def test_a_short_limit_is_noticed_at_its_half(make_rig: MakeRig) -> None:
    played = begun(make_rig, replace(LIMITED, turn_limit_s=NOTICE_S))
    played.wait(NOTICE_S / 2 + 1)
    assert [event.left_s for event in played.rig.happened(TurnNoticed)] == [NOTICE_S / 2]
