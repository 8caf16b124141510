"""Runs the conformance suite: brings the feeder to rest before every rule, tries the rule, and returns a verdict."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from enum import Enum

from firmware_bridge.conformance.bench import Bench, Rule
from firmware_bridge.conformance.bench_line import Broken, Hands, NotTriedError, Wire
from firmware_bridge.conformance.preparing import NoMachineError, meet, prepare
from firmware_bridge.conformance.rules import RULES
from twinwall.values import frozen


class RuleOutcome(Enum):
    PASSED = "passed"
    FAILED = "failed"
    LEFT_OUT = "left out"
    NOT_READY = "not ready"


@frozen
class RuleVerdict:
    rule: Rule
    outcome: RuleOutcome
    reason: str
    """What was measured, what the machine did wrong, why the rule was left out, or what a person has to do first."""
    seconds: float


def select(names: Iterable[str]) -> tuple[Rule, ...]:
    """The rules of these names, in the suite's order; all rules for no name. Raises ValueError for one that the suite has not."""
    wanted = set(names)
    unknown = wanted - {rule.name for rule in RULES}
    if unknown:
        raise ValueError(f"there is no rule {', '.join(sorted(unknown))}; --list names them all")
    return tuple(rule for rule in RULES if not wanted or rule.name in wanted)


def run(wire: Wire, *, rules: tuple[Rule, ...] = RULES, hands: Hands | None = None, slow: bool = False) -> Iterator[RuleVerdict]:
    """Try the rules one after the other.

    Raises NoMachineError when no machine answers or a machine with several gates, OSError when the line goes away.
    """
    bench = Bench(wire, hands)
    meet(bench)
    for rule in rules:
        begun_s = bench.now_s
        outcome, reason = _try(bench, rule, hands=hands is not None, slow=slow)
        yield RuleVerdict(rule, outcome, reason, bench.now_s - begun_s)
    with suppress(Broken, NotTriedError, NoMachineError):
        prepare(bench)  # the machine is left at rest, as far as it lets itself be brought there


def _try(bench: Bench, rule: Rule, *, hands: bool, slow: bool) -> tuple[RuleOutcome, str]:
    if rule.hands and not hands:
        return RuleOutcome.LEFT_OUT, "it needs a person's hands: use --assisted"
    if rule.slow and not slow:
        return RuleOutcome.LEFT_OUT, "it takes long: use --slow"
    try:
        prepare(bench)
    except NotTriedError as reason:
        return RuleOutcome.NOT_READY, str(reason)
    except (Broken, NoMachineError) as reason:
        return RuleOutcome.FAILED, f"the machine could not be brought to rest: {reason}"
    try:
        return RuleOutcome.PASSED, rule.trial(bench) or ""
    except NotTriedError as reason:
        return RuleOutcome.LEFT_OUT, str(reason)
    except Broken as reason:
        return RuleOutcome.FAILED, str(reason)
