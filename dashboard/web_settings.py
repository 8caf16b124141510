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
    """Whether people without an account may look."""
    address: str | None = None
    """The pages' address for browsers, on which cookies and names depend: https:// restricts the cookie to TLS, and only its name and those
    of the loopback are accepted. None: the loopback's names if ``host`` is loopback, otherwise any."""
    proxies: tuple[str, ...] = ()
    """Addresses of trusted proxies, which end TLS and name the visitor."""
    certificate: tuple[Path, Path] | None = None
    """Files of the TLS certificate and its key; None if TLS ends elsewhere or is not used."""
    limits: ServerLimits = DEFAULT_LIMITS
    signer: Signer | None = None
    """Signs commands to tables; None if they take unsigned ones, as in a rehearsal."""
    keys: TableKeys | None = None
    """Check the tables' heads; None in a rehearsal with unsigned lines."""
    clear_text: bool = False
    """Whether the settings allow clear text beyond this machine: every page says so."""
    names: Path | None = None
    """The players' names file; without it, players are shown as in the ledgers."""
    public_names: NamesShown = NamesShown.FULL
    """How much of players' names everybody sees."""
    rehearsal: bool = False
    """Whether this is only a rehearsal (``mode`` in the settings)."""
    simulated: bool = True
    """Whether tables are simulated from the start: in a rehearsal every page says so."""
    counter: Path | None = None
    """A counter, so that commands after a restart are not taken for repeats, even with the clock set back."""
    vault_keys: Mapping[str, str] = field(default_factory=dict)
    """The public keys (hex) of vaults that take orders, by seed holder; tables that have joined the hall receive them."""
    vault_counter: Path | None = None
    """A counter, so that orders to the vaults are not taken for repeats, through all events of the hall."""
    phones: str | None = None
    """The phones' server on this computer, or None."""
    readiness: str | None = None
    """This computer's server for the readiness of its tables, or None."""
    assignments: Path | None = None
    """Folder of the assignments to joined tables; without it, or without ``signer``, nothing is assigned."""
    venue: str | None = None
    """This hall's name at a centre of many venues; None if it plays alone."""

    @property
    def over_tls(self) -> bool:
        """Whether browsers reach the pages only by TLS."""
        return self.address is not None and self.address.startswith("https://")
