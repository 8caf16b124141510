"""How a process reaches the broker, from its settings: address, account and certificate."""

import secrets
from collections.abc import Sequence
from pathlib import Path

from config import MqttSettings, SettingsError
from controller.settings import TableSettings
from twinwall.game.documents import DocumentError, Reading
from twinwall.given_files import limited_bytes, limited_text
from twinwall.wire.certificates import CertificateError, issued_by, name_in_certificate
from twinwall.wire.mqtt.access import table_user
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials, TlsFiles, parse_address
from twinwall.wire.mqtt.link import LinkListener, MqttLink


def mqtt_address(mqtt: MqttSettings) -> BrokerAddress:
    """Where the broker is; raises SettingsError for an address, a certificate or a key that cannot be used."""
    files = TlsFiles(mqtt.ca_file, mqtt.certificate_file, mqtt.key_file)
    try:
        with Reading("url"):
            address = parse_address(mqtt.url, files)
        if address.tls is not None:
            address.tls.context()
    except DocumentError as error:
        raise SettingsError(f"[mqtt] {error}") from error
    return address


def mqtt_access(mqtt: MqttSettings, account: str) -> Credentials:
    """User and password of a process; raises SettingsError for files that cannot be read, and for another account's certificate.
    ``account`` is the only one that its certificate may name. The client id ends in random digits: a broker may drop the session of a
    client id before it asks for a password (amqtt does), so none is to be guessed."""
    instance = secrets.token_hex(8)
    if mqtt.certificate_file is not None:
        _check_certificate(mqtt, account)
    user = mqtt.user or (account if mqtt.certificate_file else "")
    if mqtt.password_file is None:
        return Credentials(user, "", instance)
    try:
        return Credentials(user, limited_text(mqtt.password_file).strip(), instance)
    except OSError as error:
        raise SettingsError(
            f"mqtt.password_file: {mqtt.password_file} cannot be read ({error.strerror}): name the file that holds the password alone"
        ) from error


def table_link(settings: TableSettings, listener: LinkListener, subscriptions: Sequence[str]) -> MqttLink:
    """A table's link to the broker, which is not started; raises SettingsError as ``mqtt_address`` and ``mqtt_access``."""
    access = mqtt_access(settings.mqtt, table_user(settings.table.name))
    return MqttLink(mqtt_address(settings.mqtt), access, listener, subscriptions=subscriptions)


def mqtt_account(mqtt: MqttSettings) -> str:
    """The account of a process that no plan names yet: its user, or the name in its certificate; raises SettingsError."""
    return mqtt.user or ("" if mqtt.certificate_file is None else _name_in(mqtt.certificate_file))


def _name_in(file: Path) -> str:
    try:
        return name_in_certificate(limited_bytes(file))
    except OSError as error:
        raise SettingsError(f"mqtt.certificate_file: {file} cannot be read ({error.strerror})") from error
    except CertificateError as error:
        raise SettingsError(f"mqtt.certificate_file: {file}: {error}") from error


def _check_certificate(mqtt: MqttSettings, account: str) -> None:
    """Refuse a certificate that was issued to somebody else, so that no two programs have one certificate."""
    file = mqtt.certificate_file
    assert file is not None
    name = _name_in(file)
    if name != account:
        raise SettingsError(f"mqtt.certificate_file: {file} is the certificate of {name}, and this is {account}: each has its own")
    if mqtt.ca_file is not None and not issued_by(limited_bytes(file), limited_bytes(mqtt.ca_file)):
        raise SettingsError(f"mqtt.certificate_file: {file} is not of the authority in {mqtt.ca_file}: take both from one folder")
