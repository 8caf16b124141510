"""How to reach a broker: address, TLS and credentials."""

import ssl
from pathlib import Path
from urllib.parse import urlsplit

from twinwall.game.documents import DocumentError
from twinwall.values import frozen


@frozen
class TlsFiles:
    """The trusted authority (None: the system's), and this program's certificate with its key."""

    authority: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    def context(self) -> ssl.SSLContext:
        """The TLS context of a connection; raises DocumentError for a file that cannot be used."""
        try:
            context = ssl.create_default_context(cafile=self.authority)
        except (OSError, ssl.SSLError) as problem:
            raise DocumentError(f"{self.authority} holds no certificate authority (PEM) that can be read: {problem}") from None
        context.sslsocket_class = _TlsSocket
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if self.certificate is not None:
            try:
                context.load_cert_chain(self.certificate, self.key, password=_no_passphrase)
            except (OSError, ssl.SSLError) as problem:
                raise DocumentError(f"{self.certificate} and {self.key} are not a certificate and its key (PEM): {problem}") from None
        return context


class _TlsSocket(ssl.SSLSocket):
    """Closes the connection when the handshake fails; paho would leave one open at each try."""

    def do_handshake(self, block: bool = False) -> None:  # the library's signature
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise


def _no_passphrase() -> str:
    """Refuse an encrypted key at once: a service cannot type a passphrase."""
    raise ssl.SSLError("the key is encrypted, and may not be")


_SYSTEM = TlsFiles()
"""The system's authorities, and no certificate."""


@frozen
class BrokerAddress:
    """A broker's address and TLS files; None: in clear."""

    host: str
    port: int
    tls: TlsFiles | None = None


@frozen
class Credentials:
    """A user. ``instance`` distinguishes several connections of one user; a second one of the same name would end the first."""

    user: str
    password: str
    instance: str = ""

    @property
    def client_id(self) -> str:
        """Begins with the user's name, so that a user cannot take over another user's session."""
        return f"{self.user}/{self.instance}" if self.instance else self.user


def parse_address(url: str, files: TlsFiles = _SYSTEM) -> BrokerAddress:
    """Read ``mqtt://host[:port]`` or ``mqtts://host[:port]`` (default ports 1883 and 8883), with ``files`` for mqtts; raises
    DocumentError."""
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
