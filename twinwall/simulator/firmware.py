"""The kinds of firmware that can drive the simulated machine, by the names that settings and command lines give them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from twinwall.simulator.electrics.board import BoardFirmware, Program
from twinwall.simulator.virtual_firmware.serving import PythonFirmware
from twinwall.simulator.workbench import BootFirmware

BUILT = Path(__file__).parents[2] / "firmware" / "build"
"""Where ``make firmware`` puts the boards' programs."""

_FIRMWARE: dict[str, Callable[[Path], BootFirmware]] = {
    "python": lambda _: PythonFirmware,
    "host": lambda built: partial(BoardFirmware, Program("the host build", built / "twinwall-feeder-host")),
    "avr": lambda built: partial(
        BoardFirmware,
        Program("the emulated board", built / "twinwall-feeder-avr", ("--firmware", str(built / "twinwall-feeder-avr.elf"))),
    ),
}
FIRMWARE_NAMES = tuple(_FIRMWARE)


def firmware_named(name: str, built: Path = BUILT) -> BootFirmware:
    """The firmware of a name of ``FIRMWARE_NAMES``; ``built`` is the folder of the boards' programs."""
    return _FIRMWARE[name](built)
