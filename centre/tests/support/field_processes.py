"""A field over real brokers: the centre's vault and venues' vaults as processes, and each venue's tables on links of their own."""

import copy
import re
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import cli
from centre.custody.field_ledger import FIELD_LEDGER
from centre.deploy.gateway_conf import BrokerEndpoint, CentreEnd
from centre.deploy.venue_account import VenueAccount
from centre.tests.support.field_halls import centre_signer
from config import MqttSettings, VaultSettings, write
from config.connections import DatabaseSection
from config.field import FieldVaultSection, FieldVaultSettings, VenueFieldSection
from config.services import HallSection, VaultDealsSection, VaultSection
from tests.support.custody.hall import EVENT, PUBLIC_KEYS, HeldEvent, PlayedTable, boot_of
from tests.support.custody.wired import VaultProgram, WiredTable, while_tables_beat, write_cheap_seed
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import MOSQUITTO, Ear, RunningBroker, eventually
from tests.support.wire.tls import Cable
from tools.rehearsal.programs import LOOPBACK, ExternalProgram, listens
from tools.rehearsal.rabbit_nodes import CentreAccounts, CentreCertificates, RabbitNodes
from tools.rehearsal.venue_brokers import VenueBrokers
from twinwall.custody.release import AllowKey
from twinwall.custody.vault_files import Orders, StoredEntry, VaultLedger, of_last_session
from twinwall.event.store.databases.port import PostgresAddress
from twinwall.free_ports import free_ports
from twinwall.wire.messages.signing import Signer, write_signing_key
from twinwall.wire.mqtt.access import SERVER_USER, VAULT_USER
from twinwall.wire.mqtt.broker_address import Credentials
from twinwall.wire.mqtt.link import MqttLink
from twinwall.wire.mqtt.topics import slips_topic

FIELD_VAULT = "vault-1"
LEAST_DEAL_S = 7.0
"""Longer than a venue's vault is silent, so that it is the time that holds a deal back."""
BEAT_S = 0.5
_SHOWN = re.compile(r"the sealing key of this venue's vault is ([0-9a-f ]{19})")


class RefusingCable(Cable):
    """A cable that refuses connections while it is pulled. One that takes them and closes them within the TLS handshake hangs the gateway
    where Mosquitto is 2.0.11."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self._at = self.port

    def pull(self) -> None:
        """Nothing passes any more, and nobody listens."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        super().pull()

    def plug(self) -> None:
        """New connections pass again, at the same port."""
        self._server = socket.create_server((LOOPBACK, self._at))
        super().plug()
        self._spawn(self._accept)


class ClearCentre:
    """One Mosquitto in clear in place of the centre's brokers; whoever connects may say everything."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        (self.port,) = free_ports(1)
        conf = folder / "centre.conf"
        conf.write_text(f"listener {self.port} {LOOPBACK}\nallow_anonymous true\nuser root\n")
        self._broker = ExternalProgram("centre", [str(MOSQUITTO), "-c", str(conf)], folder, lambda: listens(self.port))
        self._broker.start()
        self._broker.wait(PATIENCE_S)

    def gateway_end(self, account: VenueAccount, port: int) -> CentreEnd:
        """How a venue's gateway reaches it, by way of a port."""
        return CentreEnd((BrokerEndpoint(LOOPBACK, port),), account.user, None)

    @property
    def mqtt(self) -> MqttSettings:
        """How the centre's vault reaches it."""
        return MqttSettings(f"mqtt://{LOOPBACK}:{self.port}", FIELD_VAULT)

    def close(self) -> None:
        self._broker.stop()


class RabbitCentre:
    """One RabbitMQ node with the accounts and rights that are written for it."""

    def __init__(self, folder: Path, *venues: str) -> None:
        self._certificates = CentreCertificates(folder / "certificates", datetime.now(UTC))
        accounts = CentreAccounts([VenueAccount(name) for name in venues], (), (FIELD_VAULT,))
        self._nodes = RabbitNodes(folder / "rabbitmq", 1, self._certificates, accounts)
        self._nodes.start(PATIENCE_S)
        self.port = self._nodes.endpoints[0].port

    def gateway_end(self, account: VenueAccount, port: int) -> CentreEnd:
        """How a venue's gateway reaches it, by way of a port."""
        tls = self._certificates.issue(account.user)
        assert tls.certificate is not None
        return CentreEnd((BrokerEndpoint(LOOPBACK, port),), account.client_id(tls.certificate.read_bytes()), tls)

    @property
    def mqtt(self) -> MqttSettings:
        """How the centre's vault reaches it."""
        tls = self._certificates.issue(FIELD_VAULT)
        return MqttSettings(f"mqtts://{LOOPBACK}:{self.port}", ca_file=tls.authority, certificate_file=tls.certificate, key_file=tls.key)

    def close(self) -> None:
        self._nodes.stop()


class FieldVenue:
    """One venue: its two brokers, its vault's process, its tables, and what its server hears. ``cable`` is the way to the centre."""

    def __init__(self, folder: Path, name: str, tables: tuple[str, ...], event: HeldEvent, centre: ClearCentre | RabbitCentre) -> None:
        (port,) = free_ports(1)
        self.name, self.signer = name, Signer(VAULT_USER, name.encode().ljust(32, b"v"))
        with ExitStack() as running:
            self.cable = running.enter_context(RefusingCable(centre.port))
            self.brokers = VenueBrokers(VenueAccount(name), folder / "brokers", port, tables)
            for each in (self.brokers.hall, self.brokers.add_gateway(centre.gateway_end(self.brokers.account, self.cable.port))):
                running.callback(each.stop)
                each.start()
                each.wait(PATIENCE_S)
            self._running = running.pop_all()
        self.vault = VaultProgram(folder / "vault")
        self._set_up(event, tables)
        played = copy.copy(event)
        played.signers = {"server": self.signer}
        hall = RunningBroker("mosquitto", folder, port)
        self.tables = [
            WiredTable(PlayedTable(each, folder / f"table-{each}", event=played), hall, password=self.brokers.password) for each in tables
        ]
        self._ear = Ear()
        account = Credentials(SERVER_USER, self.brokers.password)
        self._server = MqttLink(hall.address, account, self._ear, subscriptions=(slips_topic(EVENT),))

    @property
    def slips(self) -> set[bytes]:
        """The slips that its server has heard."""
        return {payload for _, payload in self._ear.messages}

    @property
    def shown(self) -> str:
        """The digits of the sealing key that its vault has shown last."""
        eventually(lambda: _SHOWN.search(self._last_start) is not None, f"the vault of {self.name} shows its sealing key")
        shown: str = _SHOWN.findall(self._last_start)[-1]
        return shown

    def start(self) -> None:
        """Everything that talks at the venue."""
        self._server.start()
        self.start_vault()
        for each in self.tables:
            each.plug_in()

    def start_vault(self) -> None:
        """The vault, from its files."""
        self._began_at = len(self.vault.log) if (self.vault.folder / "log").exists() else 0
        self.vault.start()

    @property
    def _last_start(self) -> str:
        return self.vault.log[self._began_at :]

    def close(self) -> None:
        for each in self.tables:
            each.pull()
            each.table.close()
        if self.vault.process is not None:
            self.vault.stop()
        self._server.close()
        self._running.close()

    def _set_up(self, event: HeldEvent, tables: tuple[str, ...]) -> None:
        folder = _files(self.vault.folder, event, self.signer)
        (folder / "password").write_text(self.brokers.password)
        settings = VaultSettings(
            VaultSection(folder / "vault.key", folder / "kept", released=folder / "released"),
            MqttSettings(f"mqtt://{LOOPBACK}:{self.brokers.port}", VAULT_USER, folder / "password"),
            VaultDealsSection(folder / "plan.json", folder / "start.json"),
            HallSection(tuple(f"{name} {PUBLIC_KEYS[name].hex()}" for name in tables)),
            VenueFieldSection(self.name, centre_signer("server").public.hex()),
        )
        write(folder / "vault.toml", settings)
        orders = Orders(folder / "kept", EVENT, self.signer)
        for name in tables:
            orders.give(AllowKey(name, boot_of(name).public.fingerprint))


class FieldOfProcesses:
    """The centre's vault as a process with venues that are there already."""

    def __init__(
        self, folder: Path, centre: ClearCentre | RabbitCentre, venues: list[FieldVenue], event: HeldEvent, store: PostgresAddress
    ) -> None:
        self.venues, self._event = venues, event
        self.vault = VaultProgram(folder / "centre-vault", ("centre", "vault"))
        folder = _files(self.vault.folder, event, centre_signer("server"))
        write_cheap_seed(folder / "server.seed", event.seeds["server"])
        section = FieldVaultSection(
            folder / "vault.key",
            folder,
            folder / "server.seed",
            folder / "plan.json",
            folder / "start.json",
            tuple(f"{each.name} {each.signer.public.hex()}" for each in venues),
            least_deal_s=LEAST_DEAL_S,
        )
        write(folder / "vault.toml", FieldVaultSettings(section, centre.mqtt, DatabaseSection(store.url, schema=store.schema)))

    @property
    def tables(self) -> list[WiredTable]:
        return [table for venue in self.venues for table in venue.tables]

    @property
    def kept(self) -> list[StoredEntry]:
        """The ledger of the centre's vault, whose signatures hold."""
        return of_last_session(VaultLedger(self.vault.folder, EVENT, centre_signer("server"), FIELD_LEDGER).read())

    def wait(self, what: Callable[[], bool], meaning: str) -> None:
        """Until it is so, the tables' heartbeats going on; a vault that has ended by itself is said with its log."""

        def so() -> bool:
            for each in (self.vault, *(venue.vault for venue in self.venues)):
                assert each.process is None or each.process.poll() is None, each.log
            return what()

        while_tables_beat(self.tables, so, meaning, BEAT_S)

    def allow(self, venue: FieldVenue) -> None:
        """A person at the centre's vault has compared the digits."""
        assert cli.main(["centre", "allow", venue.name, venue.shown, "--settings", str(self.vault.folder / "vault.toml")]) == 0


@contextmanager
def running_field(
    folder: Path, centre: ClearCentre | RabbitCentre, event: HeldEvent, store: PostgresAddress, venues: Mapping[str, tuple[str, ...]]
) -> Iterator[FieldOfProcesses]:
    """A field of these venues, each with its tables; all that runs is ended, also where a venue cannot start."""
    with ExitStack() as running:
        opened: list[FieldVenue] = []
        for number, (name, tables) in enumerate(venues.items(), 1):
            (folder / f"venue-{number}").mkdir()
            opened.append(FieldVenue(folder / f"venue-{number}", name, tables, event, centre))
            running.callback(opened[-1].close)
        field = FieldOfProcesses(folder, centre, opened, event, store)
        running.callback(lambda: field.vault.process and field.vault.stop())
        yield field


def _files(folder: Path, event: HeldEvent, signer: Signer) -> Path:
    """What every vault has: its key, the plan and the start."""
    folder.mkdir()
    write_signing_key(folder / "vault.key", signer.secret)
    (folder / "plan.json").write_bytes(event.plan.canonical)
    (folder / "start.json").write_bytes(event.start.canonical)
    return folder
