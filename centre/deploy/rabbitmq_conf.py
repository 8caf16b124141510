"""The centre's brokers: RabbitMQ nodes with MQTT and nothing else, one account for each venue. What is not granted is refused.

An account is the common name of a certificate of the centre's authority; there are no passwords. A venue writes below its own prefix and
reads its own orders. Consumers read what the venues send and write orders; the centre's vaults exchange messages only with the venues'
vaults. Persistent sessions are quorum queues, so that losing a node loses nothing. Retained messages are not used (RabbitMQ hands none to a
subscription with a wildcard), nor is QoS 2.
"""

import re
from collections.abc import Mapping, Sequence

from msgspec import json

from centre.deploy.deploy_files import filled
from centre.deploy.venue_account import FINGERPRINT_DIGITS, VENUE_ROOT, VenueAccount
from twinwall.values import frozen
from twinwall.wire.mqtt.broker_address import TlsFiles
from twinwall.wire.mqtt.centre_topics import FOR_SERVER, FOR_VAULTS, CentreOrder
from twinwall.wire.mqtt.topics import ROOT

VHOST = "/"
MOST_VENUE_CONNECTIONS = 4
"""A venue's bridge has one connection, and briefly a second after it has moved to another node."""
_EXCHANGE = r"amq\.topic"
_SESSION = "mqtt-subscription-{client}qos[01]"
"""The queue of a session, as RabbitMQ's MQTT plugin names it."""
MOST_SESSION_BYTES = 512 << 20
"""The most that a node holds for a session's client that is away or slow, a venue's at its consumer, as much as the venue's gateway does.
The oldest messages make room, and their lines are asked for again."""
SESSION_ENDS_MS = 7 * 24 * 3600 * 1000
"""A session unused for this long is deleted, such as those of a replaced certificate."""
NOTHING = "^$"
_EVERY_VENUE = rf"^{VENUE_ROOT}\.[^.]+\."


@frozen
class RabbitNode:
    """One node of the cluster.

    Attributes:
        name: ``rabbit@host``.
        listen: address and port for MQTT over TLS.
        peers: all nodes of the cluster, including this one.
    """

    name: str
    listen: str
    port: int
    peers: Sequence[str]
    tls: TlsFiles
    definitions: str
    """The file of ``definitions``, which a node reads at its first start."""


def node_conf(node: RabbitNode) -> str:
    """A node's ``rabbitmq.conf``."""
    peers = (f"cluster_formation.classic_config.nodes.{number} = {peer}" for number, peer in enumerate(node.peers, 1))
    return filled(
        "rabbitmq.conf",
        listen=node.listen,
        port=node.port,
        vhost=VHOST,
        authority=node.tls.authority,
        certificate=node.tls.certificate,
        key=node.tls.key,
        definitions=node.definitions,
        peers="\n".join(peers),
    )


def definitions(venues: Sequence[VenueAccount], consumers: Sequence[str], vaults: Sequence[str] = ()) -> bytes:
    """The accounts of venues, consumers and the centre's vaults with their rights, as RabbitMQ imports them; without the default account
    ``guest``."""
    granted = [_of_venue(each) for each in venues] + [_of_consumer(each) for each in consumers] + [_of_vault(each) for each in vaults]
    bounded = {"max-length-bytes": MOST_SESSION_BYTES, "overflow": "drop-head", "expires": SESSION_ENDS_MS}
    sessions = {"vhost": VHOST, "name": "sessions", "pattern": "^mqtt-subscription-", "apply-to": "queues", "priority": 0}
    document: Mapping[str, object] = {
        "vhosts": [{"name": VHOST}],
        "policies": [sessions | {"definition": bounded}],
        "users": [{"name": each.user, "password_hash": "", "tags": [], "limits": each.limits} for each in granted],
        "permissions": [
            {"user": each.user, "vhost": VHOST, "configure": each.session, "write": each.resources, "read": each.resources}
            for each in granted
        ],
        "topic_permissions": [
            {"user": each.user, "vhost": VHOST, "exchange": "amq.topic", "write": each.write, "read": each.read} for each in granted
        ],
    }
    return json.format(json.encode(document), indent=1) + b"\n"


@frozen
class _Granted:
    """What an account may do; each right is a regular expression over the whole name or routing key."""

    user: str
    session: str
    write: str
    read: str
    limits: Mapping[str, int]

    @property
    def resources(self) -> str:
        """The exchange of all topics, and the account's own sessions."""
        return f"^{_EXCHANGE}$|{self.session}"


def _of_venue(account: VenueAccount) -> _Granted:
    client = f"{re.escape(account.user)}/[0-9a-f]{{{FINGERPRINT_DIGITS}}}"
    below = _routing_key(account.prefix)
    return _Granted(
        account.user,
        f"^{_SESSION.format(client=client)}$",
        write=rf"^{below}{ROOT}\.",
        read=rf"^{below}orders\.",
        limits={"max-connections": MOST_VENUE_CONNECTIONS},
    )


def _of_consumer(user: str) -> _Granted:
    return _at_centre(user, write=rf"{_EVERY_VENUE}orders\.{_one_of(FOR_SERVER)}$", read=rf"{_EVERY_VENUE}{ROOT}\.")


def _of_vault(user: str) -> _Granted:
    """A vault of the centre hears no program of a venue but its vaults, and sends them shares and slips, and their staff a sentence. Vaults
    of several holders tell each other which shares they have released."""
    among, write = rf"^{ROOT}\.[^.]+\.shares$", rf"{_EVERY_VENUE}orders\.{_one_of((*FOR_VAULTS, CentreOrder.NOTICE))}$"
    return _at_centre(user, write=f"{among}|{write}", read=rf"{among}|{_EVERY_VENUE}{ROOT}\.[^.]+\.venue-vault$")


def _at_centre(user: str, *, write: str, read: str) -> _Granted:
    client = f"{re.escape(user)}(/.+)?"
    return _Granted(user, f"^{_SESSION.format(client=client)}$", write=write, read=read, limits={})


def _one_of(orders: Sequence[CentreOrder]) -> str:
    return f"({'|'.join(orders)})"


def _routing_key(prefix: str) -> str:
    """The beginning of a topic as a regular expression over RabbitMQ's routing keys, whose levels end with dots."""
    return "".join(rf"{re.escape(level)}\." for level in prefix.rstrip("/").split("/"))
