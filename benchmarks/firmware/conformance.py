"""Sharpness of the conformance suite: every faulty machine of its tests against every rule.

``python -m benchmarks.firmware.conformance --json`` prints the number of machines, how many fail exactly the rules that they break, how
many rules were broken at least once, and the time of a run over a good machine, by its own clock and by this computer's.
"""

import time

from benchmarks.support.measuring import run_measure
from cli.feeder.feeder_check import SimulatedHands
from firmware_bridge.conformance import suite
from firmware_bridge.conformance.rules import RULES
from simulator.mechanics import MechanicsSettings
from tests.support.conformance.faulty import MUTATIONS, failures
from tests.support.conformance.machine import MemoryMachine


def measure() -> dict[str, object]:
    """Run every faulty machine, and one good one."""
    began_s = time.perf_counter()
    wrong = {mutation.does: sorted(broken) for mutation in MUTATIONS if (broken := failures(mutation).keys()) != mutation.breaks}
    return {
        "rules": len(RULES),
        "faulty_machines": len(MUTATIONS),
        "exactly_found": len(MUTATIONS) - len(wrong),
        "otherwise": wrong,
        "rules_broken_once": len({name for mutation in MUTATIONS for name in mutation.breaks}),
        "whole_run_at_ordinary_pace_s": round(_whole_run_s()),
        "computed_in_s": round(time.perf_counter() - began_s, 1),
    }


def _whole_run_s() -> float:
    """Return the machine's own time for the suite at the reference table's pace, without hands."""
    machine = MemoryMachine(machine=MechanicsSettings(speed=1.0))
    verdicts = suite.run(machine, rules=tuple(rule for rule in RULES if not rule.slow), hands=SimulatedHands(machine))
    return sum(verdict.seconds for verdict in verdicts)


if __name__ == "__main__":
    run_measure(measure)
