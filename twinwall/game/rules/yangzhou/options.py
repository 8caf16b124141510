"""The options of Yangzhou mahjong, and the values that they choose. The source gives the big fans three sets of values, one for each usual
minimum, and suggests a lighter scale ("揚州の麻雀", blog, 27 November 2015, 点数 and ●…の大番). An event with another minimum names a set
or gives its own."""

from collections.abc import Mapping
from typing import Annotated, Literal

from twinwall.game.rules import RuleSetError
from twinwall.game.rules.option_form import Choice, read_options
from twinwall.values import frozen

NAME = "yangzhou"
NECESSARY, LISTED = "necessary", "listed"

CLASSES = ("L", "H", "D", "F", "4F", "8F")
"""Classes of big fans, lowest first, by the source's shares: 一板, 混一色, 2 to 2.5 times 混一色, 4 times (清一色), and 4 and 8 times
清一色 (風清, 鋼板)."""


@frozen
class Values:
    """One set of values: each class's points, and whether some combinations are worth more than their sum."""

    of: Mapping[str, int]
    bonuses: bool = False


def _values(*of: int, bonuses: bool = False) -> Values:
    return Values(dict(zip(CLASSES, of, strict=True)), bonuses)


TABLES: Mapping[int, Values] = {
    7: _values(7, 10, 20, 40, 160, 320),
    13: _values(10, 15, 30, 60, 240, 480),
    18: _values(15, 20, 50, 80, 320, 640, bonuses=True),
}
"""The source's sets of values, by minimum."""

LIGHT = _values(3, 4, 8, 16, 32, 32)
"""The author's lighter scale; its 8 is the rule page's."""
LIGHT_MINIMUM = 3

_DEFAULT_MINIMUM = 13


@frozen
class YangzhouOptions:
    minimum: Annotated[int, Choice("the fewest points that win; 7, 13 and 18 bring their own values, another needs `values`")] = (
        _DEFAULT_MINIMUM
    )
    values: Annotated[
        Literal[7, 13, 18] | tuple[int, int, int, int, int, int] | None,
        Choice(
            "the minimum whose values the big fans have, where it is not `minimum`; "
            "or the event's own: what 一板, 混一色, 双板板, 清一色, 風清 and 鋼板 are worth",
            least=1,
        ),
    ] = None
    light: Annotated[bool, Choice("the light scale 3, 4, 8, 16, 32 (風清 and 鋼板 alike) with its minimum of 3")] = False
    containment: Annotated[
        Literal["necessary", "listed"],
        Choice("what a higher fan takes away: every fan that is always in it, or only those that the source spells out"),
    ] = "necessary"
    all_chows_no_honours: Annotated[bool, Choice("平胡 asks for a hand without honours")] = False
    stake: Annotated[
        int | None,
        Choice(
            "円子: the points that each seat has when a hand begins, the same in every hand; no seat pays more in it (`settle`)", least=1
        ),
    ] = None

    @property
    def table(self) -> Values:
        if isinstance(self.values, tuple):
            return _values(*self.values)
        return LIGHT if self.light else TABLES[self.values or self.minimum]

    @property
    def least(self) -> int:
        return LIGHT_MINIMUM if self.light else self.minimum

    @classmethod
    def chosen(cls, options: Mapping[str, object]) -> "YangzhouOptions":
        """Read options; raises RuleSetError for an unknown name, an impossible value or a contradiction."""
        chosen = read_options(cls, NAME, options)
        if chosen.light:
            if chosen.values is not None or chosen.minimum not in (_DEFAULT_MINIMUM, LIGHT_MINIMUM):
                raise RuleSetError(f"the option 'light' of {NAME} brings its own values and minimum: leave 'minimum' and 'values' out")
        elif chosen.values is None and chosen.minimum not in TABLES:
            raise RuleSetError(f"the option 'minimum' of {NAME} must be 7, 13 or 18 where 'values' does not say what the fans are worth")
        if isinstance(chosen.values, tuple) and list(chosen.values) != sorted(chosen.values):
            raise RuleSetError(f"the option 'values' of {NAME} names the big fans from the lowest: {chosen.values} goes down")
        return chosen
