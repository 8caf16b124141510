"""The suite passes a good machine, says why it leaves a rule out, and leaves the machine at rest.

In ``make test`` each faulty machine is tried with the rules that it breaks and one in twenty of the others; ``make nightly`` adds the
neighbours of the broken rules, and ``python -m benchmarks.firmware.conformance`` tries each with all.
"""

from collections.abc import Iterable
from dataclasses import replace
from random import Random

import pytest

from cli.feeder.feeder_check import SimulatedHands
from firmware_bridge.conformance import suite
from firmware_bridge.conformance.bench import Bench, Rule
from firmware_bridge.conformance.bench_line import HandsAct
from firmware_bridge.conformance.preparing import NoMachineError, place_one, prepare
from firmware_bridge.conformance.rules import GROUPS, RULES
from firmware_bridge.conformance.suite import RuleOutcome
from firmware_bridge.frames import Decoder, Frame
from firmware_bridge.messages import ALL_SEATS, Container, Dump, FeederState, Recirculate, Renew, Return, decode_message
from simulator.mechanics import MechanicsSettings
from tests.support.conformance.faulty import MUTATIONS, Mutation, failures
from tests.support.conformance.machine import QUICK as QUICK_MACHINE
from tests.support.conformance.machine import Line, MemoryMachine, Tamperer
from tests.support.tiers import TIER, Tier, one_in, some

pytestmark = pytest.mark.slow

QUICK = tuple(rule for rule in RULES if not rule.slow)
BEGUN_S = 50.0
NEAR_THE_WRAP_S = 4285.0
"""Header times wrap ten seconds later."""


def test_the_core_keeps_every_rule_also_while_its_clock_wraps() -> None:
    machine = MemoryMachine(begun_s=NEAR_THE_WRAP_S)
    verdicts = list(suite.run(machine, rules=QUICK, hands=SimulatedHands(machine)))
    assert [(verdict.rule.name, verdict.reason) for verdict in verdicts if verdict.outcome is not RuleOutcome.PASSED] == []
    assert len(verdicts) == len(QUICK)
    assert machine.now_s() > NEAR_THE_WRAP_S + 10


def test_the_rule_that_waits_for_the_wrap_waits_for_it() -> None:
    (verdict,) = suite.run(MemoryMachine(begun_s=NEAR_THE_WRAP_S), rules=suite.select(["frame-time-wraps"]), slow=True)
    assert verdict.outcome is RuleOutcome.PASSED
    assert verdict.seconds > 9


class SlowLine(MemoryMachine):
    """Some RENEW come later than a lease lasts that has a quarter left, or never."""

    def __init__(self, times: int, *, lost: bool) -> None:
        super().__init__()
        self._times, self._lost, self._sent = times, lost, Decoder()

    def write(self, sent: bytes) -> None:
        if self._times and any(isinstance(decode_message(each.type, each.payload), Renew) for each in self._sent.feed(sent)):
            self._times -= 1
            if self._lost:
                return
            self._now_s += 0.2
            self.firmware.handle_timer(self._now_s)
        super().write(sent)


@pytest.mark.parametrize(("lost", "outcome"), [(False, RuleOutcome.PASSED), (True, RuleOutcome.FAILED)])
def test_a_late_computer_does_not_blame_the_machine_for_a_lease_that_has_run_out_and_silence_does(lost: bool, outcome: RuleOutcome) -> None:
    (verdict,) = suite.run(SlowLine(2, lost=lost), rules=suite.select(["renew-prolongs"]))
    assert verdict.outcome is outcome


@pytest.mark.nightly
def test_a_single_row_and_a_machine_of_the_real_pace_keep_them_too() -> None:
    machine = MemoryMachine(machine=MechanicsSettings(speed=1.0, two_high=False))
    verdicts = list(suite.run(machine, hands=SimulatedHands(machine)))
    left_out = {verdict.rule.name: verdict.reason for verdict in verdicts if verdict.outcome is RuleOutcome.LEFT_OUT}
    assert [(verdict.rule.name, verdict.reason) for verdict in verdicts if verdict.outcome is RuleOutcome.FAILED] == []
    assert left_out == {"two-high-covered": "the trays have a single row", "frame-time-wraps": "it takes long: use --slow"}


def test_a_machine_without_bypass_cells_keeps_what_does_not_need_one() -> None:
    machine = MemoryMachine(machine=replace(QUICK_MACHINE, bypass_cells=0))
    verdicts = list(suite.run(machine, rules=QUICK, hands=SimulatedHands(machine)))
    assert [(verdict.rule.name, verdict.reason) for verdict in verdicts if verdict.outcome is RuleOutcome.FAILED] == []
    left_out = {verdict.rule.name for verdict in verdicts if verdict.outcome is RuleOutcome.LEFT_OUT}
    assert {"bypass-and-release", "shuttle-queue"} <= left_out
    assert len(left_out) < 20


def test_without_hands_the_rules_that_need_them_are_left_out_and_no_other() -> None:
    verdicts = list(suite.run(MemoryMachine(), rules=QUICK))
    assert {each.rule.name for each in verdicts if each.outcome is RuleOutcome.LEFT_OUT} == {rule.name for rule in RULES if rule.hands}


def test_the_suite_leaves_trays_magazines_and_cells_empty() -> None:
    machine = MemoryMachine()
    list(suite.run(machine, rules=QUICK))
    left = {place: len(tiles) for place, tiles in machine.mechanics.census().items() if tiles}
    assert left.keys() <= {"drum", "gate", "rejected"}, "what is caught for the gate may stay in its pocket"
    assert (left["rejected"], sum(left.values())) == (1, 136)


def test_after_an_emergency_stop_that_it_has_not_asked_for_the_suite_moves_nothing_until_a_person_starts_it_again() -> None:
    machine = MemoryMachine()
    rules = suite.select(["hello-identity", "tile-at-gate", "place-edges"])
    verdicts = suite.run(machine, rules=rules)
    assert next(verdicts).outcome is RuleOutcome.PASSED
    for pressed in (True, False):
        machine.mechanics.hands.set_estop(pressed, machine.now_s())
        Bench(machine).pass_time(0.1)
    assert [(each.outcome, each.reason) for each in verdicts] == [
        (RuleOutcome.NOT_READY, "the emergency stop was pressed: release it, and start again")
    ] * 2
    assert machine.firmware.state is FeederState.STOPPED
    assert [each.outcome for each in suite.run(machine, rules=rules)] == [RuleOutcome.PASSED] * 3


def test_an_empty_drum_leaves_out_what_needs_tiles() -> None:
    rules = suite.select(["place-edges", "hello-identity"])
    verdicts = {verdict.rule.name: verdict for verdict in suite.run(MemoryMachine(tiles=0), rules=rules)}
    assert verdicts["hello-identity"].outcome is RuleOutcome.PASSED
    assert verdicts["place-edges"].outcome is RuleOutcome.LEFT_OUT
    assert "drum is empty" in verdicts["place-edges"].reason


def test_every_return_ends_though_a_machine_may_be_forty_times_as_fast() -> None:
    machine = MemoryMachine()
    bench = Bench(machine, SimulatedHands(machine))
    prepare(bench)
    for trial in range(40):
        for position in (0, 1):
            place_one(bench, trial % 4, position)
        bench.pass_time(trial % 7 * 0.003)
        bench.do(Return(trial % 4, 1))
        bench.do(Recirculate())
        bench.do(Dump(Container.TRAY, ALL_SEATS))
    assert not machine.mechanics.census()["trays"]


def test_a_rule_that_does_not_exist_is_named() -> None:
    with pytest.raises(ValueError, match="no-such-rule"):
        suite.select(["no-such-rule"])


def test_every_rule_has_a_name_of_its_own_and_says_what_is_tried() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    assert all(rule.says.endswith(".") and rule.tried.endswith(".") for rule in RULES)


class Nobody:
    """A line with nobody at its end, in simulated time."""

    def __init__(self, noise: bytes = b"") -> None:
        self._now_s = 0.0
        self._noise = noise

    def now_s(self) -> float:
        return self._now_s

    def write(self, sent: bytes) -> None:
        """Nobody hears it."""

    def read(self, wait_s: float) -> bytes:
        self._now_s += wait_s
        return self._noise


def test_a_line_with_nobody_at_its_end_is_told_as_that() -> None:
    with pytest.raises(NoMachineError, match="no machine has answered"):
        list(suite.run(Nobody()))
    with pytest.raises(NoMachineError, match="bytes came that are no frames"):
        list(suite.run(Nobody(b"temperature 21.5\r\n")))


def test_a_machine_with_several_gates_is_told_that_the_suite_tries_machines_with_one() -> None:
    machine = MemoryMachine(machine=MechanicsSettings(speed=40.0, gates=2, exchangers=1, pocket_places=2))
    with pytest.raises(NoMachineError, match=r"speaks TWF/4: it has several gates"):
        list(suite.run(machine))


class Restarted(Tamperer):
    """The opening of its port has restarted the board, behind a bootloader that answers nothing for three seconds."""

    def to_machine(self, frame: Frame) -> Iterable[Frame]:
        return (frame,) if self.machine.now_s() > BEGUN_S + 3.0 else ()


def test_a_board_that_the_opening_of_its_port_restarts_is_waited_for() -> None:
    (verdict,) = suite.run(MemoryMachine(Restarted(), begun_s=BEGUN_S), rules=suite.select(["hello-identity"]))
    assert verdict.outcome is RuleOutcome.PASSED


class SlowHands(SimulatedHands):
    """A person who takes three seconds for everything."""

    def __init__(self, machine: MemoryMachine) -> None:
        super().__init__(machine)
        self._machine = machine
        self._done_s = 0.0

    def begin(self, act: HandsAct, seat: int) -> None:
        super().begin(act, seat)
        self._done_s = self._machine.now_s() + 3.0

    def finished(self) -> bool:
        return self._machine.now_s() >= self._done_s


def test_a_person_may_take_time_the_line_is_kept_alive_meanwhile() -> None:
    machine = MemoryMachine()
    rules = tuple(rule for rule in RULES if rule.hands)
    verdicts = list(suite.run(machine, rules=rules, hands=SlowHands(machine)))
    assert [(verdict.rule.name, verdict.reason) for verdict in verdicts if verdict.outcome is not RuleOutcome.PASSED] == []


BY_NAME = {rule.name: rule for rule in RULES if not rule.slow}
ONE_IN = 10 if TIER is Tier.NIGHTLY else 20


def some_rules(index: int, mutation: Mutation) -> tuple[Rule, ...]:
    """The rules that a mutation breaks, in ``make nightly`` those of their groups, and some others."""
    groups = GROUPS.values() if TIER is Tier.NIGHTLY else ()
    near = mutation.breaks | {rule.name for rules in groups if any(rule.name in mutation.breaks for rule in rules) for rule in rules}
    return tuple(rule for number, rule in enumerate(RULES) if rule.name in near or (number + index) % ONE_IN == 0)


TRIED = [(index, mutation) for index, mutation in enumerate(MUTATIONS) if TIER is Tier.NIGHTLY or not mutation.slow]
"""A machine whose fault shows only after an hour of its clock is left to ``make nightly``."""


@pytest.mark.parametrize("line", some([Line, Tamperer, None], 1))
def test_a_machine_of_which_nothing_is_altered_breaks_no_rule(line: type[Tamperer] | None) -> None:
    assert failures(Mutation("nothing", frozenset(), line=line)) == {}


LEFT_BEHIND = [("hand-tiles-told", "drive"), ("hand-tiles-told", "well-counts-tiles")]
"""Each once accused a machine that keeps the rules."""


@pytest.mark.parametrize("names", [*LEFT_BEHIND, *some([tuple(Random(seed).sample(list(BY_NAME), 6)) for seed in range(200)], 4)])
def test_what_one_rule_leaves_behind_breaks_no_other(names: tuple[str, ...]) -> None:
    assert failures(Mutation("nothing", frozenset()), tuple(BY_NAME[name] for name in names)) == {}


@pytest.mark.parametrize(("index", "mutation"), one_in(4, TRIED), ids=lambda case: str(getattr(case, "does", "")).replace(" ", "-"))
def test_a_machine_with_one_fault_fails_exactly_what_it_breaks(index: int, mutation: Mutation) -> None:
    broken = failures(mutation, some_rules(index, mutation))
    assert broken.keys() == mutation.breaks, broken


def test_every_rule_has_a_machine_that_breaks_it() -> None:
    assert {name for mutation in MUTATIONS for name in mutation.breaks} == {rule.name for rule in RULES}
