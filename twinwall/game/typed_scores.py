"""Checks scores and penalties that people type (``odd_scores``): impossible ones are refused, odd ones need a second confirmation. Scores
that players enter must have the rule set's sum. A referee may adjudge others if he confirms the oddities."""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from twinwall.game.rule_set import RuleSet
from twinwall.game.tiles import Seat
from twinwall.values import frozen

MOST_SCORE, MOST_IMP = 1_000_000, 99
"""The largest numbers that can be typed, in any rule set."""
_USUAL_IMP = 12


class Oddity(StrEnum):
    """What is odd about typed numbers; the values are catalogue keys (``odd.…``)."""

    SUM = "sum"
    """The scores do not have the rule set's sum."""
    ONE_SIDED = "one-sided"
    """There are gains without payments, or payments without gains."""
    LARGE = "large"
    """A score, or a penalty's points, is larger than usual."""
    IMP = "imp"
    """A penalty of more IMP than is usual."""


@frozen
class Odd:
    """An oddity and the number that shows it."""

    what: Oddity
    number: int


def excess(rules: RuleSet, scores: Mapping[Seat, int]) -> int:
    """By how much four scores miss the rule set's sum; 0 when there is none."""
    return sum(scores.values()) if rules.zero_sum else 0


def odd_scores(rules: RuleSet, scores: Mapping[Seat, int]) -> Iterator[Odd]:
    least, most = min(scores.values()), max(scores.values())
    if missed := excess(rules, scores):
        yield Odd(Oddity.SUM, missed)
    elif (least >= 0) != (most <= 0):
        yield Odd(Oddity.ONE_SIDED, most or least)
    yield from _large(rules, max(scores.values(), key=abs))


def odd_penalty(rules: RuleSet, imp: int, points: int) -> Iterator[Odd]:
    """The oddities of a penalty of ``imp`` IMP, and of ``points`` paid to each other seat."""
    if imp > _USUAL_IMP:
        yield Odd(Oddity.IMP, imp)
    yield from _large(rules, points)


def _large(rules: RuleSet, number: int) -> Iterator[Odd]:
    if abs(number) > rules.usual_most:
        yield Odd(Oddity.LARGE, number)
