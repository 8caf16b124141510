"""A table that has joined a hall: its settings together with an assignment, and the parts that it lacks while it waits for one."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from cli.run_settings import is_event, rehearsal_settings
from cli.table.table_parts import led_rules
from cli.usage import PRIVATE, UsageError, write_file
from config import SettingsError
from controller.ledger.assignment_folder import AssignmentFolder, event_folder
from controller.settings import HandsSection, RulesSection, SeatsSection, TableSettings
from firmware_bridge.serial_port import devices
from twinwall.game.documents import DocumentError
from twinwall.web.http_request import ask
from twinwall.wire.messages.assignment import Assignment
from vision.cameras.usb_camera import device_path

_ANSWERS_S = 1.0
"""So long a simulated or a station's camera may take to give a frame."""


def assigned_settings(settings: TableSettings, assignment: Assignment) -> TableSettings:
    """The settings with what the hall assigned, as if their file had named it; plan, start and options are written beside the journal.
    Raises SettingsError for what the two together cannot be."""
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
    """The settings under which the table plays now: those of its file, or with the assignment that it took last. Raises UsageError for a
    table that has none."""
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
    found = os.path.exists(feeder.port) or bool(feeder.uid and devices(feeder.search))  # noqa: PTH110 - Path raises what is not permitted
    present: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("feeder", lambda: found),
        ("gate-camera", lambda: all(_is_there(source) for source in (camera.gate.source, *camera.other_gates))),
        ("table-camera", lambda: _is_there(camera.table.source)),
    )
    return tuple(part for part, there in present if not there())


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
    try:
        return ask(address.netloc.rpartition("@")[2], "HEAD", address.path, patience_s=_ANSWERS_S)[0] == HTTPStatus.OK
    except OSError:
        return False


def _options(assignment: Assignment) -> bytes:
    """Rule options as TOML; for numbers, truth values and texts JSON is."""
    lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in sorted(assignment.options.items()))
    return "".join(lines).encode()
