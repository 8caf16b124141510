"""The JSON of ``twinwall rules score``: a hand to score, and the answer. ``RuleSet.hand_form`` is the type of the hand."""

from collections.abc import Mapping

from twinwall.game.documents import DocumentError, parse_object
from twinwall.game.rule_set import Fan, NoWin, Win, WinningHand, misfit
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat
from twinwall.game.typed_json import read_as

_NAME = "the hand"
LONGEST_LINE = 2**20
"""Bytes of the longest line that is read: 1 MiB. A hand needs less than 1 KiB."""


def judge_with_note(line: bytes | str, rules: str, options: Mapping[str, object]) -> tuple[Win | NoWin, str | None]:
    """Score the hand of one line, whose own options override ``options``; raises DocumentError when it cannot be judged. The note names the
    tile or the count because of which the hand cannot win in any shape."""
    if len(line) > LONGEST_LINE:
        raise DocumentError(f"{_NAME} is longer than {LONGEST_LINE} bytes (1 MiB)")
    given = parse_object(line, _NAME)
    chooser = rule_set(rules, {**options, **read_as(given.pop("options", {}), dict[str, object], "the options of the hand")})
    hand = read_hand(given, chooser.hand_form)
    outcome = chooser.score(hand)
    return outcome, misfit(hand, chooser.tiles) if isinstance(outcome, NoWin) else None


def outcome_json(outcome: Win | NoWin) -> dict[str, object]:
    fans = [fan_json(fan) for fan in outcome.fans]
    if isinstance(outcome, NoWin):
        return {"win": False, "reason": outcome.reason, "total": outcome.total, "fan": fans}
    payments = {seat.value: outcome.payments[seat] for seat in SEATS}
    fu = {} if outcome.fu is None else {"fu": outcome.fu}
    return {"win": True, "fan": fans, "total": outcome.total, **fu, "payments": payments}


def fan_json(fan: Fan) -> dict[str, object]:
    """One fan; ``value`` is for one of them."""
    return {"id": fan.id, "name": fan.name, "value": fan.value, "count": fan.count}


def read_hand(given: Mapping[str, object], form: type[WinningHand]) -> WinningHand:
    """Read a hand from a request's keys without ``options``; raises DocumentError. ``order`` sorts the melds by their last change; without
    it, their own order counts."""
    fields = {"round": Seat.EAST, "melds": [], "from": None, **given}
    if fields.pop("self_drawn", None) is not (fields["from"] is None):
        raise DocumentError(f"{_NAME}: 'self_drawn' is true, or false beside 'from', which names who discarded")
    melds = enumerate(read_as(fields["melds"], tuple[dict[str, object], ...], f"{_NAME}: melds"))
    placed = sorted((read_as(meld.pop("order", number), int, f"{_NAME}: order"), number, meld) for number, meld in melds)
    return read_as(fields | {"melds": [{"from": None, **meld} for _, _, meld in placed]}, form, _NAME)
