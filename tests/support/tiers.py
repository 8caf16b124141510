"""Tiers of the tests: which tests each runs, and how many examples a property gets."""

import os
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TypeVar

from hypothesis import HealthCheck, settings

Row = TypeVar("Row")
Column = TypeVar("Column")
Case = TypeVar("Case")


class Tier(StrEnum):
    """A set of tests with the number of examples that each property gets."""

    QUICK = "quick"
    TEST = "test"
    NIGHTLY = "nightly"


TIER = Tier(os.environ.get("TWINWALL_TIER", Tier.TEST))
DEFAULT_EXAMPLES = {Tier.QUICK: 5, Tier.TEST: 7, Tier.NIGHTLY: 1000}
"""Examples of a property that names no number."""
RANDOM_HANDS = int(os.environ.get("TWINWALL_RANDOM_HANDS", {Tier.QUICK: "8", Tier.TEST: "12", Tier.NIGHTLY: "10000"}[TIER]))
"""Hands of each rule set that are played at random."""
LEFT_OUT: dict[Tier, tuple[str, ...]] = {Tier.QUICK: ("slow", "nightly"), Tier.TEST: ("nightly",), Tier.NIGHTLY: ()}
"""Markers whose tests a tier does not run."""


def examples(count: int) -> int:
    """How many examples a property gets that deserves ``count`` of them on a developer's machine."""
    return {Tier.QUICK: max(1, count // 10), Tier.TEST: max(1, count // 6), Tier.NIGHTLY: count * 15}[TIER]


law = settings(
    max_examples={Tier.QUICK: 5, Tier.TEST: 100, Tier.NIGHTLY: 1000}[TIER], deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
"""For a property about money, ranks or secrecy: a hundred examples in ``make test``."""


def some(cases: Sequence[Case], count: int) -> Sequence[Case]:
    """Every case in ``make nightly``; otherwise the first ``count``, in ``make quick`` the first alone: for cases that differ in their
    random numbers alone."""
    return cases if TIER is Tier.NIGHTLY else cases[: 1 if TIER is Tier.QUICK else count]


def one_in(step: int, cases: Iterable[Case]) -> list[Case]:
    """Every case in ``make nightly``; otherwise every ``step``-th from the first, in ``make quick`` a third of these: for many cases of
    one law."""
    return list(cases)[:: {Tier.QUICK: 3 * step, Tier.TEST: step, Tier.NIGHTLY: 1}[TIER]]


def pairs(rows: Iterable[Row], columns: Iterable[Column]) -> list[tuple[Row, Column]]:
    """Every row with every column in ``make nightly``; otherwise each row with one column in turn, so that each of either occurs."""
    of_row = list(columns)
    whole = TIER is Tier.NIGHTLY
    return [(row, column) for i, row in enumerate(rows) for j, column in enumerate(of_row) if whole or j == i % len(of_row)]
