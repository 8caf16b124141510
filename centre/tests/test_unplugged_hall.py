"""A venue's hall whose centre was never there: it stores its tables' lines and serves its pages alone, and the centre gets them later."""

import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from urllib.request import urlopen

import pytest

import config
from centre.consuming import ConsumerSettings, consume
from centre.deploy.venue_account import VenueAccount
from centre.intake.venue_trust import CentreVenue
from centre.store.centre_reading import CentreReader
from centre.tests.support.field_processes import ClearCentre, RefusingCable
from centre.tests.support.playing_venue import CENTRE, EVENT, PlayingVenue, played_hands
from config import DashboardSettings, MqttSettings
from config.services import DashboardSection, EventSection
from tests.support.dashboard.staff import new_staff
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import MOSQUITTO, Ear, eventually
from tools.rehearsal.programs import LOOPBACK, ExternalProgram, listens
from tools.rehearsal.venue_brokers import VenueBrokers
from twinwall.event.store.databases.port import PostgresAddress, StoreError
from twinwall.free_ports import free_ports
from twinwall.wire.messages.commands import Health, write_health
from twinwall.wire.mqtt.access import SERVER_USER, table_user
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.link import MqttLink
from twinwall.wire.mqtt.topics import Channel, Topic

pytestmark = [
    pytest.mark.slow,
    pytest.mark.nightly,
    pytest.mark.skipif(not MOSQUITTO.exists(), reason=f"{MOSQUITTO} is not installed (apt-get install mosquitto)"),
]
SCORES = ((75, -25, -25, -25), (-8, 48, -32, -8))
VENUE = PlayingVenue("Kyoto", (("1", played_hands("1", SCORES)), ("2", played_hands("2", SCORES[::-1]))))
LINES = sum(map(len, VENUE.ledgers.values()))


class UnpluggedHall:
    """A venue's two brokers and its dashboard, with a cable to the centre that is not plugged."""

    def __init__(self, folder: Path, running: ExitStack) -> None:
        self._running = running
        self._tables: dict[str, MqttLink] = {}
        self.centre = ClearCentre(folder / "centre")
        running.callback(self.centre.close)
        self.cable = running.enter_context(RefusingCable(self.centre.port))
        at = self.cable.port
        self.cable.pull()
        account, (port, self.page_port) = VenueAccount(VENUE.name), free_ports(2)
        self.brokers = VenueBrokers(account, folder / "venue", port, list(VENUE.tables))
        gateway = self.brokers.add_gateway(self.centre.gateway_end(account, at))
        for each in (self.brokers.hall, gateway, self._dashboard(folder / "dashboard")):
            running.callback(each.stop)
            each.start()
            each.wait(PATIENCE_S)

    def _dashboard(self, folder: Path) -> ExternalProgram:
        folder.mkdir()
        self._store = folder / "event.sqlite"
        (folder / "password").write_text(self.brokers.password)
        new_staff(folder / "staff.sqlite").close()
        settings = DashboardSettings(
            DashboardSection(folder / "staff.sqlite", folder / "secret", port=self.page_port, venue=VENUE.name),
            MqttSettings(f"mqtt://{LOOPBACK}:{self.brokers.port}", SERVER_USER, folder / "password"),
            EventSection(EVENT, VENUE.tables, self._store),
        )
        config.write(folder / "dashboard.toml", settings)
        command = (sys.executable, "-P", "-m", "cli", "hall", "dashboard", "--settings", str(folder / "dashboard.toml"))
        return ExternalProgram("dashboard", command, folder, lambda: listens(self.page_port) and bool(self.page("/")))

    def connect(self) -> None:
        """Both tables come to the hall's broker."""
        for table in VENUE.tables:
            link = MqttLink(BrokerAddress(LOOPBACK, self.brokers.port), Credentials(table_user(table), self.brokers.password), Ear())
            self._running.callback(link.close)
            link.start()
            eventually(partial(_is_up, link), "the table is connected")
            self._tables[table] = link

    def play(self) -> None:
        """Both tables send what they have written, all of it once more where they are asked for it."""
        for table, link in self._tables.items():
            for seq in range(1, len(VENUE.ledgers[table]) + 1):
                assert link.publish(*VENUE.line(table, seq)) is not None

    def beat(self) -> None:
        """Each table says how long its ledger is: what nobody kept for the consumer is asked for."""
        for table, link in self._tables.items():
            health = Health(table, VENUE.journal, len(VENUE.ledgers[table]), datetime.now(UTC))
            link.publish(str(Topic(EVENT, table, Channel.HEALTH)), write_health(health))

    def stored(self) -> int:
        """How many lines the hall's own store has."""
        with closing(sqlite3.connect(f"file:{self._store}?mode=ro", uri=True)) as reading:
            (count,) = reading.execute("SELECT count(*) FROM lines").fetchone()
        return int(count)

    def page(self, path: str) -> str:
        with urlopen(f"http://{LOOPBACK}:{self.page_port}{path}", timeout=PATIENCE_S) as answer:
            return str(answer.read().decode())


def _is_up(link: MqttLink) -> bool:
    return link.is_connected


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[UnpluggedHall]:
    with ExitStack() as running:
        yield UnpluggedHall(tmp_path, running)


def stored(store: PostgresAddress) -> int:
    try:
        reader = CentreReader(store, EVENT)
    except StoreError:
        return 0  # the consumer has not made it yet
    found = reader.line_counts()
    reader.close()
    return found.get(VENUE.name, 0)


def test_a_hall_that_never_had_its_centre_works_alone_and_the_centre_gets_every_line_later(
    hall: UnpluggedHall, postgres_store: PostgresAddress
) -> None:
    hall.connect()

    def has_stored_every_line() -> bool:
        hall.play()
        time.sleep(0.1)
        return hall.stored() == LINES

    eventually(has_stored_every_line, "the hall has every line")
    assert {table: "Table" in hall.page(f"/table/{table}") for table in VENUE.tables} == dict.fromkeys(VENUE.tables, True)
    ended = threading.Event()
    venue = CentreVenue(VENUE.name)
    address = BrokerAddress(LOOPBACK, hall.centre.port)
    settings = ConsumerSettings([venue], CENTRE, postgres_store, [address], Credentials("consumer", ""))
    consumer = threading.Thread(target=consume, args=(settings, ended))
    consumer.start()
    try:
        hall.cable.plug()

        def has_every_line() -> bool:
            hall.beat()
            time.sleep(0.1)
            return stored(postgres_store) == LINES

        eventually(has_every_line, "the centre has every line")
    finally:
        ended.set()
        consumer.join()
