"""Stack depth of the firmware: the whole conformance suite on the AVR build in its emulator.

``python -m benchmarks.firmware.stack --json`` prints the deepest stack in bytes, what the build reserves for it, and which rules passed.
The emulator needs ``make firmware``; at ``--speed 4`` a run takes about two minutes.
"""

import re
import tempfile
from contextlib import closing
from pathlib import Path

from benchmarks.support.measuring import run_measure
from cli.feeder.feeder_check import SimulatedHands
from firmware_bridge.conformance import suite
from firmware_bridge.conformance.suite import RuleOutcome
from firmware_bridge.serial_port import DEFAULT_BAUD, LastingPort
from simulator.electrics.board import BoardFirmware
from simulator.electrics.program import Program
from simulator.feeder_simulator import FeederSimulator, Workbench
from simulator.mechanics import FaultPlan, MechanicsSettings

FIRMWARE = Path(__file__).parents[2] / "firmware"
BOARD = Program("the emulated board", FIRMWARE / "build" / "twinwall-feeder-avr", firmware=FIRMWARE / "build" / "twinwall-feeder-avr.elf")


def measure(speed: float = 4.0) -> dict[str, int | list[str]]:
    """Run the suite on the emulated board; raises BoardError if it was not built."""
    boards: list[BoardFirmware] = []

    def boot(bench: Workbench) -> BoardFirmware:
        boards.append(BoardFirmware(BOARD, bench))
        return boards[0]

    with tempfile.TemporaryDirectory() as folder:
        feeder = FeederSimulator(MechanicsSettings(speed=speed), 1, FaultPlan(unread=0.0), link=Path(folder) / "feeder", firmware=boot)
        feeder.start()
        try:
            with closing(LastingPort(feeder.path, DEFAULT_BAUD)) as wire:
                verdicts = list(suite.run(wire, hands=SimulatedHands(feeder)))
        finally:
            feeder.stop()
    return {
        "deepest_stack_bytes": boards[0].process.deepest_stack,
        "kept_for_the_stack_bytes": kept(),
        "rules_passed": sum(verdict.outcome is RuleOutcome.PASSED for verdict in verdicts),
        "rules_failed": [verdict.rule.name for verdict in verdicts if verdict.outcome is RuleOutcome.FAILED],
    }


def kept() -> int:
    """Return the stack that the Makefile reserves."""
    found = re.search(r"^STACK = (\d+)$", (FIRMWARE / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return int(found[1])


if __name__ == "__main__":
    run_measure(measure)
