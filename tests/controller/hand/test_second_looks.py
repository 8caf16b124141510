"""Misreads of the table camera: a second look, and only what is seen twice counts against a seat."""

import pytest

from controller.ledger.journal_events import SightDoubted
from tests.support.controller.game import E, Game, N, S, W, walls_of
from tests.support.controller.rigs import MakeRig
from twinwall.game.play_events import Claimed, HandShown, TileDiscarded
from twinwall.game.tiles import Tile
from twinwall.wire.events.hand_events import ClaimRefused
from twinwall.wire.events.trouble_events import DealFouled, FaultCleared, TableFault
from twinwall.wire.shapes.panel import Key
from vision.mat import Slot

CALLS = walls_of(
    {
        E: "123456789p 123s 5s",
        S: "19m 46s 7s 8s 9s 1p E S W C F",
        W: "55s 147m 258p 39s E S N",
        N: "123m 456m 789m 46s CC",
    }
)


@pytest.fixture
def game(make_rig: MakeRig) -> Game:
    return Game(make_rig, CALLS).take_hands().draw(E)


def misread_once(game: Game, slot: Slot, seen: Tile) -> None:
    """The camera takes the tile in this slot for another one, in one look."""
    truth = game.rig.mat.tiles[slot]
    game.rig.mat.tiles[slot] = seen
    game.rig.eye.look()
    game.rig.settle()
    game.rig.mat.tiles[slot] = truth


def watched(game: Game) -> tuple[Slot, ...]:
    watch = game.rig.eye.watching
    assert watch is not None
    return watch.slots


def lay(game: Game, tiles: tuple[Tile, ...]) -> tuple[Slot, ...]:
    slots = watched(game)
    game.rig.mat.tiles.update(zip(slots, tiles, strict=True))
    return slots


def test_a_discard_misread_once_is_called_unreadable_and_read_again(game: Game) -> None:
    (slot,) = lay(game, (Tile.P9,))
    misread_once(game, slot, Tile.NORTH)
    assert game.rig.fault_codes() == {"unread-tile"}
    assert not game.rig.state.playing.fouled
    game.look()
    assert game.rig.happened(TileDiscarded) == [TileDiscarded(E, Tile.P9)]
    assert not game.rig.state.faults
    assert len(game.rig.happened(TableFault)) == len(game.rig.happened(FaultCleared)) == 1
    assert game.referee_called_by == ""


def test_the_second_look_is_one_of_its_own(game: Game) -> None:
    (slot,) = lay(game, (Tile.P9,))
    misread_once(game, slot, Tile.NORTH)
    first, second = game.rig.eye.watched[-2:]
    assert first.slots == second.slots
    assert first != second
    assert game.rig.happened(SightDoubted) == [SightDoubted(first.label)]


def test_a_controller_that_dies_between_the_looks_looks_a_second_time_and_not_a_third(game: Game) -> None:
    (slot,) = lay(game, (Tile.NORTH,))
    game.rig.eye.look()
    game.rig.settle()
    game.rig.die(power_cut=False)
    game.rig.settle()
    game.rig.run(lambda: game.rig.state.playing.fouled, most_s=1)
    assert len(game.rig.happened(SightDoubted)) == 1
    assert slot in game.rig.mat.tiles


def test_a_tile_seen_twice_that_its_wall_has_not_given_fouls_the_deal(game: Game) -> None:
    game.discard(E, "N")
    assert len(game.rig.happened(SightDoubted)) == 1
    assert len(game.rig.happened(DealFouled)) == 1


def test_every_discard_has_two_looks_of_its_own(game: Game) -> None:
    (slot,) = lay(game, (Tile.P9,))
    misread_once(game, slot, Tile.NORTH)
    game.look().close_window().draw(S)
    (slot,) = lay(game, (Tile.M1,))
    misread_once(game, slot, Tile.NORTH)
    game.look()
    assert [event.tile for event in game.rig.happened(TileDiscarded)] == [Tile.P9, Tile.M1]
    assert not game.rig.state.playing.fouled


@pytest.mark.parametrize("seen", [Tile.S3, Tile.RED], ids=["as a tile it has", "as a tile it has not"])
def test_a_meld_misread_once_is_not_held_against_the_seat(game: Game, seen: Tile) -> None:
    game.discard(E, "5s").press(W, Key.PUNG).close_window()
    slots = lay(game, (Tile.S5, Tile.S5, Tile.S5))
    misread_once(game, slots[1], seen)
    game.look()
    assert [event.seat for event in game.rig.happened(Claimed)] == [W]
    assert not game.rig.happened(ClaimRefused)
    assert not game.rig.state.playing.fouled
    assert game.violations() == []


def test_a_shown_hand_misread_once_fouls_nothing(game: Game) -> None:
    game.discard(E, "5s").press(N, Key.WIN).close_window()
    slots = lay(game, tuple(sorted(game.held(N).elements())))
    misread_once(game, slots[0], Tile.EAST)
    game.look()
    assert [event.seat for event in game.rig.happened(HandShown)] == [N]
    assert not game.rig.state.playing.fouled
    assert not game.rig.state.faults
