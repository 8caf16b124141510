"""All settings of the dashboard, as its server reads them from the settings file."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from dashboard.i18n.words import DEFAULT_LANGUAGE
from dashboard.request_sorting import DEFAULT_LIMITS
from twinwall.event.player_names import NamesShown
from twinwall.values import frozen
from twinwall.web.web_server import ServerLimits
from twinwall.wire.messages.boot_keys import TableKeys
from twinwall.wire.messages.signing import Signer
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials


@frozen
class WebSettings:
    """All settings of the dashboard; ``secret`` signs the cookies."""

    event: str
    staff: Path
    """The staff file."""
    secret: bytes
    broker: BrokerAddress
    credentials: Credentials
    tables: tuple[str, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8080
    language: str = DEFAULT_LANGUAGE
    spectators: bool = True
    """Whether anybody may look without an account."""
    address: str | None = None
    """How browsers reach the pages, the one setting behind cookies and names: https:// holds the cookie to TLS, and only the
    name in it is answered to beside the loopback's own. None: the loopback's own names while ``host`` is loopback, any otherwise."""
    proxies: tuple[str, ...] = ()
    """Addresses of trusted proxies, which end TLS and name the visitor."""
    certificate: tuple[Path, Path] | None = None
    """Files of the TLS certificate and of its key; None where TLS ends elsewhere or nowhere."""
    limits: ServerLimits = DEFAULT_LIMITS
    signer: Signer | None = None
    """Signs what is asked of tables; None where they take commands unsigned, as in a rehearsal."""
    keys: TableKeys | None = None
    """Check the tables' heads; None in a rehearsal, where tables' lines are not signed."""
    clear_text: bool = False
    """Whether the settings let something travel in clear beyond this machine: every page says so."""
    names: Path | None = None
    """The players' names file; without one, players are shown by what the ledgers call them."""
    public_names: NamesShown = NamesShown.FULL
    """What everybody sees of players' names."""
    rehearsal: bool = False
    """Whether this is no event (``mode`` in the settings)."""
    simulated: bool = True
    """Whether tables are simulated from the start: in a rehearsal every page says so."""
    counter: Path | None = None
    """Keeps what is asked of tables from being taken for a repeat after a restart, also with the clock set back."""
    vault_keys: Mapping[str, str] = field(default_factory=dict)
    """The public keys (hex) of vaults that take orders, by seed holder; tables that have joined the hall receive them."""
    vault_counter: Path | None = None
    """Keeps orders to the vaults from being taken for repeats, through all events of the hall."""
    phones: str | None = None
    """The phones' server on this computer; None without one."""
    readiness: str | None = None
    """The server on this computer that says whether its tables are ready; None without one."""
    assignments: Path | None = None
    """Folder of what is assigned to the tables that have joined the hall; nothing is assigned without it, or without ``signer``."""
    venue: str | None = None
    """What this hall is called at a centre of many venues; None where it plays alone."""

    @property
    def over_tls(self) -> bool:
        """Whether browsers reach the pages by TLS only."""
        return self.address is not None and self.address.startswith("https://")
