"""How a vault answers the server's orders, decided without files, network or seed. The server's key may ask for deals of a new plan, bring
the start and name a session's tables. It may not change what was committed or started, replace a session while a table of it plays, or let
other tables play deals that were played. ``twinwall.custody.ordered_vault`` reads orders and carries these decisions out."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from twinwall.custody.table_rules import CustodyPlan
from twinwall.game.deals import CommitmentPart, Commitments, DealError, Plan, Start, StartedPlan, check_drawn, check_source
from twinwall.game.documents import DocumentError
from twinwall.values import frozen
from twinwall.wire.messages.signing import vault_names
from twinwall.wire.messages.vaults.vault_orders import BeginSession, FixStart, MakeDeals, VaultRefusal

SEED = "holder.seed"
MOST_TRIES = 5
"""Wrong passphrases in a row before a pause."""
TRY_AGAIN_AFTER_S = 600.0


@frozen
class RefusedOrder:
    """An order without effect, and why."""

    reason: VaultRefusal
    sentence: str


@frozen
class CommittedEvent:
    """An event for which this holder has committed to all deals: its plan, his part of the commitments, its folder, and its start."""

    plan: Plan
    part: CommitmentPart
    folder: Path
    commitments: Commitments | None = None
    started: StartedPlan | None = None
    """The plan with its start; None before."""

    @property
    def start(self) -> Start | None:
        return None if self.started is None else self.started.start

    @property
    def seed_file(self) -> Path:
        return self.folder / SEED


def plan_of(order: MakeDeals) -> Plan | RefusedOrder:
    try:
        plan = Plan.from_bytes(order.plan.encode())
        check_source(plan.public)
    except DocumentError as error:
        return RefusedOrder(VaultRefusal.PLAN, f"the plan cannot be followed: {error}")
    return plan


def deals_problem(holder: str, own: str, known: CommittedEvent | None, plan: Plan) -> RefusedOrder | None:
    """Why a holder's vault makes no deals of a plan. Its account ``own`` shows whether the holder is the plan's first; ``known`` is the
    committed event of this name."""
    account = vault_names(plan.holders).get(holder)
    if account is None:
        return RefusedOrder(VaultRefusal.PLAN, f"the plan's holders are {', '.join(plan.holders)}; this is the vault of {holder!r}")
    if account != own:
        return RefusedOrder(
            VaultRefusal.PLAN,
            f"in this plan the vault of {holder!r} has the account {account!r}, and this one has {own!r}: "
            "name the holders in the order of their accounts, the one with 'vault' first",
        )
    if known is not None and known.start is not None and known.plan != plan:
        return RefusedOrder(
            VaultRefusal.STARTED,
            f"the event {plan.event!r} has the start {known.start.words} under another plan, and keeps it: give the new event another name",
        )
    return None


def decide_start(holder: str, known: CommittedEvent | None, order: FixStart) -> CommittedEvent | RefusedOrder:
    """The event with its start, also if it was kept already."""
    if known is None:
        return RefusedOrder(VaultRefusal.NO_DEALS, f"the vault of {holder!r} has made no deals: make them before the start")
    try:
        commitments = Commitments.from_json(order.commitments)
        start = Start.from_bytes(order.start.encode())
    except DocumentError as error:
        return RefusedOrder(VaultRefusal.OTHER_COMMITMENTS, f"commitments and start cannot be read: {error}")
    problem = _start_problem(holder, known, commitments, start)
    return replace(known, commitments=commitments, started=StartedPlan(known.plan, start)) if problem is None else problem


def _start_problem(holder: str, known: CommittedEvent, commitments: Commitments, start: Start) -> RefusedOrder | None:
    plan, part = known.plan, known.part
    if start.plan != plan.digest or commitments.plan_digest != plan.digest:
        return RefusedOrder(
            VaultRefusal.OTHER_PLAN, f"the start is of the plan {start.plan.hex()}, the vault has committed to the plan {plan.digest.hex()}"
        )
    if known.start is not None and known.start != start:
        return RefusedOrder(
            VaultRefusal.OTHER_START,
            f"the event has the start {known.start.words} with the public value {known.start.public!r}, and keeps it: "
            f"{start.words} with {start.public!r} is another",
        )
    place = plan.holders.index(holder)
    column = tuple(row[place] for row in commitments.keys)
    if set(commitments.seeds) != set(plan.holders) or (commitments.seeds[holder], column) != (part.seed, part.keys):
        return RefusedOrder(VaultRefusal.OTHER_COMMITMENTS, f"what {holder!r} committed to is not in the commitments of the start")
    if commitments.root != start.root:
        return RefusedOrder(VaultRefusal.OTHER_COMMITMENTS, "the start's root is not the root of the commitments")
    try:
        check_drawn(plan.public, start.public)
    except DealError as error:
        return RefusedOrder(VaultRefusal.PUBLIC, str(error))
    return None


def decide_session(
    known: CommittedEvent | None,
    order: BeginSession,
    *,
    last: BeginSession | None,
    played: BeginSession | None,
    in_play: Collection[str],
    is_open: bool,
    new_keys_ask: bool,
) -> CustodyPlan | RefusedOrder:
    """What the session's tables may be given; an order equal to the ``last`` is accepted again. ``played`` is the last order of this
    session if a deal of it was played, ``in_play`` are the tables that play now."""
    started = None if known is None else known.started
    if started is None:
        return RefusedOrder(VaultRefusal.NO_START, "the event has no start yet: fix it before a session begins")
    if order.start != started.start.code.hex():
        return RefusedOrder(VaultRefusal.OTHER_START, f"the order is for another start than {started.start.words}, which this vault keeps")
    if not is_open:
        return RefusedOrder(VaultRefusal.LOCKED, "the vault was started and its seed is not open: give the passphrase first")
    custody = session_custody(started.plan, order, new_keys_ask=new_keys_ask)
    if isinstance(custody, RefusedOrder) or order == last:
        return custody
    if in_play:
        return RefusedOrder(
            VaultRefusal.IN_PLAY, f"table {', '.join(in_play)} plays a deal: let it finish, or withdraw it, before another session"
        )
    if played is not None and played != order:
        return RefusedOrder(
            VaultRefusal.SESSION_PLAYED,
            f"deals of session {order.session} were played by {', '.join(table.name for table in played.tables)}: "
            "its tables, groups and spread stay as they were",
        )
    return custody


def session_custody(plan: Plan, order: BeginSession, *, new_keys_ask: bool) -> CustodyPlan | RefusedOrder:
    names = [table.name for table in order.tables]
    deals = plan.of_session(order.session)
    if not deals:
        return RefusedOrder(VaultRefusal.SESSION, f"the plan has no session {order.session}")
    if sorted(names) != sorted(table for group in order.groups for table in group) or not all(order.groups):
        return RefusedOrder(VaultRefusal.SESSION, "each table of the session stands in one group, and each group has tables of the session")
    of_hand = {deal.hand: deal.n for deal in deals}
    begins = {table.name: of_hand.get(table.begins, 0) for table in order.tables if table.begins}
    paper = frozenset(table.name for table in order.tables if table.paper)
    try:
        return CustodyPlan(tuple(deal.n for deal in deals), order.groups, order.spread, new_keys_ask, begins, paper)
    except ValueError as error:
        return RefusedOrder(VaultRefusal.SESSION, str(error))
