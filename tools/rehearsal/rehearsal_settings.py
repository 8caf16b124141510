"""What a rehearsal is told: how much of everything, what the tables play and what is killed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from centre.deploy.gateway_conf import BrokerEndpoint
from centre.intake.venue_trust import CentreVenue
from tools.rehearsal.kills import Kill
from tools.rehearsal.scripted_venue import ScriptLine
from twinwall.event.store.databases.port import PostgresAddress
from twinwall.game.deals import StartedPlan
from twinwall.wire.mqtt.broker_address import TlsFiles

REGIONS = ("east", "west")
"""Of the venues, in turn."""


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

    @property
    def hands(self) -> int:
        """How many deals the plan has."""
        return len(self.plan.plan.deals)


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
