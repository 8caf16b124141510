"""Draws that were not reported, and late timers: play continues with what really happened."""

import pytest

from controller.ledger.journal_events import PositionsDoubted
from controller.state.messages import TimerFired
from controller.state.timers import ClaimWindowTimer, StarvedTimer
from tests.support.controller.game import E, Game, S, W, walls_of
from tests.support.controller.rigs import MakeRig, Rig
from twinwall.game.play_events import ClaimsPassed, TileDiscarded, TileDrawn
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Tile
from twinwall.wire.events.hand_events import GateUnlocked
from twinwall.wire.events.trouble_events import RefereeCalled, Violation

CALLS = walls_of({E: "123456789p 123s 5s", S: "19m 46s 7s 8s 9s 1p E S W C F"})


@pytest.fixture
def game(make_rig: MakeRig) -> Game:
    return Game(make_rig, CALLS).take_hands()


def start_anew(rig: Rig) -> None:
    """The feeder loses power and what it had to tell, and comes back."""
    rig.feeder.power_cut()
    rig.feeder.connect()
    rig.settle()
    rig.run(lambda: rig.state.playing.surveyed, most_s=2)


def test_a_draw_that_a_feeder_forgot_when_it_started_anew_is_found_in_the_magazine(game: Game) -> None:
    game.rig.feeder.disconnect()
    game.rig.feeder.lift(game.place(E))
    start_anew(game.rig)
    assert game.rig.happened(TileDrawn) == [TileDrawn(E)]
    assert game.violations() == []
    game.discard(E, "9p").close_window()
    assert game.rig.happened(TileDiscarded) == [TileDiscarded(E, Tile.P9)]
    assert game.unlocked == "S"


def test_a_draw_still_to_be_told_is_waited_for_and_counts_once(game: Game) -> None:
    """The line was cut; the account of the sensors comes back before the event does."""
    feeder = game.rig.feeder
    feeder.disconnect()
    feeder.lift(game.place(E))
    late, feeder._kept = feeder._kept, []
    feeder.connect()
    game.rig.settle()
    assert game.rig.happened(TileDrawn) == []
    feeder._kept = late
    feeder._tell(late[-1])
    game.rig.settle()
    assert game.rig.happened(TileDrawn) == [TileDrawn(E)]
    assert game.violations() == []
    game.rig.run(lambda: game.rig.state.playing.surveyed, most_s=2)
    assert game.violations() == []


def test_a_feeder_that_starts_anew_with_nothing_drawn_opens_the_same_gate_again(game: Game) -> None:
    start_anew(game.rig)
    game.rig.run(lambda: game.unlocked == "E", most_s=3)
    assert game.violations() == []
    assert game.rig.happened(TileDrawn) == []


def test_a_magazine_that_lacks_another_seats_tile_is_for_the_referee_once(game: Game) -> None:
    west = game.place(W)
    del game.rig.feeder.magazines[min(position for position in game.rig.feeder.magazines if position[0] == west)]
    start_anew(game.rig)
    assert [(event.seat, event.what) for event in game.rig.happened(Violation)] == [(W, "magazine-differs")]
    assert "1 fewer" in game.rig.happened(Violation)[0].sentence
    assert game.rig.happened(RefereeCalled) == [RefereeCalled(W)]
    start_anew(game.rig)
    assert len(game.rig.happened(Violation)) == 1
    assert game.rig.happened(TileDrawn) == []


def test_a_draw_is_found_though_the_referee_has_been_called(game: Game) -> None:
    west = game.place(W)
    del game.rig.feeder.magazines[min(position for position in game.rig.feeder.magazines if position[0] == west)]
    start_anew(game.rig)
    game.rig.run(lambda: game.referee_called_by == "W", most_s=3)
    game.rig.rule()
    game.rig.run(lambda: game.unlocked == "E", most_s=3)
    game.rig.feeder.disconnect()
    game.rig.feeder.lift(game.place(E))
    start_anew(game.rig)
    assert game.rig.happened(TileDrawn) == [TileDrawn(E)]


def test_no_gate_opens_before_the_magazines_have_been_compared(game: Game) -> None:
    game.draw(E).discard(E, "9p")
    asked: list[None] = []
    game.rig.request_status = lambda: asked.append(None)  # type: ignore[method-assign]  # an account that is long in coming
    game.rig.feeder.power_cut()
    game.rig.feeder.connect()
    game.rig.settle()
    game.close_window()
    assert game.rig.happened(ClaimsPassed)
    assert asked
    assert [event.seat for event in game.rig.happened(GateUnlocked)] == [E]
    game.rig.feeder.request_status()
    game.rig.settle()
    assert game.unlocked == "S"


# Late timers ------------------------------------------------------------------------------------------------


def test_a_timer_of_an_earlier_empty_drum_does_not_begin_to_name_what_is_missing(make_rig: MakeRig) -> None:
    faces = list(rule_set("mcr-duplicate").tiles)
    faces.remove(Tile.EAST)
    rig = make_rig(faces=[*faces])
    rig.run(lambda: rig.state.making.build.starved is not None)
    rig.post(TimerFired(StarvedTimer(rig.state.last_event - 1)))
    rig.settle()
    assert not rig.happened(PositionsDoubted)
    rig.post(TimerFired(StarvedTimer(rig.state.last_event)))
    rig.settle()
    assert [event.reason for event in rig.happened(PositionsDoubted)] == ["naming"]


def test_a_timer_of_an_earlier_deals_claim_window_closes_nothing(game: Game) -> None:
    game.draw(E).discard(E, "9p")
    window = game.rig.state.playing.hand.window
    assert window is not None
    game.rig.post(TimerFired(ClaimWindowTimer(game.rig.deal.n + 1, window.number)))
    game.rig.settle()
    assert game.rig.lamps.window
    game.rig.post(TimerFired(ClaimWindowTimer(game.rig.deal.n, window.number)))
    game.rig.settle()
    assert not game.rig.lamps.window
