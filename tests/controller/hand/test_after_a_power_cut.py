"""The controller is killed, the players go on, and the mat is another one than the journal's when it comes back."""

import pytest

from controller.ledger.journal_events import LastDiscardSeen
from controller.state.messages import TilesDecoded
from controller.state.watches import Awaits, Watch
from tests.controller.hand.test_play import CALLS
from tests.support.controller.game import E, Game, N, S, W
from tests.support.controller.rigs import MakeRig
from twinwall.game.play_events import Claim, Claimed, ClaimsPassed, PlayEvent, TileDiscarded, TileDrawn
from twinwall.game.tiles import Tile, parse_tiles
from twinwall.wire.events.hand_events import PlayHalted
from twinwall.wire.events.trouble_events import TableSubject
from twinwall.wire.messages.tile_question import ShownCall
from twinwall.wire.shapes.panel import Key
from vision.mat import Area, Slot


@pytest.fixture
def game(make_rig: MakeRig) -> Game:
    """East has drawn and is to discard."""
    return Game(make_rig, CALLS).take_hands().draw(E)


def killed(game: Game) -> None:
    """kill -9, and the next controller has started; it has not looked yet."""
    game.rig.restart()


def lay(game: Game, seat: str, number: int, tile: str) -> Slot:
    """A tile lies in a river; nobody looks."""
    slot = Slot(game.place({"E": E, "S": S, "W": W, "N": N}[seat]), Area.RIVER, number)
    (game.rig.mat.tiles[slot],) = parse_tiles(tile)
    return slot


def expose(game: Game, tiles: str) -> None:
    """West has taken East's discard and laid a meld open; nobody looks."""
    del game.rig.mat.tiles[Slot(game.place(E), Area.RIVER, 0)]
    for index, tile in enumerate(parse_tiles(tiles)):
        game.rig.mat.tiles[Slot(game.place(W), Area.MELD, index)] = tile


def pass_until_halted(game: Game) -> None:
    while not game.rig.state.playing.halted:
        assert game.rig.time.pass_to_next()
        game.rig.settle()


def test_a_discard_that_was_laid_meanwhile_is_certain_and_play_goes_on(game: Game) -> None:
    game.rig.alive = False
    lay(game, "E", 0, "5s")
    game.rig.alive = True
    killed(game)
    game.look()
    assert game.rig.happened(TileDiscarded) == [TileDiscarded(E, Tile.S5)]
    assert game.close_window().unlocked == "S"
    assert game.referee_called_by == ""


def test_where_the_last_discard_still_lies_play_goes_on_by_itself(game: Game) -> None:
    game.discard(E, "5s")
    killed(game)
    game.close_window()
    assert game.unlocked == "", "no gate opens before the camera has seen it"
    assert game.look().unlocked == "S"
    assert game.rig.happened(LastDiscardSeen) == [LastDiscardSeen()]
    assert not game.rig.happened(PlayHalted)


def test_a_camera_that_cannot_read_it_sees_at_least_that_it_lies_there(game: Game) -> None:
    game.discard(E, "5s")
    game.rig.mat.blurred.add(Slot(game.place(E), Area.RIVER, 0))
    killed(game)
    game.look().close_window()
    assert (game.unlocked, game.rig.fault_codes()) == ("S", set())


def test_a_tile_that_was_taken_meanwhile_is_a_claim_when_its_player_presses_again(game: Game) -> None:
    """The window has its whole time again, so a call that was lost can be made again; meld and discard lie there already."""
    game.discard(E, "5s")
    killed(game)
    expose(game, "5s 5s 5s")
    lay(game, "W", 0, "9s")
    game.press(W, Key.PUNG).close_window().look()
    (claimed,) = game.rig.happened(Claimed)
    assert (claimed.seat, game.rig.happened(TileDiscarded)[-1]) == (W, TileDiscarded(W, Tile.S9))
    assert game.referee_called_by == ""


@pytest.mark.parametrize("tile", ["", "1p"], ids=["nothing lies there", "another tile lies there"])
def test_a_tile_that_was_taken_meanwhile_without_a_key_is_one_question_to_the_referee_and_no_gate_opens(game: Game, tile: str) -> None:
    game.discard(E, "5s")
    killed(game)
    expose(game, "5s 5s 5s")
    if tile:
        lay(game, "E", 0, tile)
    game.close_window().look()
    assert game.unlocked == ""
    pass_until_halted(game)
    assert game.unlocked == ""
    assert (game.referee_called_by, game.table_calls_about) == ("", ["mat-differs"])
    assert game.rig.happened(PlayHalted) == [PlayHalted("mat-differs")]
    killed(game)
    assert len(game.rig.happened(PlayHalted)) == 1, "it is asked once"
    game.rule()
    assert game.unlocked == "S", "after the ruling play goes on as the referee has straightened it"


def laid_astray(game: Game) -> Watch:
    """A decoder has told of East's 5s, which lies on the next place of its river; then the controller was away. What it looks for."""
    game.rig.tell(TilesDecoded(game.rig.watched, TileDiscarded(E, Tile.S5), ((game.place(E), 1),)))
    killed(game)
    game.close_window()
    assert game.unlocked == "", "no gate opens before it is known that nobody has taken it"
    return game.rig.watched


def test_where_discards_lie_astray_play_goes_on_when_a_decoder_finds_all_tiles_of_the_record(game: Game) -> None:
    watch = laid_astray(game)
    assert watch.slots == (), "another tile may lie in the slot"
    game.rig.tell(TilesDecoded(watch, TileDiscarded(E, Tile.S5)))
    assert game.unlocked == "S"
    assert not game.rig.happened(PlayHalted)


@pytest.mark.parametrize("event", [None, TileDiscarded(E, Tile.P1), TileDrawn(E)])
def test_where_discards_lie_astray_no_other_report_of_a_decoder_lets_play_go_on(game: Game, event: PlayEvent | None) -> None:
    game.rig.tell(TilesDecoded(laid_astray(game), event))
    assert (game.unlocked, game.rig.happened(LastDiscardSeen)) == ("", [])


def test_where_discards_lie_astray_and_not_all_tiles_of_the_record_are_found_the_referees_ruling_alone_answers(game: Game) -> None:
    watch = laid_astray(game)
    pass_until_halted(game)
    assert (game.unlocked, game.table_calls_about) == ("", ["mat-differs"])
    game.rule()
    game.rig.tell(TilesDecoded(watch, TileDiscarded(E, Tile.S5)))
    assert (game.unlocked, game.rig.happened(LastDiscardSeen)) == ("S", [])


def test_the_server_is_shown_the_place_of_the_last_discard_when_it_is_asked_about_and_until_the_ruling(game: Game) -> None:
    watch = laid_astray(game)
    assert watch.version is not None
    bare = ShownCall(watch.version.deal, TableSubject.MAT_DIFFERS, b"\xff\xd8\xff bare")
    game.rig.questions.keep(bare)
    game.rig.questions.beat()
    assert game.rig.sent_to_server(ShownCall) == [], "nobody is asked yet"
    pass_until_halted(game)
    assert game.rig.sent_to_server(ShownCall) == [ShownCall(bare.n, "mat-differs", bare.picture)]
    game.rule()
    game.rig.questions.beat()
    assert len(game.rig.sent_to_server(ShownCall)) == 1


def test_after_a_draw_nothing_is_asked_since_nobody_can_have_taken_the_discard_before_it(game: Game) -> None:
    game.discard(E, "5s").close_window().draw(S)
    killed(game)
    assert game.rig.eye.watching is not None
    assert game.rig.eye.watching.awaited.kind is not Awaits.LAST_DISCARD
    game.discard(S, "1p").close_window()
    assert (game.unlocked, len(game.rig.happened(ClaimsPassed))) == ("W", 2)


def test_a_call_that_was_bound_before_stands(game: Game) -> None:
    game.discard(E, "5s").press(W, Key.PUNG)
    killed(game)
    game.close_window()
    game._last = Slot(game.place(E), Area.RIVER, 0)
    game.expose(W, "5s 5s 5s")
    (claimed,) = game.rig.happened(Claimed)
    assert claimed.seat is W
    assert game.rig.state.playing.hand.window is None or Claim.PUNG not in game.rig.state.playing.hand.window.bound.values()
