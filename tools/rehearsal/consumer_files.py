"""Settings of a rehearsal's consumers, and the commands that start consumers and publisher."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import config
from centre.deploy.nginx_conf import ViewerServer
from config.centre import CentreMqtt, CentreSection, CentreSettings
from config.database import DatabaseSection
from tools.rehearsal.rehearsal_settings import ConsumerPlace

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
