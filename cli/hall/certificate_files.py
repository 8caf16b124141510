"""The folder of the hall's certificates: ``NAME.pem`` and ``NAME.key`` for the authority and each program; nothing is written over."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from cli.usage import NEVER, PRIVATE, PUBLISHED, refuse_existing, write_file
from twinwall.given_files import limited_bytes
from twinwall.values import frozen
from twinwall.wire.certificates import Authority, Issued, new_authority, read_authority
from twinwall.wire.mqtt.broker_address import TlsFiles

AUTHORITY = "authority"


@frozen
class CertificateFiles:
    """What lies in one folder."""

    folder: Path

    @property
    def authority_key(self) -> Path:
        """The file that makes certificates."""
        return self.key(AUTHORITY)

    @property
    def has_authority(self) -> bool:
        """Whether there is an authority, or a part of one."""
        return self.certificate(AUTHORITY).exists() or self.authority_key.exists()

    def certificate(self, name: str) -> Path:
        return self.folder / f"{name}.pem"

    def key(self, name: str) -> Path:
        return self.folder / f"{name}.key"

    def tls_files(self, name: str) -> TlsFiles:
        """The files that a program's settings name."""
        return TlsFiles(self.certificate(AUTHORITY), self.certificate(name), self.key(name))

    def make_authority(self, event: str, hosts: Sequence[str], now: datetime, lasts: timedelta) -> Authority:
        """Make the event's authority and write it; raises CertificateError and UsageError."""
        authority, made = new_authority(event, hosts, now, lasts)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._write(AUTHORITY, made)
        return authority

    def read_authority(self) -> Authority:
        """The authority in the folder; raises CertificateError and OSError."""
        return read_authority(Issued(limited_bytes(self.certificate(AUTHORITY)), limited_bytes(self.authority_key)))

    def issue(self, authority: Authority, name: str, hosts: Sequence[str], now: datetime) -> bool:
        """Issue a program's certificate; False where it has one. Raises CertificateError and UsageError."""
        if self.certificate(name).exists() and self.key(name).exists():
            return False
        self._write(name, authority.issue(name, hosts, now))
        return True

    def _write(self, name: str, made: Issued) -> None:
        refuse_existing((self.key(name), self.certificate(name)), NEVER)
        write_file(self.key(name), made.key, PRIVATE, force=None)
        write_file(self.certificate(name), made.certificate, PUBLISHED, force=None)
