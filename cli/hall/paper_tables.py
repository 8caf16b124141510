"""Tables without cameras of a hall: one process on the hall's computer keeps their scores; people build the walls from sheets."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import config
from cli.demo.supervisor import Process
from cli.hall.hall_folder import HallFolder
from controller.device_settings import CameraSection, FeederSection, GateCameraSection, TableCameraSection
from controller.settings import LedgerSection, TableSection, TableSettings
from twinwall.wire.messages.table_kind import TableKind

_NOTHING = "/dev/null"
"""Where a form asks for a feeder and cameras that such a table does not have."""


def paper_process(hall: HallFolder, names: Sequence[str], now: datetime) -> Process:
    """The process that keeps the scores of a hall's tables on paper; certificates that are lacking are made."""
    hall.issue_tables(names, now)
    files = {name: hall.folder / f"paper-table-{name}.toml" for name in names}
    for name, file in files.items():
        config.write(file, without_machine(hall, name, TableKind.PAPER, hall.folder / f"table-{name}" / "ledger"))
    return Process("paper-tables", ("hall", "paper", *map(str, files.values())))


def without_machine(hall: HallFolder, name: str, kind: TableKind, ledger: Path) -> TableSettings:
    """Settings of a table of the hall that has neither feeder nor cameras; ``ledger`` is the folder of its journal."""
    return TableSettings(
        table=TableSection(name, hall.event, hall.mode, kind=kind.value),
        feeder=FeederSection(_NOTHING),
        camera=CameraSection(GateCameraSection(f"files:{_NOTHING}/gate"), TableCameraSection(f"files:{_NOTHING}/table")),
        mqtt=hall.mqtt(name),
        deals=hall.table_deals,
        custody=hall.table_custody(name),
        ledger=LedgerSection(ledger),
    )
