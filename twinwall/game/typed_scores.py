"""Scores and penalties that people type: which the rules make impossible, and which are merely odd, so that every door asks alike.

What players enter for a hand obeys the sum of the rule set. A referee may adjudge other scores; he confirms them a second time,
with what is odd in them.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import Seat
from twinwall.values import frozen

MOST_SCORE, MOST_IMP = 1_000_000, 99
"""The most that can be typed, whatever the rules."""
_USUAL_IMP = 12


class Oddity(StrEnum):
    """What is odd in typed numbers; the values stand in the catalogue (``odd.…``)."""

    SUM = "sum"
    """The scores do not add up to the sum of the rule set."""
    ONE_SIDED = "one-sided"
    """There are gains without payments, or payments without gains."""
    LARGE = "large"
    """A score, or the points of a penalty, beyond what a hand usually brings."""
    IMP = "imp"
    """A penalty of more IMP than is usual."""


@frozen
class Odd:
    """One oddity, and the number that shows it."""

    what: Oddity
    number: int


def excess(rules: RuleSet, scores: Mapping[Seat, int]) -> int:
    """By how much four scores miss the sum that the rule set gives every hand; 0 where it gives none."""
    return sum(scores.values()) if rules.zero_sum else 0


def odd_scores(rules: RuleSet, scores: Mapping[Seat, int]) -> Iterator[Odd]:
    """What is odd in the four scores of a hand."""
    least, most = min(scores.values()), max(scores.values())
    if missed := excess(rules, scores):
        yield Odd(Oddity.SUM, missed)
    elif (least >= 0) != (most <= 0):
        yield Odd(Oddity.ONE_SIDED, most or least)
    yield from _large(rules, max(scores.values(), key=abs))


def odd_penalty(rules: RuleSet, imp: int, points: int) -> Iterator[Odd]:
    """What is odd in a penalty of ``imp`` IMP and ``points`` to each of the others."""
    if imp > _USUAL_IMP:
        yield Odd(Oddity.IMP, imp)
    yield from _large(rules, points)


def _large(rules: RuleSet, number: int) -> Iterator[Odd]:
    if abs(number) > rules.usual_most:
        yield Odd(Oddity.LARGE, number)
