"""``twinwall centre consume``: write what a share of the venues sends into the centre's store."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from centre.intake.venue_trust import CentreVenue
from cli import logs
from cli.event.starts import started_plan
from cli.run_settings import load_to_run
from cli.table.mqtt_connection import mqtt_access, mqtt_account, mqtt_address
from cli.usage import EXIT_GOOD, LOG, UsageError, argument, settings_file, takes, until_stopped
from config import CentreSettings, SettingsError
from config.centre import CentreSection
from config.connections import DatabaseSection
from twinwall.event.field import EventField
from twinwall.event.points import Points
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import PostgresAddress
from twinwall.event.store.programme import Programme
from twinwall.game.documents import DocumentError
from twinwall.wire.line_traces import open_traces
from twinwall.wire.messages.file_signature import signature_beside
from twinwall.wire.mqtt.broker_address import Credentials
from twinwall.wire.names import plain_number

if TYPE_CHECKING:
    from centre.consuming import ConsumerSettings


@takes(
    settings_file("the centre's"),
    LOG,
    argument("--share", metavar="K/M", help="this share of the venues, in place of the settings'"),
    about=__doc__,
)
def consume(arguments: argparse.Namespace) -> int:
    from centre.consuming import consume  # noqa: PLC0415 - only this command needs the broker and the database

    settings = load_to_run(arguments.settings, CentreSettings)
    logs.begin(arguments, {"event": settings.centre.name})
    traced = replace(consumer_settings(settings, arguments.share), traces=open_traces("twinwall-consumer", settings.centre.name))
    ended = until_stopped()
    consume(traced, ended)
    return EXIT_GOOD


def consumer_settings(settings: CentreSettings, share: str | None = None) -> ConsumerSettings:
    """What a consumer needs, from the settings; ``share`` replaces theirs. Raises UsageError and SettingsError."""
    from centre.consuming import ConsumerSettings  # noqa: PLC0415 - as above

    section = settings.centre
    which, of = _share(share) if share is not None else section.share_of
    access = mqtt_access(settings.mqtt, mqtt_account(settings.mqtt))
    venues, store = centre_venues(section)[which - 1 :: of], centre_store(settings)
    brokers = [mqtt_address(each) for each in (settings.mqtt, *map(settings.mqtt.at, settings.mqtt.others))]
    return ConsumerSettings(venues, centre_programme(section), store, brokers, Credentials(access.user, access.password))


def centre_store(settings: CentreSettings) -> PostgresAddress:
    """The address of the centre's store."""
    return store_address(settings.database)


def store_address(section: DatabaseSection) -> PostgresAddress:
    """The address of a store in PostgreSQL."""
    password = "" if section.password_file is None else section.password_file.read_text(encoding="utf-8").strip()
    return PostgresAddress(section.url, section.schema, password)


def centre_programme(section: CentreSection) -> Programme:
    """The programme by which the centre compares; raises UsageError if no event can have it."""
    try:
        custody = None if section.plan is None or section.start is None else started_plan(section.plan, section.start)
        scale, signature = "", b""
        if section.scale is not None:
            scale, signature = section.scale.read_text(encoding="utf-8"), signature_beside(section.scale) or b""
        field = EventField(EntrantKind(section.kind))
        return Programme(section.name, field, custody, scale, Points(section.points), signature.decode())
    except (DocumentError, UnicodeDecodeError) as error:
        raise UsageError(f"[centre] {error}") from error


def centre_venues(section: CentreSection) -> tuple[CentreVenue, ...]:
    """Every venue that takes part."""
    return tuple(CentreVenue(name, region, bytes.fromhex(key) if key else None) for region, name, key in section.named)


def _share(text: str) -> tuple[int, int]:
    which, of = (plain_number(number) or 0 for number in text.partition("/")[::2])
    if not 1 <= which <= of:
        raise SettingsError(f"--share {text} is none: write 2/3 for the second of three")
    return which, of
