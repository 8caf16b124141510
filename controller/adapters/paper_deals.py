"""Deals of a table without cameras: which one is next, by the plan alone. What opens them never comes here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controller.adapters.deal_folder import due_deals
from twinwall.game.deals import Start, StartedPlan
from twinwall.game.deals.plan import PlannedDeal


@dataclass(frozen=True, slots=True)
class PaperDeals:
    """The deals of one session, in the order of the ``hands``."""

    started: StartedPlan
    session: int
    hands: Sequence[int]

    @property
    def start(self) -> Start:
        """The start under which these deals are played."""
        return self.started.start

    @property
    def awaited(self) -> None:
        """None of these deals has to come from elsewhere."""

    def after(self, done: tuple[int, ...]) -> PlannedDeal | None:
        """The next deal when those of ``done`` (deal numbers) are played or in play; None when no more is to be played."""
        due = next((n for n in due_deals(self.started.plan, self.session, self.hands) if n not in done), None)
        return next((deal for deal in self.started.plan.deals if deal.n == due), None)
