"""Discards astray: a discard that the decoder found away from its place is taken, and no other one is awaited where it lies."""

import pytest

from controller.core.outputs import outputs_of
from controller.ledger.journal_events import DiscardAstray, SightDoubted
from controller.state.messages import DiscardDecoded, ExposureDecoded
from controller.state.watches import Watch
from tests.support.controller.game import E, Game, N, S, W, walls_of
from tests.support.controller.rigs import MakeRig, set_up
from twinwall.game.play_events import TileDiscarded
from twinwall.game.tiles import Tile
from twinwall.wire.events.trouble_events import DealFouled
from twinwall.wire.messages.commands import AnswerTile
from twinwall.wire.shapes.panel import Key
from vision.mat import Area, Slot

WALLS = walls_of(
    {
        E: "123456789p 123s 5s 9m",
        S: "19m 46s 7s 8s 9s 1p E S W C F 1s",
        W: "55s 147m 258p 39s E S N 1s",
        N: "123m 456m 789m 46s CC 1s",
    }
)


@pytest.fixture
def game(make_rig: MakeRig) -> Game:
    return Game(make_rig, WALLS).take_hands().draw(E)


def awaited(game: Game) -> Watch:
    watch = game.rig.eye.watching
    assert watch is not None
    return watch


def decode(game: Game, tile: Tile | None, *covers: tuple[int, int], watch: Watch | None = None) -> None:
    """The decoder tells what the table waits for."""
    game.rig.post(DiscardDecoded(watch or awaited(game), tile, covers))
    game.rig.settle()


def discards(game: Game) -> list[TileDiscarded]:
    return game.rig.happened(TileDiscarded)


def laid_astray(game: Game) -> Game:
    """East's first discard lies on the second place of its river; all have had a turn since, and East has drawn again."""
    decode(game, Tile.P9, (game.place(E), 1))
    game.close_window()
    for seat, tile in ((S, "1m"), (W, "4m"), (N, "4s")):
        game.turn(seat, tile)
    return game.draw(E)


def test_a_table_gives_its_hand_to_a_decoder_only_where_its_settings_say_so(make_rig: MakeRig, game: Game) -> None:
    assert outputs_of(game.rig.setup, game.rig.state).decoded is None
    decoded = Game(make_rig, WALLS, setup=set_up(decodes=True)).take_hands().draw(E).rig
    hand = outputs_of(decoded.setup, decoded.state).decoded
    assert hand is not None
    assert hand.awaited == decoded.eye.watching


def test_a_discard_that_the_decoder_tells_of_is_taken_as_one_that_the_camera_saw(game: Game) -> None:
    decode(game, Tile.P9, (game.place(E), 1))
    assert discards(game) == [TileDiscarded(E, Tile.P9)]
    assert game.rig.lamps.window
    assert not game.rig.state.faults


def test_no_discard_is_awaited_where_another_lies_astray_and_the_decoder_alone_tells_the_next_one(game: Game) -> None:
    laid_astray(game)
    assert awaited(game).slots == ()
    game.rig.mat.tiles[Slot(game.place(E), Area.RIVER, 1)] = Tile.P9
    assert game.rig.eye.observation() is None
    decode(game, Tile.P1, (game.place(E), 2))
    assert discards(game)[-1] == TileDiscarded(E, Tile.P1)


def test_a_discard_near_its_place_leaves_no_other_place_out(game: Game) -> None:
    decode(game, Tile.P9, (game.place(E), 0))
    assert not game.rig.happened(DiscardAstray)


def test_a_discard_on_anothers_river_leaves_out_the_place_there(game: Game) -> None:
    decode(game, Tile.P9, (game.place(S), 0))
    game.close_window().draw(S)
    assert awaited(game).slots == ()


def test_an_answer_to_an_earlier_watch_changes_nothing(game: Game) -> None:
    watch = awaited(game)
    game.discard(E, "9p").close_window().draw(S)
    decode(game, Tile.M1, watch=watch)
    assert discards(game) == [TileDiscarded(E, Tile.P9)]


def test_a_tile_that_the_wall_has_not_given_counts_when_the_decoder_says_so_again(game: Game) -> None:
    decode(game, Tile.NORTH)
    assert len(game.rig.happened(SightDoubted)) == 1
    assert not game.rig.happened(DealFouled)
    decode(game, Tile.NORTH)
    assert len(game.rig.happened(DealFouled)) == 1


def test_what_the_decoder_cannot_tell_is_an_unread_tile_until_it_can(game: Game) -> None:
    decode(game, None)
    assert game.rig.fault_codes() == {"unread-tile"}
    decode(game, Tile.P9)
    assert not game.rig.state.faults


def test_the_referee_is_asked_what_the_decoder_cannot_tell_and_no_discard_is_awaited_where_it_lies(game: Game) -> None:
    decode(game, None, (game.place(E), 0), (game.place(E), 1))
    asked = outputs_of(game.rig.setup, game.rig.state).asked.question
    assert asked is not None
    assert asked.slot == Slot(game.place(E), Area.RIVER, 0)
    game.rig.post(AnswerTile(asked.n, asked.number, asked.where, "9p", "Ota"))
    game.rig.settle()
    assert discards(game) == [TileDiscarded(E, Tile.P9)]
    assert not game.rig.state.faults
    assert game.rig.happened(DiscardAstray) == [DiscardAstray(((game.place(E), 1),))]


def test_what_lies_astray_is_known_after_a_restart_and_until_the_referee_has_had_it_put_straight(game: Game) -> None:
    laid_astray(game).rig.die(power_cut=False)
    game.rig.settle()
    assert awaited(game).slots == ()
    game.rig.rule()
    assert awaited(game).slots == ()
    decode(game, None)
    game.rig.rule()
    assert awaited(game).slots == (Slot(game.place(E), Area.RIVER, 1),)


def test_what_cannot_be_told_of_a_kong_is_looked_for_at_the_next_river_place(game: Game) -> None:
    """East calls a kong with no pung to add to, and a tile lies astray on its next river place: no slot is awaited."""
    laid_astray(game).press(E, Key.KONG)
    assert awaited(game).slots == ()
    game.rig.post(ExposureDecoded(awaited(game), None))
    game.rig.settle()
    assert "unread-tile" in game.rig.fault_codes()
