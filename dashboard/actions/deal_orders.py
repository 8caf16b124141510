"""A director's orders about deals: the vaults make and commit them, and the public value is fixed. The passphrase goes straight to the
vaults, sealed to each; no page, log or file has it."""

import logging
import unicodedata
from collections.abc import Sequence

from dashboard.actions.event_changes import Answer
from dashboard.custody.deal_making import DealMaking
from twinwall.event.deal_state import MadeDeals, RefusedStep
from twinwall.event.management.changes import EventDescribed
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.game.deals import DealError, Plan, TilesError, check_drawn, check_random, one_by_one, tiles_drawn
from twinwall.game.deals.plan import plan_sessions

_LOG = logging.getLogger(__name__)
LONGEST_SOURCE = 200
LONGEST_VALUE = 1000
"""Characters of the public value: it is on every print and the tables' screens, and cannot be changed."""


def deal_plan(event: str, description: EventDescribed, holders: Sequence[str], source: str) -> Plan:
    return plan_sessions(event, description.rules, sessions=description.sessions, hands=description.hands, holders=holders, public=source)


def make_event_deals(deals: DealMaking, name: str, event: ManagedEvent, *, source: str, passphrase: str, by: str) -> Answer | None:
    """Order the deals of the described event from the vaults; ``source`` says where the public value will come from."""
    if event.description is None:
        return Answer("refusal.not-described")
    source = " ".join(source.split())[:LONGEST_SOURCE]
    if not source:
        return Answer("deals.problem.source")
    try:
        plan = deal_plan(name, event.description, deals.holders, source)
    except DealError as error:
        return Answer("deals.problem.plan", sentence=str(error))
    return refused_order(deals.make_deals(plan, passphrase, by))


def refused_order(refused: RefusedStep | None) -> Answer | None:
    if refused is None:
        return None
    _LOG.info("an order for deals is refused: %s", refused.sentence)
    return Answer(f"deals.problem.{refused.problem.value}", sentence=refused.sentence)


def fix_public(deals: DealMaking, public: str, by: str, readings: int | None) -> Answer | None:
    """Fix the public value; return why it is refused, or None. Tiles may be typed with any blanks, and in full width."""
    source = deals.state.plan.public if isinstance(deals.state, MadeDeals) else ""
    if tiles_drawn(source):
        public = one_by_one(unicodedata.normalize("NFKC", public))
        try:
            check_drawn(source, public)
            check_random(source, public)
        except TilesError as wrong:
            return Answer(f"deals.problem.tiles.{wrong.why}", wrong.values)
    if len(public) > LONGEST_VALUE:
        return Answer("deals.problem.long", {"count": len(public), "most": LONGEST_VALUE})
    return refused_order(deals.fix_start(public.strip(), by, readings))
