"""A player's own table on the page of a seat: the seats, the clock, the score to be entered or confirmed, and the call for the referee.

Phones that share a seat share the page, so the form with its token stands outside; its buttons name it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dashboard.access.seat_scope import SeatScope, SeatTask, TableAtSeat
from dashboard.i18n.words import WIND_CHARACTERS, Words, signed
from dashboard.pages.common_pieces import common
from dashboard.pages.fragments import Fragment
from dashboard.pages.rendering import Renderer
from dashboard.pages.table import presentation
from dashboard.pages.table.board_picture import meld_tiles
from dashboard.projections.table_view import HandView
from twinwall.event.management.managed_event import EventStage
from twinwall.game.hands import HandError
from twinwall.game.payments import totals
from twinwall.game.rule_set import Win
from twinwall.game.session import round_wind
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.canonical_json import write_time


@dataclass(frozen=True, slots=True)
class PaymentArrow:
    """Whom a seat pays, and how much; ``amount`` is None where it is all that stands in the row."""

    to: Seat
    amount: int | None


@dataclass(frozen=True, slots=True)
class PaymentRow:
    """What a seat gains or pays in all; ``arrows`` are whom it pays, none where nobody knows."""

    seat: Seat
    name: str
    amount: int
    arrows: tuple[PaymentArrow, ...]

    @property
    def value(self) -> str:
        """The amount with its sign."""
        return signed(self.amount)


def payment_rows(hand: HandView) -> tuple[PaymentRow, ...]:
    """The four payments of the score that was entered, with an arrow from each payer to each seat that it pays by the rule set.

    Two seats that owe each other have one arrow, of what is left. Where the rule set's payments are not known (a hand whose play is not
    known, a score that was entered otherwise), there are arrows only where a single seat gains.
    """
    if hand.proposal is None:
        return ()
    amounts = hand.proposal.payments
    gains = [seat for seat in SEATS if amounts[seat] > 0]
    paid = _paid_by_rules(hand, amounts)
    if paid is None:
        paid = {(seat, gains[0]): -amounts[seat] for seat in SEATS if amounts[seat] < 0} if len(gains) == 1 else {}
    return tuple(PaymentRow(seat, hand.names[seat], amounts[seat], _arrows(seat, paid, amounts[seat])) for seat in SEATS)


def _arrows(payer: Seat, paid: Mapping[tuple[Seat, Seat], int], amount: int) -> tuple[PaymentArrow, ...]:
    owed = {to: paid.get((payer, to), 0) - paid.get((to, payer), 0) for to in SEATS if to is not payer}
    arrows = tuple(PaymentArrow(to, left) for to, left in owed.items() if left > 0)
    return (PaymentArrow(arrows[0].to, None),) if [arrow.amount for arrow in arrows] == [-amount] else arrows


def _paid_by_rules(hand: HandView, amounts: Mapping[Seat, int]) -> Mapping[tuple[Seat, Seat], int] | None:
    """Who pays whom how much in all by the rule set; None where it does not give the amounts that were entered."""
    rules, play = hand.rules, hand.play
    if rules is None or play is None or hand.paper:
        return None
    try:
        judged = {shown.seat: rules.score(rules.winning_hand(play, shown, round_wind(hand.number))) for shown in hand.shown}
    except HandError:
        return None
    payments = rules.payments(play, {seat: win for seat, win in judged.items() if isinstance(win, Win)})
    if totals(payments) != amounts:
        return None
    paid: Counter[tuple[Seat, Seat]] = Counter()
    for payment in payments:
        if payment.source is not None and payment.to is not None:
            paid[payment.source, payment.to] += payment.amount
    return paid


def outcome(hand: HandView, words: Words) -> str:
    """Who wins, in one line."""
    if hand.paper:
        return _outcome_entered(hand, words)
    winners = [shown.seat for shown in hand.shown]
    if not winners:
        return words("confirm.drawn")
    if len(winners) > 1:
        return words("confirm.win.several", seats=words("confirm.and").join(words.seat(seat) for seat in winners))
    source = None if hand.declared is None else hand.declared.source
    if source is None:
        return words("confirm.win.drawn", seat=words.seat(winners[0]))
    return words("confirm.win.discard", seat=words.seat(winners[0]), other=words.seat(source))


def _outcome_entered(hand: HandView, words: Words) -> str:
    """Who wins by what a player has entered."""
    proposal = hand.proposal
    said = next((said for said in reversed(hand.entered) if proposal is not None and said.seat is proposal.seat), None)
    if said is None:
        return ""
    if said.winner is None:
        return words("seat.result.entered") if any(said.payments.values()) else words("confirm.drawn")
    if said.source is None:
        return words("confirm.win.drawn", seat=words.seat(said.winner))
    return words("confirm.win.discard", seat=words.seat(said.winner), other=words.seat(said.source))


def pressed_value(table: TableAtSeat) -> str:
    """What a confirmation names, so that it counts for this score alone: the deal and the payments from East to North."""
    if table.hand is None or table.hand.proposal is None:
        return ""
    return " ".join(str(number) for number in (table.hand.n, *(table.hand.proposal.payments[seat] for seat in SEATS)))


def pieces(render: Renderer, scope: SeatScope, words: Words) -> Iterator[Fragment]:
    """The fragments of the page."""
    yield from common(render, scope, words)
    table = scope.at_seat()
    if table is None:
        return
    hand = table.hand
    over = scope.event.stage is not EventStage.PLAYING and table.player in scope.event.players
    html = render(
        "people/my_table.html",
        words,
        table=table,
        hand=hand,
        hand_name=words.hand(table.number),
        you=scope.name(table.player) if table.player else "",
        since=None if hand is None else write_time(hand.started),
        outcome="" if hand is None else outcome(hand, words),
        melds={} if hand is None else {shown.seat: meld_tiles(hand, shown.seat) for shown in hand.shown},
        rows=() if hand is None else payment_rows(hand),
        value=pressed_value(table),
        shown=table.task in (SeatTask.ENTER, SeatTask.CONFIRM, SeatTask.ENTERED),
        ruling="" if table.ruling is None else words.announced(table.ruling),
        card=table.player if over else "",
        winds=WIND_CHARACTERS,
        seats=SEATS,
        fan_name=presentation.fan_name,
    )
    yield Fragment("my-table", html)
