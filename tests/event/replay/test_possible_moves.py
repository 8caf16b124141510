"""Moves for which a seat has the tiles: those that are legal, and of the others the rules' reason."""

from __future__ import annotations

from tests.support.game.random_hands import mcr
from tests.support.game.worked_example import record_of
from twinwall.event.replay.possible_moves import MoveFinder, PossibleMove, TableNow
from twinwall.event.replay.replay_form import BarredMove, Chance
from twinwall.event.replay.steps import replay_document
from twinwall.event.replay.waits import WaitFinder
from twinwall.game.play import PlayState
from twinwall.game.play_events import PlayEvent, TileDiscarded, WinDeclared
from twinwall.game.replay import HandReplayer
from twinwall.game.rule_set import Hands, Illegal, NothingToSee, Witness
from twinwall.game.rules import rule_set
from twinwall.game.session import round_wind
from twinwall.game.tiles import SEATS, Seat


class PassedWin(NothingToSee):
    """A witness of whom nobody may win."""

    def objection(self, state: PlayState, event: PlayEvent, hands: Hands) -> Illegal | None:
        return Illegal("passed-win", "a win was let pass") if isinstance(event, WinDeclared) else None


def at_wests_south_wind(witness: Witness) -> list[PossibleMove]:
    """What could be done at table 2 of the worked example, when West discards the tile with which South wins."""
    record = record_of("2")
    rules, wind = rule_set(record.rules, record.options), round_wind(record.hand)
    replayer = HandReplayer(rules, record)
    for event in record.events:
        assert replayer.judge(event) is None
        if isinstance(event, TileDiscarded) and (event.seat, event.tile.text) == (Seat.WEST, "S"):
            break
    assert replayer.held is not None
    concealed = {seat: tuple(sorted(replayer.held.of[seat])) for seat in SEATS}
    now = TableNow(replayer.state, replayer.held.of, concealed, dict.fromkeys(SEATS, ()), witness)
    return list(MoveFinder(rules, WaitFinder(rules, wind), wind).after(event, now))


def test_a_win_that_a_duty_forbids_is_barred_with_the_duty() -> None:
    assert Chance("S", "win", "S") in at_wests_south_wind(NothingToSee())
    found = at_wests_south_wind(PassedWin())
    assert BarredMove("S", "win", "S", "passed-win", "a win was let pass") in found
    assert Chance("S", "win", "S") not in found


def test_the_final_discard_can_only_be_won_on_and_the_rules_sentence_says_so() -> None:
    (table,) = replay_document([mcr(7, {"minimum": 0}, eager=False, with_kongs=True).record()]).tables
    (move,) = [move for step in table.steps for move in step.barred]
    assert (move.seat, move.act, move.tiles, move.why) == ("W", "pung", "7m 7m 7m", "not-allowed")
    assert move.rule.endswith("the final discard can only be won on")


def test_a_win_that_is_worth_too_little_is_barred_and_is_no_chance() -> None:
    (table,) = replay_document([mcr(0, {}, eager=True, with_kongs=True).record()]).tables
    barred = [(step, move) for step in table.steps for move in step.barred]
    assert {(move.act, move.why) for _, move in barred} == {("win", "below-minimum")}
    assert all(Chance(move.seat, move.act, move.tiles) not in step.chances for step, move in barred)
