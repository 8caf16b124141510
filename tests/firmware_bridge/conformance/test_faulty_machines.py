"""The suite can fail: every faulty machine fails exactly the rules that it breaks.

In ``make test`` each machine is tried with the rules that it breaks and one in twenty of the others, which ones depends on the
machine; ``make nightly`` adds the neighbours of the broken rules, and ``python -m benchmarks.firmware.conformance`` tries each with all.
"""

from __future__ import annotations

import pytest

from firmware_bridge.conformance.rule import Rule
from firmware_bridge.conformance.rules import GROUPS, RULES
from tests.support.conformance.faulty import MUTATIONS, failures
from tests.support.conformance.line import Line
from tests.support.conformance.machine import Tamperer
from tests.support.conformance.mutation import Mutation
from tests.support.tiers import TIER, Tier, one_in, some

pytestmark = pytest.mark.slow

ONE_IN = 10 if TIER is Tier.NIGHTLY else 20


def some_rules(index: int, mutation: Mutation) -> tuple[Rule, ...]:
    """The rules that a mutation breaks, in ``make nightly`` those of their groups, and some others."""
    groups = GROUPS.values() if TIER is Tier.NIGHTLY else ()
    near = mutation.breaks | {rule.name for rules in groups if any(rule.name in mutation.breaks for rule in rules) for rule in rules}
    return tuple(rule for number, rule in enumerate(RULES) if rule.name in near or (number + index) % ONE_IN == 0)


TRIED = [(index, mutation) for index, mutation in enumerate(MUTATIONS) if TIER is Tier.NIGHTLY or not mutation.slow]
"""A machine whose fault shows only after an hour of its clock is left to ``make nightly``."""


@pytest.mark.parametrize("line", some([Line, Tamperer, None], 1))
def test_a_machine_of_which_nothing_is_altered_breaks_no_rule(line: type[Tamperer] | None) -> None:
    assert failures(Mutation("nothing", frozenset(), line=line)) == {}


@pytest.mark.parametrize(
    ("index", "mutation"), one_in(4, TRIED), ids=lambda case: case.does.replace(" ", "-") if isinstance(case, Mutation) else ""
)
def test_a_machine_with_one_fault_fails_exactly_what_it_breaks(index: int, mutation: Mutation) -> None:
    broken = failures(mutation, some_rules(index, mutation))
    assert broken.keys() == mutation.breaks, broken


def test_every_rule_has_a_machine_that_breaks_it() -> None:
    assert {name for mutation in MUTATIONS for name in mutation.breaks} == {rule.name for rule in RULES}
