"""Strategies of the rule sets: Seigo, Sichuan and Yangzhou."""

from dataclasses import replace

from simulator.players.strategies.player import ClaimAnswer, Taste
from simulator.players.strategies.seigo import SeigoStrategy
from simulator.players.strategies.sichuan import SichuanStrategy
from simulator.players.strategies.yangzhou import YangzhouStrategy
from tests.support.simulator.disturbed_hands import seen
from twinwall.game.play_events import Claim, Meld, MeldType
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, Tile, parse_tile, parse_tiles

E, S, W, N = SEATS
RULES = rule_set("seigo")
PLAYER = SeigoStrategy(RULES, Taste())
READY = "2m 3m 4m 5m 6m 7m 2p 3p 4p 8p 8p 6s 7s"


def meld(kind: MeldType, tiles: str, source: Seat | None) -> Meld:
    return Meld(kind, parse_tiles(tiles), source)


def test_a_closed_hand_that_is_ready_declares_riichi_and_an_open_one_does_not() -> None:
    view = seen(f"{READY} E")
    assert PLAYER.choose_discard(view) is Tile.EAST
    assert PLAYER.declares_riichi(view, Tile.EAST)
    assert not PLAYER.declares_riichi(view, Tile.M2)
    assert not PLAYER.declares_riichi(seen(f"{READY} E", rivers={S: "5s 5s 5s 5s 8s 8s 8s 8s"}), Tile.EAST)
    opened = seen("5m 6m 7m 2p 3p 4p 8p 8p 6s 7s E", meld(MeldType.CHOW, "2m 3m 4m", N))
    assert not PLAYER.declares_riichi(opened, Tile.EAST)


def test_in_riichi_nothing_is_claimed_and_every_win_is_taken() -> None:
    view = seen(READY, riichi=(E,))
    assert PLAYER.answer_discard(view, Tile.P8, N) is None
    assert PLAYER.answer_discard(view, Tile.S5, N) == ClaimAnswer(Claim.WIN)
    assert PLAYER.choose_kong(seen(f"{READY[:-5]} C C C C", riichi=(E,))) is None
    assert PLAYER.wants_win(seen(f"{READY} 5s", riichi=(E,)), Tile.S5)


def test_a_wait_that_was_discarded_is_not_declared_on_a_discard() -> None:
    view = seen(READY, rivers={E: "8s"}, riichi=(E,))
    assert PLAYER.answer_discard(view, Tile.S5, N) is None
    assert PLAYER.wants_win(replace(view, concealed=(*view.concealed, Tile.S5)), Tile.S5)


SICHUAN_RULES = rule_set("sichuan")
SICHUAN_PLAYER = SichuanStrategy(SICHUAN_RULES, Taste())


def test_every_win_is_taken() -> None:
    view = seen("1m 2m 3m 4m 5m 6m 7p 8p 9p 2p 2p 5p 6p", rivers={S: "7p"})
    assert SICHUAN_PLAYER.answer_discard(view, parse_tile("7p"), S) == ClaimAnswer(Claim.WIN)
    assert SICHUAN_PLAYER.answer_added(view, parse_tile("4p"), W) == ClaimAnswer(Claim.WIN)
    assert SICHUAN_PLAYER.wants_win(replace(view, concealed=(*view.concealed, Tile.P4)), Tile.P4)
    assert not SICHUAN_PLAYER.wants_win(replace(view, concealed=(*view.concealed, Tile.M9)), Tile.M9)


YANGZHOU_RULES = rule_set("yangzhou")
YANGZHOU_PLAYER = YangzhouStrategy(YANGZHOU_RULES, Taste())


def test_a_win_below_the_minimum_is_not_called_and_one_that_reaches_it_is() -> None:
    thin = seen("1m 2m 3m 4p 5p 6p 7s 8s 9s 2s 3s E E", rivers={N: "4s"})
    assert YANGZHOU_PLAYER.answer_discard(thin, parse_tile("4s"), N) != ClaimAnswer(Claim.WIN)
    rich = seen("2m 3m 4m 2p 3p 4p 7s 8s 9s 2s 3s E E", rivers={N: "4s"})
    assert YANGZHOU_PLAYER.answer_discard(rich, parse_tile("4s"), N) == ClaimAnswer(Claim.WIN)
