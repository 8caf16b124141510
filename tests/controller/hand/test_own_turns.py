"""Calls out of time: what waits for the own turn, riichi, and calls that come late."""

from collections.abc import Callable

import pytest

from controller.core.decide import decide
from controller.core.outputs import outputs_of
from controller.state.messages import Refused
from firmware_bridge.messages import REAR_GATE
from tests.controller.hand.test_play import after_5s
from tests.support.controller.game import Game, seigo_game
from tests.support.controller.rigs import MakeRig
from tests.support.narrowed import of_type, present
from twinwall.game.play_events import Claim, Claimed, TileDiscarded, TileDrawn
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.wire.events.hand_events import ClaimBound, ClaimCalled, ClaimRefused, KongCalled, PlayHalted, RiichiCalled
from twinwall.wire.events.trouble_events import Violation
from twinwall.wire.messages.commands import AnswerTile
from twinwall.wire.shapes.panel import Key, Lamps
from vision.mat import Area, Slot

E, S, W, N = SEATS
TWO_WAYS = {"E": "C 1m", "S": "C 9m 1p 9p", "W": "2p 8p", "N": "C C 4s 4s 4s 5m 6m"}


def to_north(make_rig: MakeRig) -> Game:
    """East and South have discarded the same dragon, West something else: all three wait for North."""
    return seigo_game(make_rig, **TWO_WAYS).turn(E, "C").turn(S, "C").turn(W, "2p")


def test_a_discard_waits_for_ones_own_turn_and_the_call_shuts_the_gate(make_rig: MakeRig) -> None:
    played = to_north(make_rig)
    north = played.place(N)
    assert played.rig.feeder.is_open(north)
    played.press(N, Key.PUNG)
    assert played.rig.happened(ClaimCalled) == [ClaimCalled(N, Claim.PUNG)]
    assert not played.rig.feeder.locks
    assert played.rig.lamps == Lamps(turn=frozenset({north}), call=frozenset({north}))


@pytest.mark.parametrize("giver", [E, S])
def test_the_empty_place_in_a_river_tells_whose_discard_was_taken(make_rig: MakeRig, giver: Seat) -> None:
    played = to_north(make_rig).press(N, Key.PUNG).take(giver, 0).meld(N, "C C C")
    assert [event.meld.source for event in played.rig.happened(Claimed)] == [giver]
    played.discard(N, "5m")
    assert played.rig.happened(TileDiscarded)[-1] == TileDiscarded(N, Tile.M5)
    assert not played.violations()


def test_a_meld_that_took_nothing_from_a_river_is_a_false_claim_and_the_seat_draws(make_rig: MakeRig) -> None:
    played = to_north(make_rig).press(N, Key.PUNG).meld(N, "4s 4s 4s")
    assert (played.rig.happened(ClaimRefused), played.violations()) == ([ClaimRefused(N)], ["false-claim"])
    assert played.rig.feeder.is_open(played.place(N))


def test_a_draw_takes_the_call_back(make_rig: MakeRig) -> None:
    played = to_north(make_rig)
    played.rig.feeder.lift(played.place(N))
    played.press(N, Key.PUNG)
    assert not played.rig.happened(ClaimCalled), "the tile was in the hand before the key was down"
    played.discard(N, "5m")
    assert played.rig.lamps.window


def test_a_tile_lifted_while_the_gate_was_shutting_takes_the_call_back(make_rig: MakeRig) -> None:
    played = to_north(make_rig)
    north = played.place(N)
    played.press(N, Key.PUNG)
    played.rig.feeder.locks[north] = played.rig.time.now_s + 1
    played.draw(N)
    assert played.rig.lamps.call == frozenset()
    played.discard(N, "5m")
    assert played.rig.lamps.window
    assert not played.violations()


def test_a_discard_that_nobody_may_claim_cannot_be_called(make_rig: MakeRig) -> None:
    played = to_north(make_rig)
    before = len(played.rig.events())
    played.press(W, Key.PUNG).press(S, Key.CHOW)
    assert len(played.rig.events()) == before
    played.press(N, Key.CHOW)
    assert played.rig.happened(ClaimCalled) == [ClaimCalled(N, Claim.CHOW)], "whether North can make it nobody knows"


def test_an_open_kong_ends_the_turn_its_indicator_comes_first_and_its_place_in_the_river_stays_empty(make_rig: MakeRig) -> None:
    played = seigo_game(make_rig, E="C 1m 2m", S="C C C", W="2p", N="3p")
    played.turn(E, "C").press(S, Key.KONG).take(E, 0).meld(S, "C C C C")
    assert set(played.rig.feeder.locks) == {REAR_GATE + played.place(S)}
    played.turn_up_shared().turn(W, "2p").turn(N, "3p").turn(E, "1m").draw(S)
    assert played.rig.watched.slots == (Slot(played.place(S), Area.RIVER, 1),)


READY = "1m 2m 3m 4p 5p 6p 7s 8s 9s E E S S | C"


def test_riichi_is_a_key_before_the_discard_and_its_tile_cannot_be_called(make_rig: MakeRig) -> None:
    played = seigo_game(make_rig, E=READY, S="C C 1m", W="9m", N="9p").turn(E, "C", Key.RIICHI)
    assert played.rig.happened(TileDiscarded) == [TileDiscarded(E, Tile.RED, riichi=True)]
    played.press(S, Key.PUNG)
    assert not played.rig.happened(ClaimCalled)
    assert played.rig.feeder.is_open(played.place(S))


def test_the_call_lamp_answers_riichi_and_a_key_pressed_in_vain_says_nothing(make_rig: MakeRig) -> None:
    played = seigo_game(make_rig, E=READY).draw(E)
    east = played.place(E)
    played.press(S, Key.RIICHI)
    assert not played.rig.happened(RiichiCalled)
    played.press(E, Key.RIICHI)
    assert played.rig.lamps == Lamps(turn=frozenset({east}), call=frozenset({east}))
    played.press(E, Key.KONG)
    assert len(played.rig.happened(RiichiCalled)) == 1
    assert not played.rig.happened(KongCalled), "riichi binds"


def test_after_a_claim_riichi_is_not_heard(make_rig: MakeRig) -> None:
    played = to_north(make_rig).press(N, Key.PUNG).take(S, 0).meld(N, "C C C").press(N, Key.RIICHI)
    assert not played.rig.happened(RiichiCalled)


def chow_laid(make_rig: MakeRig) -> Game:
    """South has made a chow with East's 4s, and holds a 7s that it may not discard now."""
    played = seigo_game(make_rig, E="4s", S="5s 6s 7s 4s 1m")
    return played.turn(E, "4s").press(S, Key.CHOW).take(E, 0).meld(S, "4s 5s 6s")


def test_a_discard_that_undoes_the_claim_waits_for_the_referee_and_another_one_is_seen_after_his_ruling(make_rig: MakeRig) -> None:
    played = chow_laid(make_rig).discard(S, "7s")
    assert played.violations() == ["false-discard"]
    assert played.rig.state.playing.halted
    (violation,) = played.rig.happened(Violation)
    assert violation.sentence.startswith("South discarded 7s")
    assert "swap calling" in (violation.rule or "")
    played.look()
    assert played.violations() == ["false-discard"], "said once"
    played.take(S, 0).rule().discard(S, "1m", at=0)
    assert played.rig.happened(TileDiscarded)[-1] == TileDiscarded(S, Tile.M1)


def test_an_answer_that_names_a_tile_which_may_not_be_discarded_accuses_nobody_and_the_question_stays_open(make_rig: MakeRig) -> None:
    played = chow_laid(make_rig)
    rig = played.rig
    rig.mat.blurred.add(Slot(rig.deal.place(S), Area.RIVER, 0))
    played.discard(S, "1m")
    asked = present(outputs_of(rig.setup, rig.state).asked.question)
    before = rig.events()
    slip = AnswerTile(asked.n, asked.number, asked.where, "7s", "Ota")
    refused = of_type(Refused, decide(rig.setup, rig.state, slip))
    assert "7s" in refused.sentence
    assert "look again" in refused.sentence
    rig.tell(slip)
    assert (rig.events(), outputs_of(rig.setup, rig.state).asked.question) == (before, asked)
    rig.tell(AnswerTile(asked.n, asked.number, asked.where, "1m", "Ota"))
    assert rig.happened(TileDiscarded)[-1] == TileDiscarded(S, Tile.M1)
    assert (played.violations(), rig.state.playing.halted) == ([], False)


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
    assert (passed.rig.happened(ClaimBound)[-1].seat, passed.violations()) == (W, ["claimed-late"])


def test_a_press_for_a_tile_that_the_camera_has_not_read_yet_accuses_nobody(passed: Game) -> None:
    passed.draw(S).lay(S, "9s").press(W, Key.PUNG)
    assert passed.violations() == []
    passed.look().press(W, Key.PUNG)
    assert passed.rig.happened(ClaimBound)[-1].seat is W


@pytest.mark.parametrize(("seat", "key"), [(W, Key.CHOW), (E, Key.PUNG), (S, Key.WIN), (S, Key.KONG)])
def test_what_was_not_offered_and_what_may_be_a_call_at_the_own_turn_is_not_told(passed: Game, seat: Seat, key: Key) -> None:
    before = len(passed.rig.entries())
    passed.press(seat, key)
    assert len(passed.rig.entries()) == before


@pytest.mark.parametrize(
    "presses",
    [
        *(
            pytest.param(lambda game, key=key: game.close_window().draw(S).press(S, Key.KONG).press(S, key), id=f"{key} for the own kong")
            for key in (Key.PUNG, Key.CHOW)
        ),
        pytest.param(lambda game: game.close_window().draw(S).press(S, Key.KONG).press(N, Key.WIN), id="a win by robbing a kong"),
        pytest.param(
            lambda game: game.press(W, Key.PUNG).close_window().press(N, Key.WIN).expose(W, "5s 5s 5s").press(S, Key.WIN),
            id="while a called meld is laid, and while its seat may have discarded before the camera has read it",
        ),
        pytest.param(
            lambda game: both(both(both(game).close_window()).expose(W, "5s 5s 5s")), id="of those who have called in time, once more"
        ),
        pytest.param(lambda game: game.close_window().press(E, Key.REFEREE).press(W, Key.PUNG), id="while the referee is waited for"),
    ],
)
def test_these_presses_accuse_nobody(make_rig: MakeRig, presses: Callable[[Game], Game]) -> None:
    assert presses(after_5s(make_rig)).violations() == []


def both(game: Game) -> Game:
    return game.press(W, Key.PUNG).press(S, Key.CHOW)


@pytest.mark.parametrize("drawn", [False, True])
def test_nor_does_one_while_a_claim_at_the_own_turn_is_laid_nor_one_for_it_after_the_draw(make_rig: MakeRig, drawn: bool) -> None:
    played = seigo_game(make_rig, E="4s", S="5s 6s 7s 4s 1m").turn(E, "4s")
    played = played.draw(S).press(S, Key.CHOW) if drawn else played.press(S, Key.CHOW).press(N, Key.WIN)
    assert played.violations() == []
