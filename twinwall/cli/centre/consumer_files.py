"""Settings of a rehearsal's consumers, and the command that starts one."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import config
from config.centre import CentreSection, CentreSettings
from config.database import DatabaseSection
from twinwall.centre.rehearsal.rehearsal import ConsumerPlace

_REGIONS = ("east", "west")


def consumer_command(place: ConsumerPlace) -> Sequence[str]:
    """Write the settings, the plan, its start and the database's password; the command that consumes with them."""
    folder = place.folder
    plan, start, password = folder / "plan.json", folder / "start.json", folder / "database.password"
    plan.write_bytes(place.plan.plan.canonical)
    start.write_bytes(place.plan.start.canonical)
    password.touch(mode=0o600)
    password.write_text(place.store.password)
    venues = tuple(
        f"{_REGIONS[number % len(_REGIONS)]}: {venue.name} {(venue.key or b'').hex()}".rstrip() for number, venue in enumerate(place.venues)
    )
    broker = config.MqttSettings(
        f"mqtts://{place.broker.host}:{place.broker.port}", "", None, place.tls.authority, place.tls.certificate, place.tls.key
    )
    settings = CentreSettings(
        CentreSection(place.plan.plan.event, venues, f"{place.number}/{place.of}", plan, start),
        broker,
        DatabaseSection(place.store.url, password, place.store.schema),
    )
    file = folder / "consumer.toml"
    config.write(file, settings)
    return (sys.executable, "-P", "-m", "twinwall.cli", "centre", "consume", "--settings", str(file))
