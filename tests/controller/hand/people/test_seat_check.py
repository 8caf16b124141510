"""Who sits where is said before a hand starts; what players press on the pages of their seats: scores once, by page or key, and calls."""

from dataclasses import replace as changed

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.apply import apply
from controller.core.decide import decide, due_events
from controller.core.outputs import outputs_of
from controller.ledger.journal_events import JournalEvent, OperationIssued, PaymentsComputed
from controller.state.messages import Decision, KeyPressed, Message, PartLost, Refused
from controller.state.sides import HAND_TILES, Build, Hand, Making, Playing, PlayStage, WallStage
from controller.state.table_state import SeatStage, Setup, TableState, replace
from firmware_bridge.messages import Raise
from tests.support.controller.game import E, Game, N, S, W, walls_of
from tests.support.controller.rigs import MakeRig, opened, set_up
from tests.support.controller.sessions import hand_is, seat_session
from tests.support.game.tables import random_walls
from twinwall.game.tiles import SEATS
from twinwall.wire.events.hand_events import HandClosed, HandStarted, PaymentsConfirmed, PaymentsProposed, PlayHalted, Settled
from twinwall.wire.events.seat_events import ClockPaused, ClockResumed, SeatsAwaited, SeatsConfirmed, SeatTaken, SeatWrong
from twinwall.wire.events.trouble_events import CallSubject, RefereeCalled, TableSubject
from twinwall.wire.messages.commands import CallReferee, ConfirmScore, PauseClock, SwapSeats, TakeSeat
from twinwall.wire.shapes.panel import Key

PLAYERS = ("11", "12", "13", "14")
SETUP = set_up(names=PLAYERS, seat_check=True)
DEAL = opened(random_walls(1))
ALL_TAKEN = frozenset((seat, index) for seat in SEATS for index in range(HAND_TILES))
TAKING = TableState(playing=Playing(PlayStage.TAKING, DEAL, hand=Hand(taken=ALL_TAKEN)))
WHOLE = Build(placed={each: DEAL.wanted(each) for each in DEAL.positions}, surveyed=True)
READY = TableState(making=Making(WallStage.READY, DEAL, build=WHOLE))
FourPlayers = tuple[str, str, str, str]


def went_on(setup: Setup, state: TableState) -> tuple[TableState, tuple[JournalEvent, ...]]:
    """The table after everything that happens by itself, up to a hand that starts."""
    happened: tuple[JournalEvent, ...] = ()
    while (events := due_events(setup, state)) and not any(isinstance(event, HandStarted | OperationIssued) for event in happened):
        for event in events:
            state = apply(setup, state, event)
        happened = (*happened, *events)
    return state, happened


def told(setup: Setup, state: TableState, *messages: Message) -> tuple[TableState, tuple[JournalEvent, ...]]:
    """The table after these messages, and what happened."""
    state, happened = went_on(setup, state)
    for message in messages:
        decision = decide(setup, state, message)
        events = () if isinstance(decision, Refused) else decision
        for event in events:
            state = apply(setup, state, event)
        state, more = went_on(setup, state)
        happened = (*happened, *events, *more)
    return state, happened


def right_seats() -> tuple[TakeSeat, ...]:
    return tuple(TakeSeat(place, player) for place, player in enumerate(PLAYERS))


def refused(decision: Decision) -> str:
    assert isinstance(decision, Refused)
    return decision.sentence


def rises(event: JournalEvent) -> bool:
    """Whether the wall is told to rise."""
    return isinstance(event, OperationIssued) and isinstance(event.command, Raise)


def test_a_hand_starts_and_a_wall_rises_when_the_fourth_player_sits_right_and_not_before() -> None:
    for before in (TAKING, READY):
        state, happened = told(SETUP, before, *right_seats()[:3])
        assert not [event for event in happened if isinstance(event, HandStarted) or rises(event)]
        state, happened = told(SETUP, state, right_seats()[3])
        assert [type(event) for event in happened][:2] == [SeatTaken, SeatsConfirmed]
        assert any(map(rises, happened)) is (before is READY)
        assert [event.n for event in happened if isinstance(event, HandStarted)] == [DEAL.n] * (before is TAKING)


def test_a_wrong_seat_is_named_with_the_place_where_the_player_belongs() -> None:
    state, happened = told(SETUP, TAKING, TakeSeat(0, "12"), TakeSeat(3, "99"))
    assert [event for event in happened if isinstance(event, SeatWrong)] == [SeatWrong(0, "12", 1), SeatWrong(3, "99", None)]
    lamps = outputs_of(SETUP, state).lamps
    assert (lamps.turn, lamps.call) == (frozenset({1, 2}), frozenset({0, 3}))


def test_two_who_sit_in_each_others_places_swap_with_one_touch() -> None:
    state, _ = told(SETUP, TAKING, TakeSeat(0, "12"), TakeSeat(1, "11"), TakeSeat(2, "13"), TakeSeat(3, "14"))
    assert (state.seats.wrong, state.seats.stage) == (frozenset({0, 1}), SeatStage.AWAITED)
    state, happened = told(SETUP, state, SwapSeats((0, 1)))
    assert [event for event in happened if isinstance(event, SeatWrong)] == []
    assert state.playing.stage is PlayStage.PLAYING


@pytest.mark.parametrize("then", [SwapSeats((0, 1)), TakeSeat(1, "12")], ids=["swaps with an empty seat", "sits down there"])
def test_a_player_sits_at_one_place_alone(then: Message) -> None:
    state, _ = told(SETUP, TAKING, TakeSeat(0, "12"), then)
    assert (state.seats.taken, state.seats.missing) == ({1: "12"}, frozenset({0, 2, 3}))


def test_who_says_to_sit_elsewhere_before_the_hand_starts_is_asked_again() -> None:
    state, _ = told(SETUP, TableState(playing=Playing(PlayStage.NONE)), *right_seats())
    assert state.seats.stage is SeatStage.CONFIRMED
    state, _ = told(SETUP, state, TakeSeat(0, "12"))
    assert state.seats.stage is SeatStage.AWAITED
    state, happened = told(SETUP, state, *right_seats())
    assert [type(event) for event in happened][-1] is SeatsConfirmed


def test_a_wrong_seat_that_is_found_during_the_hand_calls_the_referee_and_changes_nothing_else() -> None:
    state, _ = told(SETUP, TAKING, *right_seats())
    assert state.playing.stage is PlayStage.PLAYING
    after, happened = told(SETUP, state, TakeSeat(0, "12"))
    assert happened[:2] == (SeatWrong(0, "12", 1), RefereeCalled(about=TableSubject.SEAT_WRONG))
    assert after.seats == state.seats
    assert "the referee rules" in refused(decide(SETUP, state, SwapSeats((0, 1))))


@pytest.mark.parametrize(("changes", "asked"), [({"names": ("11", "12", "13", "99")}, {3}), ({"session": 2}, set(range(4)))])
def test_a_substitute_is_asked_alone_and_in_a_new_session_everybody(changes: dict[str, object], asked: set[int]) -> None:
    state, _ = told(SETUP, TableState(), *right_seats())
    setup = changed(SETUP, **changes)  # type: ignore[arg-type]  # fields of a setup
    state, happened = told(setup, state)
    assert happened == (SeatsAwaited(setup.session, setup.names),)
    assert state.seats.missing == asked


def test_the_next_hand_of_the_session_asks_nobody() -> None:
    state, _ = told(SETUP, TableState(), *right_seats())
    _, happened = told(SETUP, replace(TAKING, seats=state.seats))
    assert [type(event) for event in happened][-1] is HandStarted


@pytest.mark.parametrize("message", [TakeSeat(0, "11"), SwapSeats((0, 1))])
def test_a_table_without_a_seat_check_takes_no_seats(message: Message) -> None:
    assert refused(decide(set_up(), TableState(), message))


def test_without_a_broker_confirm_says_that_the_right_player_sits_there() -> None:
    presses = [KeyPressed(place, Key.CONFIRM) for place in range(4)]
    state, _ = told(SETUP, TAKING, *presses)
    assert state.seats.taken == {}, "with a broker the players say it themselves"
    _, happened = told(SETUP, TAKING, PartLost("broker"), *presses)
    assert [type(event) for event in happened][-1] is HandStarted


PLAYER = st.sampled_from([*PLAYERS, "98", "99"])
PLACE = st.integers(0, 3)
SAID = st.one_of(
    st.builds(TakeSeat, PLACE, PLAYER),
    st.builds(SwapSeats, st.tuples(PLACE, PLACE)),
    st.builds(KeyPressed, PLACE, st.just(Key.CONFIRM)),
    st.just(PartLost("broker")),
    st.permutations([*PLAYERS, "98"]).map(lambda drawn: (drawn[0], drawn[1], drawn[2], drawn[3])),
)


@given(st.lists(SAID, max_size=30), st.sampled_from([TAKING, READY]))
def test_no_hand_starts_and_no_wall_rises_with_other_seats_than_assigned(said: list[Message | FourPlayers], state: TableState) -> None:
    """Whatever is said in whatever order, and whoever is assigned meanwhile."""
    setup = SETUP
    for each in said:
        setup = changed(setup, names=each) if isinstance(each, tuple) else setup
        state, happened = told(setup, state, *([] if isinstance(each, tuple) else [each]))
        if any(isinstance(event, HandStarted) or rises(event) for event in happened):
            assert state.seats.taken == dict(enumerate(setup.names))
            started = [event for event in happened if isinstance(event, HandStarted)]
            assert all({event.places[seat]: who for seat, who in event.seats.items()} == state.seats.taken for event in started)
            return


@pytest.mark.slow
def test_a_table_that_is_killed_in_the_seat_check_goes_on_with_it(make_rig: MakeRig) -> None:
    rig = seat_session(make_rig, 1, 3).rig
    rig.setup = changed(rig.setup, seat_check=True, names=PLAYERS)
    rig.die(power_cut=False)
    for place in (0, 1):
        rig.post(TakeSeat(place, PLAYERS[place]))
    rig.settle()
    rig.restart()
    assert (rig.state.seats.missing, rig.state.playing.stage) == (frozenset({2, 3}), PlayStage.NONE)
    for place in (2, 3):
        rig.post(TakeSeat(place, PLAYERS[place]))
    rig.run(hand_is(rig, 1, PlayStage.PLAYING))
    (started,) = rig.happened(HandStarted)
    assert {started.places[seat]: who for seat, who in started.seats.items()} == dict(enumerate(PLAYERS))


FREE = set_up(names=PLAYERS)


def test_while_the_clock_is_paused_no_wall_rises_and_no_hand_starts_and_afterwards_both_do() -> None:
    for state, begun in ((TAKING, HandStarted), (READY, OperationIssued)):
        paused, happened = told(FREE, apply(FREE, state, ClockPaused()))
        assert not [event for event in happened if isinstance(event, begun)]
        _state, happened = told(FREE, paused, PauseClock(False))
        assert type(happened[0]) is ClockResumed
        assert [event for event in happened if isinstance(event, begun)]


def test_a_hand_in_play_goes_on_while_the_clock_is_paused() -> None:
    state, happened = told(FREE, TAKING)
    assert [event for event in happened if isinstance(event, HandStarted)]
    assert not [event for event in happened if isinstance(event, SeatsAwaited)], "without a seat check nobody is asked"
    assert decide(FREE, state, PauseClock(True)) == (ClockPaused(published=True),)
    assert apply(FREE, state, ClockPaused()).playing == state.playing


def test_a_pause_that_is_told_twice_is_one() -> None:
    assert "already" in refused(decide(FREE, apply(FREE, TAKING, ClockPaused()), PauseClock(True)))
    assert "already" in refused(decide(FREE, TAKING, PauseClock(False)))


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


def test_statement_09_pressing_twice_or_from_two_phones_records_once(won: Game) -> None:
    tell(won, *(ConfirmScore(won.place(seat), 1) for seat in (E, S, W)))
    assert won.rig.happened(PaymentsProposed) == [], "nobody enters the score for the winner"
    tell(won, *[ConfirmScore(won.place(N), 1)] * 2)
    assert [event.seat for event in won.rig.happened(PaymentsProposed)] == [N]
    tell(won, ConfirmScore(won.place(N), 1, paid(won)))
    assert won.rig.happened(PaymentsConfirmed) == [], "who entered the score does not confirm it"
    east, south, west, north = paid(won)
    tell(won, ConfirmScore(won.place(S), 1, (east - 1, south + 1, west, north)), ConfirmScore(won.place(S), 2, paid(won)))
    assert won.rig.happened(PaymentsConfirmed) == [], "other payments or another deal are not the table's"
    tell(won, *(ConfirmScore(won.place(seat), 1, paid(won)) for seat in (S, S, W, E, N)))
    assert [event.seat for event in won.rig.happened(PaymentsConfirmed)] == [S]
    assert (len(won.rig.happened(Settled)), won.rig.happened(HandClosed)) == (1, [HandClosed(1)])


def test_a_score_is_confirmed_on_a_page_and_by_key_in_either_order(won: Game) -> None:
    tell(won, ConfirmScore(won.place(N), 1))
    won.press(W, Key.CONFIRM)
    tell(won, ConfirmScore(won.place(S), 1, paid(won)))
    assert [event.seat for event in won.rig.happened(PaymentsConfirmed)] == [W]


def test_a_wrong_score_is_for_the_referee_and_nothing_is_recorded_before_the_ruling(won: Game) -> None:
    tell(won, ConfirmScore(won.place(N), 1), CallReferee(won.place(S), CallSubject.SCORE), ConfirmScore(won.place(W), 1, paid(won)))
    assert won.rig.happened(RefereeCalled) == [RefereeCalled(S, CallSubject.SCORE)]
    assert (won.rig.happened(PlayHalted), won.rig.happened(PaymentsConfirmed)) == ([PlayHalted("referee")], [])


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
        assert (game.rig.happened(PaymentsProposed), game.rig.happened(PaymentsConfirmed)) == ([], [])
