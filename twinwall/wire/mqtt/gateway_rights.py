"""What a venue's gateway to the centre may do at the hall's broker, and which topics it carries out of the hall.

The hall grants these rights; the gateway's own configuration is the centre's (``centre.deploy.gateway_conf``).
"""

from __future__ import annotations

from collections.abc import Sequence

from twinwall.wire.mqtt.access import SERVER_USER, VAULT_USER, Access, Right
from twinwall.wire.mqtt.centre_topics import FOR_SERVER, FOR_VAULTS, CentreOrder, again_topic, heard_order
from twinwall.wire.mqtt.topics import ROOT, Channel, keys_topic, slips_topic, venue_statement_topic, venue_vault_topic

GATEWAY_USER = "gateway"
"""The gateway's account at the hall's broker."""
PASSED_ON = (Channel.EVENTS, Channel.HEAD)
"""What the centre gets of a table, with heartbeats (``HEALTH``), which are not held for it. The public ledger says nothing beyond these.
Custody, deals, questions with pictures and commands stay in the venue."""
OF_EVENT = tuple(each(None).removeprefix(f"{ROOT}/+/") for each in (keys_topic, slips_topic, venue_statement_topic))
"""What the centre gets of an event: the tables' boot signing keys, the slips that are released, and what the venue plays by."""
AT_ONCE = (f"+/+/{Channel.HEALTH}", venue_vault_topic(None).removeprefix(f"{ROOT}/"))
"""What is not held for a centre that is away, since it is of the moment: heartbeats, and what the venue's vaults say to the centre's."""


def held() -> tuple[str, ...]:
    """The topics that are kept for the centre, without their first level."""
    return (*(f"+/+/{channel}" for channel in PASSED_ON), *(f"+/{each}" for each in OF_EVENT))


def gateway_rights(vaults: Sequence[str] = (VAULT_USER,)) -> tuple[Right, ...]:
    """The rights at the hall's broker beyond those of a hall without a centre: the gateway's, and towards it the server's and the
    vaults'."""
    passed = [f"{ROOT}/{each}" for each in (*held(), *AT_ONCE)]
    again = [again_topic(f"{ROOT}/{each}") for each in held()]
    orders = [heard_order(order) for order in CentreOrder]
    return (
        *(Right(SERVER_USER, Access.READ, heard_order(order)) for order in FOR_SERVER),
        *(Right(vault, Access.READ, heard_order(order)) for vault in vaults for order in FOR_VAULTS),
        *(Right(vault, Access.WRITE, venue_vault_topic(None)) for vault in vaults),
        *(Right(SERVER_USER, Access.WRITE, each) for each in (*again, venue_statement_topic(None))),
        *(Right(GATEWAY_USER, Access.READ, each) for each in (*passed, *again)),
        *(Right(GATEWAY_USER, Access.WRITE, each) for each in orders),
    )
