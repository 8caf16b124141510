"""A table with a decoder: what the slot reader alone believes accuses no seat and fouls no deal."""

from collections.abc import Callable

import pytest

from controller.core.outputs import outputs_of
from controller.hand.hand_reducer import apply_play
from controller.ledger.journal_events import SightDoubted
from controller.state.messages import TilesDecoded
from controller.state.sides import Hand, Playing
from tests.support.controller.game import E, Game, N, S, W, walls_of
from tests.support.controller.hands_of_rules import begun_seigo
from tests.support.controller.rigs import MakeRig, set_up
from tests.support.narrowed import present
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    HandLaidOpen,
    HandRuledDead,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    PlayEvent,
    ResultExcluded,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.tiles import Seat, Tile, parse_tiles
from twinwall.wire.events.hand_events import ClaimRefused, KongRefused
from twinwall.wire.events.trouble_events import DealFouled, Violation
from twinwall.wire.messages.commands import AnswerTile
from twinwall.wire.shapes.panel import Key
from vision.mat import Area, Slot

HELD = {E: "1234567899p 12s 5s 9m", S: "46s 1199m 7s 8s 9s 1p E S W C", W: "55s 147m 258p 39s E S N F", N: "123m 456m 789m 46s CC 1s"}
WALLS = walls_of(HELD)
ACCUSED = (DealFouled, Violation, ClaimRefused, KongRefused)
Lay = Callable[[Game], object]


def claimed(seat: Seat, kind: MeldType, tiles: str) -> Claimed:
    return Claimed(seat, Meld(kind, parse_tiles(tiles), E))


def kong_called(game: Game) -> Game:
    game.discard(E, "5s").press(W, Key.PUNG).close_window().expose(W, "555s").discard(W, "1m").close_window()
    for seat, tile in ((N, "1s"), (E, "9m"), (S, "1m")):
        game.turn(seat, tile)
    return game.draw(W).press(W, Key.KONG)


def show(game: Game, seat: Seat, tiles: str) -> Game:
    game.rig.mat.tiles.update(zip(game.rig.watched.slots, parse_tiles(tiles), strict=True))
    return game.look()


CASES: dict[str, tuple[Lay, Lay, PlayEvent]] = {
    "a discard of no wall": (lambda game: game, lambda game: game.discard(E, "N"), TileDiscarded(E, Tile.NORTH)),
    "tiles that make no meld": (
        lambda game: game.discard(E, "5s").press(S, Key.CHOW).close_window(),
        lambda game: game.expose(S, "789s"),
        claimed(S, MeldType.CHOW, "789s"),
    ),
    "a meld of no wall": (
        lambda game: game.discard(E, "5s").press(S, Key.CHOW).close_window(),
        lambda game: game.expose(S, "345s"),
        claimed(S, MeldType.CHOW, "345s"),
    ),
    "a kong of no wall": (
        kong_called,
        lambda game: game.add(W, 0, "5s"),
        KongDeclared(W, Meld(MeldType.ADDED_KONG, parse_tiles("5555s"), None)),
    ),
    "a hand of no wall": (
        lambda game: game.discard(E, "5s").press(N, Key.WIN).close_window(),
        lambda game: show(game, N, "122m 456m 789m 46s CC"),
        HandShown(N, parse_tiles("122m 456m 789m 46s CC"), Tile.S5),
    ),
}


def accused(game: Game) -> list[object]:
    return [event for kind in ACCUSED for event in game.rig.happened(kind)]


def decode(game: Game, event: PlayEvent) -> None:
    game.rig.tell(TilesDecoded(game.rig.watched, event))


@pytest.fixture
def game(make_rig: MakeRig) -> Game:
    return Game(make_rig, WALLS, setup=set_up(decodes=True)).take_hands().draw(E)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_nothing_is_accused_before_the_decoder_sees_the_same(game: Game, case: tuple[Lay, Lay, PlayEvent]) -> None:
    before, lay, event = case
    before(game)
    lay(game)
    assert (accused(game), len(game.rig.happened(SightDoubted))) == ([], 1)
    assert not game.rig.state.faults
    game.wait(30)
    assert accused(game) == []
    decode(game, event)
    assert accused(game)


def test_what_was_laid_in_doubt_and_not_decoded_is_a_question_and_no_violation(game: Game) -> None:
    game.discard(E, "5s").press(S, Key.CHOW).close_window().expose(S, "789s").wait(game.rig.setup.show_timeout_s + 1)
    assert accused(game) == []
    assert game.rig.fault_codes() == {"unread-tile"}


def name_next(game: Game, tile: Tile) -> None:
    """The decoder cannot tell what was laid, and the referee says which tile it is that he is asked about."""
    game.rig.tell(TilesDecoded(game.rig.watched, None))
    asked = present(outputs_of(game.rig.setup, game.rig.state).asked.question)
    game.rig.tell(AnswerTile(asked.n, asked.number, asked.where, tile.text, "Ota"))


@pytest.mark.parametrize("named", [2, 3])
def test_a_seat_whose_tiles_the_referee_has_named_has_laid_them(game: Game, named: int) -> None:
    """The readers find no such meld: once all its tiles are named it counts, and until then the table asks on."""
    game.discard(E, "5s").press(S, Key.CHOW).close_window()
    for tile in parse_tiles("456s")[:named]:
        name_next(game, tile)
    game.wait(game.rig.setup.show_timeout_s + 1)
    assert accused(game) == []
    assert game.rig.happened(Claimed) == [claimed(S, MeldType.CHOW, "456s")] * (named == 3)
    assert game.rig.fault_codes() == (set() if named == 3 else {"unread-tile"})


def test_a_tile_of_the_river_that_was_pushed_onto_the_next_place_is_no_discard(game: Game) -> None:
    """East has another one of that kind, so its wall proves nothing."""
    game.discard(E, "9p").close_window()
    for seat, tile in ((S, "1m"), (W, "4m"), (N, "4s")):
        game.turn(seat, tile)
    game.draw(E).discard(E, "9p")
    assert game.rig.happened(TileDiscarded)[-1].seat is N
    decode(game, TileDiscarded(E, Tile.P1))
    assert game.rig.happened(TileDiscarded)[-1] == TileDiscarded(E, Tile.P1)


def test_a_tile_of_a_pung_that_was_laid_aside_is_not_the_fourth_one(make_rig: MakeRig) -> None:
    """Its third tile lies where the fourth one goes: KONG is pressed, and nothing has been laid yet."""
    walls = walls_of(HELD | {W: "555s 147m 258p 39s E S F"})
    game = kong_called(Game(make_rig, walls, setup=set_up(decodes=True)).take_hands().draw(E)).add(W, 0, "5s")
    assert game.rig.happened(KongDeclared) == []
    kong = KongDeclared(W, Meld(MeldType.ADDED_KONG, parse_tiles("5555s"), None), late=True)
    decode(game, kong)
    assert [event.meld for event in game.rig.happened(KongDeclared)] == [kong.meld]


def test_what_is_seen_there_later_counts_again(game: Game) -> None:
    game.discard(E, "N")
    game.rig.mat.tiles[Slot(game.place(E), Area.RIVER, 0)] = Tile.P9
    game.look()
    assert game.rig.happened(TileDiscarded) == [TileDiscarded(E, Tile.P9)]
    assert accused(game) == []


def test_a_hand_that_the_wall_does_not_prove_is_no_false_win_by_one_look(game: Game) -> None:
    game.discard(E, "5s").press(N, Key.WIN).close_window().rule(ResultExcluded())
    show(game, N, "122m 456m 789m 46s CC")
    assert (accused(game), len(game.rig.happened(SightDoubted))) == ([], 1)


def test_a_shared_tile_that_the_deal_does_not_have_is_a_question_until_another_one_is_seen(make_rig: MakeRig) -> None:
    rig = begun_seigo(make_rig, decodes=True)
    face = rig.feeder.lift(4 + rig.deal.place(E))
    rig.settle()
    assert isinstance(face, Tile)
    rig.mat.tiles[Slot(0, Area.SHARED, 10)] = next(tile for tile in rig.setup.rules.tiles if tile is not face)
    rig.look_at_mat()
    assert rig.fault_codes() == {"unread-tile"}
    assert not rig.happened(DealFouled)
    rig.mat.tiles[Slot(0, Area.SHARED, 10)] = face
    rig.look_at_mat()
    assert rig.happened(SharedTileTurned) == [SharedTileTurned(10, face)]
    assert not rig.state.faults


KONG = Meld(MeldType.CONCEALED_KONG, (), None)
LOOKED_FOR = (
    TileDiscarded(E, Tile.M1),
    Claimed(E, KONG),
    ClaimsPassed(),
    KongDeclared(E, KONG),
    SharedTileTurned(0, Tile.M1),
    WinDeclared(E, None, Tile.M1),
    HandShown(E, (), Tile.M1, ()),
    HandLaidOpen(E, ()),
    HandRuledDead(E),
)
OTHERS = (TileDrawn(E), WinRefused(E, "why"), ResultExcluded())


@pytest.mark.parametrize(("event", "kept"), [*((one, False) for one in LOOKED_FOR), *((one, True) for one in OTHERS)], ids=str)
def test_looks_and_answers_count_until_another_tile_is_looked_for(event: PlayEvent, kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    setup, answers = set_up(), {Slot(0, Area.RIVER, 0): Tile.M1}
    monkeypatch.setattr(type(setup.rules), "apply", lambda _rules, play, _event: play)
    hand = apply_play(setup, Playing(hand=Hand(play=setup.rules.start(), doubted_looks=1, answers=answers)), event).hand
    assert (hand.doubted_looks, hand.answers) == ((1, answers) if kept else (0, {}))
