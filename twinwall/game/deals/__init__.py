"""The deal protocol ``twinwall-deal-1``: deals are committed before an event and can be checked one by one after it.

Pure: bytes come in, values go out. ``plan`` holds what is promised, ``keys`` what is committed, ``start`` what is fixed with the
public value, ``shuffle`` turns keys into walls, ``deal`` and ``slip`` are what a table and the public are given. Files, custody of
seeds and the moment of release are left to ``twinwall.event.custody``.
"""

from twinwall.game.deals.deal import Deal, deal_check, make_deal
from twinwall.game.deals.encoding import DealError
from twinwall.game.deals.keys import SEED_SIZE, Commitments, Seed, commit
from twinwall.game.deals.plan import Plan, PlannedDeal, plan_sessions
from twinwall.game.deals.shuffle import walls_digest
from twinwall.game.deals.slip import Slip, SlipPart, VerificationError, make_slip, start_of_slip, verify_deal, verify_slip
from twinwall.game.deals.start import Start, StartedPlan, check_public, read_code, start_of_code, words_of_code

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
    "Start",
    "StartedPlan",
    "VerificationError",
    "check_public",
    "commit",
    "deal_check",
    "make_deal",
    "make_slip",
    "plan_sessions",
    "read_code",
    "start_of_code",
    "start_of_slip",
    "verify_deal",
    "verify_slip",
    "walls_digest",
    "words_of_code",
]
