"""Hand at a table without cameras: its sheets are due, play begins, a player enters the result and another one confirms it.

Play is unknown, so the rule set judges the scores alone. A second player who enters the same result confirms it; if he enters another, the
referee is called and rules as on any hand. Pure.
"""

from collections.abc import Mapping

from controller.hand import referee
from controller.hand.play import closed
from controller.ledger.journal_events import PaymentsComputed
from controller.state.messages import Decision, Refused
from controller.state.sides import OpenDeal, PlayStage
from controller.state.table_state import Setup, TableState, may_begin
from twinwall.game.deals.plan import PlannedDeal
from twinwall.game.play_events import EndReason, penalty_payments, totals
from twinwall.game.rule_set import Illegal
from twinwall.game.tiles import SEATS, Seat
from twinwall.game.typed_scores import excess
from twinwall.wire.events.hand_events import HandStarted, PaymentsProposed, ResultEntered
from twinwall.wire.events.trouble_events import CallSubject
from twinwall.wire.events.wall_events import DealRefused, SheetsDue
from twinwall.wire.messages.commands import BeginHand, EnterResult

WRONG_SCORES = "wrong-scores"


def wants_sheets(setup: Setup, state: TableState) -> bool:
    """Whether the next sheets may be opened: no hand is in play, or the sheets that wait are of another session."""
    stage = state.playing.stage
    return setup.leaves(state.playing.deal) if stage is PlayStage.TAKING else stage in (PlayStage.NONE, PlayStage.CLOSED)


def sheets_due(setup: Setup, state: TableState, deal: PlannedDeal) -> Decision:
    """Announce the next deal of the session, whose sheets may be opened."""
    if deal.rules != setup.rules.name:
        sentence = f"Deal {deal.n} is for {deal.rules}, this table plays {setup.rules.name}: assign the table again"
        return (DealRefused(deal.n, "rules", sentence),)
    if deal.n in state.done or not wants_sheets(setup, state):
        return Refused(f"the sheets of deal {deal.n} are due already, or another hand is in play")
    return (SheetsDue(deal.n, deal.session, deal.hand, deal.rules),)


def begun(setup: Setup, state: TableState, command: BeginHand) -> Decision:
    deal = state.playing.deal
    if not setup.paper or deal is None or deal.n != command.n or state.playing.stage is not PlayStage.TAKING or wants_sheets(setup, state):
        return Refused(f"place {command.place} begins deal {command.n}, whose walls are not being built here")
    if not may_begin(setup, state.seats, paused=state.paused):
        return Refused(f"deal {command.n} cannot begin: the clock is paused, or the players have still to say who they are")
    return (started(setup, deal, dict.fromkeys(SEATS, setup.rules.walls.draws)),)


def started(setup: Setup, deal: OpenDeal, draws: Mapping[Seat, int]) -> HandStarted:
    """Return the event that begins the hand of a deal; ``draws``: number of draws in each wall."""
    places = {seat: deal.place(seat) for seat in SEATS}
    names = {seat: setup.names[place] for seat, place in places.items()}
    return HandStarted(deal.n, deal.session, deal.hand, deal.rules, setup.options, deal.round, names, places, draws)


def entered(setup: Setup, state: TableState, command: EnterResult) -> Decision:
    """A player enters the result, and may correct it until another player enters or confirms; if they differ, the referee rules."""
    deal = _deal_to_settle(setup, state, command.n)
    if isinstance(deal, Refused):
        return deal
    payments = payments_of(setup, state, command)
    if isinstance(payments, Illegal):
        return Refused(f"place {command.place} enters a result of deal {command.n} that cannot be: {payments.sentence}")
    seat, due = deal.seat(command.place), state.playing.hand.payments
    said = ResultEntered(seat, command.winner, command.source, command.total, payments)
    if due is None or due.seat is seat:
        if due is not None and due.payments == payments:
            return Refused(f"{seat.name.title()} has entered this result of deal {command.n} before")
        return said, PaymentsComputed(seat, (), command.total, payments), PaymentsProposed(seat, (), command.total, payments)
    if payments == due.payments:
        return closed(deal.n, seat, payments, EndReason.ENTERED)
    return said, *referee.key_pressed(state, seat, CallSubject.SCORE)


def payments_of(setup: Setup, state: TableState, command: EnterResult) -> Mapping[Seat, int] | Illegal:
    """Return what the hand pays as entered, with ruled penalties; or why it cannot be."""
    play = state.playing.hand.play
    penalties = totals(penalty_payments(() if play is None else play.penalties))
    paid = _paid(setup, command)
    return paid if isinstance(paid, Illegal) else {seat: paid[seat] + penalties[seat] for seat in SEATS}


def _paid(setup: Setup, command: EnterResult) -> Mapping[Seat, int] | Illegal:
    if command.scores is not None:
        scores = dict(zip(SEATS, command.scores, strict=True))
        missed = excess(setup.rules, scores)
        return Illegal(WRONG_SCORES, f"the four scores sum to {missed:+d}, not to 0") if missed else scores
    if command.winner is None:
        if command.source is not None or command.total:
            return Illegal(WRONG_SCORES, "a drawn hand has no discarder and is worth nothing")
        return dict.fromkeys(SEATS, 0)
    paid = setup.rules.entered_payments(command.winner, command.source, command.total)
    return Illegal(WRONG_SCORES, "these rules need all four scores") if paid is None else paid


def _deal_to_settle(setup: Setup, state: TableState, n: int) -> OpenDeal | Refused:
    """Return the deal of which a result may be entered now, or a refusal."""
    deal = state.playing.deal
    if not setup.paper or deal is None or deal.n != n or state.playing.stage not in (PlayStage.PLAYING, PlayStage.SETTLING):
        return Refused(f"a result of deal {n} was entered, which is not in play here")
    return Refused(f"a result of deal {n} was entered while the referee is waited for") if state.playing.halted else deal
