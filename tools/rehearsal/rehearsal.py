"""One rehearsal from the first program to the report: brokers, gateways, venues, consumers, database, viewers, and what is killed."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from centre.deploy.gateway_conf import CentreEnd
from centre.deploy.venue_account import VenueAccount
from centre.intake.venue_trust import CentreVenue
from tools.rehearsal.postgres_nodes import PostgresNodes
from tools.rehearsal.programs import LOOPBACK, ExternalProgram, ProgramError, Usage, ViewerPrograms, start_again
from tools.rehearsal.rabbit_nodes import CentreAccounts, CentreCertificates, RabbitNodes
from tools.rehearsal.rehearsal_settings import (
    REGIONS,
    ConsumerPlace,
    Kill,
    KillablePart,
    RehearsalSettings,
    SessionScripts,
    consumer_command,
    publisher_command,
)
from tools.rehearsal.report import PartCost, RehearsalReport
from tools.rehearsal.scripted_venue import ScriptedVenue
from tools.rehearsal.session_watch import LANGUAGE, RankingPage, SessionWatch, StoredLines, ledgers_ranking, percentile_95
from tools.rehearsal.venue_brokers import VenueBrokers
from tools.rehearsal.venue_player import VenuePlayer
from twinwall.free_ports import free_ports
from twinwall.wire.mqtt.access import SERVER_USER
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials

TURN_S = 0.1
CONNECTED = "connected to the centre's broker"
"""What a consumer logs once the broker keeps messages for it."""
RESTART_S = 10.0
"""So often what has ended by itself is started again, as Debian's unit of RabbitMQ has it."""
START_S = 180.0
"""The longest that a program may take to serve; two cores start a hundred of them."""


class CentreRehearsal:
    """Holds all programs; a context manager that leaves none behind."""

    def __init__(self, folder: Path, settings: RehearsalSettings, session: SessionScripts, say: Callable[[str], None]) -> None:
        """Write all files; nothing is started. ``say`` tells a person how far it is."""
        self._settings, self._say, self._plan = settings, say, session.plan
        accounts = [VenueAccount(f"venue {number}") for number in range(1, settings.venues + 1)]
        certificates = CentreCertificates(folder / "certificates", datetime.now(UTC))
        users = [f"consumer-{number}" for number in range(1, settings.consumers + 1)]
        self._nodes = RabbitNodes(folder / "rabbitmq", settings.nodes, certificates, CentreAccounts(accounts, users))
        self._databases = PostgresNodes(folder / "postgresql", settings.databases)
        self._brokers: list[VenueBrokers] = []
        self._players: list[VenuePlayer] = []
        self._make_venues(folder, accounts, certificates, session)
        self._consumers: list[ExternalProgram] = []
        self._viewers = self._make_centre(folder, users, certificates)
        venues = [player.venue for player in self._players]
        self._stored = StoredLines(self._databases.address, session.plan.plan.event)
        self._page = RankingPage(f"http://{LOOPBACK}:{self._viewers.server.port}/world.{LANGUAGE}.html", session.hands)
        self._watch = SessionWatch(venues, self._stored.count, self._page.compared, settings.session_s)
        self._spent_at_start: Mapping[str, Usage] = {}
        self._restarted_s, self._ended = 0.0, list[str]()
        """When programs that had ended by themselves were started again last, and what they said."""
        self._ended_at = datetime.now(UTC)
        """When the last line was written."""

    def __enter__(self) -> CentreRehearsal:
        return self

    def __exit__(self, *_: object) -> None:
        for player in self._players:
            player.link.close()
        self._stored.close()
        self._page.close()
        self._viewers.stop()
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
        self._spent_at_start = self._spent()
        began_s = time.monotonic()
        self._play(began_s)
        ended_s, self._ended_at = time.monotonic(), datetime.now(UTC)
        caught_up_s = time.monotonic() - ended_s if self._wait_until_done(began_s) else None
        self._wait_until_caught_up(began_s)
        return self._report(start_s, caught_up_s)

    def _make_venues(
        self, folder: Path, accounts: Sequence[VenueAccount], certificates: CentreCertificates, session: SessionScripts
    ) -> None:
        tables = iter(range(self._settings.tables))
        ports = free_ports(len(accounts))
        for number, (account, port) in enumerate(zip(accounts, ports, strict=True), 1):
            count = self._settings.tables_of(number)
            named = {str(table): session.scripts[next(tables) % len(session.scripts)] for table in range(1, count + 1)}
            brokers = VenueBrokers(account, folder / f"venue-{number}", port, list(named), as_one_connection=True)
            tls = certificates.issue(account.user)
            assert tls.certificate is not None
            brokers.add_gateway(CentreEnd(self._nodes.endpoints, account.client_id(tls.certificate.read_bytes()), tls))
            venue = ScriptedVenue(account.venue, session.plan, named, session.version)
            self._brokers.append(brokers)
            self._players.append(VenuePlayer(venue, BrokerAddress(LOOPBACK, port), Credentials(SERVER_USER, brokers.password)))

    def _make_centre(self, folder: Path, users: Sequence[str], certificates: CentreCertificates) -> ViewerPrograms:
        """The consumers, and the publisher with the settings of the first."""
        regions = self._regions()
        venues = [CentreVenue(player.venue.name, regions[player.venue.name], player.venue.key) for player in self._players]
        places: list[ConsumerPlace] = []
        for number, user in enumerate(users, 1):
            own = folder / user
            own.mkdir()
            at = (number - 1) % len(self._nodes.endpoints)
            brokers = [*self._nodes.endpoints[at:], *self._nodes.endpoints[:at]]
            tls, store = certificates.issue(user), self._databases.address
            places.append(ConsumerPlace(number, len(users), own, venues, self._plan, brokers, tls, store))
            ready = partial(_has_logged, own / f"{user}.log", CONNECTED)
            self._consumers.append(ExternalProgram(user, consumer_command(places[-1]), own, ready))
        return ViewerPrograms(folder / "viewers", partial(publisher_command, places[0]))

    def _regions(self) -> dict[str, str]:
        return {player.venue.name: REGIONS[number % len(REGIONS)] for number, player in enumerate(self._players)}

    def _start(self) -> None:
        self._say(f"starting {len(self._databases.nodes)} PostgreSQL nodes")
        self._databases.start(START_S)
        self._say(f"starting {len(self._nodes.nodes)} RabbitMQ nodes")
        self._nodes.start(START_S)
        for consumer in self._consumers:
            consumer.start()
            consumer.wait(START_S)
        self._viewers.start(START_S)
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

    def _play(self, began_s: float) -> None:
        """Play the session; what is killed is started again before this returns."""
        settings = self._settings
        parts = {name: KillablePart(program.kill, program.start) for name, program in self._programs().items()}
        parts["database"] = KillablePart(self._databases.lose, self._databases.begin)
        due = sorted(settings.kills, key=lambda kill: kill.at)
        away: list[tuple[float, Kill]] = []
        while (passed_s := time.monotonic() - began_s) < settings.session_s or away or self._watch.written < self._watch.planned:
            while due and due[0].at * settings.session_s <= passed_s:
                kill = due.pop(0)
                self._say(f"killing {', '.join(kill.names)}")
                for name in kill.names:
                    parts[name].kill()
                away.append((passed_s + kill.away_s, kill))
                self._watch.begin_outage(kill, passed_s)
            for back_s, kill in [each for each in away if each[0] <= passed_s]:
                away.remove((back_s, kill))
                for name in kill.names:
                    parts[name].start()
                self._watch.end_outage(kill, passed_s)
            self._turn(passed_s)

    def _turn(self, passed_s: float) -> None:
        if passed_s - self._restarted_s >= RESTART_S:
            self._restarted_s = passed_s
            for sentence in start_again(self._programs()):
                self._say(sentence)
                self._ended.append(sentence)
        now_s, share = time.monotonic(), passed_s / self._settings.session_s
        for player in self._players:
            player.advance(share, datetime.now(UTC), now_s)
        self._watch.look(passed_s)
        time.sleep(TURN_S)

    def _wait_until_done(self, began_s: float) -> bool:
        """Whether the centre had every line and the page every deal, before there was no progress for too long."""
        had, at_s = -1, time.monotonic()
        while not self._watch.is_done:
            self._turn(time.monotonic() - began_s)
            if self._watch.stored != had:
                had, at_s = self._watch.stored, time.monotonic()
            elif time.monotonic() - at_s > self._settings.patience_s:
                return False
        return True

    def _wait_until_caught_up(self, began_s: float) -> None:
        """Until the store says of every venue that no line is missing: the venues' next heartbeats have to come."""
        until_s = time.monotonic() + self._settings.patience_s
        while self._stored.caught_up(self._ended_at) < self._settings.venues and time.monotonic() < until_s:
            self._turn(time.monotonic() - began_s)

    def _report(self, start_s: float, caught_up_s: float | None) -> RehearsalReport:
        venues = [player.venue for player in self._players]
        check, page = self._stored.check(venues), self._page.text()
        deals = self._watch.deals()
        shown = [deal.shown_after_s for deal in deals if deal.shown_after_s is not None]
        return RehearsalReport(
            venues=self._settings.venues,
            tables=self._settings.tables,
            hands=len(deals),
            lines=self._watch.written,
            stored=check.stored,
            lost=check.lost,
            doubled=check.doubled,
            caught_up_venues=self._stored.caught_up(self._ended_at),
            same_ranking=page is not None and ledgers_ranking(self._plan, venues, self._regions()) in page,
            sent_again=sum(player.answered for player in self._players),
            start_s=start_s,
            session_s=self._settings.session_s,
            caught_up_s=caught_up_s,
            ranking_p95_s=percentile_95(shown) if len(shown) == len(deals) else None,
            deals=deals,
            killed=self._watch.killed(),
            progress=self._watch.progress(),
            costs=tuple(self._costs()),
            notices=(*self._ended, *dict.fromkeys(each for player in self._players for each in player.notices)),
        )

    def _costs(self) -> list[PartCost]:
        by_kind: dict[str, list[tuple[Usage, Usage]]] = {}
        for name, usage in self._spent().items():
            by_kind.setdefault(name.rpartition("-")[0] or name, []).append((self._spent_at_start[name], usage))
        return [
            PartCost(
                kind,
                len(each),
                sum(before.processor_s for before, _ in each),
                sum(usage.processor_s - before.processor_s for before, usage in each),
                sum(usage.memory_mib for _, usage in each),
            )
            for kind, each in by_kind.items()
        ]

    def _spent(self) -> dict[str, Usage]:
        """What every program has taken until now."""
        return {name: program.usage for name, program in self._programs().items()} | {"rehearsal": Usage(time.process_time())}

    def _programs(self) -> Mapping[str, ExternalProgram]:
        """Every program by its name."""
        centre = (*self._nodes.nodes, *self._databases.nodes, *self._consumers, *self._viewers.programs)
        programs = {each.name: each for each in centre}
        for number, brokers in enumerate(self._brokers, 1):
            programs[f"venue-{number}"] = brokers.hall
            if brokers.gateway is not None:
                programs[f"gateway-{number}"] = brokers.gateway
        return programs


def _has_logged(log: Path, sentence: str) -> bool:
    """Whether a program has logged this."""
    return log.exists() and sentence in log.read_text(errors="replace")
