"""The feeder argument of commands: a serial device, or the simulated feeder under the name "simulator". The commands ``feeder check`` and
``feeder link`` share its options; a missing feeder is wrong use."""

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from cli import logs
from cli.usage import TRACE, Argument, UsageError, argument, wrong_use
from firmware_bridge.serial_port import DEFAULT_BAUD, SerialPort
from simulator.electrics.program import BoardError
from simulator.feeder_simulator import FeederSimulator
from simulator.firmware_choice import CORE, FIRMWARE_NAMES, firmware_named
from simulator.mechanics import FaultPlan, MechanicsSettings

SIMULATOR = "simulator"
_LEAST_BAUD, _MOST_BAUD = 9600, 3_000_000


def arguments(*, optional: bool = False) -> tuple[Argument, ...]:
    """The arguments that name a feeder; ``optional`` if the command works without."""
    port = f'the serial device, or "{SIMULATOR}" for a simulated feeder with hands of its own'
    return (
        argument("port", port, metavar="port", nargs="?" if optional else None),
        argument(
            "--baud",
            metavar="BAUD",
            type=int,
            help=f"bits per second (default {DEFAULT_BAUD}; USB feeders ignore it)",
        ),
        TRACE,
        argument("--speed", type=float, help="how many times as fast as a real machine the simulated one is (default 20)"),
        firmware("the simulated one"),
    )


def firmware(what: str) -> Argument:
    text = f"what drives {what} (default core, the firmware as a library); others need make firmware"
    return argument("--firmware", choices=FIRMWARE_NAMES, help=text)


def refuse_unused(arguments: argparse.Namespace, where: str, *options: str) -> None:
    """Raise UsageError for an option without effect."""
    for option in options:
        if getattr(arguments, option) is not None:
            raise UsageError(f"--{option.replace('_', '-')} has no effect {where}: leave it out")


@contextmanager
def feeder_at(arguments: argparse.Namespace, command: str) -> Iterator[tuple[str, FeederSimulator | None]]:
    """The device's path, which can be opened, and the simulated machine behind it, if any. Raises UsageError for an impossible rate or
    machine, and OSError with the device's name if it cannot be opened."""
    if arguments.port == SIMULATOR:
        refuse_unused(arguments, "at the simulator", "baud")
    else:
        refuse_unused(arguments, f"at {arguments.port}, only at the simulator", "speed", "firmware")
    arguments.baud = DEFAULT_BAUD if arguments.baud is None else arguments.baud
    arguments.speed = 20.0 if arguments.speed is None else arguments.speed
    if not _LEAST_BAUD <= arguments.baud <= _MOST_BAUD:
        raise UsageError(f"{command}: {arguments.baud} bits per second cannot be; a line has from {_LEAST_BAUD} to {_MOST_BAUD}")
    logs.trace_frames(arguments)
    if arguments.port != SIMULATOR:
        with closing(SerialPort(arguments.port, arguments.baud)):
            pass
        yield arguments.port, None
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        simulated(arguments, command, Path(folder) / "feeder", FaultPlan(unread=0.0), 1) as simulator,
    ):
        yield simulator.path, simulator


@contextmanager
def simulated(
    arguments: argparse.Namespace, command: str, link: Path | None, faults: FaultPlan, seed: int, **sizes: Any
) -> Iterator[FeederSimulator]:
    """A running simulated machine; raises UsageError for impossible options."""
    with wrong_use(command, ValueError):
        machine, firmware = MechanicsSettings(speed=arguments.speed, **sizes), firmware_named(arguments.firmware or CORE)
        simulator = FeederSimulator(machine, seed, faults, link=link, firmware=firmware)
    try:
        with wrong_use(command, BoardError):
            simulator.start()
            yield simulator
    finally:
        simulator.stop()
