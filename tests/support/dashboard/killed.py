"""A session of many tables over a real broker, whose dashboard or database is killed outright while the tables go on.

Tables are what a table is to the hall: a ledger, its publisher, and a heartbeat every two seconds. The first deal is finished and
released before anything is killed. The second is under way, and every table finishes it while nobody hears it.
"""

import re
import signal
import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from dashboard.serving import StoredEvent
from tests.support.dashboard.hall import OPEN
from tests.support.dashboard.served import Served
from tests.support.dashboard.staff import new_staff
from tests.support.event.ledgers import SCORES, session
from tests.support.event.stored_event import EVENT, STARTED, check, slip_bytes
from tests.support.wire.brokers import PASSWORDS, Ear, LedgerPublisher, RunningBroker, eventually, free_port, link_of
from tests.support.wire.streams import Line, ledger_lines
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import StoreAddress
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_rows import read_store
from twinwall.wire.messages.commands import Health, write_health
from twinwall.wire.mqtt.access import SALT_BYTES, SERVER_USER, VAULT_USER, write_access_files
from twinwall.wire.mqtt.broker_address import Credentials
from twinwall.wire.mqtt.topics import Channel, Topic, slips_topic

HEARTBEAT_S = 2.0
CLOSED = "The payments are confirmed."
"""What a table's page says to the staff at the end of a hand, and at no other time."""
OF_TABLES = "of a table"
"""The password of every table."""


class KilledSession:
    """Tables in the middle of their second deal, and the dashboard that serves their pages."""

    def __init__(self, folder: Path, store: StoreAddress, tables: int) -> None:
        """``tables`` is a multiple of four: as many teams play."""
        self.names = [str(number) for number in range(1, tables + 1)]
        self.store = store
        passwords = {name: PASSWORDS[name] for name in (SERVER_USER, VAULT_USER)} | dict.fromkeys(self.names, OF_TABLES)
        write_access_files(folder, EVENT, passwords, {name: name.encode().ljust(SALT_BYTES, b".") for name in passwords})
        self.broker = RunningBroker("amqtt", folder, free_port())
        settings = replace(
            OPEN,
            event=EVENT,
            broker=self.broker.address,
            credentials=Credentials(SERVER_USER, PASSWORDS[SERVER_USER], "dashboard"),
            port=free_port(),
            staff=folder / "staff.sqlite",
            tables=tuple(self.names),
        )
        new_staff(settings.staff).close()
        field = field_of(EntrantKind.TEAM, self.names, [f"Team {name}" for name in self.names])
        self.dashboard = Served(settings, StoredEvent(store, Programme(EVENT, field, STARTED), folder / "records"))
        self.tables: dict[str, LedgerPublisher] = {}
        self._lines = {name: ledger_lines(script(name), name) for name in self.names}
        self._ended = threading.Event()
        self._beating = threading.Thread(target=self._beat)
        self._results: list[str] = []

    def begin(self) -> None:
        """Start everything, play the first deal, release it, and play into the second."""
        self.broker.start()
        self.dashboard.start()
        self.dashboard.log_in()
        for name in self.names:
            self.tables[name] = LedgerPublisher(self.broker, name, OF_TABLES)
        self._beating.start()
        self._play_to("hand-started", 2)
        for _ in range(2):  # a look is written down for the deal that was played when it began, which may be the first one still
            self.wait_for((f"/table/{name}" for name in self.names), "deal 2 · turn")
        vault = link_of(self.broker, VAULT_USER, Ear())
        eventually(lambda: vault.publish(slips_topic(EVENT), slip_bytes(1)) is not None, "the vault releases the first deal")
        eventually(lambda: all(self._compared()), "the first deal is compared")
        vault.close()
        self._results = self._compared()

    def finish_unheard(self) -> None:
        self._play_to("hand-closed", 2)

    def kill_dashboard(self) -> None:
        self.dashboard.stop(signal.SIGKILL)

    def wait_until_right(self) -> None:
        """Wait until the page of every table shows the end of its hand, and those of the results what they showed before."""
        self.wait_for((f"/table/{name}" for name in self.names), CLOSED)
        eventually(lambda: self._compared() == self._results, "the results are what they were")

    def wait_until_stored(self) -> None:
        """Wait until the store has every line of every table; no other line is in it."""
        eventually(lambda: self.stored() == {name: len(table.lines) for name, table in self.tables.items()}, "all lines are stored")
        found = {journal.table: [line for line, _ in journal.lines] for journal in read_store(self.store).journals}
        assert found == {name: table.lines for name, table in self.tables.items()}

    def stored(self) -> dict[str, int]:
        return {journal.table: len(journal.lines) for journal in read_store(self.store).journals}

    def wait_for(self, paths: Iterable[str], text: str) -> None:
        for path in paths:
            eventually(lambda path=path: text in self.dashboard.page(path), f"{path} shows {text!r}")  # type: ignore[misc]  # bound now

    def end(self) -> None:
        self._ended.set()
        if self._beating.is_alive():
            self._beating.join()
        for table in self.tables.values():
            table.link.close()
        if self.dashboard.process is not None:
            self.dashboard.stop()
        if self.broker.process is not None:
            self.broker.stop()

    def _play_to(self, event_type: str, n: int) -> None:
        """Each table goes on up to this event of a deal, all of them side by side."""
        wanted = f'"n":{n},'.encode(), f'"type":"{event_type}"'.encode()
        last = next(index for index, line in enumerate(self._lines["1"]) if all(part in line for part in wanted))
        for index in range(len(self.tables["1"].lines), last + 1):
            for name, table in self.tables.items():
                table.append(self._lines[name][index])

    def _compared(self) -> list[str]:
        """What the pages of the results show: their tables, without what the time changes."""
        return ["".join(re.findall(r"<table.*?</table>", self.dashboard.page(path), re.DOTALL)) for path in ("/standings", "/deal/1")]

    def _beat(self) -> None:
        while not self._ended.wait(HEARTBEAT_S):
            for name, table in self.tables.items():
                health = Health(name, "j1", len(table.lines), datetime.now(UTC))
                table.link.publish(str(Topic(EVENT, name, Channel.HEALTH)), write_health(health))


def script(table: str) -> Sequence[Line]:
    """A table's two deals under the event's start; all have the same number of lines."""
    scores = SCORES[0] if int(table) % 2 else (-25, 75, -25, -25)
    return [("start-fixed", {"code": STARTED.start.code.hex()}), *session({1: scores, 2: SCORES[0]}, table, check=check)]
