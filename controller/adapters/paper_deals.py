"""Deals of a table without cameras: which one is next, by the plan alone. What opens them never comes here."""

from controller.adapters.deal_folder import TableDeals
from twinwall.game.deals.plan import PlannedDeal


class PaperDeals(TableDeals):
    """They stand on printed sheets; of each its line of the plan is enough."""

    __slots__ = ()

    def after(self, done: tuple[int, ...]) -> PlannedDeal | None:
        """The next deal when those of ``done`` (deal numbers) are played or in play; None when no more is to be played."""
        due = self.next_due(done)
        return next((deal for deal in self.started.plan.deals if deal.n == due), None)
