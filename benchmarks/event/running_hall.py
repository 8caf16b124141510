"""A running hall for a measurement: broker, vault, server and tables without physics, each in processes of its own, with one session. The
tables keep their journals in memory, since they would otherwise share a disk that a real table has for itself."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from benchmarks.support.measuring import process_cpu_s, process_pss_kib
from cli.demo.browser import DemoLogin, make_staff
from cli.demo.choices import EVENTS, Choices
from cli.demo.command import set_up_event
from cli.demo.custody import memory_folder
from cli.demo.director import DemoDirector
from cli.demo.setup import start_tables
from cli.demo.supervisor import Supervisor, answers, family
from cli.hall.hall_folder import HallFolder, table_names
from controller.adapters.memory_folder import MOUNTS
from simulator.mechanics import FaultPlan
from twinwall.event.store.store_contents import Contents
from twinwall.event.store.store_loading import checked_events
from twinwall.event.store.store_rows import read_store
from twinwall.free_ports import free_ports
from twinwall.game.rules import DEFAULT_RULES
from twinwall.values import frozen
from twinwall.wire.ledger import PublicEvent

SERVER, BROKER, VAULT, TABLES = "dashboard", "broker", "vault", "ledger-tables"


@frozen
class RunningHall:
    """A hall whose only session is seated but not started."""

    folder: Path
    port: int
    hands: int
    tables: int
    login: DemoLogin
    director: DemoDirector
    supervisor: Supervisor

    @property
    def deals(self) -> range:
        """The numbers of its deals."""
        return range(1, self.hands + 1)

    def cpu_s(self) -> dict[str, float]:
        """Return processor seconds of each part so far, with all its processes."""
        return {process: sum(map(process_cpu_s, pids)) for process, pids in self._families().items()}

    def resident_mib(self) -> dict[str, float]:
        """Return each part's memory now (proportional set size)."""
        return {process: sum(map(process_pss_kib, pids)) / 1024 for process, pids in self._families().items()}

    def ledger(self) -> tuple[PublicEvent, ...]:
        """Return all lines that the server has stored."""
        return tuple(event for journal in self._stored().journals for event in checked_events(journal) if isinstance(event, PublicEvent))

    def released(self) -> dict[int, float]:
        """Return when the server stored the slip of each deal, in seconds since 1970."""
        return {slip.n: slip.at.timestamp() for slip in self._stored().slips}

    def _stored(self) -> Contents:
        return read_store(self.folder / "events" / "0001" / "event.sqlite")

    def _families(self) -> Mapping[str, tuple[int, ...]]:
        return {each.name: family(each.popen.pid) for each in self.supervisor.processes if each.popen is not None}


@contextmanager
def running_hall(tables: int, hands: int, speed: float, *, seat_check: bool = False) -> Iterator[RunningHall]:
    """Run a hall of ``tables`` tables that play ``speed`` times as fast as people."""
    event = replace(EVENTS["championship"], tables=tables, machines=0, sessions=1, hands=hands, seat_check=seat_check)
    (port,) = free_ports(1)
    choices = Choices(1, DEFAULT_RULES, hands, True, port, FaultPlan())
    mounts = MOUNTS.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name, memory_folder(mounts) as memory, Supervisor(Path(name) / "logs") as supervisor:
        folder = Path(name)
        hall = HallFolder(folder, memory, tuple(table_names(tables)), free_ports(1)[0], port, trusting=True)
        login = make_staff(folder)[0]
        director = DemoDirector(port, login, supervisor.look_after)
        supervisor.start((hall.broker(), answers(hall.broker_port)))
        supervisor.start((hall.vault(), lambda: True), (hall.dashboard(), answers(port)))
        start_tables(supervisor, hall, choices, machines=0, speed=speed)
        set_up_event(event, director, DEFAULT_RULES)
        yield RunningHall(folder, port, hands, tables, login, director, supervisor)
