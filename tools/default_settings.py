"""Default files of ``config/default``: the defaults of each form, with an example where a key has none.

``python -m tools.default_settings`` writes them; a test compares them with this module.
"""

from dataclasses import replace
from pathlib import Path

import config
from config.centre import CentreMqtt, CentreSection, CentreSettings
from config.connections import DatabaseSection, MqttSettings
from config.field import FieldVaultSection, FieldVaultSettings, VenueFieldSection
from config.phones import PhonesSection, PhonesSettings
from config.reading import dumps
from config.services import (
    BrokerSection,
    BrokerSettings,
    DashboardSection,
    DashboardSettings,
    EventSection,
    EventsSection,
    HallSection,
    VaultDealsSection,
    VaultSection,
    VaultSettings,
)
from controller.device_settings import CameraSection, FeederSection, GateCameraSection, TableCameraSection
from controller.settings import DealsSection, LedgerSection, TableSection, TableSettings
from simulator.settings import CamerasSection, CamerasSettings, PlayersSection, PlayersSettings, WorldSection, WorldSettings
from tableside.station.settings import StationCameraSection, StationSection, StationSettings

FOLDER = Path(config.__file__).parent / "default"
_ETC = Path("/etc/twinwall")
_KEPT = Path("/var/lib/twinwall")

TABLE = TableSettings(
    table=TableSection(name="1", event="Club evening"),
    feeder=FeederSection(port="/dev/ttyUSB0"),
    camera=CameraSection(gate=GateCameraSection(source="v4l2:0"), table=TableCameraSection(source="v4l2:2")),
    mqtt=MqttSettings(url="mqtt://127.0.0.1:1883", user="table-1", password_file=_ETC / "table-1.password"),
    deals=DealsSection(plan=_ETC / "plan.json", start=_ETC / "start.json", folder=_KEPT / "table" / "deals"),
    ledger=LedgerSection(folder=_KEPT / "table" / "ledger"),
)
DASHBOARD = DashboardSettings(
    dashboard=DashboardSection(
        staff=_KEPT / "dashboard" / "staff.sqlite",
        secret_file=_KEPT / "dashboard" / "dashboard.secret",
    ),
    mqtt=MqttSettings(url="mqtt://127.0.0.1:1883", user="server", password_file=_ETC / "server.password"),
    event=EventSection(name="Club evening", tables=("1",), store=_KEPT / "dashboard" / "event.sqlite"),
)
_DATABASE = DatabaseSection(url="postgresql://twinwall@127.0.0.1/twinwall", password_file=_ETC / "database.password")
HALL = replace(DASHBOARD, event=None, events=EventsSection(folder=_KEPT / "dashboard" / "events", tables=("1", "2", "3", "4")))
HALL_ON_POSTGRESQL = replace(HALL, database=_DATABASE)
VAULT = VaultSettings(
    vault=VaultSection(
        seed=_ETC / "server.seed",
        signing_key=_ETC / "vault.key",
        folder=_KEPT / "vault" / "session-1",
        released=_KEPT / "vault" / "released",
    ),
    deals=VaultDealsSection(plan=_ETC / "plan.json", start=_ETC / "start.json"),
    hall=HallSection(tables=tuple(f"{table} {table * 64}" for table in "1234")),
    mqtt=MqttSettings(url="mqtt://127.0.0.1:1883", user="vault", password_file=_ETC / "vault.password"),
)
WAITING_VAULT = VaultSettings(
    vault=VaultSection(signing_key=_ETC / "vault.key", folder=_KEPT / "vault", server_key="5" * 64),
    mqtt=MqttSettings(url="mqtt://127.0.0.1:1883", user="vault", password_file=_ETC / "vault.password"),
)
VENUE_VAULT = replace(VAULT, vault=replace(VAULT.vault, seed=None), field=VenueFieldSection(venue="Kyoto", centre_key="6" * 64))
BROKER = BrokerSettings(broker=BrokerSection(passwords=_ETC / "broker.passwords", rights=_ETC / "broker.rights"))

_RUN = Path("/run/twinwall")
_WORLD_URL = "http://127.0.0.1:8101"

STATION = StationSettings(
    station=StationSection(feeder_link=_RUN / "station" / "feeder", memory=_KEPT / "station" / "station.json"),
    camera=StationCameraSection(source="v4l2:0"),
)
PHONES = PhonesSettings(phones=PhonesSection(tables=("1",), memory=_KEPT / "phones" / "phones.json"))
WORLD = WorldSettings(world=WorldSection(table="1", panel_file=_RUN / "panel", feeder_link=_RUN / "feeder"))
CAMERAS = CamerasSettings(cameras=CamerasSection(worlds=(f"1 {_WORLD_URL}",)))
PLAYERS = PlayersSettings(players=PlayersSection(worlds=(f"1 {_WORLD_URL}",)))

CENTRE = CentreSettings(
    centre=CentreSection(name="Simultaneous", venues=(f"west: Kyoto {'a' * 64}", f"east: Sendai {'b' * 64}")),
    mqtt=CentreMqtt(url="mqtt://127.0.0.1:1883", user="consumer-1", password_file=_ETC / "consumer.password"),
    database=DatabaseSection(url="postgresql://twinwall@127.0.0.1/twinwall", password_file=_ETC / "database.password", schema="centre"),
)

FIELD_VAULT = FieldVaultSettings(
    vault=FieldVaultSection(
        _ETC / "vault.key",
        _KEPT / "vault" / "field",
        _ETC / "server.seed",
        _ETC / "plan.json",
        _ETC / "start.json",
        (f"Kyoto {'a' * 64}", f"Sendai {'b' * 64}"),
    ),
    mqtt=MqttSettings(url="mqtt://127.0.0.1:1883", user="vault-1", password_file=_ETC / "vault.password"),
    database=DatabaseSection(url="postgresql://twinwall@127.0.0.1/twinwall", password_file=_ETC / "database.password", schema="centre"),
)

EXAMPLES: dict[str, object] = {
    "table.toml": TABLE,
    "dashboard.toml": DASHBOARD,
    "hall.toml": HALL,
    "postgresql-hall.toml": HALL_ON_POSTGRESQL,
    "broker.toml": BROKER,
    "centre.toml": CENTRE,
    "field-vault.toml": FIELD_VAULT,
    "vault.toml": VAULT,
    "waiting-vault.toml": WAITING_VAULT,
    "venue-vault.toml": VENUE_VAULT,
    "station.toml": STATION,
    "phones.toml": PHONES,
    "world.toml": WORLD,
    "cameras.toml": CAMERAS,
    "players.toml": PLAYERS,
}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, settings in EXAMPLES.items():
        (FOLDER / name).write_text(dumps(settings), encoding="utf-8")
