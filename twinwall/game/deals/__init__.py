"""Deals that are committed before an event and checkable one by one after it (``twinwall-deal-1``).

Pure: bytes come in, values go out. ``plan`` says what is promised, ``keys`` what is committed,
``shuffle`` how keys become walls, ``deal`` and ``slip`` what a table and the public are given.
Files, custody of seeds and the moment of release are others' matters.
"""

from twinwall.game.deals.deal import Deal, deal_check, make_deal
from twinwall.game.deals.encoding import DealError
from twinwall.game.deals.keys import SEED_SIZE, Commitments, Seed, commit
from twinwall.game.deals.plan import Plan, PlannedDeal, plan_sessions
from twinwall.game.deals.shuffle import walls_digest
from twinwall.game.deals.slip import Slip, SlipPart, VerificationError, make_slip, verify_deal, verify_slip

__all__ = [
    "SEED_SIZE",
    "Commitments",
    "Deal",
    "DealError",
    "Plan",
    "PlannedDeal",
    "Seed",
    "Slip",
    "SlipPart",
    "VerificationError",
    "commit",
    "deal_check",
    "make_deal",
    "make_slip",
    "plan_sessions",
    "verify_deal",
    "verify_slip",
    "walls_digest",
]
