"""Machines that break one rule each: mutants of the firmware's C source, and two faults on the line of a good machine.

Every fault names the rules that it breaks; most break one, some cannot help breaking several that say the same of different
moments.
"""

from __future__ import annotations

from cli.feeder.feeder_hands import SimulatedHands
from firmware_bridge.conformance import suite
from firmware_bridge.conformance.rule import Rule
from firmware_bridge.conformance.rules import RULES
from firmware_bridge.conformance.suite import RuleOutcome
from tests.support.conformance.line_faults import LINE_FAULTS
from tests.support.conformance.machine import MemoryMachine
from tests.support.conformance.mutation import Mutation, source_mutations
from tests.support.firmware.variants import variant

MUTATIONS = (*source_mutations(), *LINE_FAULTS)


def failures(mutation: Mutation, rules: tuple[Rule, ...] = RULES) -> dict[str, str]:
    """The rules that a machine breaks, with what it did; those that take long are tried where its fault shows in nothing else."""
    machine = MemoryMachine(mutation.line and mutation.line(), program=variant(*mutation.source))
    tried = tuple(rule for rule in rules if mutation.slow or not rule.slow)
    verdicts = suite.run(machine, rules=tried, hands=SimulatedHands(machine), slow=mutation.slow)
    return {verdict.rule.name: verdict.reason for verdict in verdicts if verdict.outcome is not RuleOutcome.PASSED}
