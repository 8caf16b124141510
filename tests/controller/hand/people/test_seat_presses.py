"""What players press on the pages of their seats: the score is entered and confirmed as by key, once, and the referee is called."""

import pytest

from controller.core.decide import decide
from controller.ledger.journal_events import PaymentsComputed
from controller.state.messages import Message, Refused
from controller.state.playing import PlayStage
from controller.state.table_state import TableState
from tests.support.controller.game import E, Game, N, S, W, walls_of
from tests.support.controller.rigs import MakeRig, set_up
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.events.hand_events import HandClosed, PaymentsConfirmed, PaymentsProposed, PlayHalted, Settled
from twinwall.wire.events.trouble_events import CallSubject, RefereeCalled
from twinwall.wire.messages.commands import CallReferee, ConfirmScore
from twinwall.wire.shapes.panel import Key

WALLS = walls_of({E: "123456789p 123s 5s", N: "123m 456m 789m 46s CC"})
FOUR = tuple[int, int, int, int]


@pytest.fixture
def won(make_rig: MakeRig) -> Game:
    """North has won with East's 5s and has shown the hand; the score is to be entered."""
    game = Game(make_rig, WALLS).take_hands().draw(E).discard(E, "5s").press(N, Key.WIN).close_window()
    game.lay_open(N, "123m 456m 789m 46s CC")
    assert game.rig.state.playing.stage is PlayStage.SETTLING
    return game


def tell(game: Game, *messages: Message) -> Game:
    for message in messages:
        game.rig.tell(message)
    return game


def paid(game: Game) -> FOUR:
    """What the table has counted, from East to North."""
    (due,) = game.rig.happened(PaymentsComputed)
    east, south, west, north = (due.payments[seat] for seat in SEATS)
    return east, south, west, north


def test_the_winner_enters_the_score_and_another_player_confirms_it(won: Game) -> None:
    tell(won, ConfirmScore(won.place(N), 1))
    assert [event.seat for event in won.rig.happened(PaymentsProposed)] == [N]
    tell(won, ConfirmScore(won.place(S), 1, paid(won)))
    assert [event.seat for event in won.rig.happened(PaymentsConfirmed)] == [S]
    assert won.rig.happened(HandClosed) == [HandClosed(1)]


def test_statement_09_pressing_twice_or_from_two_phones_records_once(won: Game) -> None:
    entered = [ConfirmScore(won.place(N), 1)] * 2
    confirmed = [ConfirmScore(won.place(seat), 1, paid(won)) for seat in (S, S, W, E, N)]
    tell(won, *entered, *confirmed)
    assert len(won.rig.happened(PaymentsProposed)) == 1
    assert [event.seat for event in won.rig.happened(PaymentsConfirmed)] == [S]
    assert len(won.rig.happened(Settled)) == len(won.rig.happened(HandClosed)) == 1


def test_statement_09_who_entered_the_score_does_not_confirm_it(won: Game) -> None:
    tell(won, ConfirmScore(won.place(N), 1), ConfirmScore(won.place(N), 1, paid(won)))
    assert won.rig.happened(PaymentsConfirmed) == []


@pytest.mark.parametrize("seat", [E, S, W])
def test_nobody_enters_the_score_for_the_winner(won: Game, seat: Seat) -> None:
    tell(won, ConfirmScore(won.place(seat), 1))
    assert won.rig.happened(PaymentsProposed) == []


def test_other_payments_or_another_deal_than_the_tables_are_not_confirmed(won: Game) -> None:
    tell(won, ConfirmScore(won.place(N), 1))
    east, south, west, north = paid(won)
    tell(won, ConfirmScore(won.place(S), 1, (east - 1, south + 1, west, north)), ConfirmScore(won.place(S), 2, paid(won)))
    assert won.rig.happened(PaymentsConfirmed) == []


def test_a_score_is_confirmed_on_a_page_and_by_key_in_either_order(won: Game) -> None:
    tell(won, ConfirmScore(won.place(N), 1))
    won.press(W, Key.CONFIRM)
    tell(won, ConfirmScore(won.place(S), 1, paid(won)))
    assert [event.seat for event in won.rig.happened(PaymentsConfirmed)] == [W]


def test_a_wrong_score_is_for_the_referee_and_nothing_is_recorded_before_the_ruling(won: Game) -> None:
    tell(won, ConfirmScore(won.place(N), 1), CallReferee(won.place(S), CallSubject.SCORE), ConfirmScore(won.place(W), 1, paid(won)))
    assert won.rig.happened(RefereeCalled) == [RefereeCalled(S, CallSubject.SCORE)]
    assert won.rig.happened(PlayHalted) == [PlayHalted("referee")]
    assert won.rig.happened(PaymentsConfirmed) == []


def test_a_call_on_a_page_is_the_same_call_as_by_key_and_is_made_once(make_rig: MakeRig) -> None:
    by_page = tell(Game(make_rig, WALLS).take_hands(), *[CallReferee(1, CallSubject.PLAY)] * 2)
    assert [event.about for event in by_page.rig.happened(RefereeCalled)] == [CallSubject.PLAY]
    assert by_page.rig.lamps == Game(make_rig, WALLS).take_hands().press(S, Key.REFEREE).rig.lamps


@pytest.mark.parametrize("told", [ConfirmScore(0, 1), ConfirmScore(0, 1, (8, -8, 0, 0)), CallReferee(0, CallSubject.OTHER)])
def test_nothing_is_pressed_before_a_hand_is_at_the_table(told: Message) -> None:
    assert isinstance(decide(set_up(), TableState(), told), Refused)


@pytest.mark.parametrize("payments", [None, (32, -16, -8, -8)])
def test_no_score_is_entered_or_confirmed_before_the_hand_is_shown(make_rig: MakeRig, payments: FOUR | None) -> None:
    """What the table answers does not depend on what the winner holds."""
    for walls in (WALLS, walls_of({E: "123456789p 123s 5s", N: "123m 456m 788m 46s CF"})):
        game = Game(make_rig, walls).take_hands().draw(E).discard(E, "5s").press(N, Key.WIN).close_window()
        for seat in SEATS:
            tell(game, ConfirmScore(game.place(seat), 1, payments))
        assert game.rig.happened(PaymentsProposed) == []
        assert game.rig.happened(PaymentsConfirmed) == []
