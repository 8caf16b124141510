"""Tables without a computer or feeder of their own: phones are their cameras and keys, people build the walls as a station says.

Controller and station of each run on the hall's computer, and one server of phones for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import config
from config.phones import PhonesSection
from config.station import StationCameraSection, StationSection
from config.table import (
    CameraSection,
    FeederSection,
    GateCameraSection,
    LedgerSection,
    PanelSection,
    TableCameraSection,
    TableSection,
)
from twinwall.cli.demo.choices import HOST
from twinwall.cli.demo.supervisor import Process, Supervisor, answers
from twinwall.cli.hall.hall_folder import HallFolder
from twinwall.wire.mqtt.access import SERVER_USER, table_user


@dataclass(frozen=True, slots=True)
class GuidedTables:
    """The guided tables of a hall; ``local_port`` is the phones' server's on loopback, ``station_ports`` those of the screens."""

    hall: HallFolder
    names: tuple[str, ...]
    phones_port: int
    local_port: int
    station_ports: Sequence[int]

    @property
    def phones_url(self) -> str:
        """Where this computer's programs find the phones."""
        return f"http://{HOST}:{self.local_port}"

    def screens(self) -> dict[str, str]:
        """Each table's screen for whoever builds."""
        return {name: f"http://{HOST}:{port}/" for name, port in zip(self.names, self.station_ports, strict=True)}

    def start(self, supervisor: Supervisor, now: datetime) -> None:
        """Start the phones' server, then each table's station and controller; certificates that are lacking are made."""
        if self.hall.over_tls:
            files = self.hall.certificates
            for name in self.names:
                files.issue(files.read_authority(), table_user(name), (), now)
        supervisor.start((self._phones(), answers(self.local_port)))
        for name, port in zip(self.names, self.station_ports, strict=True):
            supervisor.start((self._station(name, port), answers(port)))
            supervisor.start((self._controller(name, port), lambda: True))

    def _phones(self) -> Process:
        hall = self.hall
        tls = hall.certificates.tls_files(SERVER_USER) if hall.over_tls else None
        section = PhonesSection(
            self.names,
            hall.folder / "phones.json",
            host=hall.host,
            port=self.phones_port,
            local_port=self.local_port,
            certificate=None if tls is None else tls.certificate,
            certificate_key=None if tls is None else tls.key,
        )
        return self._process("phones", ("phones", "serve"), config.PhonesSettings(section))

    def _station(self, name: str, port: int) -> Process:
        folder = self._folder(name)
        section = StationSection(folder / "feeder", folder / "station.json", port, ledger=folder / "ledger")
        settings = config.StationSettings(section, StationCameraSection(f"{self.phones_url}/{name}/gate.jpg"))
        return self._process(f"table-{name}-station", ("station",), settings)

    def _controller(self, name: str, station_port: int) -> Process:
        folder = self._folder(name)
        settings = config.TableSettings(
            table=TableSection(name, self.hall.event, kind="guided"),
            feeder=FeederSection(str(folder / "feeder")),
            camera=CameraSection(
                GateCameraSection(f"http://{HOST}:{station_port}/gate.jpg"), TableCameraSection(f"{self.phones_url}/{name}/table.jpg")
            ),
            mqtt=self.hall.mqtt(name),
            deals=self.hall.table_deals,
            custody=self.hall.table_custody(name),
            ledger=LedgerSection(folder / "ledger"),
            panel=PanelSection(enabled=False, phones=f"{self.phones_url}/{name}"),
        )
        return self._process(f"table-{name}", ("table",), settings)

    def _folder(self, name: str) -> Path:
        folder = self.hall.folder / f"table-{name}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _process(self, name: str, words: tuple[str, ...], settings: object) -> Process:
        file = self.hall.folder / f"{name}.toml"
        config.write(file, settings)
        return Process(name, (*words, "--settings", str(file)))
