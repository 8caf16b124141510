"""The deal protocol ``twinwall-deal-1``: deals are committed before an event and can be checked one by one after it. No I/O. ``plan`` lists
the deals, ``keys`` makes keys and commitments, ``start`` fixes the public value, ``deal`` makes and checks walls,
``slip`` opens them. ``twinwall.custody`` keeps files and seeds and decides when to release."""

from twinwall.game.deals.deal import Deal, deal_check, make_deal, walls_digest
from twinwall.game.deals.encoding import DealError
from twinwall.game.deals.keys import SEED_SIZE, CommitmentPart, Commitments, Seed, combine_parts, commit, commit_part
from twinwall.game.deals.plan import FieldTerms, Plan, PlannedDeal, ReleaseRule, SessionTimes, plan_sessions, write_instant
from twinwall.game.deals.sheet import BuildingSheet, building_sheets, cover_code, named_deal, sheet_difference
from twinwall.game.deals.slip import (
    GatheredShares,
    Share,
    Slip,
    SlipPart,
    VerificationError,
    combine_shares,
    make_share,
    make_slip,
    shares_of_slip,
    start_of_slip,
    verify_deal,
    verify_share,
    verify_slip,
)
from twinwall.game.deals.start import (
    Start,
    StartedPlan,
    TilesError,
    check_drawn,
    check_public,
    check_random,
    check_source,
    one_by_one,
    read_code,
    start_of_code,
    tiles_drawn,
    words_of_code,
)
