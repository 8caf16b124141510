"""``twinwall hall dashboard``: the pages of a hall, from their settings."""

from argparse import Namespace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cli import logs
from cli.event.starts import started_plan
from cli.run_settings import is_event, load_to_run, prepare_event
from cli.table.mqtt_connection import mqtt_access, mqtt_address
from cli.usage import EVENT, LOG, UsageError, settings_file, takes
from config import DashboardSettings, SettingsError
from config.connections import DatabaseSection, in_clear
from config.services import EventSection, EventsSection
from twinwall.event.field import EventField, field_of
from twinwall.event.movements.seating import MovementError
from twinwall.event.player_names import NamesShown
from twinwall.event.points import Points
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import PostgresAddress, StoreAddress, StoreError
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_loading import DamagedStoreError
from twinwall.game.documents import DocumentError
from twinwall.given_files import limited_text
from twinwall.wire.messages.boot_keys import AnnouncedKeys, SettledKeys, TableKeys
from twinwall.wire.messages.file_signature import signature_beside
from twinwall.wire.messages.signing import Signer, read_signer
from twinwall.wire.mqtt.access import SERVER_USER
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials

if TYPE_CHECKING:
    from dashboard.events_folder import EventsFolder
    from dashboard.serving import StoredEvent
    from dashboard.web_settings import WebSettings


def dashboard_in_log(settings: DashboardSettings) -> dict[str, str]:
    """What each JSON line of a dashboard's log names: its event, and the venue in a field of many."""
    event, venue = settings.event, settings.dashboard.venue
    return {"event": "" if event is None else event.name, "venue": venue or ""}


@takes(settings_file("the dashboard's"), EVENT, LOG)
def dashboard(arguments: Namespace) -> None:
    from dashboard import serving  # noqa: PLC0415 - only this command needs the web server
    from dashboard.access.staff_schema import StaffFileError  # noqa: PLC0415

    settings = load_to_run(arguments.settings, DashboardSettings)
    prepare_event(settings, arguments)
    logs.begin(arguments, dashboard_in_log(settings))
    event = settings.event
    try:
        serving.serve(_web_settings(settings, arguments.settings), _served(settings))
    except serving.ListenError as error:
        raise UsageError(f"{arguments.settings}: [dashboard] {error}") from error
    except (DamagedStoreError, DocumentError, StaffFileError, StoreError) as error:
        damaged = event is not None and isinstance(error, DamagedStoreError)
        raise UsageError(f"{store_of(settings)}: {error}" if damaged else str(error)) from error


def _web_settings(settings: DashboardSettings, file: Path) -> "WebSettings":
    from dashboard import web_settings  # noqa: PLC0415 - only this command needs the web server

    page, event = settings.dashboard, settings.event
    address, access, secret, signer = _identity(settings, file)
    return web_settings.WebSettings(
        event="" if event is None else event.name,
        staff=page.staff,
        secret=secret,
        broker=address,
        credentials=access,
        tables=settings.tables,
        host=page.host,
        port=page.port,
        address=page.address,
        proxies=page.proxies,
        certificate=None if page.certificate is None or page.certificate_key is None else (page.certificate, page.certificate_key),
        language=page.language,
        spectators=page.spectators,
        signer=signer,
        keys=table_keys(settings),
        clear_text=any(in_clear(settings)),
        names=None if event is None else event.players,
        public_names=NamesShown.FULL if event is None else NamesShown(event.names),
        rehearsal=not is_event(settings),
        simulated=settings.dashboard.simulated,
        counter=None if event is None else event.store.with_suffix(".counter"),
        phones=page.phones,
        readiness=page.readiness,
        assignments=_assignments(settings),
        venue=page.venue,
        vault_keys=settings.vault_keys,
        vault_counter=_assignments(settings).with_name("vault-orders.counter"),
    )


def _identity(settings: DashboardSettings, file: Path) -> tuple[BrokerAddress, Credentials, bytes, Signer | None]:
    """The broker with the server's account at it, the secret of its cookies, and its signing key, where it has one."""
    from dashboard.access import login  # noqa: PLC0415 - only this command needs the web server

    try:
        address, access = mqtt_address(settings.mqtt), mqtt_access(settings.mqtt, SERVER_USER)
        secret = login.load_secret(settings.dashboard.secret_file)
        key = settings.dashboard.signing_key
        return address, access, secret, None if key is None else read_signer(SERVER_USER, key)
    except SettingsError as error:
        raise SettingsError(f"{file}: {error}") from error
    except ValueError as error:
        raise UsageError(str(error)) from error


def _assignments(settings: DashboardSettings) -> Path:
    events = settings.events
    return settings.one_event.store.with_suffix(".assignments") if events is None else events.folder / "assignments"


def _served(settings: DashboardSettings) -> "StoredEvent | EventsFolder":
    """The event of the settings, or the folder of events that are made in the browser."""
    from dashboard.events_folder import EventsFolder  # noqa: PLC0415 - only this command needs the web server
    from dashboard.serving import StoredEvent  # noqa: PLC0415

    events = settings.events
    if events is None:
        return StoredEvent(store_of(settings), programme_of(settings.one_event), settings.one_event.store.with_suffix(".records"))
    return EventsFolder(events.folder, events.tables, partial(_new_programme, events), _database(settings.database))


def store_of(settings: DashboardSettings) -> StoreAddress:
    """Where the store of the settings' one event is."""
    return _database(settings.database) or settings.one_event.store


def _database(section: DatabaseSection | None) -> PostgresAddress | None:
    """The database of the stores; None where they are files."""
    if section is None:
        return None
    password = "" if section.password_file is None else limited_text(section.password_file).strip()
    return PostgresAddress(section.url, section.schema, password)


def _new_programme(events: EventsSection, name: str) -> Programme:
    """The programme with which an event begins: its name and scale alone."""
    try:
        scale, signature = _scale(events.scale)
        return Programme(name, EventField(EntrantKind.INDIVIDUAL, ()), None, scale, Points.IMP, signature, events.scale_signers)
    except (OSError, DocumentError, UnicodeDecodeError) as error:
        raise StoreError(f"[events] {error}") from error


def _scale(path: Path | None) -> tuple[str, str]:
    """The scale's file and its signature; empty without one."""
    return ("", "") if path is None else (limited_text(path), (signature_beside(path) or b"").decode())


def table_keys(settings: DashboardSettings) -> TableKeys | None:
    """What checks the tables' heads: keys that the vault announces, or those of the settings; None where lines are not signed, and for
    events that are made in the browser with a vault, whose announcements are of the event that is open."""
    announcing = next(iter(settings.vault_keys.values()), None if settings.event is None else settings.event.vault_key)
    if settings.event is not None and announcing is not None:
        return AnnouncedKeys(settings.event.name, bytes.fromhex(announcing))
    section = settings.event or settings.events
    named = dict(line.split(" ") for line in (section.table_keys if section is not None else ()))
    return SettledKeys({table: bytes.fromhex(key) for table, key in named.items()}) if named else None


def programme_of(event: EventSection) -> Programme:
    """What the settings say of the event; raises UsageError for what no event can be, and OSError for files that are not there."""
    kind = {kind.value: kind for kind in EntrantKind}[event.kind]
    try:
        custody = None
        if event.plan is not None and event.start is not None:
            custody = started_plan(event.plan, event.start)
        scale, signature = _scale(event.scale)
        field = field_of(kind, event.tables, event.teams, group_size=event.group_size)
        return Programme(event.name, field, custody, scale, Points(event.points), signature, event.scale_signers)
    except (DocumentError, MovementError, UnicodeDecodeError) as error:
        raise UsageError(f"[event] {error}") from error
