"""Plan, start and one holder's seed in the memory of his vault, and the share of each deal made from them.

The seed is compared with the published commitments, and they with the event's start, before anything is given, so a vault with a
wrong seed, plan or start says so when it starts. Of other holders nothing is here but their commitments.
"""

from twinwall.game.deals import Commitments, DealError, Plan, Seed, Share, StartedPlan, combine_parts, commit_part, make_share, verify_share


class HolderShares:
    """One holder's shares of an event's deals, all of them or those that have come so far."""

    held: frozenset[int] | None = None
    """The deals whose share is here; None where each can be made."""

    def __init__(self, started: StartedPlan, holder: str) -> None:
        self.started, self.holder, self.plan, self.root = started, holder, started.plan, started.start.root

    def share(self, n: int) -> Share:
        """The share of deal ``n``; the same whenever it is asked for. Raises DealError for one that is not here."""
        raise NotImplementedError


class GivenShares(HolderShares):
    """Shares in the memory of a venue's vault, as the centre's vault gives them; no seed is here, and nothing is written."""

    def __init__(self, started: StartedPlan, holder: str) -> None:
        """None has been given yet."""
        super().__init__(started, holder)
        self._given: dict[int, Share] = {}
        self.held: frozenset[int] = frozenset()

    def __repr__(self) -> str:
        return f"GivenShares({self.holder!r}, deals {sorted(self.held)})"

    def add(self, content: bytes) -> int:
        """Take a share that was unsealed; its deal. Raises DealError or DocumentError for one that is not this holder's committed one."""
        share = Share.from_json(content)
        if share.holder != self.holder:
            raise DealError(f"the share of deal {share.n} is of {share.holder!r}, and this is the vault of {self.holder!r}")
        verify_share(self.started, share)
        self._given[share.n] = share
        self.held |= {share.n}
        return share.n

    def share(self, n: int) -> Share:
        """The share of deal ``n``; raises DealError for one that has not been given."""
        if n not in self._given:
            raise DealError(f"the share of deal {n} has not been given to this venue's vault yet")
        return self._given[n]


class KeyShares(HolderShares):
    """One holder's shares, made from the seed in memory; ``repr`` shows no seed."""

    def __init__(self, started: StartedPlan, holder: str, seed: Seed, commitments: Commitments) -> None:
        """``commitments`` are the published ones of all holders. Raises DealError for a seed that is not the one committed, and for
        commitments of another plan or start."""
        super().__init__(started, holder)
        self.seed, self.commitments = seed, commitments
        if commitments.plan_digest != self.plan.digest or commitments.root != self.root:
            raise DealError(
                f"the commitments have the root {commitments.root.hex()}, the event's start {started.start.words} fixed {self.root.hex()}: "
                "name the commitments published with it, and the seed made for this event"
            )
        own, place = commit_part(self.plan, holder, seed), self.plan.holders.index(holder)
        keys = tuple(row[place] for row in commitments.keys)
        if (commitments.seeds.get(holder), keys) != (own.seed, own.keys):
            raise DealError(f"the seed of the holder {holder!r} is not the one committed: open the seed made for this event")

    @classmethod
    def open(cls, started: StartedPlan, holder: str, seed: Seed, published: Commitments | None = None) -> "KeyShares":
        """Open the vault of a holder; a plan with one holder needs no published commitments. Raises DealError."""
        if published is None:
            if len(started.plan.holders) > 1:
                named = ", ".join(started.plan.holders)
                raise DealError(f"the plan has several holders ({named}): name the published commitments in the vault's settings")
            published = combine_parts(started.plan, [commit_part(started.plan, holder, seed)])
        return cls(started, holder, seed, published)

    def share(self, n: int) -> Share:
        """This holder's share of deal ``n``; the same whenever it is asked for."""
        return make_share(self.plan, self.holder, self.seed, n, self.commitments)


def session_deals(plan: Plan, session: int) -> tuple[int, ...]:
    """The numbers of a session's deals in the order of its hands; raises DealError for a session without any."""
    deals = plan.of_session(session)
    if not deals:
        raise DealError(f"the plan has no session {session}")
    return tuple(deal.n for deal in deals)
