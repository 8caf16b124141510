"""A table that has joined a hall: its settings together with an assignment, and the parts that it lacks while it waits for one.

The order by which a table's new controller goes on for one that was lost with its disk: ``twinwall table continue`` and its file.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from cli.files import PRIVATE, write_file
from cli.run_settings import is_event, rehearsal_settings
from cli.table.table_parts import led_rules
from cli.usage import UsageError, argument, settings_file, takes
from config import SettingsError, load
from controller.ledger.assignment_folder import AssignmentFolder, event_folder
from controller.ledger.first_lines import LostJournal
from controller.settings import CameraSection, HandsSection, RulesSection, SeatsSection, TableSettings
from firmware_bridge.serial_port import devices
from twinwall.game.documents import DocumentError, parse_object
from twinwall.given_files import given_bytes
from twinwall.wire.messages.assignment import Assignment
from twinwall.wire.messages.staff_orders import read_replacement
from vision.cameras.usb_camera import device_path

_ANSWERS_S = 1.0
"""So long a simulated or a station's camera may take to give a frame."""


def assigned_settings(settings: TableSettings, assignment: Assignment) -> TableSettings:
    """The settings with what the hall assigned, as if their file had named it; plan, start and options are written beside the journal.

    Raises SettingsError for what the two together cannot be.
    """
    name = event_folder(assignment.event)
    folder, started = settings.ledger.folder / name, assignment.started()
    folder.mkdir(parents=True, exist_ok=True)
    plan, start, options = folder / "plan.json", folder / "start.json", folder / "options.toml"
    for path, content in ((plan, started.plan.canonical), (start, started.start.canonical), (options, _options(assignment))):
        write_file(path, content, PRIVATE, force=True)
    custody = settings.custody
    in_custody = settings.deals.folder is None
    keys = tuple(f"{holder} {key}" for holder, key in assignment.vault_keys.items())
    try:
        assigned = replace(
            settings,
            table=replace(settings.table, event=assignment.event),
            ledger=replace(settings.ledger, folder=folder),
            deals=replace(settings.deals, plan=plan, start=start),
            custody=replace(custody, vault_keys=keys if in_custody else (), memory=custody.memory / name),
            seats=SeatsSection(assignment.players, assignment.seat_check),
            hands=HandsSection(assignment.session, assignment.first, assignment.last, assignment.begins),
            rules=RulesSection(assignment.rules, options),
        )
    except ValueError as error:
        raise SettingsError(f"assignment {assignment.number} does not fit this table's settings: {error}") from None
    if is_event(assigned) and (refused := list(rehearsal_settings(assigned))):
        raise SettingsError(f"assignment {assignment.number} cannot be played at an event: {'; '.join(refused)}")
    led_rules(assignment.rules, assignment.options)
    return assigned


def playing_settings(settings: TableSettings) -> TableSettings:
    """The settings under which the table plays now: those of its file, or with the assignment that it took last.

    Raises UsageError for a table that has none.
    """
    if not settings.table.is_assigned:
        return settings
    try:
        current = kept_assignments(settings).current()
    except DocumentError as error:
        raise UsageError(str(error)) from None
    if current is None:
        raise UsageError(f"table {settings.table.name} has no event yet: the hall's server assigns it one")
    return assigned_settings(settings, current)


def kept_assignments(settings: TableSettings) -> AssignmentFolder:
    """Where a table that has joined a hall keeps its assignments."""
    server_key = settings.custody.server_key
    assert server_key is not None, "settings without an event name the server's key"
    return AssignmentFolder(settings.ledger.folder, settings.table.name, bytes.fromhex(server_key))


def lacking_parts(settings: TableSettings) -> tuple[str, ...]:
    """The parts that are not there, as heartbeats name them, while no event is played and nothing has opened them."""
    feeder, camera = settings.feeder, settings.camera
    found = Path(feeder.port).exists() or bool(feeder.uid and devices(feeder.search))
    present: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("feeder", lambda: found),
        ("gate-camera", lambda: all(_is_there(source) for source in _gates(camera))),
        ("table-camera", lambda: _is_there(camera.table.source)),
    )
    return tuple(part for part, there in present if not there())


def _gates(camera: CameraSection) -> Iterator[str]:
    yield camera.gate.source
    yield from camera.other_gates


def _is_there(source: str) -> bool:
    """Whether a camera's device or folder is there, or its address gives frames; what it sees is not looked at."""
    kind, _, name = source.partition(":")
    match kind:
        case "v4l2":
            return device_path(name).exists()
        case "files":
            return Path(name).is_dir()
        case "http":
            return _gives_frames(source)
        case _:
            return True  # a Pi camera is found by its driver alone, which takes it


def _gives_frames(source: str) -> bool:
    """Whether an HTTP camera is there: a server of phones answers also while no phone is its camera. HEAD takes no frame from a phone."""
    address = urlsplit(source)
    connection = HTTPConnection(address.hostname or "", address.port or 80, timeout=_ANSWERS_S)
    try:
        connection.request("HEAD", address.path)
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _options(assignment: Assignment) -> bytes:
    """Rule options as TOML; for numbers, truth values and texts JSON is."""
    lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in sorted(assignment.options.items()))
    return "".join(lines).encode()


ORDER = "replacement.json"
_JOURNAL = "table.journal"


def lost_journal(settings: TableSettings) -> LostJournal | None:
    """What the table's journal goes on for where it is new, as the order in its ledger's folder says; None where none lies there.

    Raises UsageError for an order that the server has not signed for this table and event.
    """
    path = settings.ledger.folder / ORDER
    try:
        signed = given_bytes(path)
    except FileNotFoundError:
        return None
    return _read(path, signed, settings.table.event, settings)


@takes(argument("order", "the file that the table's page gave", type=Path, metavar="ORDER"), settings_file("the table's"))
def continue_table(args: argparse.Namespace) -> None:
    """Put the order where the table's next start finds it."""
    settings, signed = load(args.settings, TableSettings), given_bytes(args.order)
    try:
        event = str(parse_object(signed).get("event", ""))
    except DocumentError as error:
        raise UsageError(f"{args.order} is no order to replace a controller: {error}") from None
    if not settings.table.is_assigned and event != settings.table.event:
        raise UsageError(f"{args.order} is of the event {event!r}, the table's settings name {settings.table.event!r}")
    order = _read(args.order, signed, event, settings).order
    folder = settings.ledger.folder / event_folder(event) if settings.table.is_assigned else settings.ledger.folder
    if (folder / _JOURNAL).exists() and (folder / _JOURNAL).stat().st_size:
        raise UsageError(
            f"{folder} has a journal already: stop the table and move this folder away, then say this again before the table is started"
        )
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / ORDER, signed, PRIVATE, force=True)
    over = f"; the hand of deal {order.n} is annulled" if order.n else ""
    print(f"table {settings.table.name!r} goes on after {len(order.finished)} finished deals{over}: start it now")


def _read(path: Path, signed: bytes, event: str, settings: TableSettings) -> LostJournal:
    server_key, name = settings.custody.server_key, settings.table.name
    if server_key is None:
        raise UsageError(f"{path}: the settings do not name the server's key, under which it is checked: set [custody] server_key")
    try:
        return LostJournal(read_replacement(signed, event, name, bytes.fromhex(server_key)), signed)
    except DocumentError as error:
        raise UsageError(f"{path}: {error}") from None
