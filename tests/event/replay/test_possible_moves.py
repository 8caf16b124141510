"""Moves for which a seat has the tiles: those that are legal, and of the others the rules' reason."""

from __future__ import annotations

from collections.abc import Iterator

from tests.support.game.random_hands import mcr, seigo
from tests.support.game.worked_example import record_of
from twinwall.event.replay.possible_moves import MoveFinder, TableNow
from twinwall.event.replay.replay_form import Chance
from twinwall.event.replay.steps import replay_document
from twinwall.event.replay.waits import WaitFinder
from twinwall.game.play import PlayState
from twinwall.game.play_events import Claimed, ClaimsPassed, PlayEvent, TileDiscarded, WinDeclared
from twinwall.game.record import HandRecord
from twinwall.game.replay import HandReplayer
from twinwall.game.rule_set import Hands, Illegal, NothingToSee, Witness
from twinwall.game.rules import rule_set
from twinwall.game.rules.seigo.state import SeigoState, of_seigo
from twinwall.game.session import round_wind
from twinwall.game.tiles import SEATS, Seat

SWAP_CALLING, CHOW_IN_RIICHI = 207, 214
"""Hands of Seigo in which a seat holds what its claim forbids to discard, and in which one in riichi holds tiles for a chow."""


class PassedWin(NothingToSee):
    """A witness of whom nobody may win."""

    def objection(self, state: PlayState, event: PlayEvent, hands: Hands) -> Illegal | None:
        return Illegal("passed-win", "a win was let pass") if isinstance(event, WinDeclared) else None


def at_wests_south_wind(witness: Witness) -> list[Chance]:
    """What could be done at table 2 of the worked example, when West discards the tile with which South wins."""
    record = record_of("2")
    rules, wind = rule_set(record.rules, record.options), round_wind(record.hand)
    replayer = HandReplayer(rules, record)
    for event in record.events:
        assert replayer.judge(event) is None
        if isinstance(event, TileDiscarded) and (event.seat, event.tile.text) == (Seat.WEST, "S"):
            break
    return list(MoveFinder(rules, WaitFinder(rules, wind), wind).after(event, now_at(replayer, witness)))


def now_at(replayer: HandReplayer, witness: Witness) -> TableNow:
    """The table of a hand without melds that win, as a replay has it."""
    assert replayer.held is not None
    concealed = {seat: tuple(sorted(replayer.held.of[seat])) for seat in SEATS}
    return TableNow(replayer.state, replayer.held.of, concealed, dict.fromkeys(SEATS, ()), witness)


def moves_of_seigo(record: HandRecord) -> Iterator[tuple[PlayEvent, SeigoState, list[Chance]]]:
    """Each event of a hand of Seigo with the state after it and what is told then: of a window that closes, what waits for the turn."""
    rules, wind = rule_set(record.rules, record.options), round_wind(record.hand)
    finder, replayer = MoveFinder(rules, WaitFinder(rules, wind), wind), HandReplayer(rules, record)
    last = Seat.EAST
    for event in record.events:
        assert replayer.judge(event) is None
        now = now_at(replayer, NothingToSee())
        if isinstance(event, Claimed):
            yield event, of_seigo(replayer.state), list(finder.after(event, now))
        elif isinstance(event, ClaimsPassed):
            yield event, of_seigo(replayer.state), list(finder.waiting_claims(now, last))
        elif isinstance(event, TileDiscarded):
            last = event.seat


def test_a_win_that_a_duty_forbids_is_barred_with_the_duty() -> None:
    assert Chance("S", "win", "S") in at_wests_south_wind(NothingToSee())
    found = at_wests_south_wind(PassedWin())
    assert Chance("S", "win", "S", "passed-win", "a win was let pass") in found
    assert Chance("S", "win", "S") not in found


def test_the_final_discard_can_only_be_won_on_and_the_rules_sentence_says_so() -> None:
    (table,) = replay_document([mcr(7, {"minimum": 0}, eager=False, with_kongs=True).record()]).tables
    moves = [move for step in table.steps for move in step.barred]
    assert {(move.seat, move.act, move.tiles) for move in moves} == {
        ("W", "pung", "7m 7m 7m"),
        ("E", "chow", "5m 6m 7m"),
        ("E", "chow", "6m 7m 8m"),
    }
    assert all(move.why == "not-allowed" and move.rule.endswith("the final discard can only be won on") for move in moves)


def test_a_win_that_is_worth_too_little_is_barred_and_is_no_chance() -> None:
    (table,) = replay_document([mcr(0, {}, eager=True, with_kongs=True).record()]).tables
    barred = [(step, move) for step in table.steps for move in step.barred]
    assert {(move.act, move.why) for _, move in barred} == {("win", "below-minimum")}
    assert all(Chance(move.seat, move.act, move.tiles) not in step.chances for step, move in barred)


def test_discards_that_a_claim_forbids_are_barred() -> None:
    hand = moves_of_seigo(seigo(SWAP_CALLING).record())
    told = [(state, moves) for event, state, moves in hand if isinstance(event, Claimed)]
    barred = [move for _, moves in told for move in moves]
    assert barred
    assert {(move.act, move.why) for move in barred if move.why} == {("discard", "not-allowed")}
    assert all({move.tiles for move in moves} <= {tile.text for tile in state.barred} for state, moves in told)


def test_a_chow_that_riichi_forbids_is_barred() -> None:
    hand = moves_of_seigo(seigo(CHOW_IN_RIICHI).record())
    chows = [(state, move) for _, state, moves in hand for move in moves if move.act == "chow" and move.why]
    assert chows
    assert all(state.riichi_turn(Seat(move.seat)) is not None and move.rule.endswith("it is in riichi") for state, move in chows)
