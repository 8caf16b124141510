"""``twinwall broker`` and ``twinwall dashboard``: what a hall has once."""

from __future__ import annotations

import argparse
import logging
import secrets
from pathlib import Path

from config import BrokerSettings, DashboardSettings, SettingsError, load
from config.mqtt import MqttSettings
from twinwall.cli import Subparsers
from twinwall.cli.errors import EXIT_GOOD, UsageError
from twinwall.wire.access import SERVER_USER
from twinwall.wire.mqtt import AddressError, Credentials, parse_address
from twinwall.wire.signing import read_signer


def register(subparsers: Subparsers) -> None:
    """Add ``twinwall broker`` and ``twinwall dashboard``."""
    for name, summary, run in (
        ("broker", "run the embedded MQTT broker", _broker),
        ("dashboard", "serve the dashboard's pages", _dashboard),
    ):
        parser = subparsers.add_parser(name, help=summary)
        parser.add_argument("--settings", type=Path, required=True, help="the settings file")
        parser.set_defaults(func=run)


def mqtt_access(mqtt: MqttSettings) -> Credentials:
    """User and password of a process; raises SettingsError for a password file that cannot be read.

    The client id ends in random digits: a broker may drop the session of a client id before it asks whoever claims it for a
    password (amqtt does), so none is to be guessed.
    """
    instance = secrets.token_hex(8)
    if mqtt.password_file is None:
        return Credentials(mqtt.user, "", instance)
    try:
        return Credentials(mqtt.user, mqtt.password_file.read_text(encoding="utf-8").strip(), instance)
    except OSError as error:
        raise SettingsError(
            f"mqtt.password_file: {mqtt.password_file} cannot be read ({error.strerror}): name the file that holds the password alone"
        ) from error


def _broker(arguments: argparse.Namespace) -> int:
    from twinwall.wire import access, broker  # noqa: PLC0415 - amqtt is slow to import and only this command needs it

    settings = load(arguments.settings, BrokerSettings).broker
    files = access.AccessFiles(settings.passwords, settings.rights)
    try:
        broker.serve(broker.BrokerSettings(files, settings.host, settings.port))
    except (access.AccessError, broker.BrokerFailedError) as error:
        raise UsageError(str(error)) from error
    return EXIT_GOOD


def _dashboard(arguments: argparse.Namespace) -> int:
    from dashboard import app, login, serving  # noqa: PLC0415 - only this command needs the web server

    settings = load(arguments.settings, DashboardSettings)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    try:
        address = parse_address(settings.mqtt.url)
        secret = login.load_secret(settings.dashboard.secret_file)
        key = settings.dashboard.signing_key
        signer = None if key is None else read_signer(SERVER_USER, key)
    except AddressError as error:
        raise UsageError(f"{arguments.settings}: [mqtt] url: {error}") from error
    except ValueError as error:
        raise UsageError(str(error)) from error
    page = settings.dashboard
    served = app.DashboardSettings(
        event=settings.event.name,
        password_hash=page.password_hash,
        secret=secret,
        broker=address,
        credentials=mqtt_access(settings.mqtt),
        tables=settings.event.tables,
        host=page.host,
        port=page.port,
        language=page.language,
        signer=signer,
    )
    try:
        serving.serve(served)
    except serving.ListenError as error:
        raise UsageError(f"{arguments.settings}: [dashboard] {error}") from error
    return EXIT_GOOD
