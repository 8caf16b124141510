"""A player's own table on a seat's page: seats, clock, the score to enter or confirm, and the call for the referee.

Phones that share a seat share the page, so the form with its token is outside, and the buttons name it.
"""

from collections.abc import Mapping

from markupsafe import Markup

from dashboard.access.seat_scope import SeatScope, SeatTask, TableAtSeat
from dashboard.actions.rulings import outcome_entered
from dashboard.i18n.words import Values, Words, signed
from dashboard.pages.rendering import Fragments, Renderer
from dashboard.pages.table.hands_with_fans import HandsByRules, hands_by_rules, hands_with_fans
from dashboard.projections.table_view import HandView
from twinwall.game.documents import write_time
from twinwall.game.tiles import SEATS, Seat


def payment_rows(hand: HandView, by_rules: HandsByRules | None) -> list[Values]:
    """The four payments of the entered score, or by the rules before one is entered, with an arrow from each payer to each seat that it
    pays.

    Two seats that owe each other have one arrow for the difference. If the payments are unknown (unknown play, or a score entered
    otherwise), there are arrows only if a single seat gains.
    """
    given = None if by_rules is None else by_rules.amounts
    amounts = given if hand.proposal is None else hand.proposal.payments
    if amounts is None:
        return []
    if by_rules is not None and given == amounts:
        paid = by_rules.paid
    else:
        gains = [seat for seat in SEATS if amounts[seat] > 0]
        paid = {(seat, gains[0]): -amounts[seat] for seat in SEATS if amounts[seat] < 0} if len(gains) == 1 else {}

    def row(seat: Seat, amount: int) -> Values:
        return {"seat": seat, "name": hand.names[seat], "value": signed(amount), "arrows": _arrows(seat, paid, amount)}

    return [row(seat, amounts[seat]) for seat in SEATS]


def _arrows(payer: Seat, paid: Mapping[tuple[Seat, Seat], int], amount: int) -> list[tuple[Seat, int | None]]:
    """Whom a seat pays, and how much; None if it is the whole amount in the row."""
    owed = {to: paid.get((payer, to), 0) - paid.get((to, payer), 0) for to in SEATS if to is not payer}
    arrows: list[tuple[Seat, int | None]] = [(to, left) for to, left in owed.items() if left > 0]
    return [(arrows[0][0], None)] if [left for _, left in arrows] == [-amount] else arrows


def outcome(hand: HandView, words: Words) -> str:
    if hand.paper:
        proposal = hand.proposal
        entry = next((entry for entry in reversed(hand.entered) if proposal is not None and entry.seat is proposal.seat), None)
        return "" if entry is None else outcome_entered(entry, words)
    winners = [shown.seat for shown in hand.shown]
    if not winners:
        return words("confirm.drawn")
    if len(winners) > 1:
        return words("confirm.win.several", seats=words("confirm.and").join(words.seat(seat) for seat in winners))
    source = None if hand.declared is None else hand.declared.source
    if source is None:
        return words("confirm.win.drawn", seat=words.seat(winners[0]))
    return words("confirm.win.discard", seat=words.seat(winners[0]), other=words.seat(source))


def pressed_value(table: TableAtSeat) -> str:
    """What a confirmation names, so that it counts only for this score: the deal and the payments from East to North."""
    if table.hand is None or table.hand.proposal is None:
        return ""
    return " ".join(str(number) for number in (table.hand.n, *(table.hand.proposal.payments[seat] for seat in SEATS)))


def _settling(table: TableAtSeat, words: Words) -> Values | None:
    """The hand, for the player who enters its score, and after that for all; None at other times, so that nothing of it is shown."""
    hand = table.hand
    if hand is None or table.task not in (SeatTask.ENTER, SeatTask.CONFIRM, SeatTask.ENTERED):
        return None
    by_rules = hands_by_rules(hand)
    shown, entered = hands_with_fans(hand, by_rules, words)
    return {"outcome": outcome(hand, words), "shown": shown, "entered": entered, "rows": payment_rows(hand, by_rules)}


def pieces(render: Renderer, scope: SeatScope, words: Words) -> Fragments:
    table = scope.at_seat()
    if table is None:
        return

    def piece() -> Markup:
        hand = table.hand
        over = not scope.event.in_play and table.player in scope.event.players
        return render(
            "people/my_table.html",
            table=table,
            stands=scope.event.stands,
            hand=hand,
            hand_name=words.hand(table.number),
            you=scope.name(table.player) if table.player else "",
            since=None if hand is None else write_time(hand.started),
            settling=_settling(table, words),
            value=pressed_value(table),
            ruling="" if table.ruling is None else words.announced(table.ruling),
            card=table.player if over else "",
        )

    yield render.part("my-table", piece)
