"""A player's own table on a seat's page: seats, clock, the score to enter or confirm, and the call for the referee. Phones that share a
seat share the page, so the form with its token is outside, and the buttons name it. A player at a table without cameras enters a hand's
result: if the rule set can compute the payments, the form asks for winner, discarder and value, otherwise for the four scores. An
impossible result is refused here with a word, so that the player can correct it at once; the table checks it again."""

from collections.abc import Mapping

from markupsafe import Markup

from dashboard.access.seat_scope import SeatScope, SeatTask, TableAtSeat
from dashboard.actions.rulings import Form, outcome_entered
from dashboard.i18n.words import Values, Words, signed
from dashboard.pages.rendering import Fragments, Renderer
from dashboard.pages.table.hands_with_fans import HandsByRules, hands_by_rules, hands_with_fans
from dashboard.projections.table_view import HandView
from twinwall.game.documents import write_time
from twinwall.game.rule_set import BELOW_MINIMUM, NOT_ALLOWED, Illegal, RuleSet
from twinwall.game.tiles import SEATS, Seat
from twinwall.game.typed_scores import MOST_SCORE, excess, odd_scores
from twinwall.wire.events.hand_events import ResultEntered
from twinwall.wire.messages.commands import EnterResult
from twinwall.wire.names import whole_number


def payment_rows(hand: HandView, by_rules: HandsByRules | None) -> list[Values]:
    """The four payments of the entered score, or by the rules before one is entered, with an arrow from each payer to each seat that it
    pays. Two seats that owe each other have one arrow for the difference. If the payments are unknown (unknown play, or a score entered
    otherwise), there are arrows only if a single seat gains."""
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


NO_WINNER, SELF = "none", "self"
"""Form values for a drawn hand, and for a self-drawn win."""
_WHY = {BELOW_MINIMUM: "below", NOT_ALLOWED: "own-discard"}
_HIGHEST_MINIMUM = 100
TASKS = (SeatTask.RESULT, SeatTask.CONFIRM, SeatTask.ENTERED)
"""When a result may be entered: first, against another player's, and to correct one's own."""


def result_form(now: TableAtSeat) -> Values | None:
    """The form for the hand at the table: the seats with their names, whether the four ``scores`` are entered, and the ``fewest`` that win;
    None if no result is entered now."""
    hand, rules = _open_hand(now)
    if hand is None or rules is None:
        return None
    return {"n": hand.n, "names": hand.names, "scores": _has_scores(rules), "fewest": _fewest(rules)}


def _open_hand(now: TableAtSeat) -> tuple[HandView, RuleSet] | tuple[None, None]:
    """The hand with a result to enter now, and its rules."""
    hand = now.hand
    if hand is None or not hand.paper or hand.rules is None or now.task not in TASKS:
        return None, None
    return hand, hand.rules


def result_command(now: TableAtSeat, form: Form) -> EnterResult | str:
    """The command of a filled form, or a word for the page that says why there is none."""
    hand, rules = _open_hand(now)
    if hand is None or rules is None or form.get("result") != str(hand.n):
        return "moved"
    return (_of_scores if _has_scores(rules) else _of_winner)(now.place, hand.n, rules, form)


def _has_scores(rules: RuleSet) -> bool:
    """Whether the form asks for the four scores, because the rules cannot compute the payments."""
    return rules.entered_payments(Seat.EAST, None, 0) is None


def entered_before(now: TableAtSeat, command: EnterResult) -> bool:
    """Whether this player has entered exactly that already, or another press has recorded the hand."""
    if now.task is SeatTask.RECORDED:
        return now.hand is not None and now.hand.n == command.n
    entry = None if now.hand is None or now.task is not SeatTask.ENTERED else next(iter(reversed(now.hand.entered)), None)
    return entry is not None and entry.seat is now.wind and _same(entry, command)


def _same(entry: ResultEntered, command: EnterResult) -> bool:
    if command.scores is not None:
        return tuple(entry.payments[seat] for seat in SEATS) == command.scores
    return (entry.winner, entry.source, entry.total) == (command.winner, command.source, command.total)


def _fewest(rules: RuleSet) -> int:
    return next((total for total in range(_HIGHEST_MINIMUM) if _refused(rules.entered_payments(Seat.EAST, None, total)) != "below"), 0)


def _refused(paid: Mapping[Seat, int] | Illegal | None) -> str:
    """A word that says why a result is impossible by the rules; empty if it is possible."""
    if isinstance(paid, Illegal):
        return _WHY.get(paid.reason, "impossible")
    return "impossible" if paid is None else ""


def _of_winner(place: int, n: int, rules: RuleSet, form: Form) -> EnterResult | str:
    winner, source, total = form.get("winner", ""), form.get("source", ""), whole_number(form.get("total", ""))
    if winner == NO_WINNER:
        return EnterResult(place, n)
    if winner not in _WINDS or source not in (*_WINDS, SELF) or total is None:
        return "incomplete"
    off = None if source == SELF else Seat(source)
    return _refused(rules.entered_payments(Seat(winner), off, total)) or EnterResult(place, n, Seat(winner), off, total)


def _of_scores(place: int, n: int, rules: RuleSet, form: Form) -> EnterResult | str:
    scores = scores_typed(form)
    if scores is None:
        return "incomplete"
    if max(map(abs, scores.values())) > MOST_SCORE:
        return "impossible"
    if excess(rules, scores):
        return "sum"
    east, south, west, north = (scores[seat] for seat in SEATS)
    odd = any(odd_scores(rules, scores)) and form.get("sure") != as_typed(scores)
    return "odd" if odd else EnterResult(place, n, scores=(east, south, west, north))


def scores_typed(form: Form) -> dict[Seat, int] | None:
    """The four scores of the form; None if one is missing or no number."""
    typed = {seat: whole_number(form.get(f"score-{seat.value}", "")) for seat in SEATS}
    return None if None in typed.values() else {seat: score for seat, score in typed.items() if score is not None}


def as_typed(scores: Mapping[Seat, int]) -> str:
    """The form's value that confirms odd scores, so that it counts only for these."""
    return " ".join(str(scores[seat]) for seat in SEATS)


_WINDS = tuple(seat.value for seat in SEATS)
