"""One hand at the table: gates, discards, calls and wins, and their faults."""

import pytest

from controller.ledger.journal_events import PaymentsComputed, SightDoubted
from controller.state.sides import PlayStage
from firmware_bridge.messages import Drawn, NakCode, Renew, Unlock
from tests.support.controller.game import E, Game, N, S, W, walls_of
from tests.support.controller.rigs import MakeRig
from twinwall.game.play_events import Claim, Claimed, EndReason, HandEnded, HandShown, TileDiscarded, TileDrawn, WinDeclared, WinRefused
from twinwall.game.replay import replay
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.wire.events.hand_events import (
    ClaimBound,
    ClaimRefused,
    ClaimsClosed,
    ClaimsOpened,
    GateUnlocked,
    HandClosed,
    HandStarted,
    PaymentsConfirmed,
    PaymentsProposed,
    Settled,
)
from twinwall.wire.events.trouble_events import DealFouled, Violation
from twinwall.wire.events.wall_events import HandsTaken
from twinwall.wire.shapes.panel import Key

CALLS = walls_of({E: "123456789p 123s 5s", S: "19m 46s 7s 8s 9s 1p E S W C F", W: "55s 147m 258p 39s E S N", N: "123m 456m 789m 46s CC"})
"""On East's 5s South has a chow, West a pung and North the win."""

SELF_DRAW = walls_of({E: "123m 456m 789m 46s FF 5s"})
"""East wins with its first tile."""


@pytest.fixture
def game(make_rig: MakeRig) -> Game:
    return Game(make_rig, CALLS).take_hands()


def after_5s(make_rig: MakeRig) -> Game:
    return Game(make_rig, CALLS).take_hands().draw(E).discard(E, "5s")


def test_seats_are_lit_that_still_have_hand_tiles_to_take_and_easts_gate_opens_only_when_all_are_taken(make_rig: MakeRig) -> None:
    game = Game(make_rig, CALLS)
    tiles = [(game.place(seat), index) for seat in (S, E, W, N) for index in range(13)]
    for taken, after in ((tiles[:0], ("", "ESWN")), (tiles[:13], ("", "EWN")), (tiles[13:-1], ("", "N")), (tiles[-1:], ("E", "E"))):
        for position in taken:
            game.rig.feeder.take(*position)
        game.rig.settle()
        assert (game.unlocked, game.lit) == after
    assert game.rig.happened(HandsTaken)


def test_seats_sit_at_the_places_that_the_hand_number_gives(make_rig: MakeRig) -> None:
    game = Game(make_rig, CALLS, hand=3).take_hands()
    assert game.rig.feeder.is_open(2)
    started = game.rig.happened(HandStarted)[0]
    assert started.seats == {E: "Cho", S: "Dan", W: "Ann", N: "Ben"}
    assert (started.places, started.draws) == ({E: 2, S: 3, W: 0, N: 1}, dict.fromkeys(SEATS, 21))


def test_gates_open_one_at_a_time_around_the_table_and_a_window_of_one_length_follows_every_discard(game: Game) -> None:
    for seat, tile in ((E, "9p"), (S, "1p"), (W, "E"), (N, "C")):
        assert game.unlocked == seat.value
        game.turn(seat, tile)
    assert game.unlocked == "E"
    assert [event.seat for event in game.rig.happened(GateUnlocked)] == [E, S, W, N, E]
    assert {event.window_s for event in game.rig.happened(ClaimsOpened)} == {3.0}
    assert [seconds for name, seconds in game.rig.time.started if name.startswith("claim-window")] == [3.0] * 4


def test_the_lease_of_an_open_gate_is_renewed_while_its_seat_thinks(game: Game) -> None:
    for _ in range(8):
        game.rig.time.pass_to_next()
        game.rig.settle()
        assert game.unlocked == "E"
    assert game.rig.time.now_s >= 3 * game.rig.setup.unlock_lease_s
    assert len(game.rig.ordered(Renew)) >= 6
    assert len(game.rig.happened(GateUnlocked)) == 1


def test_a_gate_whose_lease_ran_out_all_the_same_is_unlocked_again(game: Game) -> None:
    game.rig.feeder.locks.clear()
    game.rig.run(lambda: game.unlocked == "E", most_s=3)
    assert [event.seat for event in game.rig.happened(GateUnlocked)] == [E, E]


def test_an_unlock_that_is_refused_is_tried_again_ten_times_a_second_and_no_faster(make_rig: MakeRig) -> None:
    game = Game(make_rig, CALLS)
    game.rig.feeder.nak = lambda command: NakCode.UNACKNOWLEDGED if isinstance(command, Unlock) and game.rig.time.now_s < 1 else None
    game.take_hands()
    assert game.unlocked == ""
    game.rig.run(lambda: game.unlocked == "E", most_s=2)
    assert 8 <= len(game.rig.happened(GateUnlocked)) <= 12


def test_a_tile_its_wall_has_not_given_fouls_the_deal_and_calls_the_referee(game: Game) -> None:
    game.draw(E).discard(E, "N")
    assert game.rig.state.playing.fouled
    assert len(game.rig.happened(SightDoubted)) == len(game.rig.happened(DealFouled)) == 1
    assert "discarded N" in game.rig.happened(DealFouled)[0].reason
    assert (game.referee_called_by, game.table_calls_about) == ("", ["deal-fouled"])
    assert game.rig.lamps.fault
    assert game.rig.lamps.buzzer
    assert game.unlocked == ""
    assert not game.rig.happened(TileDiscarded)


def test_a_feeder_event_that_comes_twice_counts_once(game: Game) -> None:
    game.draw(E)
    game.rig.tell(Drawn(game.place(E), game.rig.state.last_event))
    assert (game.rig.happened(TileDrawn), game.violations()) == ([TileDrawn(E)], [])


@pytest.mark.parametrize(("seat", "key", "tiles", "claim"), [(S, Key.CHOW, "4s 5s 6s", Claim.CHOW), (W, Key.PUNG, "5s 5s 5s", Claim.PUNG)])
def test_a_call_is_bound_when_pressed_and_judged_when_exposed(make_rig: MakeRig, seat: Seat, key: Key, tiles: str, claim: Claim) -> None:
    game = after_5s(make_rig)
    assert (game.rig.lamps.window, game.lit, game.called) == (True, "", "")
    game.press(seat, key)
    assert (game.rig.happened(ClaimBound), game.lit, game.called) == ([ClaimBound(seat, claim)], "", seat.value)
    game.close_window()
    assert (game.lit, game.called) == (seat.value, seat.value)
    assert not game.rig.happened(Claimed)
    game.expose(seat, tiles)
    claimed = game.rig.happened(Claimed)
    assert [(event.seat, event.meld.type.value, event.meld.source) for event in claimed] == [(seat, claim.value, E)]
    assert (game.lit, game.called, game.unlocked) == (seat.value, "", "")
    game.discard(seat, "9s" if seat is S else "3s").close_window()
    assert game.unlocked == seat.next.value


@pytest.mark.parametrize("order", [(S, W, N), (N, W, S), (W, S, N)], ids=str)
def test_a_win_stands_before_a_pung_and_a_chow(make_rig: MakeRig, order: tuple[Seat, ...]) -> None:
    keys = {S: Key.CHOW, W: Key.PUNG, N: Key.WIN}
    game = after_5s(make_rig)
    for seat in order:
        game.press(seat, keys[seat])
    assert game.called == "SWN"
    game.close_window()
    assert (game.rig.happened(ClaimsClosed), game.called) == ([ClaimsClosed((N, W, S))], "N")
    assert game.rig.happened(WinDeclared) == [WinDeclared(N, E, Tile.S5)]


def test_a_seat_is_bound_by_its_first_press(make_rig: MakeRig) -> None:
    game = after_5s(make_rig).press(W, Key.PUNG).press(W, Key.WIN)
    assert game.rig.happened(ClaimBound) == [ClaimBound(W, Claim.PUNG)]


@pytest.mark.parametrize(("seat", "key"), [(N, Key.CHOW), (E, Key.PUNG), (E, Key.KONG)])
def test_a_call_that_the_rules_give_nobody_at_that_seat_is_not_bound(make_rig: MakeRig, seat: Seat, key: Key) -> None:
    game = after_5s(make_rig).press(seat, key)
    assert not game.rig.happened(ClaimBound)
    assert game.called == ""


def test_a_press_before_any_discard_changes_nothing(make_rig: MakeRig) -> None:
    game = Game(make_rig, CALLS).take_hands()
    before = len(game.rig.entries())
    game.press(W, Key.PUNG).press(S, Key.CHOW).press(N, Key.WIN).press(N, Key.CONFIRM)
    assert len(game.rig.entries()) == before


def test_a_window_that_is_over_is_not_closed_again_by_a_late_timer(make_rig: MakeRig) -> None:
    game = after_5s(make_rig)
    game.rig.restart()
    game.close_window()
    while game.rig.time.pass_to_next() and game.rig.time.now_s < 10:
        game.rig.settle()
    assert len(game.rig.happened(ClaimsClosed)) == 1


def test_a_false_claim_falls_calls_the_referee_and_the_next_call_stands(make_rig: MakeRig) -> None:
    game = after_5s(make_rig).press(W, Key.PUNG).press(S, Key.CHOW).close_window().expose(W, "5s 5s 3s")
    assert (game.rig.happened(ClaimRefused), game.violations()) == ([ClaimRefused(W)], ["false-claim"])
    assert (game.referee_called_by, game.called) == ("W", "S")
    game._last = next(slot for slot in game.rig.mat.tiles)
    game.expose(S, "4s 5s 6s")
    assert [event.seat for event in game.rig.happened(Claimed)] == [S]


def test_exposed_tiles_that_the_wall_has_not_given_foul_the_deal(make_rig: MakeRig) -> None:
    game = after_5s(make_rig).press(S, Key.PUNG).close_window().expose(S, "5s 5s 5s")
    assert "exposed tiles" in game.rig.happened(DealFouled)[0].reason
    assert not game.rig.happened(Claimed)


def test_a_claim_that_is_not_laid_open_in_time_calls_the_referee_and_still_counts_when_it_is(make_rig: MakeRig) -> None:
    game = after_5s(make_rig).press(W, Key.PUNG).close_window()
    closed_s = game.rig.time.now_s
    game.rig.run(lambda: bool(game.rig.state.playing.referee))
    assert game.rig.time.now_s - closed_s == pytest.approx(game.rig.setup.show_timeout_s)
    assert game.violations() == ["not-shown"]
    game.expose(W, "5s 5s 5s")
    assert [event.seat for event in game.rig.happened(Claimed)] == [W]


@pytest.mark.parametrize("feeder", ["there", "away"])
def test_a_win_on_a_discard_is_judged_when_the_hand_is_shown(make_rig: MakeRig, feeder: str) -> None:
    game = after_5s(make_rig).press(N, Key.WIN).close_window()
    if feeder == "away":
        game.rig.feeder.disconnect()
    game.lay_open(N, "123m 456m 789m 46s CC")
    assert [(event.seat, event.winning) for event in game.rig.happened(HandShown)] == [(N, Tile.S5)]
    due = game.rig.happened(PaymentsComputed)[0]
    assert due.seat is N
    assert due.total > 0
    assert due.payments == {E: -8 - due.total, S: -8, W: -8, N: 24 + due.total}


def test_payments_are_proposed_by_the_winner_and_confirmed_by_another_seat_only(make_rig: MakeRig) -> None:
    game = after_5s(make_rig).press(N, Key.WIN).close_window().lay_open(N, "123m 456m 789m 46s CC")
    assert (game.rig.state.playing.stage, game.lit) == (PlayStage.SETTLING, "N")
    game.press(S, Key.CONFIRM)
    assert not game.rig.happened(PaymentsProposed)
    game.press(N, Key.CONFIRM)
    assert game.lit == "ESW"
    game.press(N, Key.CONFIRM)
    assert not game.rig.happened(PaymentsConfirmed)
    game.press(W, Key.CONFIRM)
    due = game.rig.happened(PaymentsComputed)[0]
    assert game.rig.happened(Settled) == [Settled(due.payments)]
    assert game.rig.happened(HandEnded) == [HandEnded(EndReason.WON, due.payments)]
    assert (game.rig.happened(HandClosed), game.lit) == ([HandClosed(1)], "")
    record = game.rig.record()
    assert record.scores == due.payments
    assert replay(record).scores == record.scores
    assert (record.players, record.walls) == ({E: "Ann", S: "Ben", W: "Cho", N: "Dan"}, None)


def test_a_self_drawn_win_is_declared_by_key_and_shown_with_its_tile_apart(make_rig: MakeRig) -> None:
    game = Game(make_rig, SELF_DRAW).take_hands().draw(E).press(E, Key.WIN)
    assert game.rig.happened(WinDeclared) == [WinDeclared(E, None, None)]
    assert (game.lit, game.called) == ("E", "E")
    game.lay_open(E, "123m 456m 789m 46s FF", "5s").press(E, Key.CONFIRM).press(S, Key.CONFIRM)
    ended = game.rig.happened(HandEnded)[0]
    assert ended.scores[E] == 3 * -ended.scores[S] > 0
    assert replay(game.rig.record()).scores == ended.scores


def test_a_hand_that_does_not_win_is_refused_and_play_goes_on(make_rig: MakeRig) -> None:
    game = Game(make_rig, CALLS).take_hands().draw(E).press(E, Key.WIN)
    game.lay_open(E, "123456789p 123s 5s", game.rig.deal.walls[E].draws[0].text)
    assert (game.rig.happened(WinRefused), game.violations()) == ([WinRefused(E, "not-a-win")], ["false-win"])
    kinds = [type(event) for event in game.rig.events()]
    at = kinds.index(HandShown)
    assert kinds[at : at + 3] == [HandShown, WinRefused, Violation], "pages know by this order which hand the violation is about"
    assert (game.referee_called_by, game.lit) == ("E", "E")
    game.press(E, Key.WIN)
    assert len(game.rig.happened(WinDeclared)) == 1, "not again on the same tile"
    game.discard(E, "9p")
    assert not game.rig.lamps.window, "the referee is waited for"
    game.rule().close_window()
    assert game.unlocked == "S"


def test_after_a_false_win_on_a_discard_the_next_call_stands(make_rig: MakeRig) -> None:
    game = after_5s(make_rig).press(W, Key.WIN).press(S, Key.CHOW).close_window()
    game.lay_open(W, "55s 147m 258p 39s E S N")
    assert (game.rig.happened(WinRefused), game.called) == ([WinRefused(W, "not-a-win")], "S")
    game.expose(S, "4s 5s 6s")
    assert [event.seat for event in game.rig.happened(Claimed)] == [S]


def test_a_shown_hand_that_the_wall_has_not_given_fouls_the_deal(make_rig: MakeRig) -> None:
    game = after_5s(make_rig).press(N, Key.WIN).close_window().lay_open(N, "123m 456m 789m 46s FF")
    assert "showed a hand" in game.rig.happened(DealFouled)[0].reason
    assert not game.rig.happened(HandShown)
    assert game.rig.state.playing.stage is PlayStage.PLAYING


def test_a_hand_nobody_wins_ends_drawn_with_east_entering_and_another_seat_confirming_nothing(make_rig: MakeRig) -> None:
    game = Game(make_rig, CALLS).take_hands()
    seat = E
    while game.rig.state.playing.stage is PlayStage.PLAYING:
        draws = game.rig.deal.walls[seat].draws
        game.turn(seat, draws[21 - game.rig.state.playing.hand.play.seat(seat).draws_left].text)  # type: ignore[union-attr]  # play is on
        seat = seat.next
    assert game.lit == "E"
    game.press(E, Key.CONFIRM).press(N, Key.CONFIRM)
    assert game.rig.happened(HandEnded) == [HandEnded(EndReason.DRAWN, dict.fromkeys(SEATS, 0))]
    assert len(game.rig.happened(TileDrawn)) == 84
    assert replay(game.rig.record()).legal
