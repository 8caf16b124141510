"""The page of Seigo mahjong."""

from tools.rule_pages.rule_page import page_of
from twinwall.game.rules.fan_list import FanKind
from twinwall.game.rules.seigo.values import YAKUMAN


def _worth(kind: FanKind) -> str:
    if kind.value >= YAKUMAN:
        return "yakuman" + (" (double by option)" if kind.double else "")
    if kind.open_value is None:
        return f"{kind.value}, closed"
    return f"{kind.value}" if kind.value == kind.open_value else f"{kind.value}, open {kind.open_value}"


PAGE = page_of("seigo", _worth)
