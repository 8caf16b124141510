"""The page of Yangzhou mahjong."""

from tools.rule_pages.rule_page import page_of
from twinwall.game.rules.fan_list import FanKind
from twinwall.game.rules.yangzhou.options import LIGHT, NECESSARY, TABLES
from twinwall.game.rules.yangzhou.patterns import BY_ID
from twinwall.game.rules.yangzhou.scoring import contained_fans


def _worth(kind: FanKind) -> str:
    if kind.bonus_for:
        return f"- / - / {kind.value} / -"
    if kind.of_class is None:
        return str(kind.value)
    return " / ".join(str(values.of[kind.of_class]) for values in (*TABLES.values(), LIGHT))


def _note(kind: FanKind) -> str:
    together = " and ".join(BY_ID[fan_id].japanese for fan_id in kind.bonus_for)
    return f"a bonus, no fan: {together} together" if together else kind.meaning


def _excludes(kind: FanKind) -> tuple[str, ...]:
    away = contained_fans(NECESSARY).get(kind.id, ())
    return tuple(other for other in BY_ID if other in away)


PAGE = page_of("yangzhou", _worth, _note, _excludes)
