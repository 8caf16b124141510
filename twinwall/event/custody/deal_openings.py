"""Plan, seeds and public value in the vault's memory, and the opening of each deal made from them.

The seeds are compared with their commitments before any deal is given, so a vault with a wrong seed says so when it starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from twinwall.game.deals import Commitments, DealError, Plan, Seed, Slip, commit, make_slip


@dataclass(frozen=True, slots=True)
class DealOpenings:
    """The open vault; ``repr`` shows no seed."""

    plan: Plan
    commitments: Commitments
    public: str
    seeds: Mapping[str, Seed] = field(repr=False)

    def __post_init__(self) -> None:
        """Refuse seeds that are not those committed; raises DealError."""
        if not self.public.strip():
            raise DealError("the public value is empty: give its exact text")
        if commit(self.plan, self.seeds) != self.commitments:
            raise DealError("the seeds are not those of the published commitments, or the plan is another")

    @property
    def root(self) -> bytes:
        """The published root."""
        return self.commitments.root

    def opening(self, n: int) -> Slip:
        """What opens deal ``n``; the same whenever it is asked for."""
        return make_slip(self.plan, self.seeds, n, self.public, self.commitments)

    def session(self, session: int) -> tuple[int, ...]:
        """The numbers of a session's deals in the order of its hands; raises DealError for a session without any."""
        deals = sorted((deal for deal in self.plan.deals if deal.session == session), key=lambda deal: deal.hand)
        if not deals:
            raise DealError(f"the plan has no session {session}")
        return tuple(deal.n for deal in deals)
