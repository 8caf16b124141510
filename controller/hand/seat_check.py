"""Seat check: before a session's first hand, and after a change of players, each of the four says who sits where (``taken``).

Until the hand starts, a wrong seat is named, and two players in each other's places swap with one touch; after that the referee is called.
The server sends what players, or staff for them, enter on a page. Without a broker, CONFIRM at a place says that its own player sits there.
Pure.
"""

from controller.assigning import is_between_hands
from controller.hand import referee
from controller.ledger.journal_events import Events
from controller.state.messages import Decision, Refused
from controller.state.table_state import Seats, SeatStage, Setup, TableState, are_awaited, replace
from controller.state.transitions import SEAT_TRANSITIONS, SeatStep, next_stage
from twinwall.wire.events.seat_events import SeatsAwaited, SeatsConfirmed, SeatTaken, SeatWrong
from twinwall.wire.events.trouble_events import TableSubject

SeatEvent = SeatsAwaited | SeatTaken | SeatWrong | SeatsConfirmed


def due_events(setup: Setup, state: TableState) -> Events:
    seats = state.seats
    if not are_awaited(setup, seats) or not is_between_hands(state):
        return ()
    if seats.stage is SeatStage.NONE or (seats.session, seats.players) != (setup.session, setup.names):
        return (SeatsAwaited(setup.session, setup.names),)
    return () if seats.missing or seats.wrong else (SeatsConfirmed(setup.session, setup.names),)


def taken(setup: Setup, state: TableState, place: int, player: str) -> Decision:
    if not setup.seat_check or state.seats.stage is SeatStage.NONE:
        return Refused(f"player {player} sits at place {place}, and this table does not ask who sits where")
    if not is_between_hands(state):
        return _during_a_hand(setup, state, place, player)
    if state.seats.taken.get(place) == player:
        return Refused(f"player {player} has said before to sit at place {place}")
    return _seat_events(setup, place, player)


def swapped(setup: Setup, state: TableState, first: int, second: int) -> Decision:
    sitting = state.seats.taken
    moves = [(to, sitting[place]) for place, to in ((first, second), (second, first)) if place in sitting]
    if not setup.seat_check or not moves or first == second:
        return Refused(f"there are no players at places {first} and {second} who could swap seats")
    if not is_between_hands(state):
        return Refused(f"the players at places {first} and {second} cannot swap seats during a hand: the referee rules")
    return tuple(event for place, player in moves for event in _seat_events(setup, place, player))


def confirmed_by_key(setup: Setup, state: TableState, place: int) -> Decision:
    """CONFIRM without a broker: the place's own player sits there."""
    return taken(setup, state, place, setup.names[place])


def apply_to_seats(seats: Seats, event: SeatEvent) -> Seats:
    match event:
        case SeatsAwaited(session, players):
            kept = seats.taken if session == seats.session else {}
            stay = {place: player for place, player in kept.items() if players[place] == player}
            return _moved_on(Seats(seats.stage, session, players, stay), SeatStep.SEATS_AWAITED)
        case SeatTaken(place, player):
            others = {where: who for where, who in seats.taken.items() if who != player}
            return _moved_on(replace(seats, taken={**others, place: player}), SeatStep.SEAT_TAKEN)
        case SeatWrong():
            return seats
        case SeatsConfirmed():
            return _moved_on(seats, SeatStep.SEATS_CONFIRMED)


def _moved_on(seats: Seats, step: SeatStep) -> Seats:
    """Change the stage of the seat check; no other function does."""
    return replace(seats, stage=next_stage(SEAT_TRANSITIONS, seats.stage, step))


def _seat_events(setup: Setup, place: int, player: str) -> Events:
    wrong = () if setup.names[place] == player else (SeatWrong(place, player, _belongs(setup, player)),)
    return SeatTaken(place, player), *wrong


def _during_a_hand(setup: Setup, state: TableState, place: int, player: str) -> Decision:
    """Call the referee about a wrong seat that is found after the hand has started."""
    deal = state.playing.deal
    if setup.names[place] == player or deal is None:
        return Refused(f"player {player} sits at place {place} during a hand, as the table knows")
    return SeatWrong(place, player, _belongs(setup, player)), *referee.call_by_table(state, TableSubject.SEAT_WRONG)


def _belongs(setup: Setup, player: str) -> int | None:
    return setup.names.index(player) if player in setup.names else None
