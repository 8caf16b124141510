"""Plan, start and seeds in the vault's memory, and the opening of each deal made from them.

The root of the seeds is compared with the event's start before any deal is given, so a vault with a wrong seed says so when it
starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from twinwall.game.deals import Commitments, DealError, Plan, Seed, Slip, StartedPlan, commit, make_slip


@dataclass(frozen=True, slots=True)
class DealOpenings:
    """The open vault; ``repr`` shows no seed."""

    started: StartedPlan
    seeds: Mapping[str, Seed] = field(repr=False)
    commitments: Commitments = field(init=False)

    def __post_init__(self) -> None:
        """Refuse seeds that are not those committed; raises DealError."""
        object.__setattr__(self, "commitments", commit(self.plan, self.seeds))
        if self.commitments.root != self.root:
            raise DealError("the seeds do not lead to the root of the event's start: they are another event's")

    @property
    def plan(self) -> Plan:
        """The event's plan."""
        return self.started.plan

    @property
    def root(self) -> bytes:
        """The published root."""
        return self.started.start.root

    def opening(self, n: int) -> Slip:
        """What opens deal ``n``; the same whenever it is asked for."""
        return make_slip(self.plan, self.seeds, n, self.started.start.public, self.commitments)

    def session(self, session: int) -> tuple[int, ...]:
        """The numbers of a session's deals in the order of its hands; raises DealError for a session without any."""
        deals = sorted((deal for deal in self.plan.deals if deal.session == session), key=lambda deal: deal.hand)
        if not deals:
            raise DealError(f"the plan has no session {session}")
        return tuple(deal.n for deal in deals)
