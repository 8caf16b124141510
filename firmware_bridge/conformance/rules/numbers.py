"""Operation numbers: a repeated one moves nothing, and 64 answers are kept (PROTOCOL.md, rule 1)."""

from firmware_bridge.conformance.bench import Bench, name_of, rule
from firmware_bridge.conformance.bench_line import Broken
from firmware_bridge.conformance.preparing import feed_one
from firmware_bridge.messages import Ack, Bypass, Clear, FaultCode, Hold, Lock, Nak, NakCode, Place, Recirculate, Sense, Stop

_SECTION = "Rules"


@rule(_SECTION)
def repeat_moves_nothing(bench: Bench) -> None:
    """A repeated number gets its own answer again, and moves nothing a second time.

    Tried: a tile sent back to the drum, the next one brought to the gate, and RECIRCULATE again under the first number.
    """
    feed_one(bench)
    operation = bench.order(Recirculate())
    first = bench.end(operation)
    feed_one(bench)
    again = bench.repeat(operation, Recirculate())
    bench.pass_time(bench.capabilities.gate_period_ms / 1000)
    if not bench.status().gate_occupied:
        raise Broken("a repeated RECIRCULATE moved the next tile")
    if again != first:
        raise Broken(f"it was answered {name_of(first)}, and {name_of(again)} when it was repeated")


@rule(_SECTION)
def repeat_while_running(bench: Bench) -> None:
    """A number that is repeated while its operation runs gets ACK again, and the operation ends once.

    Tried: PLACE, three times the same right behind it, and how often the tray was filled.
    """
    feed_one(bench)
    before = bench.status().counters.placed
    place = Place(0, bench.last_place)
    operation = bench.order(place)
    for _ in range(3):
        bench.order(place, operation)
    bench.end(operation)
    bench.pass_time(bench.capabilities.gate_period_ms / 1000)
    answers = bench.answers(operation)
    if sum(isinstance(answer, Ack) for answer in answers) < 4 or any(isinstance(answer, Nak) for answer in answers):
        raise Broken(f"PLACE sent four times was answered {', '.join(map(name_of, answers))}")
    if bench.status().counters.placed != before + 1:
        raise Broken("more than one tile was placed")


@rule(_SECTION)
def refusal_remembered(bench: Bench) -> None:
    """A refusal is kept too: to try again, the host uses a new number.

    Tried: BYPASS with no tile at the gate, and under the same number again when one lies there.
    """
    operation = bench.order(Bypass(0))
    first = bench.end(operation)
    feed_one(bench)
    again = bench.repeat(operation, Bypass(0))
    if not isinstance(first, Nak) or again != first or not bench.status().gate_occupied:
        raise Broken(f"it was answered {name_of(first)}, and {name_of(again)} when it was repeated")


@rule(_SECTION)
def sixty_four_answers(bench: Bench) -> None:
    """The answers to the last 64 operations are kept, no fewer.

    Tried: SENSE, 63 more operations, and SENSE again under its number.
    """
    operation = _row(bench, 63)
    answer = bench.repeat(operation, Sense())
    if isinstance(answer, Nak):
        raise Broken(f"the 64th answer back was gone: {name_of(answer)}")


@rule(_SECTION)
def stale_after_sixty_four(bench: Bench) -> None:
    """A number that is not above the highest seen, and whose answer is no longer kept, is STALE.

    Tried: SENSE, 64 more operations, and SENSE again under its number.
    """
    operation = _row(bench, bench.capabilities.answers_kept)
    answer = bench.repeat(operation, Sense())
    if answer != Nak(NakCode.STALE):
        raise Broken(f"the 65th number back was answered {name_of(answer)}")


@rule(_SECTION)
def stale_when_overtaken(bench: Bench) -> None:
    """Numbers rise: what a STOP has overtaken becomes STALE.

    Tried: STOP under a number that leaves a gap, then SENSE in the gap; then CLEAR.
    """
    gap = bench.last_operation + 1
    bench.end(bench.order(Stop(), gap + 1))
    answer = bench.repeat(gap, Sense())
    bench.do(Clear(FaultCode.STOP))
    if answer != Nak(NakCode.STALE):
        raise Broken(f"the number that was overtaken was answered {name_of(answer)}")


@rule(_SECTION)
def mismatch(bench: Bench) -> None:
    """A number that comes again with another command is MISMATCH, and moves nothing.

    Tried: HOLD, then PLACE under its number with a tile at the gate; HOLD again under its number; LOCK of seat 1 under the
    number of LOCK of seat 0.
    """
    feed_one(bench)
    operation = bench.order(Hold())
    bench.end(operation)
    answer = bench.repeat(operation, Place(0, bench.last_place))
    if answer != Nak(NakCode.MISMATCH) or not bench.status().gate_occupied:
        raise Broken(f"another command under a used number was answered {name_of(answer)}")
    again = bench.repeat(operation, Hold())
    if isinstance(again, Nak):
        raise Broken(f"after that the first command's answer was lost: {name_of(again)}")
    operation = bench.order(Lock(0))
    bench.end(operation)
    other = bench.repeat(operation, Lock(1))
    if other != Nak(NakCode.MISMATCH):
        raise Broken(f"the same command for another seat was answered {name_of(other)}")


@rule(_SECTION)
def last_operation(bench: Bench) -> None:
    """STATUS_STATE names the highest operation number seen.

    Tried: an operation after a gap in the numbers.
    """
    operation = bench.last_operation + 7
    bench.end(bench.order(Sense(), operation))
    seen = bench.status().report.last_operation
    if seen != operation:
        raise Broken(f"after operation {operation} the status says {seen}")


def _row(bench: Bench, further: int) -> int:
    """An operation with a number of others behind it; its number."""
    operation = bench.order(Sense())
    bench.end(operation)
    for _ in range(further):
        bench.do(Sense())
    return operation
