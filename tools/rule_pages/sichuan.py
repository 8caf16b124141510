"""The page of Sichuan mahjong."""

from tools.rule_pages.rule_page import page_of
from twinwall.game.rules.sichuan.scoring import NUMBERED

PAGE = page_of(
    "sichuan",
    worth=lambda kind: (f"×{kind.value}" if kind.value else "the cap") + ("" if kind.id in NUMBERED else "*"),
    note=lambda kind: kind.meaning + (f"; option `{kind.option}`" if kind.option else ""),
)
