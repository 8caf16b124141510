"""The bench of the conformance suite, and what a rule of it is. The bench sends questions and operations to one feeder and returns its
answers.

It says how an operation was answered, and joins the three parts of a status. The rules decide whether the answers are right.

A rule has a name, what it says, where PROTOCOL.md says it, and the function that tries it. Rules about moving tiles share the places that
they use, and the sensor edges that they expect.
"""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from firmware_bridge.conformance.bench_line import ANSWER_S, BenchLine, Broken, Hands, HandsAct, NotTriedError, Wanted, Wire
from firmware_bridge.link.events import FeederStatus, StatusParts
from firmware_bridge.messages import (
    Ack,
    Answer,
    Bypass,
    Command,
    DoneReport,
    Message,
    Nak,
    NakCode,
    Release,
    Result,
    Sensors,
    StatusCounters,
    StatusPlaces,
    StatusRequest,
    StatusState,
)
from twinwall.values import frozen

ALLOWANCE_S = 2.0
"""On top of twice the time that ACK promised, before an operation counts as hanging."""
_HANDS_EVERY_S = 0.05


class Bench(BenchLine):
    """A machine that is asked and ordered, and must answer in time."""

    def __init__(self, wire: Wire, hands: Hands | None = None) -> None:
        super().__init__(wire)
        self._hands = hands
        self.prepared = False
        """It has been brought to rest before: only a person who starts the suite clears an emergency stop."""

    @property
    def draws(self) -> tuple[int, int]:
        """Two places behind a draw gate that lie below, so that they may be filled first, in the order in which their tiles leave."""
        first = self.capabilities.hand_places + 1
        return first, first + 2

    @property
    def last_place(self) -> int:
        """The last place of a wall: it lies below or stands alone, so that it may be filled first."""
        return self.capabilities.wall_places - 1

    def ask_hands(self, act: HandsAct, seat: int = 0) -> None:
        """Have something done at the machine, with heartbeats meanwhile; raises NotTriedError when no person stands there."""
        if self._hands is None:
            raise NotTriedError("it needs a person's hands: use --assisted")
        self._hands.begin(act, seat)
        while not self._hands.finished():
            self.pass_time(_HANDS_EVERY_S)

    @contextmanager
    def held(self, act: HandsAct, seat: int = 0) -> Iterator[None]:
        """Have something done at the machine, and undone afterwards by the act that stands behind it."""
        acts = list(HandsAct)
        self.ask_hands(act, seat)
        try:
            yield
        finally:
            self.ask_hands(acts[acts.index(act) + 1], seat)

    def answers(self, operation: int, since: int = 0) -> list[Answer]:
        heard = self.heard[since:]
        return [each.message for each in heard if each.frame.operation == operation and isinstance(each.message, Answer)]

    def ask(self, question: Message, kind: type[Wanted]) -> Wanted:
        mark = self.mark()
        self.send(question)
        return self.wait(kind, since=mark)

    def status(self) -> FeederStatus:
        """Ask for the three parts of a status, and put them together; raises Broken when they do not fit."""
        mark = self.mark()
        self.send(StatusRequest())
        parts = StatusParts()
        parts.take(self.wait(StatusState, since=mark))
        parts.take(self.wait(StatusPlaces, since=mark))
        status = parts.take(self.wait(StatusCounters, since=mark))
        if status is None:
            raise Broken("the three parts of a status have different snapshots")
        return status

    # Ordering -----------------------------------------------------------------------------------------

    def order(self, command: Command, operation: int | None = None) -> int:
        """Send an operation under the next number, or the one given; return the number. Raises NotTriedError for cells where none are."""
        if isinstance(command, Bypass | Release) and not self.capabilities.bypass_cells:
            raise NotTriedError("it takes a bypass cell")
        return self._order(command, operation)

    def _order(self, command: Command, operation: int | None = None) -> int:
        if operation is None:
            operation = self.last_operation + 1
        self.last_operation = max(self.last_operation, operation)
        self.send(command, operation)
        return operation

    def answer(self, operation: int, since: int = 0) -> Answer:
        """The first answer to an operation, of a repeated one since a mark; raises Broken when none comes."""
        if not self.until(lambda: bool(self.answers(operation, since)), ANSWER_S):
            raise Broken(f"operation {operation} was not answered within {ANSWER_S:g} s")
        return self.answers(operation, since)[0]

    def end(self, operation: int, since: int = 0) -> Nak | DoneReport:
        """The last answer to an operation; raises Broken when it does not end in about the time that ACK says."""
        first = self.answer(operation, since)
        if not isinstance(first, Ack):
            return first
        limit_s = 2 * first.expected_ms / 1000 + ALLOWANCE_S

        def ended() -> list[Nak | DoneReport]:
            return [answer for answer in self.answers(operation, since) if not isinstance(answer, Ack)]

        if not self.until(lambda: bool(ended()), limit_s):
            raise Broken(f"operation {operation} did not end within {limit_s:g} s, though ACK promised {first.expected_ms} ms")
        return ended()[0]

    def ended(self, operation: int, result: Result) -> DoneReport:
        """The end of an operation; raises Broken when it is not this result."""
        end = self.end(operation)
        if not isinstance(end, DoneReport) or end.result is not result:
            raise Broken(f"operation {operation} should have ended as {result.name}, and was answered {name_of(end)}")
        return end

    def attempt(self, command: Command) -> Nak | DoneReport:
        return self.end(self.order(command))

    def repeat(self, operation: int, command: Command) -> Nak | DoneReport:
        """Send a command under a number that is not new, and wait for its end, whatever it is."""
        mark = self.mark()
        self.order(command, operation)
        return self.end(operation, mark)

    def do(self, command: Command) -> DoneReport:
        """Order something that must be done; raises Broken when it is refused or fails."""
        return self.must_be_done(command, self.attempt(command))

    def must_be_done(self, command: Command, answer: Nak | DoneReport) -> DoneReport:
        """The answer to something that must be done; raises Broken when it was refused or failed."""
        if isinstance(answer, Nak):
            raise Broken(f"{command} was refused: {answer.code.name}")
        if answer.result is not Result.OK:
            raise Broken(f"{command} ended as {answer.result.name} after {answer.sensors!r}")
        return answer

    def refuse(self, command: Command, code: NakCode) -> None:
        """Order something that must be refused for this reason and move nothing; raises Broken otherwise."""
        before = self.status()
        order = self._order if code is NakCode.NO_SUCH_PLACE else self.order
        answer = self.end(order(command))
        if not isinstance(answer, Nak):
            raise Broken(f"{command} was carried out, but is {code.name}")
        if answer.code is not code:
            raise Broken(f"{command} was refused as {answer.code.name}, but is {code.name}")
        after = self.status()
        if (before.trays, before.magazines, before.bypass) != (after.trays, after.magazines, after.bypass):
            raise Broken(f"{command} was refused, but something has moved")


def name_of(answer: Answer) -> str:
    match answer:
        case Ack(expected_ms):
            return f"ACK ({expected_ms} ms)"
        case Nak(code):
            return f"NAK {code.name}"
        case DoneReport(result, sensors, ms):
            return f"DONE {result.name} with {edges(sensors)} after {ms} ms"


def edges(sensors: Sensors) -> str:
    return ", ".join(bit.name for bit in Sensors if bit in sensors and bit.name) or "no edges"


Trial = Callable[[Bench], str | None]
"""Tries the rule on a machine at rest; returns what was measured, if anything; raises Broken or NotTriedError."""


@frozen
class Rule:
    name: str
    says: str
    """The rule in a sentence."""
    tried: str
    """What is done to see whether it is kept."""
    section: str
    """The heading of PROTOCOL.md under which it stands."""
    trial: Trial
    hands: bool
    """It needs somebody at the machine."""
    slow: bool
    """It takes minutes."""

    @property
    def where(self) -> str:
        return f'PROTOCOL.md, "{self.section}"'


def rule(section: str, *, hands: bool = False, slow: bool = False) -> Callable[[Trial], Rule]:
    """Make a rule of a function: its name, the first paragraph of its docstring, and the second one after "Tried: "."""

    def make(trial: Trial) -> Rule:
        says, _, tried = (inspect.getdoc(trial) or "").partition("\n\n")
        if not tried.startswith("Tried: "):
            raise ValueError(f"{trial.__name__}: the docstring's second paragraph must begin with 'Tried: '")
        return Rule(
            trial.__name__.replace("_", "-"),
            " ".join(says.split()),
            " ".join(tried.removeprefix("Tried: ").split()),
            section,
            trial,
            hands,
            slow,
        )

    return make


def done_with(bench: Bench, command: Command, wanted: Sensors) -> DoneReport:
    """Order something that must end with exactly these edges; raises Broken otherwise."""
    done = bench.do(command)
    if done.sensors != wanted:
        raise Broken(f"{command} ended with {edges(done.sensors)}, not with {edges(wanted)}")
    return done


def second_is_busy(bench: Bench, first: Command, second: Command) -> None:
    """Order two things right behind each other; raises Broken unless the first is done and the second is BUSY."""
    orders = [bench.order(command) for command in (first, second)]
    ended, refused = (bench.end(operation) for operation in orders)
    if refused != Nak(NakCode.BUSY):
        raise Broken(f"{second} right behind {first} was answered {name_of(refused)}")
    if not isinstance(ended, DoneReport):
        raise Broken(f"{first} was answered {name_of(ended)}")


def in_words(trays: tuple[frozenset[int], ...]) -> str:
    """What lies in the trays, seat by seat."""
    return " / ".join(", ".join(map(str, sorted(tray))) or "nothing" for tray in trays)
