"""One rehearsal from the first program to the report: brokers, gateways, venues, consumers, database, and what is killed meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from twinwall.centre.deployment.gateway_conf import BrokerEndpoint, CentreEnd
from twinwall.centre.deployment.venue_account import VenueAccount
from twinwall.centre.intake.venue_trust import CentreVenue
from twinwall.centre.rehearsal.centre_certificates import CentreCertificates
from twinwall.centre.rehearsal.kills import Kill
from twinwall.centre.rehearsal.postgres_nodes import PostgresNodes
from twinwall.centre.rehearsal.programs import LOOPBACK, ExternalProgram, ProgramError, Usage, free_ports
from twinwall.centre.rehearsal.rabbit_nodes import CentreAccounts, RabbitNodes
from twinwall.centre.rehearsal.report import KilledParts, PartCost, RehearsalReport
from twinwall.centre.rehearsal.scripted_venue import ScriptedVenue, ScriptLine
from twinwall.centre.rehearsal.stored_lines import StoredLines
from twinwall.centre.rehearsal.venue_brokers import VenueBrokers
from twinwall.centre.rehearsal.venue_player import VenuePlayer
from twinwall.event.store.databases.addresses import PostgresAddress
from twinwall.game.deals import StartedPlan
from twinwall.wire.mqtt.access import SERVER_USER
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.tls import TlsFiles

TURN_S = 0.1
CONNECTED = "connected to the centre's broker"
"""What a consumer logs once the broker keeps messages for it."""
COUNT_S = 1.0
"""So often the stored lines are counted."""
START_S = 180.0
"""The longest that a program may take to serve; two cores start a hundred of them."""


@dataclass(frozen=True, slots=True)
class RehearsalSettings:
    """What is rehearsed.

    Attributes:
        session_s: how long the tables play.
        patience_s: how long the centre may be without progress after the session before its lines count as lost.
    """

    venues: int
    tables: int
    nodes: int
    session_s: float
    consumers: int = 1
    databases: int = 1
    kills: Sequence[Kill] = ()
    patience_s: float = 60.0

    def tables_of(self, venue: int) -> int:
        """How many tables the venue of this number (from 1) has."""
        return self.tables // self.venues + (venue <= self.tables % self.venues)


@dataclass(frozen=True, slots=True)
class SessionScripts:
    """What the tables play: the plan, what tables say that play it (followed in turn), and the program's version."""

    plan: StartedPlan
    scripts: Sequence[Sequence[ScriptLine]]
    version: str


@dataclass(frozen=True, slots=True)
class ConsumerPlace:
    """What one consumer of a rehearsal is told.

    Attributes:
        number: which one it is (from 1), and ``of`` how many.
        folder: empty, for its settings.
    """

    number: int
    of: int
    folder: Path
    venues: Sequence[CentreVenue]
    plan: StartedPlan
    broker: BrokerEndpoint
    tls: TlsFiles
    store: PostgresAddress


ConsumerCommand = Callable[[ConsumerPlace], Sequence[str]]
"""Writes a consumer's settings; the command that starts it."""


def part_names(settings: RehearsalSettings) -> list[str]:
    """What can be killed."""
    counts = {
        "rabbitmq": settings.nodes,
        "postgresql": settings.databases,
        "consumer": settings.consumers,
        "venue": settings.venues,
        "gateway": settings.venues,
    }
    return [f"{part}-{number}" for part, count in counts.items() for number in range(1, count + 1)]


class CentreRehearsal:
    """Holds all programs; a context manager that leaves none behind."""

    def __init__(
        self, folder: Path, settings: RehearsalSettings, session: SessionScripts, say: Callable[[str], None], consumer: ConsumerCommand
    ) -> None:
        """Write all files; nothing is started. ``say`` tells a person how far it is."""
        self._settings, self._say = settings, say
        numbers = range(1, settings.venues + 1)
        accounts = [VenueAccount(f"venue {number}") for number in numbers]
        certificates = CentreCertificates(folder / "certificates", datetime.now(UTC))
        users = [f"consumer-{number}" for number in range(1, settings.consumers + 1)]
        self._nodes = RabbitNodes(folder / "rabbitmq", settings.nodes, certificates, CentreAccounts(accounts, users))
        self._databases = PostgresNodes(folder / "postgresql", settings.databases)
        tables = iter(range(settings.tables))
        ports = free_ports(settings.venues)
        self._brokers: list[VenueBrokers] = []
        self._players: list[VenuePlayer] = []
        for number, account, port in zip(numbers, accounts, ports, strict=True):
            named = {str(table): session.scripts[next(tables) % len(session.scripts)] for table in range(1, settings.tables_of(number) + 1)}
            brokers = VenueBrokers(account, folder / f"venue-{number}", port, list(named), as_one_connection=True)
            tls = certificates.issue(account.user)
            assert tls.certificate is not None
            brokers.add_gateway(CentreEnd(self._nodes.endpoints, account.client_id(tls.certificate.read_bytes()), tls))
            venue = ScriptedVenue(account.venue, session.plan, named, session.version)
            self._brokers.append(brokers)
            self._players.append(VenuePlayer(venue, BrokerAddress(LOOPBACK, port), Credentials(SERVER_USER, brokers.password)))
        venues = [CentreVenue(player.venue.name, "", player.venue.key) for player in self._players]
        self._stored = StoredLines(self._databases.address, session.plan.plan.event)
        self._consumers: list[ExternalProgram] = []
        for number, user in enumerate(users, 1):
            own = folder / user
            own.mkdir()
            broker = self._nodes.endpoints[-number % settings.nodes]
            place = ConsumerPlace(number, len(users), own, venues, session.plan, broker, certificates.issue(user), self._databases.address)
            log = own / f"{user}.log"
            self._consumers.append(ExternalProgram(user, consumer(place), own, partial(_says, log, CONNECTED)))

    def __enter__(self) -> CentreRehearsal:
        return self

    def __exit__(self, *_: object) -> None:
        for player in self._players:
            player.link.close()
        self._stored.close()
        for program in (*self._consumers, *(each for name, each in self._programs().items() if name.startswith(("gateway", "venue")))):
            program.stop()
        self._nodes.stop()
        self._databases.stop()

    def run(self) -> RehearsalReport:
        """Start everything, play, kill, and wait until the centre has every line; raises ProgramError."""
        began_s = time.monotonic()
        self._start()
        start_s = time.monotonic() - began_s
        self._say(f"everything serves after {start_s:.0f} s")
        killed = self._play()
        ended_s = time.monotonic()
        had_all_s = self._wait_for_lines()
        return self._report(start_s, killed, None if had_all_s is None else max(0.0, had_all_s - ended_s))

    def _start(self) -> None:
        self._say(f"starting {len(self._databases.nodes)} PostgreSQL nodes")
        self._databases.start(START_S)
        self._say(f"starting {len(self._nodes.nodes)} RabbitMQ nodes")
        self._nodes.start(START_S)
        for consumer in self._consumers:
            consumer.start()
            consumer.wait(START_S)
        self._say(f"starting {2 * len(self._brokers)} Mosquittos")
        for brokers in self._brokers:
            brokers.hall.start()
        for brokers in self._brokers:
            brokers.hall.wait(START_S)
            gateway = brokers.gateway
            assert gateway is not None
            gateway.start()
        for player in self._players:
            player.link.start()
        until_s = time.monotonic() + START_S
        while not all(player.link.is_connected for player in self._players):
            if time.monotonic() > until_s:
                raise ProgramError("a hall's broker does not answer its tables: look into its log")
            time.sleep(TURN_S)

    def _play(self) -> tuple[KilledParts, ...]:
        settings, programs = self._settings, self._programs()
        began_s = time.monotonic()
        due = sorted(settings.kills, key=lambda kill: kill.at)
        away: list[tuple[float, Kill]] = []
        killed: list[KilledParts] = []
        while (passed_s := time.monotonic() - began_s) < settings.session_s or away or not self._is_all_written():
            while due and due[0].at * settings.session_s <= passed_s:
                kill = due.pop(0)
                self._say(f"killing {', '.join(kill.names)}")
                for name in kill.names:
                    programs[name].kill()
                away.append((passed_s + kill.away_s, kill))
                killed.append(KilledParts(kill.names, passed_s, kill.away_s))
            for back_s, kill in [each for each in away if each[0] <= passed_s]:
                away.remove((back_s, kill))
                for name in kill.names:
                    programs[name].start()
            self._turn(passed_s / settings.session_s)
        return tuple(killed)

    def _turn(self, share: float) -> None:
        now_s = time.monotonic()
        for player in self._players:
            player.advance(share, datetime.now(UTC), now_s)
        time.sleep(TURN_S)

    def _is_all_written(self) -> bool:
        return all(len(table.lines) == table.planned for player in self._players for table in player.venue.tables)

    def _wait_for_lines(self) -> float | None:
        """When the centre had every line; None where it made no progress for too long."""
        planned = sum(table.planned for player in self._players for table in player.venue.tables)
        had, at_s, counted_s = -1, time.monotonic(), 0.0
        while had < planned:
            self._turn(1.0)
            if time.monotonic() - counted_s < COUNT_S:
                continue
            counted_s, count = time.monotonic(), self._stored.count()
            if count != had:
                had, at_s = count, time.monotonic()
            elif time.monotonic() - at_s > self._settings.patience_s:
                return None
        return time.monotonic()

    def _report(self, start_s: float, killed: tuple[KilledParts, ...], caught_up_s: float | None) -> RehearsalReport:
        lines = sum(len(table.lines) for player in self._players for table in player.venue.tables)
        check = self._stored.check(player.venue for player in self._players)
        notices = dict.fromkeys(each for player in self._players for each in player.notices)
        return RehearsalReport(
            venues=self._settings.venues,
            tables=self._settings.tables,
            lines=lines,
            stored=check.stored,
            lost=check.lost,
            doubled=check.doubled,
            sent_again=sum(player.answered for player in self._players),
            start_s=start_s,
            session_s=self._settings.session_s,
            caught_up_s=caught_up_s,
            killed=killed,
            costs=tuple(self._costs()),
            notices=tuple(notices),
        )

    def _costs(self) -> list[PartCost]:
        by_kind: dict[str, list[Usage]] = {}
        for name, program in self._programs().items():
            by_kind.setdefault(name.rpartition("-")[0], []).append(program.usage)
        by_kind["rehearsal"] = [Usage(time.process_time())]
        return [
            PartCost(kind, len(each), sum(usage.processor_s for usage in each), sum(usage.memory_mib for usage in each))
            for kind, each in by_kind.items()
        ]

    def _programs(self) -> Mapping[str, ExternalProgram]:
        """Everything that can be killed, by its name."""
        programs = {each.name: each for each in (*self._nodes.nodes, *self._databases.nodes, *self._consumers)}
        for number, brokers in enumerate(self._brokers, 1):
            programs[f"venue-{number}"] = brokers.hall
            if brokers.gateway is not None:
                programs[f"gateway-{number}"] = brokers.gateway
        return programs


def _says(log: Path, sentence: str) -> bool:
    """Whether a program has logged this."""
    return log.exists() and sentence in log.read_text(errors="replace")
