"""Topics in a hall that belong to a centre of many venues: its orders, and what the hall's server sends to it once more."""

from __future__ import annotations

from enum import StrEnum

from twinwall.wire.mqtt.topics import ROOT

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
