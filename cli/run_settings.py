"""Settings of a process that starts: files that are missing, and settings of a rehearsal, refused in event mode. In a rehearsal much may be
simulated, in clear or accepted unasked. With ``mode = "event"`` in the first section of its file a process refuses each such setting by
name and says what to write instead. ``--event`` and event mode also refuse what of the machine and the command line belongs to a rehearsal:
swap, core files, simulated pins, a simulated feeder, what answers instead of the phones' server, and switches that write what others must
not read."""

import json
import logging
import os
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, fields, is_dataclass
from functools import reduce
from pathlib import Path
from typing import TypeAlias, TypeVar
from urllib.parse import urlsplit

from cli.usage import UsageError
from config.connections import in_clear
from config.phones import PhonesSettings
from config.reading import DEMO_EVENT, EVENT_MODE, SettingsError, inside, keys_of, load
from config.services import BrokerSettings, DashboardSettings, VaultSettings
from controller.settings import TableSettings
from tableside.station.settings import StationSettings
from twinwall.custody.process_protection import SWAPS, refuse_core_files
from twinwall.values import frozen

Form = TypeVar("Form")
_LOG = logging.getLogger(__name__)
_STATIONS_CAMERA = "/gate.jpg"
"""Where a station shows the gate's camera; simulated cameras are below their table's name."""
_PHONES_CAMERAS = ("gate", "gate-1", "gate-2", "gate-3", "table")
"""Cameras below the phones' server with the table's name; simulated cameras have the same names below another address."""


RehearsalSetting: TypeAlias = tuple[str, Callable[[object], bool], str]
"""A key that may not stand so at an event: its name, what of its value may not, and why, with what to write."""


def _given(value: object) -> bool:
    return value is not None and value != "" and value is not False and value != ()


def _left_out(value: object) -> bool:
    return not _given(value)


def _is_demo(value: object) -> bool:
    return value == DEMO_EVENT


_CLEAR = "what travels in clear can be read and changed: take it out, and use TLS (twinwall hall certificates)"
_CAMERA = "these are simulated or recorded pictures: name a device of this machine, or a phone's camera below {} phones"
_DEMO = "this is the demo's event, whose seeds anybody can derive: give the event a plan and a name of its own"
_UNSIGNED = "without it lines are not signed and no deal is in custody: name it"
_NO_VAULT = "they are for a rehearsal without a vault, which announces the keys itself: take them out"
_ANONYMOUS_CLIENT = "nothing says who this program is: name a password file, or certificate_file and key_file with mqtts://"


def _mqtt(settings: object) -> Iterator[RehearsalSetting]:
    yield "mqtt.allow_clear_text", _given, _CLEAR
    yield "mqtt.user", lambda _: _is_anonymous(settings), _ANONYMOUS_CLIENT


def _custody(settings: DashboardSettings) -> Iterator[RehearsalSetting]:
    """An event has its deals in custody: from files, or from vaults that take orders."""
    if settings.event is None:
        yield "events.vault_keys", _left_out, _UNSIGNED
    elif not settings.event.vault_keys:
        yield from ((f"event.{key}", _left_out, _UNSIGNED) for key in ("plan", "start", "vault_key"))


def phones_of(settings: object) -> str | None:
    """The phones' server with the table's name, where phones are cameras or keys of a process."""
    match settings:
        case TableSettings():
            return settings.panel.phones
        case StationSettings():
            return settings.station.phones
        case _:
            return None


def is_stations_picture(source: str) -> bool:
    """Whether it is the gate's camera as a table's station shows it, which has its own settings and refuses simulated pictures itself."""
    return source.startswith("http://") and urlsplit(source).path == _STATIONS_CAMERA


def _is_device(source: str, phones: str | None) -> bool:
    """A device of this machine, or a phone; an address is compared letter by letter."""
    phone_cameras = () if phones is None else tuple(f"{phones}/{name}.jpg" for name in _PHONES_CAMERAS)
    return source.startswith(("v4l2:", "picamera2:")) or source in phone_cameras


def _cameras(settings: TableSettings | StationSettings) -> Iterator[RehearsalSetting]:
    """The cameras of a process, none of which may be simulated; a table on paper opens none."""
    phones = phones_of(settings)

    def simulated(value: object) -> bool:
        return isinstance(value, str) and not _is_device(value, phones)

    def simulated_gate(value: object) -> bool:
        sources = value if isinstance(value, tuple) else (value,)
        return any(simulated(source) and not is_stations_picture(str(source)) for source in sources)

    if isinstance(settings, StationSettings):
        yield from ((key, simulated, _CAMERA.format("[station]")) for key in ("camera.source", "walls.source"))
    elif settings.table.kind != "paper":
        instead = _CAMERA.format("[panel]")
        yield "camera.gate.source", simulated_gate, instead
        yield "camera.other_gates", simulated_gate, instead
        yield "camera.table.source", simulated, instead


def _is_anonymous(settings: object) -> bool:
    mqtt = value_of(settings, "mqtt")
    return value_of(mqtt, "password_file") is None and value_of(mqtt, "certificate_file") is None


_BY_FORM: Mapping[type, tuple[RehearsalSetting, ...]] = {
    TableSettings: (
        ("table.event", _is_demo, _DEMO),
        ("table.kind", lambda value: value == "simulated", "nobody plays at this table: take it out of the event"),
        ("deals.folder", _given, "deals lie there in clear: take it out, and set [custody] vault_keys"),
        ("custody.server_key", _left_out, "without it the referee's rulings have no effect: write the hall server's public key"),
        ("clock.source", lambda value: value != "system", 'this is a simulated clock: write "system"'),
        ("camera.table.allow_clear_text", _given, _CLEAR),
        ("service.switch", _given, "what names tiles could be packed: write false"),
        ("service.keep_refused", _given, "pictures of tiles would be kept: take it out"),
    ),
    DashboardSettings: (
        ("event.name", _is_demo, _DEMO),
        ("dashboard.allow_clear_text", _given, _CLEAR),
        ("database.allow_clear_text", _given, _CLEAR),
        ("dashboard.signing_key", _left_out, "without it neither commands nor records are signed: twinwall vault key FILE"),
        ("event.table_keys", _given, _NO_VAULT),
        ("events.table_keys", _given, _NO_VAULT),
    ),
    VaultSettings: (("vault.new_keys", lambda value: value == "accept", 'it accepts new keys unasked: write "ask"'),),
    BrokerSettings: (("broker.allow_clear_text", _given, _CLEAR),),
    StationSettings: (("station.ledger", _left_out, "without it the screen shows no start code: name the folder of the table's ledger"),),
    PhonesSettings: (("phones.allow_clear_text", _given, _CLEAR),),
}


def has_mode(form: type) -> bool:
    """Whether a process with this form may run at an event; the simulated world's may not."""
    return form in _BY_FORM


def is_event(settings: object) -> bool:
    """Whether the file says ``mode = "event"``."""
    sections = (getattr(settings, field.name) for field in fields(settings)) if is_dataclass(settings) else ()
    return any(getattr(section, "mode", None) == EVENT_MODE for section in sections)


def rehearsal_settings(settings: object) -> Iterator[str]:
    """One sentence for each setting that may not stand so at an event: its key, its value, why, and what to write."""
    for key, is_set, instead in watched(settings):
        value = value_of(settings, key)
        if is_set(value):
            said = f"{key} is left out" if value is None or value == "" else f"{key} is {_shown(value)}"
            yield f"{said}, as in a rehearsal: {instead}"


def watched(settings: object) -> tuple[RehearsalSetting, ...]:
    """The keys of a form that may not stand anyhow at an event."""
    connected = _mqtt(settings) if hasattr(settings, "mqtt") else ()
    cameras = _cameras(settings) if isinstance(settings, TableSettings | StationSettings) else ()
    custody = _custody(settings) if isinstance(settings, DashboardSettings) else ()
    given = (each for each in _BY_FORM.get(type(settings), ()) if getattr(settings, each[0].partition(".")[0]) is not None)
    return (*given, *cameras, *custody, *connected)


def value_of(settings: object, key: str) -> object:
    """The value at a key such as ``camera.table.source``."""
    found: object = reduce(getattr, key.split("."), settings)
    return found


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def load_to_run(path: Path, form: type[Form]) -> Form:
    """As ``load``, for a process that starts: raises SettingsError also where a file is not there that somebody has to make first. What
    travels in clear beyond this machine, because the file allows it, is a warning in the log, and so is a rehearsal. In event mode every
    setting of a rehearsal is an error."""
    settings = load(path, form)
    if is_event(settings):
        if refused := list(rehearsal_settings(settings)):
            raise SettingsError(f"{path}: the mode is {EVENT_MODE!r}, and {'; '.join(refused)}.")
    elif has_mode(form):
        _LOG.warning("%s: this is a rehearsal; at an event write mode = %s.", path, json.dumps(EVENT_MODE))
    if missing := list(_missing_files("", settings)):
        raise SettingsError(f"{path}: {'; '.join(missing)}.")
    for sentence in in_clear(settings):
        _LOG.warning("%s: %s.", path, sentence)
    return settings


def _missing_files(name: str, section: object) -> Iterator[str]:
    """Each file that must be there and is not, in words: the key, the file, and how it is made."""
    for each in keys_of(type(section)):
        value, inner = getattr(section, each.name), inside(name, each.name)
        if is_dataclass(value):
            yield from _missing_files(inner, value)
        elif each.key.made_by is not None:
            for file in value if isinstance(value, tuple) else (value,):
                if isinstance(file, Path) and not file.exists():
                    yield f"{inner} names {file}, which is not there (to make it: {each.key.made_by})"


PANEL_FILE = "TWINWALL_PANEL"
"""In the environment of a controller whose pins are simulated (``simulator.panel``)."""
_UNSAFE_SWITCHES = {"trace": "every frame to the feeder names tiles", "verbose": "the log would tell more than players may know"}
_PSEUDO_TERMINALS = "/dev/pts/", "/proc/"
"""The second where its program does not run, or belongs to another user."""


def _wrong_phones(phones: str) -> str | None:
    from cli.table.phones_server import not_of_event  # noqa: PLC0415 - Flask comes with it, and few programs have phones

    return not_of_event(phones)


@frozen
class Machine:
    """What is looked at beyond the settings: the text of ``/proc/swaps``, the environment, where a path leads, core files, and what is
    wrong with the phones' server."""

    swaps: Callable[[], str] = lambda: SWAPS.read_text(encoding="utf-8") if SWAPS.exists() else ""
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
