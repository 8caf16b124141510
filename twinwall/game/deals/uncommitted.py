"""Deals without a commitment: walls of other programs, dealt again at a rehearsal.

Their root is zero, which no commitment can have, and their check binds number and walls alone: it proves nothing of who made them.
Every reader of the file knows the walls, so they are public from the start, and no slip releases them.
"""

from collections.abc import Sequence
from dataclasses import replace

from twinwall.game.deals.deal import Deal
from twinwall.game.deals.encoding import DealError, Sha256, encode_parts, sha256
from twinwall.game.deals.plan import Plan, PlannedDeal
from twinwall.game.deals.shuffle import walls_digest
from twinwall.game.deals.slip import SlipPart, VerificationError, check_planned
from twinwall.game.deals.start import Start, StartedPlan
from twinwall.game.session import hand_name

NOT_COMMITTED = Sha256(bytes(32))
"""The root of a deal that no commitment was made to."""
IMPORTED = "imported: nobody committed to this deal"
"""What stands for its public value."""


def imported_check(n: int, digest: bytes) -> Sha256:
    """What stands for the check of such a deal."""
    return sha256(encode_parts("twinwall-imported-1", n, digest))


def is_imported(n: int, check: bytes, digest: bytes | None) -> bool:
    """Whether a deal, by its number, check and digest, has no commitment."""
    return digest is not None and imported_check(n, digest) == check


def rehearsal_of(event: str, deals: Sequence[Deal]) -> tuple[StartedPlan, tuple[Deal, ...]]:
    """A plan of one session for these walls with its start, and the deals as the plan numbers them.

    Raises DealError where two of them are of one hand, or of several rule sets, or where a hand between two is missing.
    """
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
    """A table's check of a deal under a start without a commitment: the walls are those that the deal file was written with.

    Raises VerificationError naming the first part that fails.
    """
    if started.start.root != NOT_COMMITTED or deal.root != NOT_COMMITTED:
        raise VerificationError(deal.n, SlipPart.ROOT, "deal and start are not both without a commitment: leave the other one out")
    check_planned(deal, started.plan)
    if walls_digest(deal.walls, deal.rest) != deal.digest:
        raise VerificationError(deal.n, SlipPart.DIGEST, "the walls do not give the deal's digest")
    if imported_check(deal.n, deal.digest) != deal.check:
        raise VerificationError(deal.n, SlipPart.CHECK, "number and walls do not give the deal's check value")
