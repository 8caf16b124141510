"""The folder of a hall that one command serves: keys, passwords and settings of its broker, vault and dashboard.

What is there is kept, so that the hall is the same after a restart; what is lacking is made. Everything listens on this
computer alone.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import config
from config.services import BrokerSection, DashboardSection, EventsSection, VaultSection
from config.table import CustodySection, DealsSection
from dashboard.access.access_policy import Role
from dashboard.access.staff_file import INVITATION_HOURS, StaffFile
from dashboard.access.staff_orders import StaffOrder
from twinwall.cli.demo.choices import HOST
from twinwall.cli.demo.supervisor import Process
from twinwall.wire.messages.signing import KEY_SIZE, Signer, read_signer, write_signing_key
from twinwall.wire.mqtt.access import SALT_BYTES, SERVER_USER, VAULT_USER, table_user, write_access_files

HOLDER = "server"
"""The seed holder of a hall with one vault."""
FIRST_DIRECTOR = "Director"


@dataclass(frozen=True, slots=True)
class HallFolder:
    """A hall of some tables: where its things lie, and how its processes are started.

    Attributes:
        folder: of the hall; ``memory`` is a folder of it that reaches no disk.
        tables: their names, in the order of the hall.
        broker_port: of the broker on this computer.
        trusting: whether the vault takes new tables' keys without a person, as for simulated tables.
    """

    folder: Path
    memory: Path
    tables: tuple[str, ...]
    broker_port: int
    page_port: int
    trusting: bool

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
        _public(self.folder / f"{table_user(table)}.key", table)
        memory = self.memory / table_user(table)
        return CustodySection(self.folder / f"{table_user(table)}.key", (), self.server_key, memory)

    @property
    def server_key(self) -> str:
        """The server's public key."""
        return _public(self.folder / "server.key", SERVER_USER)

    @property
    def staff_file(self) -> Path:
        """The accounts of the staff."""
        return self.folder / "staff.sqlite"

    @property
    def page_url(self) -> str:
        """Where the pages are."""
        return f"http://{HOST}:{self.page_port}"

    def passwords(self) -> dict[str, str]:
        """Each account's password at the broker, made where it is not there."""
        return {name: _password(self._password_file(name)) for name in (SERVER_USER, VAULT_USER, *self.tables)}

    def mqtt(self, name: str) -> config.MqttSettings:
        """A process's way to the broker."""
        user = name if name in (SERVER_USER, VAULT_USER) else table_user(name)
        return config.MqttSettings(f"mqtt://{HOST}:{self.broker_port}", user, self._password_file(name))

    def broker(self) -> Process:
        """The embedded broker; accounts and rights are written anew for the tables that there are."""
        passwords = self.passwords()
        access = write_access_files(self.folder, None, passwords, {name: secrets.token_bytes(SALT_BYTES) for name in passwords})
        section = BrokerSection(access.passwords, access.rights, HOST, self.broker_port)
        return self._process("broker", "broker", config.BrokerSettings(section))

    def vault(self) -> Process:
        """The vault, which waits for the dashboard's orders."""
        key = self.folder / "vault.key"
        _public(key, VAULT_USER)
        section = VaultSection(
            key, self.folder / "vault", server_key=self.server_key, new_keys="accept" if self.trusting else "ask", holder=HOLDER
        )
        return self._process("vault", "vault", config.VaultSettings(section, self.mqtt(VAULT_USER)))

    def dashboard(self) -> Process:
        """The dashboard, whose events directors make in the browser."""
        page = DashboardSection(
            self.staff_file, self.folder / "dashboard.secret", HOST, self.page_port, signing_key=self.folder / "server.key"
        )
        vault = f"{HOLDER} {_public(self.folder / 'vault.key', VAULT_USER)}"
        events = EventsSection(self.folder / "events", self.tables, (vault,))
        return self._process("dashboard", "dashboard", config.DashboardSettings(page, self.mqtt(SERVER_USER), events=events))

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

    def _process(self, name: str, command: str, settings: object) -> Process:
        file = self.folder / f"{name}.toml"
        config.write(file, settings)
        return Process(name, (command, "--settings", str(file)))

    def _password_file(self, name: str) -> Path:
        user = name if name in (SERVER_USER, VAULT_USER) else table_user(name)
        return self.folder / f"{user}.password"


def table_names(count: int) -> Sequence[str]:
    """The names of so many tables."""
    return tuple(str(number) for number in range(1, count + 1))


def _public(file: Path, name: str) -> str:
    """The public key of a signing key's file in hex; it is made where it is not there."""
    if not file.exists():
        secret = secrets.token_bytes(KEY_SIZE)
        write_signing_key(file, secret)
        return Signer(name, secret).public.hex()
    return read_signer(name, file).public.hex()


def _password(file: Path) -> str:
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_urlsafe(24) + "\n", encoding="utf-8")
    return file.read_text(encoding="utf-8").strip()
