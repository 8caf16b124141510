"""Settings of the connection to the event's broker, for any process."""

from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from config.clear_text import ALLOW_CLEAR_TEXT, NetworkSection, is_loopback
from config.keys import MAKE_CERTIFICATE, MAKE_PASSWORD, MQTT, SettingKey
from twinwall.values import frozen

_CA = "With mqtts://: the authority that the broker's certificate must come from; left out, the ones that this machine trusts."


@frozen
class MqttSettings(NetworkSection):
    """The broker: the embedded one (`twinwall hall broker`) or any other that speaks MQTT 3.1.1."""

    url: Annotated[
        str,
        SettingKey(
            "Where the broker is; mqtts:// is encrypted. In clear (mqtt://) it must be on this machine.",
            pattern=MQTT,
            shape='an address such as "mqtts://hall.example:8883"',
        ),
    ]
    user: Annotated[
        str, SettingKey("User name; the broker gives each table and the server its own.", pattern=r"\S*", shape="a name, or nothing")
    ] = ""
    password_file: Annotated[
        Path | None,
        SettingKey("File that holds the password alone; left out where the certificate says who this is.", made_by=MAKE_PASSWORD),
    ] = None
    ca_file: Annotated[Path | None, SettingKey(_CA, made_by=MAKE_CERTIFICATE)] = None
    certificate_file: Annotated[
        Path | None, SettingKey("With mqtts://: this program's own certificate (PEM).", made_by=MAKE_CERTIFICATE)
    ] = None
    key_file: Annotated[Path | None, SettingKey("The key of that certificate (PEM).", made_by=MAKE_CERTIFICATE)] = None
    allow_clear_text: Annotated[bool, SettingKey(ALLOW_CLEAR_TEXT)] = False

    def __post_init__(self) -> None:
        if (self.certificate_file is None) != (self.key_file is None):
            raise ValueError("certificate_file and key_file are given together or not at all")
        if not self.over_tls and (self.ca_file or self.certificate_file):
            raise ValueError(f"url {self.url} uses no certificate: write mqtts://, or take ca_file, certificate_file and key_file out")
        self.refuse_clear_text("write mqtts:// and ca_file")

    @property
    def over_tls(self) -> bool:
        """Whether the connection is encrypted."""
        return self.url.startswith("mqtts://")

    @property
    def in_clear(self) -> str | None:
        """The broker's address, where it is another machine's and not encrypted."""
        return None if self.over_tls or is_loopback(urlsplit(self.url).hostname or "") else f"url {self.url}"
