"""The folder of a hall that one command serves: keys, passwords and settings of its broker, vault and dashboard. What is there is kept, so
that the hall is the same after a restart; what is lacking is made. Everything listens on this computer alone, in clear, or at an address of
the hall's network, where pages and broker are reached by TLS alone under certificates of the hall's own authority."""

import fcntl
import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import config
from cli.demo.choices import HOST
from cli.demo.supervisor import Process, process_with
from cli.event.sign import own_signer
from cli.hall.certificate_files import CertificateFiles
from cli.usage import UsageError
from config.connections import is_loopback
from config.reading import EVENT_MODE, REHEARSAL_MODE
from config.services import BrokerSection, DashboardSection, EventsSection, VaultSection
from controller.settings import CustodySection, DealsSection
from dashboard.access.staff_file import INVITATION_HOURS, StaffFile, StaffOrder
from dashboard.access.staff_schema import Role
from twinwall.values import frozen
from twinwall.wire.mqtt.access import BROKER, SALT_BYTES, SERVER_USER, VAULT_USER, table_user, write_access_files
from twinwall.wire.mqtt.broker_address import TlsFiles

HOLDER = "server"
"""The seed holder of a hall with one vault."""
FIRST_DIRECTOR = "Director"
HALL = "Twinwall hall"
"""What the authority of a hall is called whose events are made in the browser."""
CERTIFICATE_DAYS = 397
"""Browsers take no server's certificate that lasts longer."""


@frozen
class HallFolder:
    """A hall of some tables: where its things lie, and how its processes are started.

    Attributes:
        folder: of the hall; ``memory`` is a folder of it that reaches no disk.
        tables: their names, in the order of the hall.
        broker_port: of the broker on this computer.
        trusting: whether the vault takes new tables' keys without a person, as for simulated tables.
        host: where pages and broker listen; beyond this computer they are reached by TLS alone (``make_certificates``).
    """

    folder: Path
    memory: Path
    tables: tuple[str, ...]
    broker_port: int
    page_port: int
    trusting: bool
    host: str = HOST
    phones: str | None = None
    """Where the phones' server answers on this computer, if there is one."""
    readiness: str | None = None
    """Where the readiness of its guided tables is said, if there are any."""
    mode: str = REHEARSAL_MODE
    """Of every process; at an event each refuses what belongs to a rehearsal."""
    certificate: tuple[Path, Path] | None = None
    """Of pages and phones, with its key, from an authority that browsers know; left out, the hall's own."""
    simulated: bool = True
    """Whether its tables are simulated from the start."""
    event: str = ""
    """The tables are assigned their events."""

    @property
    def vaults(self) -> tuple[str, ...]:
        """The vaults' accounts at the broker."""
        return (VAULT_USER,)

    @property
    def table_deals(self) -> DealsSection:
        """Every table's ``[deals]``: its assignment brings plan and start."""
        return DealsSection()

    def table_custody(self, table: str) -> CustodySection:
        """A table's ``[custody]``; its identity key is made where it is not there."""
        own_signer(table, self.folder / f"{table_user(table)}.key")
        memory = self.memory / table_user(table)
        return CustodySection(self.folder / f"{table_user(table)}.key", (), self.server_key, memory)

    @property
    def server_key(self) -> str:
        return own_signer(SERVER_USER, self.folder / "server.key").public.hex()

    @property
    def staff_file(self) -> Path:
        return self.folder / "staff.sqlite"

    @property
    def events(self) -> Path:
        return self.folder / "events"

    @property
    def page_url(self) -> str:
        return f"{'https' if self.over_tls else 'http'}://{self._named_host}:{self.page_port}"

    @property
    def over_tls(self) -> bool:
        """Whether others than this computer's own programs are served."""
        return not is_loopback(self.host)

    @property
    def certificates(self) -> CertificateFiles:
        return CertificateFiles(self.folder / "certificates")

    @property
    def browsers_certificate(self) -> tuple[Path, Path] | None:
        """The certificate that browsers and phones see, with its key; None where they are served in clear."""
        if not self.over_tls:
            return None
        return self.certificate or (self.certificates.certificate(SERVER_USER), self.certificates.key(SERVER_USER))

    def make_certificates(self, now: datetime) -> None:
        """Make the authority and the certificates of broker, pages and vault that are lacking; raises UsageError for those of another
        host, and CertificateError."""
        files = self.certificates
        authority = (
            files.read_authority()
            if files.has_authority
            else files.make_authority(HALL, (self.host,), now, timedelta(days=CERTIFICATE_DAYS))
        )
        if self.host not in authority.hosts:
            raise UsageError(
                f"--host {self.host}: the certificates in {files.folder} are of {', '.join(authority.hosts)}: name that host, or move the "
                "folder away for new ones, which every table then has to get again"
            )
        if authority.ends <= now:
            raise UsageError(f"the certificates in {files.folder} ended on {authority.ends:%Y-%m-%d}: move the folder away for new ones")
        for name, hosts in ((BROKER, authority.hosts), (SERVER_USER, authority.hosts), (VAULT_USER, ())):
            files.issue(authority, name, hosts, now)

    def issue_tables(self, names: Sequence[str], now: datetime) -> None:
        """Issue the certificates that these tables lack, where there are any; raises CertificateError and UsageError."""
        for name in names if self.over_tls else ():
            self.certificates.issue(self.certificates.read_authority(), table_user(name), (), now)

    def passwords(self) -> dict[str, str]:
        """Each account's password at the broker, made where it is not there."""
        return {name: _password(self._password_file(name)) for name in (SERVER_USER, VAULT_USER, *self.tables)}

    def mqtt(self, name: str) -> config.MqttSettings:
        password = self._password_file(name)
        tls = self.certificates.tls_files(password.stem) if self.over_tls else TlsFiles()
        url = f"{'mqtts' if self.over_tls else 'mqtt'}://{self._named_host}:{self.broker_port}"
        return config.MqttSettings(url, password.stem, password, tls.authority, tls.certificate, tls.key)

    def broker(self) -> Process:
        """The embedded broker; accounts and rights are written again for the tables that there are."""
        passwords = self.passwords()
        access = write_access_files(self.folder, None, passwords, {name: secrets.token_bytes(SALT_BYTES) for name in passwords})
        tls = self.certificates.tls_files(BROKER) if self.over_tls else TlsFiles()
        certificates = (tls.authority, tls.certificate, tls.key)
        section = BrokerSection(access.passwords, access.rights, self.host, self.broker_port, *certificates, mode=self.mode)
        return process_with(self.folder, "broker", ("hall", "broker"), config.BrokerSettings(section))

    def vault(self) -> Process:
        """The vault, which waits for the dashboard's orders."""
        key = self.folder / "vault.key"
        own_signer(VAULT_USER, key)
        section = VaultSection(
            key,
            self.folder / "vault",
            server_key=self.server_key,
            new_keys="accept" if self.trusting and self.mode != EVENT_MODE else "ask",
            holder=HOLDER,
            mode=self.mode,
        )
        return process_with(self.folder, "vault", ("vault", "run"), config.VaultSettings(section, self.mqtt(VAULT_USER)))

    def dashboard(self) -> Process:
        """The dashboard, whose events directors make in the browser."""
        page = DashboardSection(
            self.staff_file,
            self.folder / "dashboard.secret",
            HOST,
            self.page_port,
            signing_key=self.folder / "server.key",
            phones=self.phones,
            readiness=self.readiness,
            simulated=self.simulated,
            mode=self.mode,
        )
        if self.browsers_certificate is not None:
            certificate, key = self.browsers_certificate
            page = replace(page, host=self.host, address=self.page_url, certificate=certificate, certificate_key=key)
        vault = f"{HOLDER} {own_signer(VAULT_USER, self.folder / 'vault.key').public.hex()}"
        events = EventsSection(self.events, self.tables, (vault,))
        return process_with(
            self.folder, "dashboard", ("hall", "dashboard"), config.DashboardSettings(page, self.mqtt(SERVER_USER), events=events)
        )

    def invite_first_director(self) -> str | None:
        """The link by which the first director chooses a password; None where a director can enter already."""
        staff, now = StaffFile(self.staff_file), int(time.time())
        try:
            if any(account.directs for account in staff.accounts()):
                return None
            token = staff.invite(FIRST_DIRECTOR, {Role.DIRECTOR, Role.REFEREE}, now + 3600 * INVITATION_HOURS, StaffOrder(now))
        finally:
            staff.close()
        return f"{self.page_url}/invitation/{token}"

    @property
    def _named_host(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host

    def _password_file(self, name: str) -> Path:
        user = name if name in (SERVER_USER, VAULT_USER) else table_user(name)
        return self.folder / f"{user}.password"


@contextmanager
def held_folder(folder: Path) -> Iterator[None]:
    """Hold the folder, so that no second hall writes its settings over those of the first; raises UsageError where another one does."""
    held = os.open(folder / "hall.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise UsageError(f"{folder}: a hall is served from this folder already: end it, or name another folder") from None
    finally:
        os.close(held)


def table_names(count: int) -> Sequence[str]:
    """The names of this many tables."""
    return tuple(str(number) for number in range(1, count + 1))


def _password(file: Path) -> str:
    """An account's password; it is made where it is not there, and where a power cut left the file empty."""
    if not file.exists() or not file.stat().st_size:
        file.touch(mode=0o600)
        file.write_text(secrets.token_urlsafe(24) + "\n", encoding="utf-8")
    return file.read_text(encoding="utf-8").strip()
