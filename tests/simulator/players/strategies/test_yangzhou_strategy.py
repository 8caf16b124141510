"""Simulated players of Yangzhou: they aim at hands that reach the minimum, and keep clear of the duty."""

from simulator.players.strategies.fan_patterns import SET_COUNTS, chow_set, pung_set
from simulator.players.strategies.pattern_strategy import PatternStrategy
from simulator.players.strategies.player import ClaimAnswer, Taste
from simulator.players.strategies.yangzhou import BOOK, YangzhouStrategy
from tests.support.simulator.players import seen
from twinwall.game.play_events import Claim, Meld, MeldType
from twinwall.game.rule_set import Win, WinningHand
from twinwall.game.rules import rule_set
from twinwall.game.tiles import ALL_TILES, SEATS, Tile, parse_tile, parse_tiles

E, S, W, N = SEATS
RULES = rule_set("yangzhou")
PLAYER = YangzhouStrategy(RULES, Taste())


def chow(tiles: str) -> Meld:
    return Meld(MeldType.CHOW, parse_tiles(tiles), N)


def test_every_pattern_is_worth_at_least_what_the_book_says() -> None:
    anything = rule_set("yangzhou", {"minimum": 0, "values": 13})
    for row, fan in enumerate(BOOK.patterns.fan):
        for fourth in (chow_set(0, 2), pung_set(Tile.RED)):
            counts = BOOK.patterns.counts[row] + SET_COUNTS[fourth]
            pair = next(kind for kind in (Tile.S5, Tile.P5, Tile.M5, Tile.WHITE) if counts[kind] == 0)
            counts[pair] += 2
            if (counts > 4).any():
                continue
            tiles = [kind for kind in ALL_TILES for _ in range(counts[kind])]
            tiles.remove(pair)
            outcome = anything.score(WinningHand(E, S, tuple(tiles), (), pair, W))
            assert isinstance(outcome, Win)
            assert outcome.total >= fan, (tiles, outcome)


def test_a_third_chow_of_a_suit_is_left_alone_and_the_second_is_not() -> None:
    """Three would bind the hand to the full flush, which it is far from."""
    two = (chow("1m2m3m"), chow("4m5m6m"))
    view = seen("8m 9m 3p 3p 4p 5s 5s", *two, rivers={N: "7m"})
    assert PatternStrategy(RULES, Taste(), BOOK).answer_discard(view, parse_tile("7m"), N) == ClaimAnswer(Claim.CHOW, parse_tiles("8m 9m"))
    assert PLAYER.answer_discard(view, parse_tile("7m"), N) is None
    one = PLAYER.answer_discard(seen("4m 6m 7m 8m 1p 3p 3p 4p 5s 5s", chow("1m2m3m"), rivers={N: "5m"}), parse_tile("5m"), N)
    assert one == ClaimAnswer(Claim.CHOW, parse_tiles("4m 6m"))


def test_a_win_below_the_minimum_is_not_called_and_one_that_reaches_it_is() -> None:
    thin = seen("1m 2m 3m 4p 5p 6p 7s 8s 9s 2s 3s E E", rivers={N: "4s"})
    assert PLAYER.answer_discard(thin, parse_tile("4s"), N) != ClaimAnswer(Claim.WIN)
    rich = seen("2m 3m 4m 2p 3p 4p 7s 8s 9s 2s 3s E E", rivers={N: "4s"})
    assert PLAYER.answer_discard(rich, parse_tile("4s"), N) == ClaimAnswer(Claim.WIN)
