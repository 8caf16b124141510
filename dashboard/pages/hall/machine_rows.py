"""The machine room: the state of each table's computer, cameras, feeder and line, and what to do, the worst first. It uses heartbeats and
failed parts, and nothing of the play."""

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import IntEnum

from dashboard.access.session_progress import OpenTable
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Values, Words
from dashboard.pages.hall.hall_cards import fault_name
from dashboard.pages.rendering import Fragments, Renderer
from dashboard.pages.table.presentation import link_alarm, link_name
from twinwall.event.natural_order import natural
from twinwall.game.documents import write_time
from twinwall.wire.messages.commands import MachineCondition

LEAST_DISK_MIB = 1000
MOST_WORN_PERCENT = 80
MOST_GIB_A_DAY = 20
"""A card of 32 GB bears some 10,000 GiB."""
HOT_C = 75
"""A Raspberry Pi slows down from 80 °C on."""
DARK_PERCENT, BRIGHT_PERCENT = 10, 90
PUSHED_MM = 10
MOST_EDGE_TENTHS_MM = 30
"""The limit for a mat that may be played on (``vision.calibration.mat_check``)."""
BAD_PER_10000 = 100
"""With more damaged or repeated frames than this, the line's cable should be checked."""
MANY_LOSSES = 3


class MachineNeed(IntEnum):
    """How urgently a machine needs a person; smaller is sooner."""

    SILENT = 0
    FAULT = 1
    PART = 2
    SOON = 3
    NONE = 4


_TONES = {MachineNeed.SILENT: "grey", MachineNeed.FAULT: "red", MachineNeed.NONE: "green"}


def machine_rows(scope: ViewerScope, words: Words) -> list[Values]:
    """Every table's machine, the worst first: its ``problems`` with what to do, and its cameras' figures in words."""
    tables = scope.tables()
    usual = _usual_version(tables)
    found = [(table, list(_problems(table, usual, words))) for table in tables]
    rows = [(min((need for need, _ in problems), default=MachineNeed.NONE), table, problems) for table, problems in found]
    return [
        {
            "table": table,
            "heard": None if table.heard is None or not table.silent else write_time(table.heard),
            "problems": problems,
            "cameras": [] if table.machine is None else list(_cameras(table.machine, words)),
            "need": need,
            "tone": _TONES.get(need, "amber"),
        }
        for need, table, problems in sorted(rows, key=lambda row: (row[0], natural(row[1].name)))
    ]


def troubled(scope: ViewerScope, words: Words) -> int:
    """The number of tables with machines that need a person."""
    tables = scope.tables()
    usual = _usual_version(tables)
    return sum(next(_problems(table, usual, words), None) is not None for table in tables)


def _usual_version(tables: Sequence[OpenTable]) -> str:
    versions = Counter(table.machine.version for table in tables if table.machine is not None)
    return versions.most_common(1)[0][0] if versions else ""


def _cameras(machine: MachineCondition, words: Words) -> Iterator[str]:
    for camera in machine.cameras:
        parts = [words("machines.no-frame") if camera.frame_age_min is None else words("machines.frame", minutes=camera.frame_age_min + 1)]
        parts += [] if camera.light_percent is None else [words("machines.light", percent=camera.light_percent)]
        parts += [] if camera.edge_tenths_mm is None else [words("machines.edge", mm=_mm(camera.edge_tenths_mm))]
        parts += [] if camera.moved_mm is None else [words("machines.moved", mm=camera.moved_mm)]
        yield f"{link_name(camera.name, words)}: {', '.join(parts)}"


def _problems(table: OpenTable, usual: str, words: Words) -> Iterator[tuple[MachineNeed, str]]:
    """The problems of a table that has been heard."""
    if table.heard is None:
        return
    if table.silent:
        yield MachineNeed.SILENT, words("machines.silent")
    for fault in table.view.faults:
        yield MachineNeed.FAULT, fault_name(fault.code, words)
    for link in table.view.links_lost:
        yield MachineNeed.PART, link_alarm(link, table.view.troubles, words, table.name)
    if table.clock_off:
        clock, hall = (f"{at:%Y-%m-%d %H:%M:%S}" for at in (table.heard + table.clock_off, table.heard))
        yield MachineNeed.SOON, words("machines.clock", clock=clock, hall=hall)
    if table.machine is not None:
        yield from ((MachineNeed.SOON, text) for text in _of_machine(table.machine, usual, words))
    line = table.feeder_line
    if line is not None and max(line.damaged_per_10000, line.repeated_per_10000) > BAD_PER_10000:
        yield MachineNeed.SOON, words("machines.line")
    if line is not None and line.losses >= MANY_LOSSES:
        yield MachineNeed.SOON, words("machines.losses", count=line.losses)


def _of_machine(machine: MachineCondition, usual: str, words: Words) -> Iterator[str]:
    if machine.disk_free_mib < LEAST_DISK_MIB:
        yield words("machines.disk", mib=machine.disk_free_mib)
    if machine.disk_fails:
        yield words("machines.disk.fails")
    if (machine.worn_percent or 0) >= MOST_WORN_PERCENT:
        yield words("machines.card.worn", percent=machine.worn_percent)
    elif (machine.written_gib_a_day or 0) >= MOST_GIB_A_DAY:
        yield words("machines.card.wears", gib=machine.written_gib_a_day)
    if (machine.temperature_c or 0) >= HOT_C:
        yield words("machines.hot", degrees=machine.temperature_c)
    if machine.weak_power:
        yield words("machines.power")
    elif machine.slowed:
        yield words("machines.slowed")
    if machine.version != usual:
        yield words("machines.version", version=machine.version, usual=usual)
    for camera in machine.cameras:
        name = link_name(camera.name, words)
        if camera.light_percent is not None and camera.light_percent <= DARK_PERCENT:
            yield words("machines.dark", camera=name)
        if (camera.light_percent or 0) >= BRIGHT_PERCENT:
            yield words("machines.bright", camera=name)
        if camera.edge_tenths_mm is not None and camera.edge_tenths_mm > MOST_EDGE_TENTHS_MM:
            yield words("machines.blurred", camera=name, mm=_mm(camera.edge_tenths_mm))
        if (camera.moved_mm or 0) >= PUSHED_MM:
            yield words("machines.pushed", camera=name, mm=camera.moved_mm)


def _mm(tenths: int) -> str:
    return f"{tenths / 10:.1f}"


def pieces(render: Renderer, scope: ViewerScope, words: Words) -> Fragments:
    yield render.part("machines", lambda: render("hall/machines.html", rows=machine_rows(scope, words), well=MachineNeed.NONE))
