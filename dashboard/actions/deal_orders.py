"""What a director orders of the event's deals: the vaults make and commit them, and the public value is fixed.

The passphrase goes straight to the vaults, sealed to each; it is in no page, log or file.
"""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Sequence
from typing import Protocol

from dashboard.actions.event_changes import Answer
from dashboard.custody.hall_vault import HolderProgress
from dashboard.custody.tile_draw import TileReadings
from dashboard.session_control import SessionDeals
from twinwall.event.deal_state import DealState, MadeDeals, RefusedStep
from twinwall.event.management.changes import EventDescribed
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.game.deals import DealError, Plan, TilesError, check_drawn, check_random, one_by_one, tiles_drawn
from twinwall.game.deals.plan import plan_sessions

_LOG = logging.getLogger(__name__)
LONGEST_SOURCE = 200


class DealMaker(SessionDeals, TileReadings, Protocol):
    """The vaults of the hall (``dashboard.custody.deal_making``)."""

    @property
    def state(self) -> DealState:
        """How far the making of the deals is."""
        ...

    @property
    def holders(self) -> tuple[str, ...]:
        """The holders whose vaults the hall has."""
        ...

    @property
    def progress(self) -> Sequence[HolderProgress]:
        """Each holder's vault and how far it is."""
        ...

    def make_deals(self, plan: Plan, passphrase: str, by: str) -> RefusedStep | None:
        """Let every vault make the deals of a plan; raises StoreError when nothing could be kept."""
        ...

    def fix_start(self, public: str, by: str, readings: int | None = None) -> RefusedStep | None:
        """Fix the public value for good, where there are this many ``readings``; raises StoreError when nothing could be kept."""
        ...

    def unlock(self, passphrase: str) -> None:
        """Give the passphrase to each vault that waits for it."""
        ...


def deal_plan(event: str, description: EventDescribed, holders: Sequence[str], source: str) -> Plan:
    """The plan of an event as it is described; raises DealError."""
    return plan_sessions(event, description.rules, sessions=description.sessions, hands=description.hands, holders=holders, public=source)


def make_event_deals(deals: DealMaker, name: str, event: ManagedEvent, *, source: str, passphrase: str, by: str) -> Answer | None:
    """Let the vaults make the deals of an event as it is described; ``source`` says where the public value will come from."""
    if event.description is None:
        return Answer("refusal.not-described")
    source = " ".join(source.split())[:LONGEST_SOURCE]
    try:
        plan = deal_plan(name, event.description, deals.holders, source)
    except DealError as error:
        return Answer("deals.problem.plan", sentence=str(error))
    return refused_order(deals.make_deals(plan, passphrase, by))


def refused_order(refused: RefusedStep | None) -> Answer | None:
    """Why the deals could not take a step; None where they took it."""
    if refused is None:
        return None
    _LOG.info("an order for deals is refused: %s", refused.sentence)
    return Answer(f"deals.problem.{refused.problem.value}", sentence=refused.sentence)


def fix_public(deals: DealMaker, public: str, by: str, readings: int | None) -> Answer | None:
    """Fix the public value; why it is refused, and then nothing was done. Tiles may be typed with any blanks, and in full width."""
    source = deals.state.plan.public if isinstance(deals.state, MadeDeals) else ""
    if tiles_drawn(source):
        public = one_by_one(unicodedata.normalize("NFKC", public))
        try:
            check_drawn(source, public)
            check_random(source, public)
        except TilesError as wrong:
            return Answer(f"deals.problem.tiles.{wrong.why}", wrong.values)
    return refused_order(deals.fix_start(public.strip(), by, readings))
