"""``twinwall feeder check``: runs the conformance suite on a machine, rule by rule, and prints the result. Hands for the conformance suite:
a person who is asked in words, or the simulated table."""

import argparse
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Protocol

from cli.feeder import feeder_ports
from cli.usage import JSON, UsageError, answer, argument, takes, tell, wrong_use
from firmware_bridge.conformance import suite
from firmware_bridge.conformance.bench_line import Hands, HandsAct
from firmware_bridge.conformance.preparing import NoMachineError
from firmware_bridge.conformance.rules import GROUPS
from firmware_bridge.conformance.suite import RuleOutcome, RuleVerdict
from firmware_bridge.electrics.wired_machine import Part
from firmware_bridge.electrics.wiring import Input
from firmware_bridge.serial_port import LastingPort
from simulator.mechanics.hands import MachineHands
from simulator.tabletop import PhysicalTile

_SEATS = ("seat 0", "seat 1, to the right of seat 0", "seat 2, opposite seat 0", "seat 3, to the left of seat 0")
_WHOLE_HAND = 40
_PLUGS = {
    "END_SWITCH": Input.HOME,
    "PLACE_FLAG": Input.AT_PLACE,
    "GRIPPER": Input.GRIPPER_UP,
    "DRIVER_LINE": Input.DRIVER_FAULT,
    "DRUM_MONITOR": Input.DRUM_TURNS,
    "DOOR_SWITCH": Input.DOOR_IS_SHUT,
    "HAND_SWITCH": Input.MAGAZINE,
    "LIFT_SWITCH": Input.LIFT_DOWN,
}
"""What is pulled, plugged in, bridged or freed, by its name in the act; at seats, the first one."""


class HandledTable(Protocol):
    """A simulated machine that hands can touch, such as ``FeederSimulator``."""

    def acting(self) -> AbstractContextManager[tuple[MachineHands, float]]:
        """The hands at the machine, and its present time, at which they act."""

    def reboot(self) -> None:
        """Cut the firmware's power and bring it back."""


class SimulatedHands:
    """Does at the simulated table what a person would do at a real one."""

    def __init__(self, table: HandledTable) -> None:
        self._table = table
        self._held: list[PhysicalTile] = []

    def finished(self) -> bool:
        """Always True: nothing here takes time."""
        return True

    def begin(self, act: HandsAct, seat: int) -> None:
        if act is HandsAct.RESTART:
            self._table.reboot()
            return
        with self._table.acting() as (hands, now_s):
            match act:
                case HandsAct.PRESS_ESTOP | HandsAct.RELEASE_ESTOP:
                    hands.set_estop(act is HandsAct.PRESS_ESTOP, now_s)
                case HandsAct.OPEN_LID | HandsAct.CLOSE_LID:
                    hands.set_lid(act is HandsAct.OPEN_LID, now_s)
                case HandsAct.DRAW_BOLT | HandsAct.LET_BOLT_GO:
                    hands.draw_bolt(seat, now_s, drawn=act is HandsAct.DRAW_BOLT)
                case HandsAct.TAKE_HAND:
                    self._held += hands.take_hand_tiles(seat, _WHOLE_HAND, now_s)
                case HandsAct.LIFT_DRAW | HandsAct.LIFT_REAR:
                    lifted = hands.lift_draw(seat, now_s) if act is HandsAct.LIFT_DRAW else hands.lift_at_rear(seat, now_s)
                    self._held += [] if lifted is None else [lifted]
                case HandsAct.PUT_BACK_DRAW:
                    hands.put_back(seat, self._held.pop(), now_s)
                case HandsAct.DROP_INTO_WELL:
                    held, self._held = self._held, []
                    hands.drop_into_well(held, now_s)
                case HandsAct.HOLD_GATE_TILE:
                    hands.hold_gate_tile(now_s)
                case HandsAct.TAKE_GATE_TILE:
                    hands.free((Part.DIVERTER, 0), now_s)
                case HandsAct.BLOCK_DRUM | HandsAct.FREE_DRUM:
                    hands.block_drum(now_s, blocked=act is HandsAct.BLOCK_DRUM)
                case _:
                    verb, _, plug = act.name.partition("_")
                    hands.pull_plug(_PLUGS[plug] + seat, now_s, pulled=verb in ("PULL", "BRIDGE"), reads=verb == "BRIDGE")


class PersonsHands:
    """Asks a person in words; ``ask`` shows a sentence, and returns once it is done; it runs in its own thread."""

    def __init__(self, ask: Callable[[str], None]) -> None:
        self._ask = ask
        self._asking: threading.Thread | None = None

    def begin(self, act: HandsAct, seat: int) -> None:
        self._asking = threading.Thread(target=self._ask, args=(in_words(act, seat),), name="hands", daemon=True)
        self._asking.start()

    def finished(self) -> bool:
        """Whether the person has confirmed it."""
        return self._asking is None or not self._asking.is_alive()


def in_words(act: HandsAct, seat: int) -> str:
    """What a person is asked to do."""
    return act.value.format(seat=_SEATS[seat])


_HEADINGS = {rules[0].name: heading for heading, rules in GROUPS.items()}


@takes(
    *feeder_ports.arguments(optional=True),
    argument("--only", action="append", default=[], metavar="NAME", help="try this rule; may be given several times"),
    argument("--slow", action="store_true", help="try what takes more than an hour, too"),
    argument("--assisted", action="store_true", help="ask for what needs hands: emergency stop, lid, lifting tiles, reset"),
    argument("--list", action="store_true", help="print the rules and try nothing"),
    JSON,
    about="Try every rule of TWF on the feeder at a port. It moves tiles and empties trays and magazines: no hand may be "
    "played at the table meanwhile. Exit 1 when the machine breaks a rule, or stands.",
)
def check_feeder(arguments: argparse.Namespace) -> bool:
    """Run the suite; exit 1 when a rule is broken, the machine stands, or none answers."""
    with wrong_use("feeder check", ValueError):
        rules = suite.select(arguments.only)
    if arguments.list:
        rows = [{"name": rule.name, "says": rule.says, "tried": rule.tried, "hands": rule.hands, "slow": rule.slow} for rule in rules]
        answer({"rules": rows}, "\n".join(f"{rule.name:30}  {rule.says}" for rule in rules), as_json=arguments.json)
        return True
    if arguments.port is None:
        raise UsageError(f'feeder check: name the feeder\'s serial device, or "{feeder_ports.SIMULATOR}"')
    verdicts = []
    with _wire(arguments) as (wire, hands), closing(wire):
        try:
            for verdict in suite.run(wire, rules=rules, hands=hands, slow=arguments.slow):
                verdicts.append(verdict)
                if not arguments.json:
                    _print(verdict)
        except (NoMachineError, OSError) as error:
            tell(f"{arguments.port}{' has gone' if isinstance(error, OSError) else ''}: {error}")
            return False
    return _conclude(verdicts, arguments)


@contextmanager
def _wire(arguments: argparse.Namespace) -> Iterator[tuple[LastingPort, Hands | None]]:
    """The open port and the person at the machine."""
    with feeder_ports.feeder_at(arguments, "feeder check") as (path, simulator):
        wire = LastingPort(path, arguments.baud)
        if simulator is not None:
            yield wire, SimulatedHands(simulator)
        else:
            yield wire, PersonsHands(_ask) if arguments.assisted else None


def _ask(what: str) -> None:
    tell(f"    >>> {what} Then press Enter.")
    sys.stdin.readline()


def _print(verdict: RuleVerdict) -> None:
    """Two lines: the rule with its outcome, and what was tried and seen."""
    rule = verdict.rule
    if rule.name in _HEADINGS:
        print(f"\n{_HEADINGS[rule.name]}")
    print(f"  {verdict.outcome.value:9}  {rule.name:30}  {rule.says}")
    outcome = "BROKEN" if verdict.outcome is RuleOutcome.FAILED else verdict.outcome.value
    seen = f" → {outcome}: {verdict.reason}" if verdict.reason else ""
    print(f"  {verdict.seconds:7.1f} s  {'':30}  {rule.tried}{seen}", flush=True)


def _conclude(verdicts: list[RuleVerdict], arguments: argparse.Namespace) -> bool:
    counts = Counter(verdict.outcome for verdict in verdicts)
    figures = {outcome.value.replace(" ", "_"): counts[outcome] for outcome in RuleOutcome}
    document = {"port": arguments.port, **figures, "rules": [_as_json(verdict) for verdict in verdicts]}
    lines = ["\n" + ", ".join(f"{counts[outcome]} {outcome.value}" for outcome in RuleOutcome)]
    lines += [f"  {each.rule.name} ({each.rule.where}): {each.reason}" for each in verdicts if each.outcome is RuleOutcome.FAILED]
    answer(document, "\n".join(lines), as_json=arguments.json)
    return not counts[RuleOutcome.FAILED] + counts[RuleOutcome.NOT_READY]


def _as_json(verdict: RuleVerdict) -> dict[str, object]:
    return {
        "name": verdict.rule.name,
        "says": verdict.rule.says,
        "tried": verdict.rule.tried,
        "where": verdict.rule.where,
        "outcome": verdict.outcome.value,
        "reason": verdict.reason,
        "seconds": round(verdict.seconds, 3),
    }
