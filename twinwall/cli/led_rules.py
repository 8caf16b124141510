"""The rule set of a table or a demo: only one whose hands a table can lead."""

from __future__ import annotations

from collections.abc import Mapping

from controller.leading import can_lead
from twinwall.cli.errors import UsageError
from twinwall.game.play import RuleSet
from twinwall.game.rules import rule_set


def led_rules(name: str, options: Mapping[str, object]) -> RuleSet:
    """The rule set with its options; raises UsageError where no table can lead its hands, RuleSetError as ``rule_set`` does."""
    rules = rule_set(name, options)
    if not can_lead(rules):
        raise UsageError(f"no table can lead hands of {name}, which ask it for more than it sees: score and settle them from records")
    return rules
