"""Firmware choices: the kinds of firmware that can drive the simulated machine, by their names in settings and command lines."""

from functools import partial
from pathlib import Path

from firmware_bridge.board.library import LIBRARY
from simulator.electrics.board import BoardFirmware
from simulator.electrics.program import Program
from simulator.feeder_simulator import BootFirmware, ServedFirmware

BUILT = Path(__file__).parents[1] / "firmware" / "build"
"""Where ``make firmware`` puts the boards' programs."""
CORE = "core"
"""The C core as a library, in the simulator's own process."""
BOARDS = {
    "host": Program("the host build", BUILT / "twinwall-feeder-host"),
    "avr": Program("the emulated board", BUILT / "twinwall-feeder-avr", firmware=BUILT / "twinwall-feeder-avr.elf"),
}
FIRMWARE_NAMES = (CORE, *BOARDS)


def firmware_named(name: str) -> BootFirmware:
    return ServedFirmware if name == CORE else partial(BoardFirmware, BOARDS[name])


def programs_of(name: str) -> tuple[Path, ...]:
    return (LIBRARY,) if name == CORE else BOARDS[name].files
