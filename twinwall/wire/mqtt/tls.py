"""TLS towards a broker: TLS 1.2 or later, the broker's name checked, an own certificate where there is one."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

from twinwall.game.documents import DocumentError


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """Whom a program trusts (the system's authorities where ``authority`` is None), and its own certificate with the key."""

    authority: Path | None = None
    certificate: Path | None = None
    key: Path | None = None

    def context(self) -> ssl.SSLContext:
        """What a connection to the broker is made with; raises DocumentError for a file that cannot be used."""
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
    """A connection that is closed when no TLS comes of it: paho leaves it open, one more at each try."""

    def do_handshake(self, block: bool = False) -> None:  # as the library has it
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise


def _no_passphrase() -> str:
    """A service cannot type one: an encrypted key is refused at once."""
    raise ssl.SSLError("the key is encrypted, and may not be")
