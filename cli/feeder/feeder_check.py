"""``twinwall feeder check``: runs the conformance suite on a machine, rule by rule, and prints the result."""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager

from cli.feeder import feeder_ports
from cli.feeder.feeder_hands import PersonsHands, SimulatedHands
from cli.usage import JSON, UsageError, answer, argument, takes, tell, wrong_use
from firmware_bridge.conformance import suite
from firmware_bridge.conformance.preparing import NoMachineError
from firmware_bridge.conformance.rules import GROUPS
from firmware_bridge.conformance.suite import RuleOutcome, RuleVerdict
from firmware_bridge.conformance.wire import Hands
from firmware_bridge.serial_port import LastingPort

_HEADINGS = {rules[0].name: heading for heading, rules in GROUPS.items()}


@takes(
    *feeder_ports.arguments(optional=True),
    argument("--only", action="append", default=[], metavar="NAME", help="try this rule; may be given several times"),
    argument("--slow", action="store_true", help="try what takes more than an hour, too"),
    argument("--assisted", action="store_true", help="ask for what needs hands: emergency stop, lid, lifting tiles, reset"),
    argument("--list", action="store_true", help="print the rules and try nothing"),
    JSON,
    about="Try every rule of TWF on the feeder at a port. It moves tiles and empties trays and magazines: no hand may be "
    "played at the table meanwhile. Exit 1 when the machine breaks a rule, or stands.",
)
def check_feeder(arguments: argparse.Namespace) -> bool:
    """Run the suite; exit 1 when a rule is broken, the machine stands, or none answers."""
    with wrong_use("feeder check", ValueError):
        rules = suite.select(arguments.only)
    if arguments.list:
        rows = [{"name": rule.name, "says": rule.says, "tried": rule.tried, "hands": rule.hands, "slow": rule.slow} for rule in rules]
        answer({"rules": rows}, "\n".join(f"{rule.name:30}  {rule.says}" for rule in rules), as_json=arguments.json)
        return True
    if arguments.port is None:
        raise UsageError(f'feeder check: name the feeder\'s serial device, or "{feeder_ports.SIMULATOR}"')
    verdicts = []
    with _wire(arguments) as (wire, hands), closing(wire):
        try:
            for verdict in suite.run(wire, rules=rules, hands=hands, slow=arguments.slow):
                verdicts.append(verdict)
                if not arguments.json:
                    _print(verdict)
        except (NoMachineError, OSError) as error:
            tell(f"{arguments.port}{' has gone' if isinstance(error, OSError) else ''}: {error}")
            return False
    return _conclude(verdicts, arguments)


@contextmanager
def _wire(arguments: argparse.Namespace) -> Iterator[tuple[LastingPort, Hands | None]]:
    """The open port and the person at the machine."""
    with feeder_ports.feeder_at(arguments, "feeder check") as (path, simulator):
        wire = LastingPort(path, arguments.baud)
        if simulator is not None:
            yield wire, SimulatedHands(simulator)
        else:
            yield wire, PersonsHands(_ask) if arguments.assisted else None


def _ask(what: str) -> None:
    tell(f"    >>> {what} Then press Enter.")
    sys.stdin.readline()


def _print(verdict: RuleVerdict) -> None:
    """Two lines: the rule with its outcome, and what was tried and seen."""
    rule = verdict.rule
    if rule.name in _HEADINGS:
        print(f"\n{_HEADINGS[rule.name]}")
    print(f"  {verdict.outcome.value:9}  {rule.name:30}  {rule.says}")
    outcome = "BROKEN" if verdict.outcome is RuleOutcome.FAILED else verdict.outcome.value
    seen = f" → {outcome}: {verdict.reason}" if verdict.reason else ""
    print(f"  {verdict.seconds:7.1f} s  {'':30}  {rule.tried}{seen}", flush=True)


def _conclude(verdicts: list[RuleVerdict], arguments: argparse.Namespace) -> bool:
    counts = Counter(verdict.outcome for verdict in verdicts)
    figures = {outcome.value.replace(" ", "_"): counts[outcome] for outcome in RuleOutcome}
    document = {"port": arguments.port, **figures, "rules": [_as_json(verdict) for verdict in verdicts]}
    lines = ["\n" + ", ".join(f"{counts[outcome]} {outcome.value}" for outcome in RuleOutcome)]
    lines += [f"  {each.rule.name} ({each.rule.where}): {each.reason}" for each in verdicts if each.outcome is RuleOutcome.FAILED]
    answer(document, "\n".join(lines), as_json=arguments.json)
    return not counts[RuleOutcome.FAILED] + counts[RuleOutcome.NOT_READY]


def _as_json(verdict: RuleVerdict) -> dict[str, object]:
    return {
        "name": verdict.rule.name,
        "says": verdict.rule.says,
        "tried": verdict.rule.tried,
        "where": verdict.rule.where,
        "outcome": verdict.outcome.value,
        "reason": verdict.reason,
        "seconds": round(verdict.seconds, 3),
    }
