"""``--event`` and event mode: what of a machine and a command line belongs to a rehearsal is refused at start, by its name.

The settings of a file are refused by ``cli.run_settings`` when it is read. Here are swap, core files, simulated pins, a simulated
feeder, what answers instead of the phones' server, and switches that write what others must not read.
"""

import os
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from pathlib import Path

from cli.run_settings import is_event, is_stations_picture, phones_of
from cli.usage import UsageError
from config.keys import EVENT_MODE
from controller.settings import TableSettings
from twinwall.custody.process_protection import SWAPS, refuse_core_files
from twinwall.values import frozen

PANEL_FILE = "TWINWALL_PANEL"
"""In the environment of a controller whose pins are simulated (``simulator.panel``)."""
_UNSAFE_SWITCHES = {"trace": "every frame to the feeder names tiles", "verbose": "the log would tell more than players may know"}
_PSEUDO_TERMINALS = "/dev/pts/", "/proc/"
"""The second where its program does not run, or belongs to another user."""


def _swaps() -> str:
    return SWAPS.read_text(encoding="utf-8") if SWAPS.exists() else ""


def _wrong_phones(phones: str) -> str | None:
    from cli.table.phones_server import not_of_event  # noqa: PLC0415 - Flask comes with it, and few programs have phones

    return not_of_event(phones)


@frozen
class Machine:
    """What is looked at beyond the settings: the text of ``/proc/swaps``, the environment, where a path leads, core files, and what is
    wrong with the phones' server."""

    swaps: Callable[[], str] = _swaps
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    leads_to: Callable[[str], str] = os.path.realpath
    refuse_core_files: Callable[[], None] = refuse_core_files
    wrong_phones: Callable[[str], str | None] = _wrong_phones


THIS_MACHINE = Machine()


def prepare_event(settings: object, arguments: Namespace, machine: Machine = THIS_MACHINE) -> None:
    """Make the process fit for an event, where it is one; raises UsageError that names everything that belongs to a rehearsal."""
    path: Path = arguments.settings
    if not is_event(settings):
        if arguments.event:
            raise UsageError(
                f"{path}: this is a rehearsal, and --event (as in the systemd units) runs events alone: write mode = "
                f'"{EVENT_MODE}" into the file, or start the program without --event'
            )
        return
    if refused := list(_refused(settings, arguments, machine)):
        raise UsageError(f"{path}: the mode is {EVENT_MODE!r}, and {'; '.join(refused)}")


def prepare_hall(machine: Machine = THIS_MACHINE) -> None:
    """Make this process and those that it starts fit for an event; raises UsageError that names what of the machine is not."""
    if refused := list(_refused_of(machine)):
        raise UsageError(f"--event: {'; '.join(refused)}")


def _refused(settings: object, arguments: Namespace, machine: Machine) -> Iterator[str]:
    for switch, why in _UNSAFE_SWITCHES.items():
        if getattr(arguments, switch, False):
            yield f"--{switch} is given: {why}; leave it out"
    if isinstance(settings, TableSettings) and (simulated := _simulated_feeder(settings, machine)):
        yield simulated
    if (phones := phones_of(settings)) is not None and (wrong := machine.wrong_phones(phones)):
        yield wrong
    yield from _refused_of(machine)


def _refused_of(machine: Machine) -> Iterator[str]:
    if PANEL_FILE in machine.environment:
        yield f"{PANEL_FILE} is in the environment: keys and lamps are simulated; take it out"
    if used := [line.split()[0] for line in machine.swaps().splitlines()[1:] if line.strip()]:
        yield f"swap is on ({', '.join(used)}): keys in memory can be written to it; say swapoff -a, as root"
    try:
        machine.refuse_core_files()
    except OSError as error:
        yield f"core files are allowed, and cannot be forbidden ({error}): say ulimit -c 0"


def _simulated_feeder(settings: TableSettings, machine: Machine) -> str | None:
    """A pseudo-terminal is a simulated feeder, unless the station shows the gate's camera too."""
    device = machine.leads_to(settings.feeder.port)
    if not device.startswith(_PSEUDO_TERMINALS) or is_stations_picture(settings.camera.gate.source):
        return None
    return f"feeder.port {settings.feeder.port} leads to {device}, a simulated feeder: name the feeder's own device"
