"""What a rehearsal is told: how much of everything, what the tables play and what is killed (``rabbitmq-1``, ``gateway-3@0.4``, several
joined by ``+``); and the commands that start consumers and publisher."""

import re
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import config
from centre.deploy.gateway_conf import BrokerEndpoint
from centre.deploy.nginx_conf import ViewerServer
from centre.intake.venue_trust import CentreVenue
from config.centre import CentreMqtt, CentreSection, CentreSettings
from config.connections import DatabaseSection
from tools.rehearsal.scripted_venue import ScriptLine
from twinwall.event.store.databases.port import PostgresAddress
from twinwall.game.deals import StartedPlan
from twinwall.values import frozen
from twinwall.wire.mqtt.broker_address import TlsFiles

KILLED_AT = 0.3
"""Share of the session at which something is killed where no other is named."""
AWAY_S = 5.0
"""How long it stays away."""
_KILL = re.compile(r"(?P<names>[a-z0-9-]+(\+[a-z0-9-]+)*)(@(?P<at>0(\.[0-9]+)?))?(:(?P<away>[0-9]+(\.[0-9]+)?))?")


class KillError(ValueError):
    """What cannot be killed; the message says what can."""


@frozen
class Kill:
    """These parts are killed together at a share of the session, and started again after ``away_s`` seconds."""

    names: tuple[str, ...]
    at: float = KILLED_AT
    away_s: float = AWAY_S


@frozen
class KillablePart:
    """What is killed under one name, and how it is started again; neither waits for anything."""

    kill: Callable[[], None]
    start: Callable[[], None]


def parse_kill(text: str, known: Collection[str]) -> Kill:
    """Read ``NAME[+NAME…][@SHARE][:SECONDS]``; raises KillError for another form, and for a part that there is not."""
    found = _KILL.fullmatch(text)
    if found is None:
        raise KillError(f"{text!r} is not NAME[+NAME…][@SHARE][:SECONDS], such as rabbitmq-1@0.3:5")
    names = tuple(found["names"].split("+"))
    if unknown := [name for name in names if name not in known]:
        raise KillError(f"there is no {unknown[0]!r} to kill; there are {', '.join(sorted(known))}")
    return Kill(names, float(found["at"] or KILLED_AT), float(found["away"] or AWAY_S))


REGIONS = ("east", "west")
"""Of the venues, in turn."""


@frozen
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


@frozen
class SessionScripts:
    """What the tables play: the plan, what tables say that play it (followed in turn), and the program's version."""

    plan: StartedPlan
    scripts: Sequence[Sequence[ScriptLine]]
    version: str

    @property
    def hands(self) -> int:
        """How many deals the plan has."""
        return len(self.plan.plan.deals)


@frozen
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
    brokers: Sequence[BrokerEndpoint]
    tls: TlsFiles
    store: PostgresAddress


def part_names(settings: RehearsalSettings) -> list[str]:
    """What can be killed; ``database`` is all of PostgreSQL and etcd with their disks."""
    counts = {
        "rabbitmq": settings.nodes,
        "postgresql": settings.databases,
        "consumer": settings.consumers,
        "publisher": 1,
        "nginx": 1,
        "venue": settings.venues,
        "gateway": settings.venues,
    }
    return ["database", *(f"{part}-{number}" for part, count in counts.items() for number in range(1, count + 1))]


_SETTINGS = "consumer.toml"


def consumer_command(place: ConsumerPlace) -> Sequence[str]:
    """Write the settings, the plan, its start and the database's password; the command that consumes with them."""
    folder = place.folder
    plan, start, password = folder / "plan.json", folder / "start.json", folder / "database.password"
    plan.write_bytes(place.plan.plan.canonical)
    start.write_bytes(place.plan.start.canonical)
    password.touch(mode=0o600)
    password.write_text(place.store.password)
    venues = tuple(f"{venue.region}: {venue.name} {(venue.key or b'').hex()}".rstrip() for venue in place.venues)
    first, *others = (f"mqtts://{broker.host}:{broker.port}" for broker in place.brokers)
    mqtt = CentreMqtt(first, "", None, place.tls.authority, place.tls.certificate, place.tls.key, others=tuple(others))
    settings = CentreSettings(
        CentreSection(place.plan.plan.event, venues, f"{place.number}/{place.of}", plan, start),
        mqtt,
        DatabaseSection(place.store.url, password, place.store.schema),
    )
    config.write(folder / _SETTINGS, settings)
    return _command("consume", place)


def publisher_command(place: ConsumerPlace, server: ViewerServer) -> Sequence[str]:
    """The command that publishes for this server, with the settings that the consumer has."""
    return *_command("publish", place), "--out", str(server.pages), "--nginx", str(server.socket)


def _command(word: str, place: ConsumerPlace) -> Sequence[str]:
    return sys.executable, "-P", "-m", "cli", "centre", word, "--settings", str(place.folder / _SETTINGS)
