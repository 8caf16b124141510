"""Law of orders to a vault: whatever the server orders in whatever order, with kills and repeats between, what is started stays."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.custody.hall import EVENT
from tests.support.custody.ordered import OrderedVaults, part_of, plan_of, session_order, start_order
from tests.support.tiers import examples
from twinwall.game.deals import CommitmentPart, Plan, Start, StartedPlan
from twinwall.wire.messages.vaults.vault_orders import DealsMade, SessionBegun, StartStored

PLANS = (plan_of("server", sessions=1), plan_of("server", sessions=2), plan_of("server", event="Spring"))
VALUES = ("drawn in the room", "chosen")
STEPS = st.one_of(
    st.tuples(st.just("make"), st.integers(0, 2)),
    st.tuples(st.just("start"), st.integers(0, 5)),
    st.tuples(st.just("session"), st.integers(1, 2)),
    st.tuples(st.just("kill"), st.just(0)),
    st.tuples(st.just("unlock"), st.just(0)),
    st.tuples(st.just("repeat"), st.integers(0, 9)),
)


class Run:
    """A vault, what it has answered, and all orders that went to it."""

    def __init__(self, folder: Path) -> None:
        self.hall = OrderedVaults(folder, "server")
        self.parts: dict[Plan, CommitmentPart] = {}
        """The last that was answered of each plan."""
        self.started: dict[str, StartedPlan] = {}
        self.payloads: list[bytes] = []

    def step(self, what: str, number: int) -> None:
        match what:
            case "make":
                made = self.hall.make("server", plan := PLANS[number])
                if isinstance(made, DealsMade):
                    part = part_of(made)
                    kept = self.started.get(plan.event)
                    assert kept is None or (kept.plan == plan and part == self.parts[plan]), "a started event has one plan and one seed"
                    self.parts[plan] = part
            case "start":
                self.fix(PLANS[number // 2], VALUES[number % 2])
            case "session":
                for started in self.started.values():
                    self.payloads.append(self.hall.payload("server", session_order(started, "1", session=number)))
                    if isinstance(self.hall.bring("server", self.payloads[-1]), SessionBegun):
                        assert self.hall.standing("server").start == started.start.code.hex()
            case "kill":
                self.hall.kill("server")
            case "unlock":
                self.hall.unlock("server")
            case _:
                if self.payloads:
                    before = self.hall.standing("server")
                    assert self.hall.bring("server", self.payloads[number % len(self.payloads)]) is None
                    assert self.hall.standing("server") == before, "a repeat changes nothing"

    def fix(self, plan: Plan, public: str) -> None:
        part = self.parts.get(plan)
        if part is None:
            return
        order = start_order(plan, [part], public)
        self.payloads.append(self.hall.payload("server", order))
        if isinstance(self.hall.bring("server", self.payloads[-1]), StartStored):
            started = StartedPlan(plan, Start.from_bytes(order.start.encode()))
            assert self.started.setdefault(plan.event, started) == started, "an event has one start"


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(STEPS, max_size=14))
def test_no_order_kill_or_repeat_changes_a_seed_or_a_start_that_is_kept(steps: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder))
        for what, number in steps:
            run.step(what, number)
            standing = run.hall.standing("server")
            kept = run.started.get(standing.event)
            assert standing.start == ("" if kept is None else kept.start.code.hex())


def test_the_law_is_tried_where_something_is_started() -> None:
    """The steps that lead to a start and back to it."""
    with tempfile.TemporaryDirectory() as folder:
        run = Run(Path(folder))
        for what, number in [("make", 0), ("start", 0), ("kill", 0), ("make", 1), ("start", 1), ("make", 2), ("make", 0), ("unlock", 0)]:
            run.step(what, number)
        run.step("session", 1)
        run.step("repeat", 0)
        assert set(run.started) == {EVENT}
        assert run.hall.standing("server").session == 1
