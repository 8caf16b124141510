"""Settings of connections to the broker and to PostgreSQL, and the refusal of clear text over a network. Only loopback may be in clear.
Everything else needs TLS, or ``allow_clear_text = true`` in its section."""

import ipaddress
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qsl, urlsplit

from config.reading import MAKE_CERTIFICATE, MAKE_DATABASE_PASSWORD, MAKE_PASSWORD, MQTT, SettingKey, given_together
from twinwall.values import frozen

MAY_BE_READ = "so whoever listens on the network can read and change it"
_ALLOW_CLEAR_TEXT = (
    "Whether this may travel in clear beyond this machine, where others can read and change it. Every page then says so, "
    "and each program when it starts."
)
AllowClearText = Annotated[bool, SettingKey(_ALLOW_CLEAR_TEXT)]


class NetworkSection:
    """A section with a network address; clear text beyond this machine is refused."""

    __slots__ = ()
    allow_clear_text: bool

    @property
    def in_clear(self) -> str | None:
        """The key and value that travel in clear beyond this machine, or None."""
        raise NotImplementedError

    def refuse_clear_text(self, instead: str) -> None:
        """Raise ValueError for clear text that the section does not allow; ``instead`` says what to write."""
        if self.in_clear is not None and not self.allow_clear_text:
            raise ValueError(f"{self.in_clear} is not encrypted, {MAY_BE_READ}: {instead}, or allow it with allow_clear_text = true")


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is loopback, without asking a name server."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def in_clear(settings: object, name: str = "") -> Iterator[str]:
    """One sentence for each section that sends clear text beyond this machine."""
    if isinstance(settings, NetworkSection) and settings.in_clear is not None:
        yield f"allow_clear_text is set: [{name}] {settings.in_clear} is not encrypted, {MAY_BE_READ}"
    if is_dataclass(settings):
        for field in fields(settings):
            yield from in_clear(getattr(settings, field.name), f"{name}.{field.name}" if name else field.name)


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
    allow_clear_text: AllowClearText = False

    def __post_init__(self) -> None:
        given_together("certificate_file and key_file", self.certificate_file, self.key_file)
        if not self.over_tls and (self.ca_file or self.certificate_file):
            raise ValueError(f"url {self.url} uses no certificate: write mqtts://, or take ca_file, certificate_file and key_file out")
        self.refuse_clear_text("write mqtts:// and ca_file")

    @property
    def over_tls(self) -> bool:
        return self.url.startswith("mqtts://")

    @property
    def in_clear(self) -> str | None:
        """The broker's address, if it is another machine's and not encrypted."""
        return None if self.over_tls or is_loopback(urlsplit(self.url).hostname or "") else f"url {self.url}"


_URL = (
    "Where the database is and who this is: a connection URI of PostgreSQL. On another machine it needs sslmode=verify-full, and "
    "sslrootcert where the authority is your own."
)


@frozen
class DatabaseSection(NetworkSection):
    """The PostgreSQL database of the stores; left out, each store is a SQLite file."""

    url: Annotated[
        str, SettingKey(_URL, pattern=r"postgresql://[^\s#]+", shape='an address such as "postgresql://twinwall@127.0.0.1/hall"')
    ]
    password_file: Annotated[
        Path | None,
        SettingKey("File that holds the password alone; left out where the server asks for none.", made_by=MAKE_DATABASE_PASSWORD),
    ] = None
    schema: Annotated[
        str,
        SettingKey(
            "Schema of the store of [event]; those of [events] have schemas of their own, such as event_0001.",
            pattern="[a-z][a-z0-9_]{0,39}",
            shape="small letters, digits and _",
        ),
    ] = "twinwall"
    allow_clear_text: AllowClearText = False

    def __post_init__(self) -> None:
        """Refuse a password or schema in ``url``, and an unprotected connection."""
        if urlsplit(self.url).password is not None or "password" in self._options:
            raise ValueError("url has a password: take it out and write it into password_file")
        if "schema" in self._options:
            raise ValueError("url has a schema: take it out and write it as schema")
        self.refuse_clear_text("write sslmode=verify-full into url")

    @property
    def in_clear(self) -> str | None:
        """The database's address, if it is another machine's and not encrypted or not authenticated."""
        hosts = (self._options.get("hostaddr") or self._options.get("host") or urlsplit(self.url).hostname or "").split(",")
        here = all(not host or host.startswith("/") or is_loopback(host) for host in hosts)
        return None if here or self._options.get("sslmode") == "verify-full" else f"url {self.url}"

    @property
    def _options(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.url).query))
