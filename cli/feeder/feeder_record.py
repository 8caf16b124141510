"""``twinwall feeder record``: writes a board's record of its table as a file for a programmer, or reads such a file."""

import argparse
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from cli.usage import FORCE, JSON, PUBLISHED, UsageError, argument, new_file, one_of, takes, write_file, wrong_use
from config import load
from controller.settings import TableSettings
from firmware_bridge.board.table_record import BOOTS_AT, LANE_SIZES, NAMELESS, RecordError, TableRecord, boots_counted, boots_of, decode
from firmware_bridge.intel_hex import dumps, loads
from twinwall.given_files import limited_bytes

_UID_BYTES = len(NAMELESS)
_SIZES = {
    "tray_places": "places of a seat's tray, spares included",
    "wall_places": "places of a seat's wall",
    "hand_places": "places of a wall that lie open to the player",
    "bypass_cells": "cells for tiles that fit nowhere yet",
    "shuttle_queue": "tiles that wait in a seat's chute",
    "gate_period_ms": "from tile to tile at the gate, in ms",
    "steps_per_position": "motor steps from one column of a tray to the next",
    "speed_percent": "of a real table's speed, for machines that are simulated",
}

_DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(TableRecord)} | {"bypass_cells": 0}
"""Those of the reference table, without cells: no machine is drawn with any."""

_TIMES = ("gate_period_ms", "speed_percent")
_FIXED_BY_LANES = ("single_row", "rear_gates", *(name for name in _SIZES if name not in _TIMES))


@takes(
    one_of(
        argument("--out", type=new_file, metavar="FILE", help="write the record here, such as table-1.eep"),
        argument("--read", type=Path, metavar="FILE", help="say what this file holds: Intel HEX, or the memory's bytes"),
        required=True,
    ),
    argument("--uid", metavar="ID", help="the board's own number: 16 hexadecimal digits, or 8 letters such as TABLE-07"),
    argument("--settings", type=Path, metavar="TABLE", help="take the number from this table's settings ([feeder] uid)"),
    *(
        argument(f"--{name.replace('_', '-')}", type=int, metavar="N", help=f"{meaning} (default {size})")
        for (name, meaning), size in zip(_SIZES.items(), map(_DEFAULTS.get, _SIZES), strict=True)
    ),
    argument("--single-row", action="store_true", help="the draws of a wall stand in one row, not in two"),
    argument("--rear-gates", action="store_true", help="magazines have rear gates in place of blinds (no machine is drawn so)"),
    argument("--lanes", action="store_true", help="no shuttles: people take the tiles from lanes (stage D); of the sizes only times count"),
    argument("--boots", type=int, metavar="N", help="also set how often the board has started, after its memory was erased"),
    FORCE,
    JSON,
    about="Write the record that a board keeps of its table (identity, sizes) as Intel HEX for avrdude, or say what such a "
    "file holds. What the firmware would refuse is refused here. Exit 1 when a file is read that no board would start with.",
)
def make_or_read(arguments: argparse.Namespace) -> bool:
    """Write or read a record; raises UsageError for an impossible record or an unusable file."""
    if arguments.read is not None:
        _refuse(arguments, ("uid", "settings", "boots", "lanes", "force", *_FIXED_BY_LANES, *_TIMES), "--read only says what a file holds")
        return _read(arguments.read, as_json=arguments.json)
    if arguments.lanes:
        _refuse(arguments, _FIXED_BY_LANES, "--lanes has neither trays nor cells nor carriages")
    record, boots = _record(arguments), arguments.boots
    with wrong_use("feeder record", RecordError):
        counted = {} if boots is None else {BOOTS_AT: boots_counted(boots)}
    write_file(arguments.out, dumps({0: record.encode()} | counted).encode("ascii"), PUBLISHED, arguments.force)
    _print(arguments.out, record, boots, as_json=arguments.json)
    return True


def _given(arguments: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    values = {name: getattr(arguments, name) for name in names}
    return {name: value for name, value in values.items() if value is not None and value is not False}


def _refuse(arguments: argparse.Namespace, names: Iterable[str], why: str) -> None:
    given = [f"--{name.replace('_', '-')}" for name in _given(arguments, names)]
    if given:
        raise UsageError(f"feeder record: {why}; leave {', '.join(given)} out")


def _record(arguments: argparse.Namespace) -> TableRecord:
    sizes = _DEFAULTS | _given(arguments, _SIZES) | {"two_high": not arguments.single_row}
    sizes["blinds"] = not (arguments.rear_gates or arguments.lanes)
    with wrong_use("feeder record", RecordError):
        return TableRecord(**sizes | {"uid": _uid(arguments), "lanes": arguments.lanes} | (LANE_SIZES if arguments.lanes else {}))


def _uid(arguments: argparse.Namespace) -> bytes:
    """The number given here or in the settings; raises UsageError unless there is exactly one."""
    given = set(_uids(arguments))
    if not given:
        raise UsageError("feeder record: give the board a number of its own with --uid, or name settings that have one")
    if len(given) > 1:
        raise UsageError(f"feeder record: --uid is another number than {arguments.settings} has in [feeder] uid; leave one of them out")
    (uid,) = given
    if uid in (NAMELESS, bytes(_UID_BYTES), b"\xff" * _UID_BYTES):
        raise UsageError(f"feeder record: {uid.hex()} is what a board without a record has; choose a number that no other board has")
    return uid


def _uids(arguments: argparse.Namespace) -> Iterator[bytes]:
    if arguments.uid is not None:
        yield parse_uid(arguments.uid)
    if arguments.settings is not None:
        uid = load(arguments.settings, TableSettings).feeder.uid
        if uid:
            yield bytes.fromhex(uid)


def parse_uid(text: str) -> bytes:
    """A uid as people write it: 16 hexadecimal digits or 8 letters; raises UsageError for anything else."""
    try:
        if len(text) == 2 * _UID_BYTES:
            return bytes.fromhex(text)
        if len(text) == _UID_BYTES and text.isascii() and text.isprintable():
            return text.encode("ascii")
    except ValueError:
        pass
    raise UsageError(f"feeder record: {text!r} is no number of a board: 16 hexadecimal digits, or 8 letters such as TABLE-07")


def _read(file: Path, *, as_json: bool) -> bool:
    content = limited_bytes(file)
    try:
        memory = loads(content.decode("ascii")) if content.startswith(b":") else content
        record = decode(memory)
    except ValueError as problem:
        reason = f"a board would start without this record, as {NAMELESS.decode()}: {problem}"
        print(json.dumps({"file": str(file), "usable": False, "reason": str(problem)}) if as_json else f"{file}: {reason}")
        return False
    _print(file, record, boots_of(memory), as_json=as_json)
    return True


def _print(file: Path, record: TableRecord, boots: int | None, *, as_json: bool) -> None:
    if as_json:
        values = asdict(record) | {"uid": record.uid.hex(), "boots": boots}
        print(json.dumps({"file": str(file), "usable": True, **values}))
        return
    print(f"{file}: the record of board {record.uid.hex()} ({record.uid.decode('ascii', errors='replace')})")
    rows = [f"two rows of draws: {'yes' if record.two_high else 'no'}"]
    rows += ["no shuttles: people take the tiles from lanes"] if record.lanes else []
    rows += ["blinds with shutters and bolts before the draws, no rear gates"] if record.blinds else []
    rows += [f"{meaning}: {getattr(record, name)}" for name, meaning in _SIZES.items()]
    rows += [] if boots is None else [f"starts so far: {boots}"]
    print("\n".join(f"  {row}" for row in rows))
