"""Rulings at the table: what waits for one, its effect, and its part in the ledgers."""

import json
from collections.abc import Callable

import pytest

from controller.core.decide import due_events
from controller.ledger.journal_events import OperationIssued, PaymentsComputed
from controller.state.sides import PlayStage
from controller.state.table_state import replace
from firmware_bridge.messages import Unlock
from tests.controller.hand.test_play import CALLS, SELF_DRAW, after_5s
from tests.support.controller.game import E, Game, N, S, W
from tests.support.controller.rigs import MakeRig, set_up
from tests.support.controller.sessions import hand_is, seat_session
from tests.support.narrowed import present
from twinwall.event.hands import summaries
from twinwall.event.results import Basis, result_after_rulings
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    EndReason,
    HandEnded,
    HandRuledDead,
    Offence,
    PenaltyRuled,
    ResultExcluded,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.replay import replay
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Tile
from twinwall.wire.events.hand_events import ClaimsOpened, HandClosed, PaymentsProposed, PlayHalted, RulingRefused
from twinwall.wire.events.trouble_events import DealFouled, RefereeCalled
from twinwall.wire.ledger import parse, verify_chain
from twinwall.wire.messages.ruling import Ruling
from twinwall.wire.shapes.panel import Key

NOTHING = dict.fromkeys(SEATS, 0)
ANNULLED = HandEnded(EndReason.ANNULLED, NOTHING)
ADJUSTED = HandEnded(EndReason.RULED, {E: 30, S: -10, W: -10, N: -10})
CONDUCT = PenaltyRuled(S, Offence.CONDUCT, imp=0, points=5)


@pytest.fixture
def game(make_rig: MakeRig) -> Game:
    return Game(make_rig, CALLS).take_hands()


def won_by_east(make_rig: MakeRig) -> Game:
    """East has shown a self-drawn win; the payments are to be entered."""
    game = Game(make_rig, SELF_DRAW).take_hands().draw(E).press(E, Key.WIN).lay_open(E, "123m 456m 789m 46s FF", "5s")
    assert game.rig.state.playing.stage is PlayStage.SETTLING
    return game


def test_after_a_call_no_gate_opens_until_the_referee_has_ruled_and_the_claim_window_has_its_whole_time_again(game: Game) -> None:
    game.draw(E).discard(E, "9p").press(N, Key.REFEREE)
    while game.rig.time.pass_to_next():
        game.rig.settle()
    assert (game.unlocked, game.rig.lamps.fault, game.rig.lamps.window) == ("", True, True)
    game.rule()
    ruled_at = game.rig.time.now_s
    game.close_window()
    assert game.rig.time.now_s - ruled_at == pytest.approx(game.rig.setup.claim_window_s)
    assert len(game.rig.happened(ClaimsOpened)) == 1
    assert (game.unlocked, game.rig.lamps.fault, game.referee_called_by) == ("S", False, "")


def test_a_gate_that_is_due_stays_shut_while_the_referee_is_waited_for(game: Game) -> None:
    state, setup = game.rig.state, game.rig.setup
    due = replace(state, playing=replace(state.playing, hand=replace(state.playing.hand, unlock=None)))
    assert [event.command for event in due_events(setup, due) if isinstance(event, OperationIssued)] == [Unlock(0, 2000)]
    assert due_events(setup, replace(due, playing=replace(due.playing, halted=True))) == ()


def test_a_call_that_was_pressed_before_the_referee_came_still_stands(make_rig: MakeRig) -> None:
    game = after_5s(make_rig).press(S, Key.REFEREE).press(W, Key.PUNG)
    game.rule().close_window().expose(W, "5s 5s 5s")
    assert [event.seat for event in game.rig.happened(Claimed)] == [W]


def test_nothing_is_paid_while_the_referee_is_waited_for_and_payments_are_entered_anew_after_him(make_rig: MakeRig) -> None:
    game = won_by_east(make_rig).press(E, Key.CONFIRM).press(S, Key.REFEREE).press(N, Key.CONFIRM)
    assert not game.rig.happened(HandClosed)
    game.rule()
    assert game.lit == "E"
    game.press(E, Key.CONFIRM).press(N, Key.CONFIRM)
    assert (len(game.rig.happened(PaymentsProposed)), len(game.rig.happened(HandClosed))) == (2, 1)


def test_play_is_halted_once_however_many_call(game: Game) -> None:
    game.press(N, Key.REFEREE).press(S, Key.REFEREE).press(N, Key.REFEREE)
    assert game.rig.happened(PlayHalted) == [PlayHalted("referee")]
    assert game.rig.happened(RefereeCalled) == [RefereeCalled(N), RefereeCalled(S)]


def test_a_dead_hand_may_not_win_and_its_call_falls(make_rig: MakeRig) -> None:
    game = after_5s(make_rig).press(N, Key.WIN).press(S, Key.CHOW).close_window()
    assert game.called == "N"
    game.rule(HandRuledDead(N))
    assert game.called == "S"
    game.expose(S, "4s 5s 6s").discard(S, "9s").press(N, Key.WIN)
    assert game.called == ""
    game.close_window()
    assert game.unlocked == "W"


def test_a_hand_that_is_never_laid_open_is_ruled_dead_and_play_goes_on(make_rig: MakeRig) -> None:
    game = after_5s(make_rig).press(N, Key.WIN).close_window()
    game.rig.run(lambda: bool(game.rig.state.playing.referee), most_s=400)
    assert game.violations() == ["not-shown"]
    game.rule(HandRuledDead(N))
    assert game.rig.happened(ClaimsPassed)
    assert game.unlocked == "S"


def test_a_seat_that_called_a_kong_and_is_ruled_dead_discards(make_rig: MakeRig) -> None:
    game = Game(make_rig, CALLS).take_hands().draw(E).press(E, Key.KONG).rule(HandRuledDead(E)).discard(E, "9p")
    assert game.rig.happened(TileDiscarded) == [TileDiscarded(E, Tile.P9)]


def test_a_penalty_is_paid_with_the_hand_and_stands_in_its_record(make_rig: MakeRig) -> None:
    game = won_by_east(make_rig)
    (computed,) = game.rig.happened(PaymentsComputed)
    game.press(E, Key.CONFIRM).rule(CONDUCT).press(E, Key.CONFIRM).press(N, Key.CONFIRM)
    record = game.rig.record()
    assert record.scores == {seat: computed.payments[seat] + (-15 if seat is S else 5) for seat in SEATS}
    assert CONDUCT in record.events
    again = replay(record)
    assert again.legal
    assert again.scores == record.scores


def test_a_false_win_is_penalised_and_its_hand_is_dead_for_the_rest(make_rig: MakeRig) -> None:
    game = after_5s(make_rig).press(W, Key.WIN).close_window().lay_open(W, "55s 147m 258p 39s E S N")
    assert game.rig.happened(PlayHalted) == [PlayHalted("false-win")]
    game.rule(PenaltyRuled(W, Offence.FALSE_WIN, imp=8, points=0), HandRuledDead(W))
    assert game.rig.happened(WinRefused) == [WinRefused(W, "not-a-win")]
    game.draw(S).discard(S, game.rig.deal.walls[S].draws[0].text).press(W, Key.WIN)
    assert (game.called, len(game.rig.happened(WinDeclared))) == ("", 1)


def fouled(game: Game) -> Game:
    """East's discard is one that its wall has not given it."""
    game.draw(E).discard(E, "N")
    assert game.rig.state.playing.fouled
    return game


@pytest.mark.parametrize("end", [ADJUSTED, ANNULLED], ids=["adjusted", "annulled"])
@pytest.mark.parametrize("moment", ["gate open", "drawn", "claims open", "won", "fouled"])
def test_the_referee_ends_the_hand_at_any_moment_and_it_is_recorded_as_ruled(make_rig: MakeRig, end: HandEnded, moment: str) -> None:
    moments: dict[str, Callable[[], Game]] = {
        "gate open": lambda: Game(make_rig, CALLS).take_hands(),
        "drawn": lambda: Game(make_rig, CALLS).take_hands().draw(E),
        "claims open": lambda: after_5s(make_rig),
        "won": lambda: won_by_east(make_rig),
        "fouled": lambda: fouled(Game(make_rig, CALLS).take_hands()),
    }
    game = moments[moment]()
    game.press(N, Key.REFEREE).rule(end)
    assert game.rig.happened(HandClosed) == [HandClosed(1)]
    assert (game.unlocked, game.lit, game.rig.lamps.fault) == ("", "", False)
    record = game.rig.record()
    assert (record.scores, record.events[-1]) == (end.scores, end)
    assert replay(record).legal
    assert replay(record).scores == end.scores


def revoke(game: Game, revoked: str, identity: str = "r9") -> None:
    game.rig.tell(Ruling(identity, 1, "Ota", {"en": "Revoked."}, revokes=revoked))


def test_a_ruling_on_a_hand_that_is_over_is_revoked_by_another(game: Game) -> None:
    game.rule(ANNULLED)
    game.rig.rule(n=1, identity="late")
    revoke(game, "late")
    assert [ruling.revokes for ruling in game.rig.happened(Ruling)] == ["", "", "late"]


def test_a_ruling_is_not_revoked_during_its_hand_nor_one_that_never_came(game: Game) -> None:
    game.rig.rule(identity="r1")
    revoke(game, "r1")
    revoke(game, "r0", "r10")
    assert [refused.reason for refused in game.rig.happened(RulingRefused)] == ["not-now", "no-such-ruling"]


def test_a_tile_lifted_as_the_hand_is_ended_is_nobodys_violation(game: Game) -> None:
    game.rule(ANNULLED)
    game.rig.feeder.locks[game.place(E)] = 1e9
    game.draw(E)
    assert game.violations() == []


@pytest.mark.slow
@pytest.mark.parametrize("draws", [1, 30])
def test_after_a_hand_that_was_ended_by_a_ruling_the_table_is_cleared_and_the_next_is_played(make_rig: MakeRig, draws: int) -> None:
    rig = seat_session(make_rig, 2, 3, raised=True).rig
    rig.run(lambda: sum(isinstance(event, TileDrawn) for event in rig.state.playing.hand.events) == draws)
    rig.rule(ADJUSTED)
    assert rig.state.closed == (1,)
    rig.run(hand_is(rig, 2, PlayStage.CLOSED), most=60_000, most_s=3600)
    assert rig.record(1).scores == ADJUSTED.scores
    assert replay(rig.record(2)).legal
    assert not rig.state.faults


def test_a_deal_that_was_not_fouled_after_all_goes_on_with_the_tile_looked_at_anew(game: Game) -> None:
    game.rig.mat.tiles[present(fouled(game)._last)] = Tile.P9
    game.rule().look()
    assert game.rig.happened(TileDiscarded) == [TileDiscarded(E, Tile.P9)]
    game.close_window()
    assert game.unlocked == "S"


def test_what_still_cannot_be_is_fouled_again(game: Game) -> None:
    fouled(game).rig.rule()
    game.look()
    assert (len(game.rig.happened(DealFouled)), game.table_calls_about) == (2, ["deal-fouled"])


def test_a_fouled_deal_that_is_left_out_is_played_to_its_end_with_the_tiles_as_they_lie(game: Game) -> None:
    fouled(game).rig.rule(ResultExcluded())
    game.look()
    assert game.rig.happened(TileDiscarded) == [TileDiscarded(E, Tile.NORTH)]
    game.close_window().turn(S, "C").draw(W).discard(W, "C").press(S, Key.PUNG).close_window().expose(S, "C C C").discard(S, "1p")
    game.press(N, Key.WIN).close_window().lay_open(N, "123m 456m 789m 23p 55s")
    game.press(N, Key.CONFIRM).press(E, Key.CONFIRM)
    record = game.rig.record()
    assert replay(record).legal
    assert record.scores[N] > 0


def test_a_ruling_that_comes_twice_happens_once(game: Game) -> None:
    for _ in range(2):
        game.rig.rule(CONDUCT, identity="r")
    assert game.rig.happened(PenaltyRuled) == [CONDUCT]
    game.rig.die(power_cut=False)
    game.rig.rule(CONDUCT, identity="r")
    assert game.rig.happened(PenaltyRuled) == [CONDUCT]


def test_a_ruling_happens_whole_or_not_at_all(game: Game) -> None:
    game.rule(HandRuledDead(N))
    game.rig.rule(CONDUCT, HandRuledDead(N), identity="again")
    (refused,) = game.rig.happened(RulingRefused)
    assert (refused.ruling, refused.reason, refused.sentence) == ("again", "ruled-already", "The hand of N is dead already")
    assert not game.rig.happened(PenaltyRuled)
    game.rig.rule(CONDUCT, HandRuledDead(N), identity="again")
    assert len(game.rig.happened(RulingRefused)) == 1


@pytest.mark.parametrize(("n", "reason"), [(2, "no-such-deal"), (99, "no-such-deal")])
def test_a_ruling_on_a_deal_that_is_not_here_is_refused_with_the_reason(game: Game, n: int, reason: str) -> None:
    game.press(N, Key.REFEREE)
    game.rig.rule(HandRuledDead(N), n=n)
    assert [event.reason for event in game.rig.happened(RulingRefused)] == [reason]
    assert game.rig.state.playing.halted


def test_before_play_begins_a_call_can_be_answered_and_nothing_be_ruled(make_rig: MakeRig) -> None:
    game = Game(make_rig, CALLS).press(N, Key.REFEREE).rule(ANNULLED)
    assert [event.reason for event in game.rig.happened(RulingRefused)] == ["not-now"]
    game.rule()
    assert game.referee_called_by == ""
    game.take_hands()
    assert game.unlocked == "E"


def test_a_false_win_at_another_price_than_the_event_s_is_refused(make_rig: MakeRig) -> None:
    setup = set_up(rules=rule_set("mcr-duplicate", {"false_win": "imp-8"}), options={"false_win": "imp-8"})
    game = Game(make_rig, CALLS, setup=setup).take_hands()
    game.rule(PenaltyRuled(W, Offence.FALSE_WIN, imp=4, points=0))
    assert [event.reason for event in game.rig.happened(RulingRefused)] == ["wrong-amount"]


def test_a_hand_that_is_over_keeps_its_record_and_counts_as_ruled(make_rig: MakeRig) -> None:
    game = won_by_east(make_rig).press(E, Key.CONFIRM).press(N, Key.CONFIRM)
    before = game.rig.record()
    game.rule(PenaltyRuled(E, Offence.CONDUCT, imp=4, points=1)).rule(HandRuledDead(E))
    assert [event.reason for event in game.rig.happened(RulingRefused)] == ["not-now"]
    assert game.rig.record() == before
    (hand,) = summaries(parse(line) for line in game.rig.ledgers[0].lines)
    counted = present(result_after_rulings(hand))
    assert counted.imp == {E: 4}
    assert counted.scores == {seat: before.scores[seat] + (-3 if seat is E else 1) for seat in SEATS}
    game.rule(ResultExcluded())
    (hand,) = summaries(parse(line) for line in game.rig.ledgers[0].lines)
    assert present(result_after_rulings(hand)).basis is Basis.AVERAGE


def test_the_table_s_ledger_tells_the_ruling_and_the_open_one_only_that_there_was_one(game: Game) -> None:
    game.press(N, Key.REFEREE).rule(CONDUCT)
    at_table, everywhere = ([json.loads(line) for line in ledger.lines] for ledger in game.rig.ledgers)
    assert verify_chain(game.rig.ledgers[0].lines) is None
    told = next(line for line in at_table if line["type"] == "ruling")
    assert (told["ruling"], told["n"], told["by"], told["texts"]) == ("r1", 1, "Ota", {"en": "Ruling 1."})
    assert told["effects"] == [{"type": "penalty-ruled", "seat": "S", "offence": "conduct", "imp": 0, "points": 5}]
    assert [line["type"] for line in at_table if "penalty" in line["type"] or "halted" in line["type"]] == ["play-halted", "penalty-ruled"]
    (open_line,) = (line for line in everywhere if line["type"] == "ruling")
    assert {key for key in open_line if key not in told} == set()
    assert set(open_line) == {"v", "table", "journal", "seq", "prev", "at", "type", "n"}
    assert not [line for line in everywhere if "penalty" in line["type"] or "halted" in line["type"]]


@pytest.mark.slow
def test_killed_and_cut_around_a_ruling_it_happens_once_and_whole(make_rig: MakeRig) -> None:
    for fuse in range(1, 14):
        game = Game(make_rig, CALLS).take_hands().press(N, Key.REFEREE)
        game.rig.fuse = fuse
        game.rig.rule(CONDUCT, HandRuledDead(W), identity="r")
        game.rig.fuse = None
        game.rig.tell(Ruling("r", 1, "Ota", {"en": "Ruling 1."}, (CONDUCT, HandRuledDead(W))))
        assert (game.rig.happened(PenaltyRuled), game.rig.happened(HandRuledDead)) == ([CONDUCT], [HandRuledDead(W)])
        assert not game.rig.state.playing.halted
        assert game.unlocked == "E"
