"""Kongs: keys and tiles, the table's answers, and no judgement of what lies face down."""

from dataclasses import replace

import pytest

from controller.core.outputs import outputs_of
from controller.ledger.journal_events import PaymentsComputed, SightDoubted
from tests.support.controller.game import E, Game, N, S, W, walls_of
from tests.support.controller.hands_of_rules import outside
from tests.support.controller.rigs import MakeRig, set_up
from twinwall.game.play_events import Claimed, ClaimsPassed, HandShown, KongDeclared, Meld, MeldType, WinDeclared, WinRefused
from twinwall.game.replay import replay
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat, Tile
from twinwall.game.walls import SeatWall
from twinwall.wire.events.hand_events import ClaimsOpened, HandClosed, HandStarted, KongCalled, KongRefused
from twinwall.wire.events.trouble_events import DealFouled
from twinwall.wire.messages.commands import AnswerTile
from twinwall.wire.shapes.panel import Key
from vision.mat import Area, Slot

FACE_DOWN = Meld(MeldType.CONCEALED_KONG, (), None)

WALLS = walls_of({E: "1111p 5s 234p 678p EE", S: "555s 19m 4p 8s ESWCFN", W: "77s 147m 25p 39s SSNN", N: "123m 456m 789m 4s6s CC"})
"""East has four 1p; on its 5s South has a kong and North a win."""


@pytest.fixture
def game(make_rig: MakeRig) -> Game:
    return Game(make_rig, WALLS).take_hands().draw(E)


def test_a_kong_from_a_discard_is_four_tiles_and_opens_the_claimants_own_gate(game: Game) -> None:
    game.discard(E, "5s").press(S, Key.KONG).close_window()
    assert (game.lit, game.called) == ("S", "S")
    game.expose(S, "5s5s5s")
    assert not game.rig.happened(Claimed)
    game.add(S, 0, "5s")
    assert game.rig.happened(Claimed)[0].meld == Meld(MeldType.KONG, (Tile.S5,) * 4, E)
    assert (game.unlocked, game.lit, game.called) == ("S", "S", "")
    game.draw(S).discard(S, "E").close_window()
    assert game.unlocked == "W"


def test_a_false_kong_on_a_discard_falls_like_any_claim(game: Game) -> None:
    game.discard(E, "5s").press(S, Key.KONG).press(N, Key.PUNG).close_window()
    game.expose(S, "5s5s5s").add(S, 0, "8s")
    assert (game.violations(), game.called) == (["false-claim"], "N")


def test_a_concealed_kong_is_called_laid_face_down_and_confirmed(game: Game) -> None:
    game.press(E, Key.KONG)
    assert (game.lit, game.called) == ("E", "E")
    game.lay_face_down(E)
    assert not game.rig.happened(KongDeclared)
    game.press(E, Key.CONFIRM)
    assert game.rig.happened(KongDeclared) == [KongDeclared(E, FACE_DOWN)]
    assert (game.unlocked, game.called) == ("E", "")
    assert game.draw(E).lit == "E"
    assert not game.rig.happened(ClaimsOpened)
    (line,) = [line for line in game.rig.ledgers[0].lines if b'"kong-declared"' in line]
    assert b'"tiles":null' in line, "the public ledger has no tile of it"


WINNING = walls_of({E: "1m1m1m1m 2p3p4p 6p7p8p 9s9s 7s  8s 9s"})
"""East draws an 8s, and after its kong of 1m the 9s that completes the hand."""


def replaced(make_rig: MakeRig) -> Game:
    """East has made its kong and shows the hand that the replacement completed; the kong still lies face down."""
    game = Game(make_rig, WINNING).take_hands().draw(E).press(E, Key.KONG).lay_face_down(E).press(E, Key.CONFIRM)
    return game.draw(E).press(E, Key.WIN).lay_open(E, "2p3p4p 6p7p8p 9s9s 7s8s", "9s")


def test_a_hand_is_shown_with_its_concealed_kong_turned_up(make_rig: MakeRig) -> None:
    game = replaced(make_rig)
    assert not game.rig.happened(HandShown)
    game.turn_up(E, 0, "1m1m1m1m")
    (shown,) = game.rig.happened(HandShown)
    assert (shown.winning, shown.kongs) == (Tile.S9, (Tile.M1,))
    (due,) = game.rig.happened(PaymentsComputed)
    assert {"concealed-kong", "out-with-replacement-tile"} <= {fan.id for fan in due.fans}
    game.press(E, Key.CONFIRM).press(N, Key.CONFIRM)
    assert replay(replace(game.rig.record(), walls=WINNING)).legal


def test_a_kong_that_turns_out_to_be_none_is_for_the_referee(make_rig: MakeRig) -> None:
    walls = walls_of({E: "1m1m1m 2m 2p3p4p 6p7p8p 9s9s 7s  8s 9s"})
    game = Game(make_rig, walls).take_hands().draw(E).press(E, Key.KONG).lay_face_down(E).press(E, Key.CONFIRM)
    game.draw(E).press(E, Key.WIN).lay_open(E, "2p3p4p 6p7p8p 9s9s 7s8s", "9s").turn_up(E, 0, "1m1m1m2m")
    assert (game.violations(), game.referee_called_by) == (["false-kong"], "E")
    assert not game.rig.happened(HandShown)


def test_a_discard_takes_a_called_kong_back(game: Game) -> None:
    game.press(E, Key.KONG).discard(E, "E")
    assert not game.rig.happened(KongDeclared)
    assert game.rig.happened(ClaimsOpened)
    assert not game.violations()


def test_a_called_kong_binds_and_one_that_is_not_laid_calls_the_referee(game: Game) -> None:
    game.press(E, Key.KONG).press(E, Key.WIN).press(E, Key.KONG)
    assert game.rig.happened(KongCalled) == [KongCalled(E)]
    assert not game.rig.happened(WinDeclared)
    while not game.rig.state.playing.referee:
        assert game.rig.time.pass_to_next()
        game.rig.settle()
    assert game.violations() == ["not-shown"]


def test_kong_is_pressed_only_at_ones_own_turn_after_a_draw(game: Game) -> None:
    game.press(S, Key.KONG).discard(E, "5s").press(N, Key.PUNG).close_window()
    assert not game.rig.happened(KongCalled)


def test_after_a_kill_the_called_kong_is_still_called(game: Game) -> None:
    game.press(E, Key.KONG)
    game.rig.die(power_cut=True)
    game.rig.settle()
    assert game.called == "E"
    game.lay_face_down(E).press(E, Key.CONFIRM)
    assert game.unlocked == "E"


SOUTHS = "5s5s 19m 46p 8s ESWCFN  C 5s"
PUNG_WALLS = walls_of({E: "5s 147m 258p 39s ESWN", S: SOUTHS, W: "7s7s 147m 25p 39s SSNN", N: "123m 456m 789m 4s6s CC PP"})
"""South pungs East's 5s, draws red and then the fourth 5s, on which North can win."""


def punged_at(make_rig: MakeRig, walls: dict[Seat, SeatWall]) -> Game:
    """South has its pung of 5s, has drawn and discarded once more, and draws again."""
    game = Game(make_rig, walls).take_hands().draw(E).discard(E, "5s")
    game.press(S, Key.PUNG).close_window().expose(S, "5s5s5s").discard(S, "F").close_window()
    game.turn(W, "S").turn(N, "P").turn(E, "E").turn(S, "C").turn(W, "S").turn(N, "P").turn(E, "W")
    return game.draw(S)


@pytest.fixture
def punged(make_rig: MakeRig) -> Game:
    return punged_at(make_rig, PUNG_WALLS)


def test_an_added_kong_opens_the_same_window_as_a_discard_and_is_then_replaced(punged: Game) -> None:
    punged.press(S, Key.KONG).add(S, 0, "5s")
    assert punged.rig.happened(KongDeclared) == [KongDeclared(S, Meld(MeldType.ADDED_KONG, (Tile.S5,) * 4, None))]
    windows = punged.rig.happened(ClaimsOpened)
    assert windows[-1] == ClaimsOpened(S, Tile.S5, windows[0].window_s)
    assert punged.rig.lamps.window
    assert punged.unlocked == ""
    punged.press(W, Key.PUNG).close_window()
    assert (punged.unlocked, punged.lit) == ("S", "S")
    assert isinstance(punged.rig.state.playing.hand.events[-1], ClaimsPassed)


def test_a_kong_is_robbed(punged: Game) -> None:
    punged.press(S, Key.KONG).add(S, 0, "5s").press(N, Key.WIN).close_window()
    assert punged.rig.happened(WinDeclared) == [WinDeclared(N, S, Tile.S5)]
    punged.lay_open(N, "123m 456m 789m 4s6s CC")
    (due,) = punged.rig.happened(PaymentsComputed)
    assert "robbing-the-kong" in {fan.id for fan in due.fans}
    assert due.payments[S] == -(8 + due.total)
    punged.press(N, Key.CONFIRM).press(E, Key.CONFIRM)
    assert punged.rig.happened(HandClosed)
    assert replay(punged.rig.record()).legal


def test_another_tile_on_the_pung_is_refused_and_the_seat_discards(punged: Game) -> None:
    punged.press(S, Key.KONG).add(S, 0, "8s")
    assert (punged.rig.happened(KongRefused), punged.violations()) == ([KongRefused(S)], ["false-kong"])
    assert (punged.called, punged.unlocked) == ("", "")


def test_a_misread_tile_on_the_pung_is_looked_at_anew_before_the_kong_is_refused(punged: Game) -> None:
    punged.press(S, Key.KONG)
    slot = Slot(punged.place(S), Area.MELD, 3)
    punged.rig.mat.tiles[slot] = Tile.S8
    punged.rig.eye.look()
    punged.rig.settle()
    (fault,) = punged.rig.state.faults
    assert fault.where == f"place {slot.place} meld 3"
    punged.add(S, 0, "5s")
    assert len(punged.rig.happened(SightDoubted)) == len(punged.rig.happened(KongDeclared)) == 1
    assert not punged.rig.happened(KongRefused)
    assert not punged.rig.state.faults


def test_an_answer_that_makes_no_kong_accuses_nobody_and_the_right_one_makes_it(punged: Game) -> None:
    punged.press(S, Key.KONG)
    punged.rig.mat.blurred.add(Slot(punged.place(S), Area.MELD, 3))
    punged.add(S, 0, "5s")
    before, asked = punged.rig.events(), outputs_of(punged.rig.setup, punged.rig.state).asked.question
    assert asked is not None
    for tile in (Tile.S8, Tile.S5):
        assert (punged.rig.events(), punged.rig.happened(KongDeclared)) == (before, [])
        punged.rig.tell(AnswerTile(asked.n, asked.number, asked.where, tile.text, "Ota"))
    assert punged.rig.happened(KongDeclared) == [KongDeclared(S, Meld(MeldType.ADDED_KONG, (Tile.S5,) * 4, None))]
    assert punged.violations() == []


def test_a_look_doubted_before_the_kong_was_called_does_not_count_against_it(punged: Game) -> None:
    watch = punged.rig.watched
    punged.rig.mat.tiles[watch.slots[0]] = Tile.P1
    punged.rig.eye.look()
    punged.rig.settle()
    del punged.rig.mat.tiles[watch.slots[0]]
    punged.press(S, Key.KONG)
    punged.rig.mat.tiles[Slot(punged.place(S), Area.MELD, 3)] = Tile.S8
    punged.rig.eye.look()
    punged.rig.settle()
    assert len(punged.rig.happened(SightDoubted)) == 2
    assert not punged.rig.happened(KongRefused)


def test_a_tile_from_nowhere_on_the_pung_marks_the_deal(make_rig: MakeRig) -> None:
    walls = walls_of({E: "5s 147m 258p 39s ESWN", S: "55s 19m 46p 8s ESWCFN  C 1s", W: "77s 147m 25p 39s SSNN", N: "123456789m 46s CC PP"})
    assert punged_at(make_rig, walls).press(S, Key.KONG).add(S, 0, "5s").rig.happened(DealFouled)


TWO = walls_of({E: "123456789p 123s 5s", S: "123m 456m 789m 4s6s FF", W: "19m19p19s ESWNC P 2m", N: "123m 456m 789m 4s6s CC"})
"""On East's 5s South and North win."""


@pytest.mark.parametrize("false_first", [False, True])
def test_by_option_two_hands_are_shown_after_each_other_and_paid_together(make_rig: MakeRig, false_first: bool) -> None:
    options: dict[str, bool | int | str] = {"minimum": 0, "several_winners": "each-full"}
    setup = set_up(rules=rule_set("mcr-duplicate", options), options=options)
    game = Game(make_rig, TWO, setup=setup).take_hands().draw(E).discard(E, "5s")
    for seat in (N, S, W) if false_first else (N, S):
        game.press(seat, Key.WIN)
    game.close_window()
    assert game.called == "S"
    game.lay_open(S, "123m 456m 789m 4s6s FF")
    if false_first:
        assert game.called == "W"
        game.lay_open(W, "19m19p19s ESWNC P 2m")
        assert [event.seat for event in game.rig.happened(WinRefused)] == [W]
    assert game.called == "N"
    assert not game.rig.happened(PaymentsComputed)
    game.lay_open(N, "123m 456m 789m 4s6s CC")
    (due,) = game.rig.happened(PaymentsComputed)
    one = due.total // 2
    assert (due.payments, due.seat) == ({E: -8 - 2 * one, S: 24 + one, W: -8, N: 24 + one}, S)
    assert game.rig.happened(HandStarted)[0].options == options


OTHERS = walls_of({E: "9p9p9p9p 5s 2p3p4p 6p7p8p EE", S: "5s5s5s 19m 4p 8s ESWCFN"})
NOTHING = walls_of({E: "1p2p3p9p 5s 2p3p4p 6p7p8p EE", S: "5s5s5s 19m 4p 8s ESWCFN"})


def test_a_concealed_kong_looks_the_same_whatever_lies_face_down(make_rig: MakeRig) -> None:
    """Two kinds, and a bluff: until it is turned up nothing tells them apart."""
    worlds = []
    for walls in (WALLS, OTHERS, NOTHING):
        game = Game(make_rig, walls).take_hands().draw(E).press(E, Key.KONG).lay_face_down(E).press(E, Key.CONFIRM)
        worlds.append(outside(game.draw(E).discard(E, "5s").press(S, Key.KONG).close_window().rig))
    assert worlds[0] == worlds[1] == worlds[2]


def test_an_added_kong_looks_the_same_whether_anybody_can_rob_it(make_rig: MakeRig) -> None:
    weak = walls_of({E: "5s 147m 258p 39s ESWN", S: SOUTHS, W: "7s7s 147m 25p 39s SSNN", N: "123m 456m 788m 4s6s CC PP"})
    worlds = [outside(punged_at(make_rig, walls).press(S, Key.KONG).add(S, 0, "5s").close_window().rig) for walls in (PUNG_WALLS, weak)]
    assert worlds[0] == worlds[1]
