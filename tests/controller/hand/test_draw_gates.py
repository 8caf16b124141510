"""Draw gates: one open at a time over whole hands, and tiles drawn early, by force, or put back."""

from collections.abc import Callable

import pytest

from controller.state.broken_rules import BROKEN_RULES
from controller.state.sides import PlayStage
from firmware_bridge.messages import REAR_GATE, Command, NakCode, Unlock
from tests.controller.hand import test_whole_hands
from tests.controller.hand.test_play import CALLS, after_5s
from tests.support.controller.game import Game
from tests.support.controller.hands_of_rules import seated, seated_mcr
from tests.support.controller.rigs import EVENTS, MakeRig, Rig
from tests.support.game.tables import walls_with_kongs
from tests.support.tiers import some
from twinwall.game.play_events import TileDiscarded, TileDrawn
from twinwall.game.tiles import Seat, Tile
from twinwall.wire.events.hand_events import PlayHalted, TileTakenAgain
from twinwall.wire.events.trouble_events import Violation
from twinwall.wire.shapes.panel import Key

E, S, W, N = Seat


def watched(rig: Rig) -> list[int]:
    """The gates that are opened from now on; fails at once when another one stands open at that moment."""
    opened: list[int] = []

    def ask(command: Command) -> NakCode | None:
        if isinstance(command, Unlock):
            others = [gate for gate in range(2 * REAR_GATE) if gate != command.seat and rig.feeder.is_open(gate)]
            assert not others, f"gate {command.seat} is opened while {others} are open"
            opened.append(command.seat)
        return None

    rig.feeder.nak = ask
    return opened


@pytest.mark.parametrize("seed", some([1, 4, 7], 1))
def test_over_a_whole_hand_one_gate_at_most_is_open(make_rig: MakeRig, seed: int) -> None:
    rig, script = seated_mcr(make_rig, seed, raised=True)
    opened = watched(rig)
    test_whole_hands.play(rig)
    assert len(opened) >= sum(isinstance(event, TileDrawn) for event in script)


@pytest.mark.slow
@pytest.mark.parametrize("seed", some([319, 3], 1))
def test_so_it_is_with_kongs_and_while_the_controller_dies_and_the_line_is_cut(make_rig: MakeRig, seed: int) -> None:
    rig, _ = seated_mcr(make_rig, seed, raised=True, deal=walls_with_kongs)
    opened = watched(rig)
    test_whole_hands.mortal(rig, lambda: rig.state.playing.stage is PlayStage.CLOSED, mean=50)
    assert rig.deaths > 1
    assert opened


@pytest.mark.slow
@pytest.mark.parametrize("seed", some([1, 2], 1))
def test_so_it_is_where_shared_tiles_have_gates_of_their_own(make_rig: MakeRig, seed: int) -> None:
    rig, _ = seated(make_rig, "seigo", seed)
    opened = watched(rig)
    rig.run(lambda: rig.state.playing.stage is PlayStage.CLOSED)
    assert {gate // REAR_GATE for gate in opened} == {0, 1}


def test_a_tile_drawn_while_claims_are_open_is_early_and_play_waits(make_rig: MakeRig) -> None:
    game = after_5s(make_rig)
    game.rig.feeder.locks[game.place(S)] = 1e9
    game.draw(S)
    assert (game.violations(), game.rig.happened(PlayHalted)) == (["drew-early"], [PlayHalted("drew-early")])
    while game.rig.time.pass_to_next() and game.rig.time.now_s < 60:
        game.rig.settle()
        assert game.unlocked == ""


@pytest.mark.parametrize(
    ("seat", "what", "says"),
    [
        (S, "drew-early", "before East had discarded"),
        (E, "drew-twice", "second tile left the wall of East"),
        (W, "drew-out-of-turn", "West, which was not to draw"),
        (N, "drew-out-of-turn", "North, which was not to draw"),
    ],
)
def test_before_a_discard_an_early_a_second_and_another_draw_are_told_apart(make_rig: MakeRig, seat: Seat, what: str, says: str) -> None:
    game = Game(make_rig, CALLS).take_hands().draw(E)
    drawn = forced(game, seat)
    assert (drawn.seat, drawn.what) == (seat, what)
    assert says in drawn.sentence
    assert drawn.rule == BROKEN_RULES[what]
    assert game.rig.happened(PlayHalted) == [PlayHalted(what)]


@pytest.mark.parametrize(
    ("before", "seat", "what"),
    [
        *(
            pytest.param(lambda game: game, seat, "drew-out-of-turn", id=f"from the wall of {seat} while claims are open")
            for seat in (E, W, N)
        ),
        pytest.param(lambda game: game.press(W, Key.PUNG).close_window(), S, "drew-early", id="while a claim of another stands"),
        pytest.param(
            lambda game: game.press(W, Key.PUNG).close_window().expose(W, "5s 5s 5s"), W, "drew-out-of-turn", id="a claim is no draw"
        ),
    ],
)
def test_after_a_discard_only_the_next_seat_draws_early(make_rig: MakeRig, before: Callable[[Game], Game], seat: Seat, what: str) -> None:
    assert forced(before(after_5s(make_rig)), seat).what == what


def forced(game: Game, seat: Seat) -> Violation:
    """A tile is lifted out of the locked gate of a seat: the violation that is told."""
    game.rig.feeder.locks[game.place(seat)] = 1e9
    game.draw(seat)
    (violation,) = game.rig.happened(Violation)
    return violation


def put_back(make_rig: MakeRig) -> Game:
    """East has drawn the first tile, and has put it back."""
    game = Game(make_rig, CALLS).take_hands().draw(E)
    game.rig.feeder.put_back(game.place(E))
    game.rig.settle()
    return game


def test_a_tile_put_back_is_told_to_everybody_and_nothing_moves_before_the_referee_has_ruled(make_rig: MakeRig) -> None:
    game = put_back(make_rig)
    assert game.violations() == ["put-back"]
    assert game.rig.happened(Violation)[0].sentence.startswith("East put a drawn tile back")
    assert game.referee_called_by == "E"
    assert game.rig.lamps.fault
    published = [line for topic, line in game.rig.broker.published if topic == EVENTS]
    assert any(b'"put-back"' in line and b'"violation"' in line for line in published)
    game.rig.time.pass_to_next()
    game.rig.settle()
    assert game.unlocked == ""


def test_after_the_ruling_its_gate_gives_the_tile_out_again_and_the_hand_goes_on(make_rig: MakeRig) -> None:
    game = put_back(make_rig).rule()
    assert game.unlocked == "E"
    game.draw(E)
    assert game.rig.happened(TileTakenAgain) == [TileTakenAgain(E)]
    assert (game.rig.happened(TileDrawn), game.violations()) == ([TileDrawn(E)], ["put-back"])
    game.discard(E, "9p").close_window()
    assert (game.rig.happened(TileDiscarded), game.unlocked) == ([TileDiscarded(E, Tile.P9)], "S")


def test_who_forces_the_tile_out_before_the_ruling_is_told_of_again(make_rig: MakeRig) -> None:
    game = put_back(make_rig)
    game.rig.feeder.locks[game.place(E)] = 1e9
    game.draw(E)
    assert game.violations() == ["put-back", "drew-out-of-turn"]
    assert game.rig.happened(Violation)[-1].rule == "a tile that was put back is given out again after the referee's ruling"
    game.rule()
    assert game.unlocked == ""


def test_a_tile_put_back_is_no_difference_in_a_magazine_when_the_line_was_lost_meanwhile(make_rig: MakeRig) -> None:
    game = put_back(make_rig)
    game.rig.feeder.disconnect()
    game.rig.settle()
    game.rig.feeder.connect()
    game.rig.settle()
    game.rule()
    game.rig.run(lambda: game.unlocked == "E", most_s=3)
    assert game.violations() == ["put-back"]


def test_a_tile_that_was_given_out_again_while_the_feeder_lost_its_power_is_known_to_be_out(make_rig: MakeRig) -> None:
    game = put_back(make_rig).rule()
    game.rig.feeder.disconnect()
    game.rig.feeder.lift(game.place(E))
    game.rig.feeder.restart()
    game.rig.run(lambda: game.rig.state.playing.surveyed, most_s=3)
    assert (game.rig.happened(TileTakenAgain), game.violations()) == ([TileTakenAgain(E)], ["put-back"])


def test_a_gate_that_opens_again_after_the_feeder_lost_its_power_opens_once_its_line_is_on_disk(make_rig: MakeRig) -> None:
    """No event of play goes before it, and the rig refuses a gate whose line a power cut could take."""
    game = put_back(make_rig).rule()
    game.rig.feeder.disconnect()
    game.rig.feeder.restart()
    game.rig.run(lambda: game.unlocked == "E", most_s=9)
    game.draw(E)
    assert game.rig.happened(TileTakenAgain) == [TileTakenAgain(E)]
