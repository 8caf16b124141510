"""The simulated tables of a hall that one command serves: some with machine, cameras and players, the others without physics."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import config
from cli.demo.choices import HOST, Choices
from cli.demo.setup import DemoSite, DemoTableSite
from cli.demo.supervisor import Process, Supervisor, answers
from cli.hall.hall_folder import HallFolder
from controller.settings import ClockSection, LedgerSection
from twinwall.free_ports import free_ports

FAST_LEDGERS = 8.0
"""How many times as fast as people tables without physics play with ``--fast``: they keep step with those that have machines, and the
broker with sixteen of them."""
_PLACEHOLDERS = ("1", "2", "3", "4")
"""Who sits there is assigned by the hall."""


def start_tables(
    supervisor: Supervisor, hall: HallFolder, choices: Choices, machines: int, *, speed: float | None = None, real: Collection[str] = ()
) -> None:
    """Start tables that join the hall: the first ``machines`` of them with feeder, cameras and players, the others without physics.

    ``speed`` is how many times as fast as people these others play; None for what the choices and the machines call for. ``real`` are
    tables at which people play.
    """
    cameras_port, *worlds = free_ports(1 + machines)
    site = DemoSite(hall.folder, choices, hall, f"mqtt://{HOST}:{hall.broker_port}", f"http://{HOST}:{cameras_port}", hall.passwords())
    others = [name for name in hall.tables[machines:] if name not in real]
    if others:
        speed = speed or (FAST_LEDGERS if choices.fast else 1.0)
        supervisor.start((_ledger_tables(site, hall, others, speed), lambda: True))
    if not machines:
        return
    tables = tuple(DemoTableSite(site, name, _PLACEHOLDERS, world, 0) for name, world in zip(hall.tables, worlds, strict=False))
    for table in tables:
        table.write()
    supervisor.start(
        (site.cameras(tables, cameras_port), answers(cameras_port)),
        (site.worlds(tables), lambda: all(answers(table.world_port)() for table in tables)),
    )
    supervisor.start((site.players(tables), lambda: True), *((table.controller, lambda: True) for table in tables))


def _ledger_tables(site: DemoSite, hall: HallFolder, names: Sequence[str], speed: float) -> Process:
    """The process of the tables without physics; their journals lie in memory, and are gone with the demo."""
    files = []
    for name in names:
        settings = DemoTableSite(site, name, _PLACEHOLDERS, 0, 0).settings()
        settings = replace(settings, ledger=LedgerSection(hall.memory / f"ledger-{name}"), clock=ClockSection())
        files.append(hall.folder / f"ledger-table-{name}.toml")
        config.write(files[-1], settings)
    words = ("table", "simulate", "tables", *map(str, files), "--seed", str(site.choices.seed), "--speed", str(speed))
    return Process("ledger-tables", words)
