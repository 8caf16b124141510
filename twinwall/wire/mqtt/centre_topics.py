"""Topics in a hall that belong to a centre of many venues, and what a venue's gateway to the centre may do at the hall's broker.

The hall grants these rights; the gateway's own configuration is the centre's (``centre.deploy.gateway_conf``).
"""

from collections.abc import Sequence
from enum import StrEnum

from twinwall.wire.mqtt.access import SERVER_USER, VAULT_USER, Access, Right
from twinwall.wire.mqtt.topics import ROOT, Channel, keys_topic, slips_topic, venue_statement_topic, venue_vault_topic

CENTRE_ROOT = "twinwall-centre"
"""In the hall: ``orders/<order>`` come from the centre, ``again/<event>/<table>/<channel>`` go to it once more."""


class CentreOrder(StrEnum):
    """What the centre may say to a venue; there is no other topic on which a venue hears it."""

    RESEND = "resend"
    """Send lines of a ledger again."""
    NOTICE = "notice"
    """A sentence for the venue's staff, such as why the venue is refused."""
    SHARE = "share"
    """The centre's vault to the venue's vault: a holder's share of a deal, sealed to it and signed."""
    SLIP = "slip"
    """The centre's vault to the venue's vaults: a released slip, which anybody can check."""


FOR_SERVER = (CentreOrder.RESEND, CentreOrder.NOTICE)
"""What the hall's server alone hears."""
FOR_VAULTS = (CentreOrder.SHARE, CentreOrder.SLIP)
"""What the venue's vaults alone hear."""


def heard_order(order: CentreOrder) -> str:
    """Where the hall's server hears an order, as it is called in the hall."""
    return f"{CENTRE_ROOT}/orders/{order}"


def is_centre_order(topic: str) -> bool:
    """Whether the centre's orders come on this topic."""
    return topic.startswith(f"{CENTRE_ROOT}/orders/")


def again_topic(topic: str) -> str:
    """Where the hall's server sends what was sent on ``topic`` (``twinwall/<event>/…``) to the centre once more."""
    return f"{CENTRE_ROOT}/again/{topic.removeprefix(f'{ROOT}/')}"


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
