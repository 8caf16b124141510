"""Deals without commitment: walls of other programs, played at a rehearsal. Their root is zero, which no commitment has; their check binds
number and walls only. Everybody with the file knows the walls, so they are public from the start and no slip is released."""

from collections.abc import Sequence
from dataclasses import replace

from twinwall.game.deals.deal import Deal, walls_digest
from twinwall.game.deals.encoding import DealError, Sha256, encode_parts, sha256
from twinwall.game.deals.plan import Plan, PlannedDeal
from twinwall.game.deals.slip import SlipPart, VerificationError, check_planned
from twinwall.game.deals.start import Start, StartedPlan
from twinwall.game.tiles import hand_name

NOT_COMMITTED = Sha256(bytes(32))
"""The root of an uncommitted deal."""
IMPORTED = "imported: nobody committed to this deal"
"""Its public value."""


def imported_check(n: int, digest: bytes) -> Sha256:
    return sha256(encode_parts("twinwall-imported-1", n, digest))


def is_imported(n: int, check: bytes, digest: bytes | None) -> bool:
    """Whether number, check and digest are those of an uncommitted deal."""
    return digest is not None and imported_check(n, digest) == check


def rehearsal_of(event: str, deals: Sequence[Deal]) -> tuple[StartedPlan, tuple[Deal, ...]]:
    """A one-session plan for these walls, with its start, and the deals numbered as in it. Raises DealError for two deals of one hand,
    several rule sets, or a missing hand between two."""
    hands: dict[int, Deal] = {}
    for deal in deals:
        if deal.hand in hands:
            raise DealError(f"two deals are of hand {hand_name(deal.hand)}, and a session has each hand once: leave one of them out")
        if deal.rules != deals[0].rules:
            raise DealError(f"a session has one rule set, and these deals have {deals[0].rules} and {deal.rules}")
        hands[deal.hand] = deal
    missing = next((hand for hand in range(min(hands), max(hands)) if hand not in hands), None)
    if missing is not None:
        raise DealError(f"there are deals before and after hand {hand_name(missing)} and none of it: play these in sessions of their own")
    planned = tuple(PlannedDeal(n, 1, hand, hands[hand].rules) for n, hand in enumerate(sorted(hands), 1))
    plan = Plan(event, ("nobody",), IMPORTED, planned)
    start = Start(plan.digest, NOT_COMMITTED, IMPORTED)
    return StartedPlan(plan, start), tuple(_as_planned(hands[each.hand], each, event) for each in planned)


def _as_planned(deal: Deal, planned: PlannedDeal, event: str) -> Deal:
    check = imported_check(planned.n, deal.digest)
    return replace(deal, n=planned.n, event=event, session=planned.session, check=check, root=NOT_COMMITTED, public=IMPORTED)


def verify_uncommitted(deal: Deal, started: StartedPlan) -> None:
    """A table's check of an uncommitted deal: the walls are those with which the deal file was written. Raises VerificationError for the
    first part that fails."""
    if started.start.root != NOT_COMMITTED or deal.root != NOT_COMMITTED:
        raise VerificationError(deal.n, SlipPart.ROOT, "deal and start are not both without a commitment: leave the other one out")
    check_planned(deal, started.plan)
    if walls_digest(deal.walls, deal.rest) != deal.digest:
        raise VerificationError(deal.n, SlipPart.DIGEST, "the walls do not give the deal's digest")
    if imported_check(deal.n, deal.digest) != deal.check:
        raise VerificationError(deal.n, SlipPart.CHECK, "number and walls do not give the deal's check value")
