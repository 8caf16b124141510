"""The JSON of ``twinwall rules score``: a hand to score as an object, and the answer as another (contracts, "Scoring").

Keys, notation and melds are read strictly here, the same for every rule set; a rule set reads its own keys
(``RuleSet.read_hand``).
"""

from __future__ import annotations

from collections.abc import Mapping

from twinwall.game.documents import DocumentError, DocumentFields, integer_of, object_of, parse_object
from twinwall.game.hands import HandError, misfit
from twinwall.game.play_events import Meld, MeldType
from twinwall.game.rule_set import Fan, NoWin, Win, WinningHand
from twinwall.game.rules import RuleSetError, rule_set
from twinwall.game.tiles import SEATS, Seat

_NAME = "the hand"
LONGEST_LINE = 2**20
"""Bytes of the longest line that is read: 1 MiB, where a hand takes less than one KiB."""


class ScoreRequestError(ValueError):
    """A line that is no hand to score; the message is one sentence."""


def judge(line: bytes | str, rules: str, options: Mapping[str, object]) -> Win | NoWin:
    """Score the hand of one line (``judge_with_note``)."""
    return judge_with_note(line, rules, options)[0]


def judge_with_note(line: bytes | str, rules: str, options: Mapping[str, object]) -> tuple[Win | NoWin, str | None]:
    """Score the hand of one line; ``options`` are overlaid by the line's own. Raises ScoreRequestError for what cannot be judged.

    The note names the tile or the count for which a hand cannot win, whatever its shape.
    """
    try:
        if len(line) > LONGEST_LINE:
            raise DocumentError(f"{_NAME} is longer than {LONGEST_LINE} bytes (1 MiB)")
        fields = DocumentFields(parse_object(line, _NAME), _NAME)
        chosen = {**options, **(fields.mapping("options") if "options" in fields else {})}
        chooser = rule_set(rules, chosen)
        hand = chooser.read_hand(_hand(fields), fields)
        fields.done()
        outcome = chooser.score(hand)
        return outcome, misfit(hand, chooser.tiles) if isinstance(outcome, NoWin) else None
    except (DocumentError, HandError, RuleSetError) as error:
        raise ScoreRequestError(str(error)) from None


def outcome_json(outcome: Win | NoWin) -> dict[str, object]:
    """The answer to a hand that could be judged."""
    fans = [fan_json(fan) for fan in outcome.fans]
    if isinstance(outcome, NoWin):
        return {"win": False, "reason": outcome.reason, "total": outcome.total, "fan": fans}
    payments = {seat.value: outcome.payments[seat] for seat in SEATS}
    fu = {} if outcome.fu is None else {"fu": outcome.fu}
    return {"win": True, "fan": fans, "total": outcome.total, **fu, "payments": payments}


def fan_json(fan: Fan) -> dict[str, object]:
    """One fan; ``value`` is for one."""
    return {"id": fan.id, "name": fan.name, "value": fan.value, "count": fan.count}


def _hand(fields: DocumentFields) -> WinningHand:
    """The keys that every rule set knows."""
    seat, self_drawn = fields.seat("seat"), fields.switch("self_drawn")
    if self_drawn and "from" in fields:
        raise DocumentError(f"{fields.label('from')} stands beside a self-drawn tile: leave it out")
    return WinningHand(
        seat=seat,
        round=fields.seat("round") if "round" in fields else Seat.EAST,
        concealed=fields.tiles("concealed"),
        melds=_melds(fields.items("melds") if "melds" in fields else []),
        winning=fields.tile("winning"),
        source=None if self_drawn else fields.seat("from"),
        flags=_flags(fields),
    )


def _flags(fields: DocumentFields) -> frozenset[str]:
    flags = fields.items("flags") if "flags" in fields else []
    texts = [flag for flag in flags if isinstance(flag, str)]
    if len(texts) != len(flags):
        raise DocumentError(f"{fields.label('flags')} must be names of flags")
    return frozenset(texts)


def _melds(items: list[object]) -> tuple[Meld, ...]:
    """The melds in the order in which they last changed: ``order`` where it is given, else the place in the list."""
    melds = [_meld(item, number) for number, item in enumerate(items)]
    return tuple(meld for _, meld in sorted(melds, key=lambda placed: placed[0]))


def _meld(item: object, number: int) -> tuple[int, Meld]:
    name = f"meld {number + 1} of {_NAME}"
    fields = DocumentFields(object_of(item, name), name)
    text = fields.text("type")
    if text not in list(MeldType):
        raise DocumentError(f"{fields.label('type')} must be one of {', '.join(MeldType)}, not {text!r}")
    source: Seat | None = fields.seat("from") if "from" in fields else None
    order = integer_of(fields.take("order"), fields.label("order")) if "order" in fields else number
    meld = Meld(MeldType(text), fields.tiles("tiles"), source)
    fields.done()
    return order, meld
