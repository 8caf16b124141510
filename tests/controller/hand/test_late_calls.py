"""Late calls: a call after its time is told with the rule and changes nothing; presses that are no late calls are not told."""

import pytest

from tests.controller.hand.test_play import after_5s
from tests.support.controller.game import Game
from tests.support.controller.rigs import MakeRig
from tests.support.controller.seigo_hands import Played
from twinwall.game.play_events import Claimed, TileDrawn
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import ClaimBound, PlayHalted
from twinwall.wire.events.trouble_events import Violation
from twinwall.wire.shapes.panel import Key

E, S, W, N = Seat


@pytest.fixture
def passed(make_rig: MakeRig) -> Game:
    """East has discarded 5s, and the claim window is over."""
    return after_5s(make_rig).close_window()


@pytest.mark.parametrize(("seat", "key"), [(W, Key.PUNG), (S, Key.CHOW), (N, Key.WIN), (W, Key.KONG)])
def test_a_call_after_the_window_is_told_with_its_rule_lights_the_lamp_and_calls_the_referee(passed: Game, seat: Seat, key: Key) -> None:
    passed.press(seat, key)
    (violation,) = passed.rig.happened(Violation)
    assert (violation.seat, violation.what) == (seat, "claimed-late")
    assert violation.sentence.startswith(f"{seat.name.title()} pressed {key}")
    assert "claim window" in (violation.rule or "")
    assert passed.referee_called_by == seat.value
    assert passed.rig.lamps.fault
    assert passed.rig.lamps.buzzer


def test_play_goes_on_after_a_late_call(passed: Game) -> None:
    passed.press(W, Key.PUNG)
    assert not passed.rig.happened(PlayHalted)
    assert passed.unlocked == "S"
    passed.draw(S)
    assert passed.rig.happened(TileDrawn) == [TileDrawn(E), TileDrawn(S)]
    assert not passed.rig.happened(ClaimBound)


def test_a_late_call_is_told_once_however_often_its_key_is_pressed(passed: Game) -> None:
    passed.press(W, Key.PUNG).press(W, Key.PUNG).press(W, Key.WIN)
    assert passed.violations() == ["claimed-late"]


def test_a_call_is_late_until_the_next_draw(passed: Game) -> None:
    passed.press(W, Key.PUNG).draw(S).press(N, Key.WIN).press(W, Key.PUNG)
    assert [event.seat for event in passed.rig.happened(Violation)] == [W]
    passed.discard(S, "9s").press(W, Key.PUNG)
    assert passed.rig.happened(ClaimBound)[-1].seat is W
    assert passed.violations() == ["claimed-late"]


def test_a_press_for_a_tile_that_the_camera_has_not_read_yet_accuses_nobody(passed: Game) -> None:
    passed.draw(S).lay(S, "9s").press(W, Key.PUNG)
    assert passed.violations() == []
    passed.look().press(W, Key.PUNG)
    assert passed.rig.happened(ClaimBound)[-1].seat is W


@pytest.mark.parametrize(("seat", "key"), [(S, Key.PUNG), (S, Key.CHOW), (N, Key.WIN)])
def test_after_the_draw_a_wrong_key_for_the_own_kong_and_a_win_by_robbing_it_accuse_nobody(passed: Game, seat: Seat, key: Key) -> None:
    passed.draw(S).press(S, Key.KONG).press(seat, key)
    assert passed.violations() == []


def test_a_press_while_a_called_meld_is_laid_and_its_seat_is_to_discard_accuses_nobody(make_rig: MakeRig) -> None:
    """The seat may have discarded before the camera has read its meld."""
    game = after_5s(make_rig).press(W, Key.PUNG).close_window().press(N, Key.WIN)
    game.expose(W, "5s 5s 5s").press(S, Key.WIN)
    assert game.rig.happened(Claimed)[0].seat is W
    assert game.violations() == []


def test_a_press_while_the_meld_of_a_claim_at_the_own_turn_is_laid_accuses_nobody(make_rig: MakeRig) -> None:
    played = Played(make_rig, E="4s", S="5s 6s 7s 4s 1m")
    played.turn(E, "4s", 0)
    played.press(S, Key.CHOW)
    played.press(N, Key.WIN)
    assert played.happened() == []


def test_who_has_called_in_time_may_press_again(make_rig: MakeRig) -> None:
    game = after_5s(make_rig).press(W, Key.PUNG).press(S, Key.CHOW).close_window()
    game.press(W, Key.PUNG).press(S, Key.CHOW).expose(W, "5s 5s 5s").press(W, Key.PUNG).press(S, Key.CHOW)
    assert game.violations() == []


@pytest.mark.parametrize(("seat", "key"), [(W, Key.CHOW), (E, Key.PUNG), (S, Key.WIN), (S, Key.KONG)])
def test_what_was_not_offered_and_what_may_be_a_call_at_the_own_turn_is_not_told(passed: Game, seat: Seat, key: Key) -> None:
    before = len(passed.rig.entries())
    passed.press(seat, key)
    assert len(passed.rig.entries()) == before


def test_while_the_referee_is_waited_for_no_call_is_late(passed: Game) -> None:
    passed.press(E, Key.REFEREE).press(W, Key.PUNG)
    assert passed.violations() == []


def test_a_claim_that_waited_for_the_turn_has_no_effect_after_the_draw(make_rig: MakeRig) -> None:
    played = Played(make_rig, E="4s", S="5s 6s 7s 4s 1m")
    played.turn(E, "4s", 0)
    played.draw(S)
    played.press(S, Key.CHOW)
    assert played.happened() == []
