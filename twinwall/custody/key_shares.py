"""One holder's shares of deals in his vault's memory, made from his seed or received. The seed is compared with the published commitments,
and they with the event's start, before anything is given, so a wrong seed, plan or start is reported at start-up. Nothing of other holders
is here but their commitments."""

from twinwall.game.deals import Commitments, DealError, Plan, Seed, Share, StartedPlan, combine_parts, commit_part, make_share, verify_share


class HolderShares:
    """One holder's shares of an event's deals: all, or those received so far."""

    held: frozenset[int] | None = None
    """Deals with a share here; None if all can be made."""

    def __init__(self, started: StartedPlan, holder: str) -> None:
        self.started, self.holder, self.plan, self.root = started, holder, started.plan, started.start.root

    def share(self, n: int) -> Share:
        """The share of deal ``n``, always the same; raises DealError if it is not here."""
        raise NotImplementedError


class GivenShares(HolderShares):
    """A venue vault's shares in memory, received from the centre's vault; no seed is here, and nothing is written."""

    def __init__(self, started: StartedPlan, holder: str) -> None:
        super().__init__(started, holder)
        self._given: dict[int, Share] = {}
        self.held: frozenset[int] = frozenset()

    def __repr__(self) -> str:
        return f"GivenShares({self.holder!r}, deals {sorted(self.held)})"

    def add(self, content: bytes) -> int:
        """Take an unsealed share and return its deal; raises DealError or DocumentError unless it is this holder's committed one."""
        share = Share.from_json(content)
        if share.holder != self.holder:
            raise DealError(f"the share of deal {share.n} is of {share.holder!r}, and this is the vault of {self.holder!r}")
        verify_share(self.started, share)
        self._given[share.n] = share
        self.held |= {share.n}
        return share.n

    def share(self, n: int) -> Share:
        if n not in self._given:
            raise DealError(f"the share of deal {n} has not been given to this venue's vault yet")
        return self._given[n]


class KeyShares(HolderShares):
    """One holder's shares, made from the seed in memory; ``repr`` omits it."""

    def __init__(self, started: StartedPlan, holder: str, seed: Seed, commitments: Commitments) -> None:
        """``commitments`` are all holders' published ones. Raises DealError for a seed that is not committed, or commitments of another
        plan or start."""
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
        """The shares of a holder; a plan with one holder needs no published commitments. Raises DealError."""
        if published is None:
            if len(started.plan.holders) > 1:
                named = ", ".join(started.plan.holders)
                raise DealError(f"the plan has several holders ({named}): name the published commitments in the vault's settings")
            published = combine_parts(started.plan, [commit_part(started.plan, holder, seed)])
        return cls(started, holder, seed, published)

    def share(self, n: int) -> Share:
        return make_share(self.plan, self.holder, self.seed, n, self.commitments)


def session_deals(plan: Plan, session: int) -> tuple[int, ...]:
    """A session's deals in the order of its hands; raises DealError if there are none."""
    deals = plan.of_session(session)
    if not deals:
        raise DealError(f"the plan has no session {session}")
    return tuple(deal.n for deal in deals)
