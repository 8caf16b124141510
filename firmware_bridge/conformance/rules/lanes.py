"""Several tiles on their way at once: queues, bypass cells and returns (PROTOCOL.md, "Codes" and below)."""

from firmware_bridge.conformance.bench import Bench, done_with, in_words, name_of, rule, second_is_busy
from firmware_bridge.conformance.bench_line import ANSWER_S, Broken, NotTriedError
from firmware_bridge.conformance.preparing import feed_one, place_one
from firmware_bridge.messages import (
    RELEASE_EDGES,
    Ack,
    Bypass,
    DoneReport,
    Feed,
    Hold,
    Nak,
    NakCode,
    Place,
    Recirculate,
    Release,
    Return,
    Sensors,
    TileAtGate,
)

_CODES = "Codes"
_EVENTS = "Messages, firmware to host"


@rule(_CODES)
def queued_counts_as_filled(bench: Bench) -> None:
    """A position that a queued operation is about to fill counts as filled.

    Tried: two tiles out of cells for a pair of places, the upper right behind the lower; a third for the lower one.
    """
    upper = bench.capabilities.hand_places
    lower = bench.capabilities.support_below(upper) or upper + 1
    _fill_cells(bench, 3)
    numbers = [bench.order(Release(cell, 0, position)) for cell, position in ((0, lower), (1, upper), (2, lower))]
    first, second, third = map(bench.end, numbers)
    if not isinstance(first, DoneReport) or not isinstance(second, DoneReport):
        raise Broken(f"a pair ordered at once was answered {name_of(first)} and {name_of(second)}")
    if third != Nak(NakCode.OCCUPIED):
        raise Broken(f"a second tile for a queued position was answered {name_of(third)}")


@rule(_CODES)
def gate_takes_one_command(bench: Bench) -> None:
    """The gate takes one command; another one before the tile has left is BUSY.

    Tried: PLACE and RECIRCULATE right behind each other.
    """
    feed_one(bench)
    second_is_busy(bench, Place(0, bench.last_place), Recirculate())


@rule(_CODES)
def shuttle_queue(bench: Bench) -> None:
    """A shuttle takes as many tiles as CAPS says besides the one that it carries; one more is BUSY.

    Tried: tiles out of cells, all for one seat, in one go.
    """
    room = bench.capabilities.shuttle_queue + 1
    if bench.capabilities.bypass_cells <= room:
        raise NotTriedError(f"it takes {room + 1} cells to fill a shuttle's queue at once")
    _fill_cells(bench, room + 1)
    numbers = [bench.order(Release(cell, 1, cell)) for cell in range(room + 1)]
    *taken, last = map(bench.end, numbers)
    if not all(isinstance(answer, DoneReport) for answer in taken):
        raise Broken(f"a tile that has room was answered {', '.join(map(name_of, taken))}")
    if last != Nak(NakCode.BUSY):
        raise Broken(f"the tile without room was answered {name_of(last)}")


@rule(_CODES)
def bypass_and_release(bench: Bench) -> None:
    """BYPASS and RELEASE are done with exactly their edges, and the cell's sensor follows.

    Tried: a tile into the last cell, and from there into a tray.
    """
    cell = bench.capabilities.bypass_cells - 1
    feed_one(bench)
    done_with(bench, Bypass(cell), Sensors.GATE_LEFT | Sensors.CELL_IN)
    if bench.status().bypass != {cell}:
        raise Broken(f"after BYPASS({cell}) the cells {sorted(bench.status().bypass)} hold tiles")
    done_with(bench, Release(cell, 2, 5), RELEASE_EDGES)
    status = bench.status()
    if status.bypass or status.trays[2] != {5}:
        raise Broken(f"after RELEASE the cells hold {sorted(status.bypass)}, the trays {in_words(status.trays)}")


@rule(_CODES)
def cell_judged_as_it_will_be(bench: Bench) -> None:
    """A bypass cell is judged as it will be when the commands before have been done.

    Tried: RELEASE of a full cell, and BYPASS into it right behind.
    """
    feed_one(bench)
    bench.do(Bypass(0))
    feed_one(bench)
    for number in (bench.order(Release(0, 0, 0)), bench.order(Bypass(0))):
        answer = bench.end(number)
        if not isinstance(answer, DoneReport):
            raise Broken(f"operation {number} was answered {name_of(answer)}")
    if bench.status().bypass != {0}:
        raise Broken("the cell is not filled again")


@rule(_CODES)
def returned(bench: Bench) -> None:
    """RETURN brings a tile back to the gate under its own operation, with exactly its edges.

    Tried: a placed tile returned; TILE_AT_GATE, DONE and occupancy.
    """
    place_one(bench, 3, bench.last_place)
    mark = bench.mark()
    operation = bench.last_operation + 1
    done_with(bench, Return(3, bench.last_place), Sensors.PICKED | Sensors.GATE_ENTERED)
    tile = bench.wait(TileAtGate, since=mark)
    if tile.operation != operation:
        raise Broken(f"the tile that RETURN {operation} brought was reported under operation {tile.operation}")
    status = bench.status()
    if any(status.trays) or not status.gate_occupied:
        raise Broken("the tile is not where RETURN brings it")


@rule(_CODES)
def one_return(bench: Bench) -> None:
    """The whole table takes one RETURN; another one is BUSY.

    Tried: RETURN from two seats right behind each other.
    """
    for seat in (0, 1):
        place_one(bench, seat, bench.last_place)
    second_is_busy(bench, Return(0, bench.last_place), Return(1, bench.last_place))


@rule(_CODES)
def returned_goes_first(bench: Bench) -> None:
    """A returned tile enters the gate before any tile from the drum, once the gate is empty.

    Tried: RETURN while FEED runs and a tile lies at the gate, which then goes back to the drum; RETURN while each that comes does.
    """
    place_one(bench, 0, bench.last_place)
    feed_one(bench)
    bench.do(Feed())
    mark = bench.mark()
    operation = bench.order(Return(0, bench.last_place))
    first = bench.answer(operation)
    if not isinstance(first, Ack):
        raise Broken(f"RETURN was answered {name_of(first)}")
    bench.pass_time(2 * first.expected_ms / 1000 + ANSWER_S)
    bench.do(Recirculate())
    tile = bench.wait(TileAtGate, 10.0, since=mark)
    bench.do(Hold())
    if tile.operation != operation:
        raise Broken("a tile from the drum came before the returned one")
    bench.end(operation)
    bench.do(Place(0, bench.last_place))
    mark = bench.mark()
    bench.do(Feed())
    operation = bench.order(Return(0, bench.last_place))
    while bench.wait(TileAtGate, 10.0, since=mark).operation != operation:
        mark = bench.mark()
        bench.do(Recirculate())
    bench.do(Hold())


def _fill_cells(bench: Bench, count: int) -> None:
    if bench.capabilities.bypass_cells < count:
        raise NotTriedError(f"it takes {count} bypass cells")
    for cell in range(count):
        feed_one(bench)
        bench.do(Bypass(cell))
