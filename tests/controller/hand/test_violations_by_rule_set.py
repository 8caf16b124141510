"""Violations at the table, each kind once in every rule set: who did what against which rule, and that the referee is called."""

from collections.abc import Callable, Mapping

import pytest

from controller.hand.referee import LAID_WRONGLY
from controller.state.broken_rules import BROKEN_RULES
from controller.state.messages import ViolationDecoded
from tests.support.controller.game import E, Game, N, S, W
from tests.support.controller.rigs import MakeRig
from twinwall.game.rules import rule_set_names
from twinwall.game.tiles import Seat
from twinwall.wire.events.hand_events import PlayHalted
from twinwall.wire.events.trouble_events import Violation
from twinwall.wire.shapes.panel import Key

WALLS = {E: "123456789p 123s 5s 3s", S: "46s 3357m 1188p 7s 8s 9s 1m", W: "55s 147m 258p 39s 588m 1m", N: "123m 456m 789m 46s 22m 9s"}
"""Of three suits alone, as Sichuan has them. On East's 5s South has a chow, West a pung and North the win."""
OWN_TURN = "seigo"
"""Here a meld is claimed at the own turn: no claim window is open for it, and South's chow is the first claim of East's discard."""
TO_THE_END = "sichuan"
"""Here play goes on after a win."""
Way = Callable[[Game, str], Seat]


def forced(game: Game, seat: Seat) -> Seat:
    """A tile is lifted out of the locked gate of a seat."""
    game.rig.feeder.locks[game.place(seat)] = 1e9
    game.draw(seat)
    return seat


def draws_before_the_discard(game: Game, _rules: str) -> Seat:
    return forced(game.draw(E), S)


def draws_while_claims_are_open(game: Game, _rules: str) -> Seat:
    return forced(after_5s(game), S)


def draws_a_second_tile(game: Game, _rules: str) -> Seat:
    return forced(game.draw(E), E)


def draws_out_of_turn(game: Game, _rules: str) -> Seat:
    return forced(game.draw(E), W)


def puts_the_drawn_tile_back(game: Game, _rules: str) -> Seat:
    game.draw(E).rig.feeder.put_back(game.place(E))
    game.rig.settle()
    return E


def after_5s(game: Game) -> Game:
    return game.draw(E).discard(E, "5s")


def claims(game: Game, rules: str) -> tuple[Seat, str]:
    """A meld of East's 5s is called; by whom, and what it would be."""
    if rules == OWN_TURN:
        after_5s(game).close_window().press(S, Key.CHOW)
        return S, "4s 5s 6s"
    after_5s(game).press(W, Key.PUNG).close_window()
    return W, "5s 5s 5s"


def lays_what_is_no_meld(game: Game, rules: str) -> Seat:
    seat, meld = claims(game, rules)
    game.expose(seat, f"{meld[:6]}9s")
    return seat


def lays_nothing(game: Game, rules: str) -> Seat:
    seat, _ = claims(game, rules)
    game.rig.run(lambda: bool(game.rig.state.playing.referee))
    return seat


def calls_after_the_window(game: Game, _rules: str) -> Seat:
    after_5s(game).close_window().press(N, Key.WIN)
    return N


def wins_falsely(game: Game, rules: str) -> Seat:
    """A hand is shown that does not win. In Sichuan hands are shown at the end alone: another tile than the drawn one is laid apart."""
    if rules == TO_THE_END:
        game.draw(E).press(E, Key.WIN).lay_open(E, "", "5s")
        return E
    after_5s(game).press(W, Key.WIN).close_window().lay_open(W, "55s 147m 258p 39s 588m")
    return W


def makes_a_kong_of_another_tile(game: Game, rules: str) -> Seat:
    """West lays it on its pung when its turn comes again."""
    after_5s(game)
    if rules == OWN_TURN:
        game.close_window().turn(S, "9s").press(W, Key.PUNG)
    else:
        game.press(W, Key.PUNG).close_window()
    game.expose(W, "5s 5s 5s", E).discard(W, "9s").close_window()
    game.turn(N, "9s").turn(E, "3s").turn(S, "8s").draw(W).press(W, Key.KONG).add(W, 0, "8m")
    return W


WAYS: Mapping[Way, str] = {
    draws_before_the_discard: "drew-early",
    draws_while_claims_are_open: "drew-early",
    draws_a_second_tile: "drew-twice",
    draws_out_of_turn: "drew-out-of-turn",
    puts_the_drawn_tile_back: "put-back",
    lays_what_is_no_meld: "false-claim",
    lays_nothing: "not-shown",
    calls_after_the_window: "claimed-late",
    wins_falsely: "false-win",
    makes_a_kong_of_another_tile: "false-kong",
}
"""What somebody does, and the stable word of the violation. A tile that a claim has barred ("false-discard") can be discarded in Seigo
alone: tests/controller/hand/test_own_turns.py."""


HALTING = ("drew-early", "drew-twice", "drew-out-of-turn", "put-back")
"""A tile may have lost its proof: the referee is waited for, as for a hand that was shown and does not win."""


@pytest.mark.parametrize("rules", rule_set_names())
@pytest.mark.parametrize("way", WAYS, ids=[way.__name__ for way in WAYS])
def test_who_violates_a_rule_is_named_with_it_and_the_referee_is_called(make_rig: MakeRig, way: Way, rules: str) -> None:
    game = Game.by_the_rules_of(rules, make_rig, WALLS)
    seat = way(game, rules)
    (violation,) = game.rig.happened(Violation)
    assert (violation.seat, violation.what, violation.rule) == (seat, WAYS[way], BROKEN_RULES[WAYS[way]])
    assert game.referee_called_by == seat.value
    assert game.rig.lamps.fault
    halts = [halt.reason for halt in game.rig.happened(PlayHalted) if halt.reason != "false-win"]
    assert halts == [violation.what] * (violation.what in HALTING)


@pytest.mark.parametrize("rules", rule_set_names())
@pytest.mark.parametrize("what", LAID_WRONGLY)
def test_what_the_decoder_alone_sees_calls_the_referee_and_play_goes_on(make_rig: MakeRig, what: str, rules: str) -> None:
    game = Game.by_the_rules_of(rules, make_rig, WALLS).draw(E)
    game.rig.tell(ViolationDecoded(1, S, what, BROKEN_RULES[what]))
    assert [(each.seat, each.what) for each in game.rig.happened(Violation)] == [(S, what)]
    assert game.referee_called_by == "S"
    game.discard(E, "5s").close_window()
    assert game.unlocked == "S"


@pytest.mark.parametrize("rules", rule_set_names())
def test_play_by_the_rules_is_no_violation(make_rig: MakeRig, rules: str) -> None:
    """The same hand, in which the meld is laid as it was called."""
    game = Game.by_the_rules_of(rules, make_rig, WALLS)
    seat, meld = claims(game, rules)
    game.expose(seat, meld).discard(seat, "9s").close_window()
    assert (game.violations(), game.referee_called_by) == ([], "")


@pytest.mark.parametrize("rules", rule_set_names())
def test_who_draws_late_is_told_of_by_the_turn_clock_and_nothing_halts(make_rig: MakeRig, rules: str) -> None:
    game = Game.by_the_rules_of(rules, make_rig, WALLS, turn_limit_s=60.0, turn_notice_s=15.0)
    game.draw(E).discard(E, "5s").close_window().wait(61)
    assert [(each.seat, each.what) for each in game.rig.happened(Violation)] == [(S, "slow-play")]
    assert (game.referee_called_by, game.unlocked) == ("S", "S")
