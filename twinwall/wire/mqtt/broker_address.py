"""How a broker is reached: its address, the user's credentials, and the last will of a connection."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from twinwall.game.documents import DocumentError
from twinwall.wire.mqtt.tls import TlsFiles

_SYSTEM = TlsFiles()
"""Trusts the authorities of this machine, and shows no certificate."""


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Where a broker listens, and with which files it is reached by TLS; None in clear."""

    host: str
    port: int
    tls: TlsFiles | None = None


@dataclass(frozen=True, slots=True)
class Credentials:
    """Who connects. ``instance`` tells apart several connections of one user: a second one of the same name throws out the first."""

    user: str
    password: str
    instance: str = ""

    @property
    def client_id(self) -> str:
        """The user's own name in front, so that a user cannot take over another user's session."""
        return f"{self.user}/{self.instance}" if self.instance else self.user


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker publishes when the connection dies without a goodbye."""

    topic: str
    payload: bytes


def parse_address(url: str, files: TlsFiles = _SYSTEM) -> BrokerAddress:
    """Read ``mqtt://host[:port]`` or ``mqtts://host[:port]`` (ports 1883 and 8883 when left out); raises DocumentError.

    ``files`` are used with mqtts alone.
    """
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        raise DocumentError(f"{url!r}: the port is not a number up to 65535") from None
    plain = not (parts.username or parts.password or parts.path.strip("/") or parts.query or parts.fragment)
    if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname or not plain:
        raise DocumentError(f"{url!r} is not a broker address: write mqtt://host:port or mqtts://host:port (user and password are apart)")
    tls = parts.scheme == "mqtts"
    return BrokerAddress(parts.hostname, port or (8883 if tls else 1883), files if tls else None)
