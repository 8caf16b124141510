"""Entry of a hand's result by a player at a table without cameras: the form and its command.

If the rule set can compute the payments, the form asks for winner, discarder and value, otherwise for the four scores. An impossible result
is refused here with a word, so that the player can correct it at once; the table checks it again.
"""

from collections.abc import Mapping

from dashboard.access.seat_scope import SeatTask, TableAtSeat
from dashboard.actions.rulings import Form
from dashboard.i18n.words import Values
from dashboard.projections.table_view import HandView
from twinwall.game.rule_set import BELOW_MINIMUM, NOT_ALLOWED, Illegal, RuleSet
from twinwall.game.tiles import SEATS, Seat
from twinwall.game.typed_scores import MOST_SCORE, excess, odd_scores
from twinwall.wire.events.hand_events import ResultEntered
from twinwall.wire.messages.commands import EnterResult
from twinwall.wire.names import whole_number

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
