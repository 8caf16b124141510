"""A venue's gateway to the centre: a Mosquitto of its own with two bridges, one to the hall's broker and one to the centre.

It sends out the tables' ledgers with their heads, the venue's statement, keys, slips and heartbeats, what its vaults say to the centre's,
and lines that the centre has asked for again. It brings in the centre's orders, on topics that only the hall's server may read, and sealed
shares and slips, on topics that only its vaults may read. A bridge obeys no access file: whatever a broker sends down it is published, on
any topic. So the hall's broker has no bridge, and the gateway is one of its clients, with rights. Whatever the centre's brokers send, no
table hears the centre, and a vault heeds only what the centre's vault has signed. The gateway keeps what it holds on disk.
"""

from collections.abc import Sequence
from pathlib import Path

from centre.deploy.deploy_files import filled
from centre.deploy.venue_account import VenueAccount
from twinwall.values import frozen
from twinwall.wire.mqtt.broker_address import TlsFiles
from twinwall.wire.mqtt.centre_topics import AT_ONCE, CENTRE_ROOT, GATEWAY_USER, CentreOrder, held
from twinwall.wire.mqtt.topics import ROOT


@frozen
class BrokerEndpoint:
    """The broker at the far end of a bridge."""

    host: str
    port: int


@frozen
class HallEnd:
    """How the gateway reaches the hall's broker.

    Attributes:
        tls: the hall's authority, and the certificate of ``GATEWAY_USER``; None on loopback, with a password.
    """

    broker: BrokerEndpoint
    tls: TlsFiles | None = None
    password: str | None = None


@frozen
class CentreEnd:
    """How the gateway reaches the centre.

    Attributes:
        brokers: tried in turn; the first that answers is used until it ends.
        client_id: from ``VenueAccount.client_id``.
        tls: the centre's authority, and the venue's own certificate with its key; None on loopback in a test.
    """

    brokers: Sequence[BrokerEndpoint]
    client_id: str
    tls: TlsFiles | None


def gateway_conf(account: VenueAccount, hall: HallEnd, centre: CentreEnd, state_folder: Path) -> str:
    """Mosquitto's configuration of a gateway; ``state_folder`` holds what has not reached the centre yet."""
    remote = f"{account.prefix}{ROOT}/"
    password = [] if hall.password is None else [f"remote_username {GATEWAY_USER}", f"remote_password {hall.password}"]
    hall_topics = [
        *(f"topic {each} in 1 {ROOT}/ {ROOT}/" for each in held()),
        *(f"topic {each} in 0 {ROOT}/ {ROOT}/" for each in AT_ONCE),
        *(f"topic {each} in 1 again/ {CENTRE_ROOT}/again/" for each in held()),
        *(f"topic {order} out 1 orders/ {CENTRE_ROOT}/orders/" for order in CentreOrder),
    ]
    centre_topics = [
        *(f"topic {each} out 1 {ROOT}/ {remote}" for each in held()),
        *(f"topic {each} out 0 {ROOT}/ {remote}" for each in AT_ONCE),
        *(f"topic {each} out 1 again/ {remote}" for each in held()),
        *(f"topic {order} in 1 orders/ {account.prefix}orders/" for order in CentreOrder),
    ]
    return filled(
        "gateway.conf",
        state=state_folder,
        gateway_user=GATEWAY_USER,
        hall=_addresses((hall.broker,)),
        hall_access="\n".join([*_encrypted(hall.tls), *password]),
        hall_topics="\n".join(hall_topics),
        centre=_addresses(centre.brokers),
        client_id=centre.client_id,
        centre_access="\n".join(_encrypted(centre.tls)),
        centre_topics="\n".join(centre_topics),
    )


def order_topic(account: VenueAccount, order: CentreOrder) -> str:
    """The topic of an order to a venue, as named at the centre."""
    return f"{account.prefix}orders/{order}"


def _addresses(brokers: Sequence[BrokerEndpoint]) -> str:
    return " ".join(f"{each.host}:{each.port}" for each in brokers)


def _encrypted(tls: TlsFiles | None) -> list[str]:
    if tls is None:
        return []
    files = [f"bridge_cafile {tls.authority}", f"bridge_certfile {tls.certificate}", f"bridge_keyfile {tls.key}"]
    return [*files, "bridge_tls_version tlsv1.2"]
