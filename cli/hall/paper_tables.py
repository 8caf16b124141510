"""Tables without cameras of a hall: one process on the hall's computer keeps their scores; people build the walls from sheets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import config
from cli.demo.supervisor import Process
from cli.hall.hall_folder import HallFolder
from controller.settings import (
    CameraSection,
    FeederSection,
    GateCameraSection,
    LedgerSection,
    TableCameraSection,
    TableSection,
    TableSettings,
)
from twinwall.wire.messages.table_kind import TableKind
from twinwall.wire.mqtt.access import table_user

_NOTHING = "/dev/null"
"""Where a form asks for a feeder and cameras that such a table does not have."""


@dataclass(frozen=True, slots=True)
class PaperTables:
    """The tables of a hall that play on paper, by name."""

    hall: HallFolder
    names: Sequence[str]

    def process(self, now: datetime) -> Process:
        """The process that keeps their scores; certificates that are lacking are made."""
        if self.hall.over_tls:
            files = self.hall.certificates
            for name in self.names:
                files.issue(files.read_authority(), table_user(name), (), now)
        return Process("paper-tables", ("hall", "paper", *(str(self._settings(name)) for name in self.names)))

    def _settings(self, name: str) -> Path:
        hall, file = self.hall, self.hall.folder / f"paper-table-{name}.toml"
        config.write(file, without_machine(hall, name, TableKind.PAPER, hall.folder / f"table-{name}" / "ledger"))
        return file


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
