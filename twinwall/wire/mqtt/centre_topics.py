"""A hall's topics for the centre of many venues, and the rights of a venue's gateway at the hall's broker. ``centre.deploy.gateway_conf``
writes the gateway's own configuration."""

from collections.abc import Sequence
from enum import StrEnum

from twinwall.wire.mqtt.access import SERVER_USER, VAULT_USER, Access, Right
from twinwall.wire.mqtt.topics import ROOT, Channel, keys_topic, slips_topic, venue_statement_topic, venue_vault_topic

CENTRE_ROOT = "twinwall-centre"
"""The centre's orders arrive on ``orders/<order>``; ``again/<event>/<table>/<channel>`` goes to it again."""


class CentreOrder(StrEnum):
    """All that the centre can send to a venue."""

    RESEND = "resend"
    """Send lines of a ledger again."""
    NOTICE = "notice"
    """A sentence for the venue's staff, such as why the venue is refused."""
    SHARE = "share"
    """From the centre's vault to the venue's vault: a holder's share of a deal, sealed and signed."""
    SLIP = "slip"
    """From the centre's vault to the venue's vaults: a released slip, which anybody can check."""


FOR_SERVER = (CentreOrder.RESEND, CentreOrder.NOTICE)
"""Only the hall's server reads these."""
FOR_VAULTS = (CentreOrder.SHARE, CentreOrder.SLIP)
"""Only the venue's vaults read these."""


def heard_order(order: CentreOrder) -> str:
    """The hall's topic for an order."""
    return f"{CENTRE_ROOT}/orders/{order}"


def is_centre_order(topic: str) -> bool:
    return topic.startswith(f"{CENTRE_ROOT}/orders/")


def repeat_topic(topic: str) -> str:
    """The hall's topic that sends what was sent on ``topic`` (``twinwall/<event>/…``) to the centre again."""
    return f"{CENTRE_ROOT}/again/{topic.removeprefix(f'{ROOT}/')}"


GATEWAY_USER = "gateway"
"""The gateway's account at the hall's broker."""
PASSED_ON = (Channel.EVENTS, Channel.HEAD)
"""A table's channels that the centre gets, besides heartbeats (``HEALTH``). The public ledger has nothing more; custody, deals, questions
with pictures and commands stay in the venue."""
OF_EVENT = tuple(each(None).removeprefix(f"{ROOT}/+/") for each in (keys_topic, slips_topic, venue_statement_topic))
"""What the centre gets of an event: boot signing keys, released slips, and the venue's statement."""
AT_ONCE = (f"+/+/{Channel.HEALTH}", venue_vault_topic(None).removeprefix(f"{ROOT}/"))
"""Not queued for a centre that is away, because only current ones matter: heartbeats, and reports of the venue's vaults."""


def held() -> tuple[str, ...]:
    """The topics that are queued for the centre, without their first level."""
    return (*(f"+/+/{channel}" for channel in PASSED_ON), *(f"+/{each}" for each in OF_EVENT))


def gateway_rights(vaults: Sequence[str] = (VAULT_USER,)) -> tuple[Right, ...]:
    """The additional rights at the broker of a hall with a centre: the gateway's, and the server's and vaults' towards it."""
    passed = [f"{ROOT}/{each}" for each in (*held(), *AT_ONCE)]
    again = [repeat_topic(f"{ROOT}/{each}") for each in held()]
    orders = [heard_order(order) for order in CentreOrder]
    return (
        *(Right(SERVER_USER, Access.READ, heard_order(order)) for order in FOR_SERVER),
        *(Right(vault, Access.READ, heard_order(order)) for vault in vaults for order in FOR_VAULTS),
        *(Right(vault, Access.WRITE, venue_vault_topic(None)) for vault in vaults),
        *(Right(SERVER_USER, Access.WRITE, each) for each in (*again, venue_statement_topic(None))),
        *(Right(GATEWAY_USER, Access.READ, each) for each in (*passed, *again)),
        *(Right(GATEWAY_USER, Access.WRITE, each) for each in orders),
    )
