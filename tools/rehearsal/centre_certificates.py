"""The authority of a rehearsed centre, and the certificates of its brokers, venues and consumers, in one folder."""

from datetime import datetime, timedelta
from pathlib import Path

from tools.rehearsal.programs import LOOPBACK
from twinwall.wire.certificates import new_authority
from twinwall.wire.mqtt.broker_address import TlsFiles

LASTS = timedelta(days=1)


class CentreCertificates:
    """Made anew for each rehearsal."""

    def __init__(self, folder: Path, now: datetime) -> None:
        """``now`` is when they are made; they last a day."""
        folder.mkdir(parents=True)
        self._folder, self._now = folder, now
        self._authority, _ = new_authority("rehearsal", (LOOPBACK,), now, LASTS)
        self.authority_file = folder / "authority.pem"
        self.authority_file.write_bytes(self._authority.pem)

    def issue(self, name: str, *hosts: str) -> TlsFiles:
        """The files of one program; a server's where hosts are given."""
        issued = self._authority.issue(name, hosts, self._now)
        certificate, key = self._folder / f"{name}.pem", self._folder / f"{name}.key"
        certificate.write_bytes(issued.certificate)
        key.touch(mode=0o600)
        key.write_bytes(issued.key)
        return TlsFiles(self.authority_file, certificate, key)
