"""Settings of a hall's processes: dashboard, vault and embedded broker."""

from pathlib import Path
from typing import Annotated, ClassVar
from urllib.parse import urlsplit

from config.connections import AllowClearText, DatabaseSection, MqttSettings, NetworkSection, is_loopback
from config.field import VenueFieldSection
from config.reading import (
    HOLDER_KEY,
    HOLDER_KEY_SHAPE,
    HTTP_ADDRESS,
    LOOPBACK,
    MAKE_CERTIFICATE,
    MAKE_KEY,
    MAKE_PASSWORDS,
    MAKE_PLAN,
    MAKE_RIGHTS,
    MAKE_SEED,
    MAKE_STAFF,
    MAKE_START,
    PUBLIC_KEY,
    PUBLIC_KEY_SHAPE,
    REHEARSAL_MODE,
    Commitments,
    Compared,
    EventName,
    Holder,
    Host,
    Mode,
    Port,
    ScaleFile,
    SettingKey,
    SettingsError,
    VaultKeyFile,
    VaultStart,
    given_together,
)
from twinwall.values import frozen

_ADDRESS = (
    "How browsers reach the pages. https:// turns TLS on: cookies travel by TLS only, and no other name is answered to. "
    "It needs certificate and certificate_key, or proxies."
)
_PROXIES = (
    "Addresses of trusted reverse proxies in front of the pages, which end TLS and name the visitor in X-Forwarded-For; "
    "what anybody else names is not believed."
)
_PHONES = "Where the server of the tables' phones answers on this computer: directors then let phones in from a page."
_READINESS = "Where twinwall hall readiness answers on this computer: directors then get tables ready on a page."
_LOOPBACK_SHAPE = '"http://127.0.0.1:PORT"'


@frozen
class DashboardSection(NetworkSection):
    """The page's server."""

    staff: Annotated[Path, SettingKey("File of the staff's accounts and sessions.", made_by=MAKE_STAFF)]
    secret_file: Annotated[Path, SettingKey("File of the key that signs cookies; made at the first start.")]
    host: Host = "127.0.0.1"
    port: Port = 8080
    address: Annotated[str | None, SettingKey(_ADDRESS, pattern=HTTP_ADDRESS, shape='an address such as "https://hall.example"')] = None
    certificate: Annotated[Path | None, SettingKey("File of the TLS certificate with its chain (PEM).", made_by=MAKE_CERTIFICATE)] = None
    certificate_key: Annotated[Path | None, SettingKey("File of the certificate's key (PEM).", made_by=MAKE_CERTIFICATE)] = None
    proxies: Annotated[tuple[str, ...], SettingKey(_PROXIES, pattern=r"[0-9a-fA-F.:]+", shape="a list of IP addresses")] = ()
    spectators: Annotated[
        bool, SettingKey("Whether anybody may look without an account, at what everybody may know and at released deals.")
    ] = True
    language: Annotated[str, SettingKey("Language of the page.", choices=("en", "ja", "zh-Hans"))] = "en"
    signing_key: Annotated[
        Path | None,
        SettingKey(
            "File of the key that signs commands to the tables and the records of what the staff did; left out in a rehearsal, "
            "where neither is signed.",
            made_by=MAKE_KEY,
        ),
    ] = None
    phones: Annotated[str | None, SettingKey(_PHONES, pattern=LOOPBACK, shape=_LOOPBACK_SHAPE)] = None
    readiness: Annotated[str | None, SettingKey(_READINESS, pattern=LOOPBACK, shape=_LOOPBACK_SHAPE)] = None
    venue: Annotated[
        str | None,
        SettingKey(
            "What a centre of many venues calls this hall, by the name in the centre's settings; left out, the hall plays alone.",
            pattern=r"\S(.*\S)?",
            shape='a name such as "Kyoto"',
        ),
    ] = None
    simulated: Annotated[
        bool,
        SettingKey(
            "In a rehearsal, whether its tables are simulated from the start: every page then says that nothing counts. Without this an "
            "event's pages say so once a table is simulated."
        ),
    ] = True
    allow_clear_text: AllowClearText = False
    mode: Mode = REHEARSAL_MODE

    RETIRED: ClassVar[dict[str, str]] = dict.fromkeys(
        ("password_hash", "referee_hash"),
        f"staff have accounts of their own: take the key out, name a file with staff = …, and invite each person with {MAKE_STAFF}",
    )

    def __post_init__(self) -> None:
        """Refuse certificate, proxies and address that contradict each other."""
        given_together("certificate and certificate_key", self.certificate, self.certificate_key)
        if self.certificate is not None and self.proxies:
            raise ValueError("TLS ends here (certificate) or at a proxy (proxies), not at both")
        if self.over_tls != (self.certificate is not None or bool(self.proxies)):
            raise ValueError("an address with https:// needs certificate and certificate_key, or proxies, and they need it")
        self.refuse_clear_text("set address with https://, certificate and certificate_key")

    @property
    def over_tls(self) -> bool:
        """Whether browsers reach the pages over TLS only."""
        return self.address is not None and self.address.startswith("https://")

    @property
    def in_clear(self) -> str | None:
        """The address at which it listens or is reached, if it is beyond this machine and not encrypted."""
        if self.certificate is None and not is_loopback(self.host):
            return f"host {self.host}"
        reached = None if self.address is None else urlsplit(self.address).hostname
        return None if reached is None or self.over_tls or is_loopback(reached) else f"address {self.address}"

    @property
    def browser_address(self) -> str:
        """The address at which links to the pages begin."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.address or f"http://{host}:{self.port}"


_START_OF = "The event's start; slips that are released must be of it, and every page shows its code. Needs plan."
_TABLE_KEY = rf"[^\s/+#]+ {PUBLIC_KEY}"
_TABLE_KEY_SHAPE = 'a list of texts such as "1 3f0c…", a name and 64 lower-case hex digits'
_TABLE_NAMES = "a list of names without space, /, + or #"
_TABLE_KEYS = "Without a vault: each table's name and public identity key, under which its lines count; empty takes them unsigned."
_VAULT_KEY = "Public key of the first holder's vault: a table's lines are shown only under a key that it has announced. Needs plan."
_VAULT_KEYS = (
    "Each seed holder and the public key of his vault, the holder with the account vault first: the vaults make deals, keep the start and "
    "begin sessions by orders of this dashboard, and a table's lines are shown only under a key that the first one has announced."
)
_NAMES = "What anonymous pages show of a player: the name, initials with the number, or the number alone. The staff see names."
_SIGNERS = "Each a person's name and public key: whose signature (twinwall admin sign) makes a scale official; else it is provisional."
_SIGNER_SHAPE = 'a list of texts such as "Li Na 3f0c…", a name and 64 lower-case hex digits'
_STORE = (
    "File of the event's store: every table's events, releases and calls; made at the first start. With [database] the store is there, "
    "and only the files beside it have this name."
)
_ScaleSigners = Annotated[tuple[str, ...], SettingKey(_SIGNERS, pattern=rf".*\S.* {PUBLIC_KEY}", shape=_SIGNER_SHAPE)]
_VaultKeys = Annotated[tuple[str, ...], SettingKey(_VAULT_KEYS, pattern=HOLDER_KEY, shape=HOLDER_KEY_SHAPE)]
_TableKeys = Annotated[tuple[str, ...], SettingKey(_TABLE_KEYS, pattern=_TABLE_KEY, shape=_TABLE_KEY_SHAPE)]
_TEAMS = "Teams in the order of the movement, as many as tables; team k of a group starts at its k-th table's East."


@frozen
class EventSection:
    """The event: what is shown, stored and compared."""

    name: EventName
    tables: Annotated[tuple[str, ...], SettingKey("The tables' names, in the order of the hall.", pattern=r"[^\s/+#]+", shape=_TABLE_NAMES)]
    store: Annotated[Path, SettingKey(_STORE)]
    plan: Annotated[
        Path | None,
        SettingKey("The event's plan of deals; left out where deals are not in custody, and then none is released.", made_by=MAKE_PLAN),
    ] = None
    start: Annotated[Path | None, SettingKey(_START_OF, made_by=MAKE_START)] = None
    vault_key: Annotated[str | None, SettingKey(_VAULT_KEY, pattern=PUBLIC_KEY, shape=PUBLIC_KEY_SHAPE)] = None
    vault_keys: _VaultKeys = ()
    table_keys: _TableKeys = ()
    kind: Compared = "individual"
    group_size: Annotated[int, SettingKey("Tables in a row that form a group, which is compared; four in a team event.", 1, 64)] = 4
    players: Annotated[
        Path | None, SettingKey("File of the players' names by number (twinwall hall players); left out, players are numbers to everybody.")
    ] = None
    names: Annotated[str, SettingKey(_NAMES, choices=("full", "initials", "number"))] = "number"
    teams: Annotated[tuple[str, ...], SettingKey(_TEAMS, pattern=r"(.*\S.*)", shape="a list of texts")] = ()
    scale: ScaleFile = None
    scale_signers: _ScaleSigners = ()
    points: Annotated[
        str,
        SettingKey(
            "What standings add up: IMP, rank points (4, 3, 2, 1 in each deal, however far apart), or the mean of the IMP against "
            "every other table.",
            choices=("imp", "rank", "cross-imp"),
        ),
    ] = "imp"

    def __post_init__(self) -> None:
        """Refuse some of plan, start and vault_key without the others, and keys of tables beside a vault."""
        given_together("plan, start and vault_key", self.plan, self.start, self.vault_key)
        if self.vault_keys and self.plan is not None:
            raise ValueError("vault_keys are for vaults that make the deals by order: leave plan, start and vault_key out, or vault_keys")
        if (self.vault_key is not None or self.vault_keys) and self.table_keys:
            raise ValueError("table_keys are for an event without a vault, which announces them itself: leave them out")


_FOLDER = (
    "Folder of the events: each has a folder with its store and its players' names. With [database] new events have their stores there, "
    "each in a schema of its own."
)


@frozen
class EventsSection:
    """Events that directors make in the browser; this section takes the place of [event]."""

    folder: Annotated[Path, SettingKey(_FOLDER)]
    tables: Annotated[
        tuple[str, ...],
        SettingKey("The tables of the hall, in its order; an event plays at some of them.", pattern=r"[^\s/+#]+", shape=_TABLE_NAMES),
    ]
    vault_keys: _VaultKeys = ()
    table_keys: _TableKeys = ()
    scale: ScaleFile = None
    scale_signers: _ScaleSigners = ()

    def __post_init__(self) -> None:
        """Refuse keys of tables beside a vault, which announces them."""
        if self.vault_keys and self.table_keys:
            raise ValueError("table_keys are for events without a vault, which announces them itself: leave them out")


@frozen
class DashboardSettings:
    """Settings of the dashboard: twinwall hall dashboard --settings FILE"""

    dashboard: DashboardSection
    mqtt: MqttSettings
    event: EventSection | None = None
    events: EventsSection | None = None
    database: DatabaseSection | None = None

    def __post_init__(self) -> None:
        """Refuse both or neither of [event] and [events], and vaults without a signing key."""
        if (self.event is None) == (self.events is None):
            raise ValueError("give [event], or [events] where directors make events in the browser, and not both")
        if self.vault_keys and self.dashboard.signing_key is None:
            raise ValueError("vault_keys need [dashboard] signing_key, since a vault takes signed orders alone")

    @property
    def vault_keys(self) -> dict[str, str]:
        """The public keys (hex) of vaults that make deals by order, by holder."""
        section = self.event or self.events
        lines = () if section is None else section.vault_keys
        return {holder: key for holder, _, key in (line.rpartition(" ") for line in lines)}

    @property
    def tables(self) -> tuple[str, ...]:
        section = self.event or self.events
        return () if section is None else section.tables

    @property
    def one_event(self) -> EventSection:
        """The event of the file; raises SettingsError when events are made in the browser."""
        if self.event is None:
            raise SettingsError("[event] is left out: its events are made in the browser, and this command is for a file with one event")
        return self.event


_SERVER_KEY = (
    "The server's public key, under which the dashboard signs its orders and that two persons withdraw a table during play; left out, a "
    "table is withdrawn between its deals only."
)
_VAULT_FOLDER = (
    "Folder for what the vault keeps: the keys that were accepted and what a person has allowed. Where seed is named, a new one for each "
    "session; otherwise one for all events, their seeds too."
)
_SEED = (
    "The encrypted seed file of this vault's holder, with plan and start in [deals] and the tables in [hall]; left out, the vault waits "
    "for the dashboard's orders, makes its seed itself, and needs server_key."
)


@frozen
class VaultSection:
    """The vault: what it keeps, and where it puts what is released."""

    signing_key: VaultKeyFile
    folder: Annotated[Path, SettingKey(_VAULT_FOLDER)]
    seed: Annotated[Path | None, SettingKey(_SEED, made_by=MAKE_SEED)] = None
    released: Annotated[
        Path | None, SettingKey("Folder for the slips of deals that every table has finished; left out, a folder in the vault's own.")
    ] = None
    server_key: Annotated[str | None, SettingKey(_SERVER_KEY, pattern=PUBLIC_KEY, shape=PUBLIC_KEY_SHAPE)] = None
    new_keys: Annotated[
        str,
        SettingKey(
            "A table that is switched on shows new boot keys: ask a person, or (rehearsals) accept them and say so.",
            choices=("ask", "accept"),
        ),
    ] = "ask"
    mode: Mode = REHEARSAL_MODE
    holder: Holder = "server"

    @property
    def server(self) -> bytes | None:
        return None if self.server_key is None else bytes.fromhex(self.server_key)


@frozen
class VaultDealsSection:
    """The deals in custody."""

    plan: Annotated[Path, SettingKey("The event's plan of deals.", made_by=MAKE_PLAN)]
    start: VaultStart
    session: Annotated[int, SettingKey("The session that is played.", 1, 999)] = 1
    commitments: Commitments = None


@frozen
class HallSection:
    """The tables that play these deals."""

    tables: Annotated[
        tuple[str, ...],
        SettingKey(
            "Each table's name and the public key with which it signs, in the order of the hall.",
            pattern=_TABLE_KEY,
            shape=_TABLE_KEY_SHAPE,
        ),
    ]
    group_size: Annotated[int, SettingKey("Tables in a row that form a group, whose tables stay close together.", 1, 64)] = 4
    spread: Annotated[int, SettingKey("How many deals the tables of a group may be apart.", 1, 64)] = 1


@frozen
class VaultSettings:
    """Settings of the vault: twinwall vault run --settings FILE"""

    vault: VaultSection
    mqtt: MqttSettings
    deals: VaultDealsSection | None = None
    hall: HallSection | None = None
    field: VenueFieldSection | None = None

    def __post_init__(self) -> None:
        """Refuse some of seed, deals and hall without the others. A venue of a field has no seed: its shares come from the centre."""
        if self.field is not None:
            if self.vault.seed is not None or self.deals is None or self.hall is None:
                raise ValueError(
                    "at a venue of a field ([field]) the vault has no seed: leave [vault] seed out, and give [deals] and [hall]"
                )
        else:
            given_together("[vault] seed, [deals] and [hall]", self.vault.seed, self.deals, self.hall)
        if self.waits and self.vault.server_key is None:
            raise ValueError("a vault without [vault] seed waits for the dashboard's orders: set [vault] server_key")

    @property
    def waits(self) -> bool:
        """Whether the server's orders give the vault its deals."""
        return self.vault.seed is None and self.field is None

    @property
    def released(self) -> Path:
        """The folder for slips, when the deals are in files."""
        return self.vault.released or self.vault.folder / "released"


@frozen
class BrokerSection(NetworkSection):
    """The embedded broker. It forgets everything when it stops; tables keep their events."""

    passwords: Annotated[Path, SettingKey("File of user names and password hashes, in Mosquitto's form.", made_by=MAKE_PASSWORDS)]
    rights: Annotated[Path, SettingKey("File of who may publish and read what, in Mosquitto's form.", made_by=MAKE_RIGHTS)]
    host: Host = "127.0.0.1"
    port: Port = 1883
    ca_file: Annotated[
        Path | None,
        SettingKey("The authority of the clients' certificates; given with certificate_file and key_file.", made_by=MAKE_CERTIFICATE),
    ] = None
    certificate_file: Annotated[
        Path | None, SettingKey("File of its TLS certificate (PEM); left out, nothing is encrypted.", made_by=MAKE_CERTIFICATE)
    ] = None
    key_file: Annotated[Path | None, SettingKey("File of the certificate's key (PEM).", made_by=MAKE_CERTIFICATE)] = None
    allow_clear_text: AllowClearText = False
    mode: Mode = REHEARSAL_MODE

    def __post_init__(self) -> None:
        given_together("ca_file, certificate_file and key_file", self.ca_file, self.certificate_file, self.key_file)
        self.refuse_clear_text("set ca_file, certificate_file and key_file")

    @property
    def in_clear(self) -> str | None:
        """The address, if it is beyond this machine and not encrypted."""
        return None if self.certificate_file is not None or is_loopback(self.host) else f"host {self.host}"


@frozen
class BrokerSettings:
    """Settings of the embedded broker: twinwall hall broker --settings FILE"""

    broker: BrokerSection
