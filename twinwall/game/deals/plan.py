"""The plan of an event's deals: which hands under which rules, and who holds the seeds.

The digest P of its bytes goes into every key, so the bytes are canonical JSON; a plan written in other bytes is refused.
Who keeps seeds, and when, is left to custody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from twinwall.game.deals.encoding import DealError, sha256
from twinwall.game.documents import DocumentFields, canonical_json, object_of, parse_object, text_of
from twinwall.game.session import HANDS

PLAN_FORMAT = "twinwall-plan-1"


@dataclass(frozen=True, slots=True)
class PlannedDeal:
    """One line of the plan: deal ``n`` is hand 1 to 16 of a session under a rule set."""

    n: int
    session: int
    hand: int
    rules: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What is promised before any deal exists; ``public`` says where the public value will come from."""

    event: str
    holders: tuple[str, ...]
    public: str
    deals: tuple[PlannedDeal, ...]

    def __post_init__(self) -> None:
        """Refuse a plan that could not be followed."""
        if not self.event.strip():
            raise DealError("the plan's event has no name")
        if not self.holders or not all(holder.strip() for holder in self.holders):
            raise DealError("the plan needs at least one seed holder, each with a name")
        if len(set(self.holders)) != len(self.holders):
            raise DealError("the plan names a seed holder twice")
        if not self.deals:
            raise DealError("the plan has no deals")
        for n, planned in enumerate(self.deals, start=1):
            if planned.n != n:
                raise DealError(f"the plan's deal number {n} is written as {planned.n}: deals are numbered 1, 2, 3 … without gaps")

    @property
    def canonical(self) -> bytes:
        """The plan file's bytes."""
        return canonical_json(
            {
                "format": PLAN_FORMAT,
                "event": self.event,
                "holders": list(self.holders),
                "public": self.public,
                "deals": [{"n": deal.n, "session": deal.session, "hand": deal.hand, "rules": deal.rules} for deal in self.deals],
            }
        )

    @property
    def digest(self) -> bytes:
        """P: the SHA-256 of the plan file's bytes."""
        return sha256(self.canonical)

    def deal(self, n: int) -> PlannedDeal:
        """The planned deal number ``n``, counted from 1."""
        if not 1 <= n <= len(self.deals):
            raise DealError(f"the plan has deals 1 to {len(self.deals)}, not {n}")
        return self.deals[n - 1]

    @classmethod
    def from_bytes(cls, content: bytes) -> Plan:
        """Read a plan file; refuses unknown keys and any spelling but the canonical one."""
        fields = DocumentFields(parse_object(content, "the plan"), "the plan")
        fields.constant("format", PLAN_FORMAT)
        holders = tuple(text_of(holder, fields.label("holders")) for holder in fields.items("holders"))
        deals = tuple(_planned(line, number) for number, line in enumerate(fields.items("deals"), start=1))
        plan = cls(event=fields.words("event"), holders=holders, public=fields.text("public"), deals=deals)
        fields.done()
        if plan.canonical != content:
            raise DealError("the plan is not in canonical form (sorted keys, no spaces, one line feed at the end): its digest would differ")
        return plan


def _planned(line: object, number: int) -> PlannedDeal:
    name = f"deal {number} of the plan"
    fields = DocumentFields(object_of(line, name), name)
    planned = PlannedDeal(
        n=fields.integer("n", 1), session=fields.integer("session", 1), hand=fields.integer("hand", 1, HANDS), rules=fields.words("rules")
    )
    fields.done()
    return planned


def plan_sessions(event: str, rules: str, *, sessions: int, hands: int, holders: Sequence[str], public: str) -> Plan:
    """Plan whole sessions of one rule set, ``n`` counting through them from 1."""
    if sessions < 1:
        raise DealError(f"an event has at least one session, not {sessions}")
    if not 1 <= hands <= HANDS:
        raise DealError(f"a session has 1 to {HANDS} hands, not {hands}")
    deals = tuple(
        PlannedDeal(n=session * hands + hand, session=session + 1, hand=hand, rules=rules)
        for session in range(sessions)
        for hand in range(1, hands + 1)
    )
    return Plan(event=event, holders=tuple(holders), public=public, deals=deals)
