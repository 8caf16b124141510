"""From the gate to trays, cells, drum and reject cell: edges, occupancy and refusals (PROTOCOL.md, "Codes" and below)."""

from __future__ import annotations

from firmware_bridge.conformance.bench import ANSWER_S, Bench, Broken, LeftOut, edges, name_of
from firmware_bridge.conformance.preparing import feed_one
from firmware_bridge.conformance.rule import rule
from firmware_bridge.messages import (
    PLACE_EDGES,
    RELEASE_EDGES,
    Ack,
    Bypass,
    Command,
    DoneReport,
    Feed,
    Hold,
    Nak,
    NakCode,
    Place,
    Recirculate,
    Reject,
    Release,
    Result,
    Return,
    Sensors,
    TileAtGate,
)

_CODES = "Codes"
_EVENTS = "Messages, firmware to host"


def last_place(bench: Bench) -> int:
    """The last place of a wall: it lies below or stands alone, so that it may be filled first."""
    return bench.capabilities.wall_places - 1


def _done_with(bench: Bench, command: Command, wanted: Sensors) -> DoneReport:
    done = bench.do(command)
    if done.sensors != wanted:
        raise Broken(f"{command} ended with {edges(done.sensors)}, not with {edges(wanted)}")
    return done


@rule(_EVENTS)
def tile_at_gate(bench: Bench) -> str:
    """FEED brings tiles, each told once it lies still, with its width, its leading edges and operation 0.

    Tried: FEED until a tile comes.
    """
    tile = feed_one(bench)
    if tile.operation != 0 or tile.edges < 1 or not 100 <= tile.width <= 600:
        raise Broken(f"this is no tile from the drum: {tile}")
    if not bench.status().gate_occupied:
        raise Broken("a tile was told, but GATE_OCCUPIED is not set")
    return f"{tile.width / 10:g} mm wide, back {tile.back}"


@rule(_EVENTS)
def hold_feeds_no_further(bench: Bench) -> None:
    """After HOLD no further tile is brought.

    Tried: HOLD with a tile at the gate, which goes back to the drum; then four gate periods.
    """
    feed_one(bench)
    bench.do(Recirculate())
    mark = bench.mark()
    bench.pass_time(4 * bench.capabilities.gate_period_ms / 1000 + 0.2)
    if bench.messages(TileAtGate, mark):
        raise Broken("a tile came after HOLD")


@rule(_CODES)
def place_edges(bench: Bench) -> str:
    """PLACE is acknowledged, and done with exactly the four edges that make a position trusted.

    Tried: a tile placed; ACK, DONE, occupancy and the counter.
    """
    feed_one(bench)
    before, mark = bench.status(), bench.mark()
    operation = bench.order(Place(0, last_place(bench)))
    answer = bench.end(operation, mark)
    if not isinstance(bench.answers(operation, mark)[0], Ack):
        raise Broken("PLACE was not acknowledged before it was done")
    if answer != DoneReport(Result.OK, PLACE_EDGES, getattr(answer, "ms", 0)):
        raise Broken(f"PLACE was answered {name_of(answer)}")
    after = bench.status()
    if after.trays != (frozenset({last_place(bench)}), *before.trays[1:]):
        raise Broken(f"after PLACE(0, {last_place(bench)}) the trays hold {_places(after.trays)}")
    if after.counters.placed != before.counters.placed + 1 or after.gate_occupied:
        raise Broken("the tile is counted otherwise than once, or still at the gate")
    return f"{answer.ms} ms"


@rule(_CODES)
def every_seat(bench: Bench) -> None:
    """Each seat's tray can be reached, in its first and its last place.

    Tried: the first hand place and the last wall place of the four seats.
    """
    for seat in range(4):
        for position in (0, last_place(bench)):
            feed_one(bench)
            bench.do(Place(seat, position))
    trays = bench.status().trays
    if trays != (frozenset({0, last_place(bench)}),) * 4:
        raise Broken(f"the trays hold {_places(trays)}")


@rule(_CODES)
def no_tile(bench: Bench) -> None:
    """What concerns the gate's tile is NO_TILE when none lies there.

    Tried: PLACE, BYPASS, RECIRCULATE and REJECT with an empty gate.
    """
    for command in (Place(0, last_place(bench)), Bypass(0), Recirculate(), Reject()):
        bench.refuse(command, NakCode.NO_TILE)


@rule(_CODES)
def no_such_place(bench: Bench) -> None:
    """A seat, position or cell that the machine has not is NO_SUCH_PLACE.

    Tried: PLACE, BYPASS, RELEASE, RETURN and DUMP one beyond the last, and at 254, with a tile at the gate and one in a cell.
    """
    has = bench.capabilities
    feed_one(bench)
    bench.do(Bypass(0))
    feed_one(bench)
    for seat, position, cell in ((has.seats, 0, has.bypass_cells), (0, has.tray_places, 254), (254, 254, has.bypass_cells)):
        for command in (Place(seat, position), Bypass(cell), Release(0, seat, position), Return(seat, position)):
            bench.refuse(command, NakCode.NO_SUCH_PLACE)
        bench.refuse(Release(cell, 0, 0), NakCode.NO_SUCH_PLACE)


@rule(_CODES)
def occupied(bench: Bench) -> None:
    """A place that is filled is OCCUPIED.

    Tried: a second tile for a filled position, and for a filled cell.
    """
    feed_one(bench)
    bench.do(Place(0, last_place(bench)))
    feed_one(bench)
    bench.refuse(Place(0, last_place(bench)), NakCode.OCCUPIED)
    bench.do(Bypass(0))
    feed_one(bench)
    bench.refuse(Bypass(0), NakCode.OCCUPIED)


@rule(_CODES)
def empty(bench: Bench) -> None:
    """A place that holds nothing is EMPTY.

    Tried: RETURN from an empty position, RELEASE from an empty cell.
    """
    bench.refuse(Return(0, last_place(bench)), NakCode.EMPTY)
    bench.refuse(Release(0, 0, last_place(bench)), NakCode.EMPTY)


@rule(_CODES)
def two_high_support(bench: Bench) -> None:
    """In a two-high tray the upper place of a pair waits for the lower one; in a single row every place is free at once.

    Tried: the first draw alone, then with the place below it filled.
    """
    upper = bench.capabilities.hand_places
    lower = bench.capabilities.support_below(upper)
    feed_one(bench)
    if lower is None:
        bench.do(Place(0, upper))
        return
    bench.refuse(Place(0, upper), NakCode.UNSUPPORTED)
    bench.do(Place(0, lower))
    feed_one(bench)
    bench.do(Place(0, upper))


@rule(_CODES)
def two_high_covered(bench: Bench) -> None:
    """In a two-high tray the lower place of a pair cannot be emptied while the upper one lies on it.

    Tried: RETURN of the lower place of a full pair, then of the upper and of the lower.
    """
    upper = bench.capabilities.hand_places
    lower = bench.capabilities.support_below(upper)
    if lower is None:
        raise LeftOut("the trays have a single row")
    for position in (lower, upper):
        feed_one(bench)
        bench.do(Place(0, position))
    bench.refuse(Return(0, lower), NakCode.COVERED)
    for position in (upper, lower):
        bench.do(Return(0, position))
        bench.do(Recirculate())


@rule(_CODES)
def queued_counts_as_filled(bench: Bench) -> None:
    """A position that a queued operation is about to fill counts as filled.

    Tried: two tiles out of cells for a pair of places, the upper right behind the lower; a third for the lower one.
    """
    upper = bench.capabilities.hand_places
    lower = bench.capabilities.support_below(upper) or upper + 1
    _fill_cells(bench, 3)
    mark = bench.mark()
    numbers = [bench.order(Release(cell, 0, position)) for cell, position in ((0, lower), (1, upper), (2, lower))]
    first, second, third = (bench.end(number, mark) for number in numbers)
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
    mark = bench.mark()
    first, second = bench.order(Place(0, last_place(bench))), bench.order(Recirculate())
    refused, ended = bench.end(second, mark), bench.end(first, mark)
    if refused != Nak(NakCode.BUSY):
        raise Broken(f"the second command was answered {name_of(refused)}")
    if not isinstance(ended, DoneReport):
        raise Broken(f"the first command was answered {name_of(ended)}")


@rule(_CODES)
def shuttle_queue(bench: Bench) -> None:
    """A shuttle takes as many tiles as CAPS says besides the one that it carries; one more is BUSY.

    Tried: tiles out of cells, all for one seat, in one go.
    """
    room = bench.capabilities.shuttle_queue + 1
    if bench.capabilities.bypass_cells <= room:
        raise LeftOut(f"it takes {room + 1} cells to fill a shuttle's queue at once")
    _fill_cells(bench, room + 1)
    mark = bench.mark()
    numbers = [bench.order(Release(cell, 1, cell)) for cell in range(room + 1)]
    *taken, last = (bench.end(number, mark) for number in numbers)
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
    _done_with(bench, Bypass(cell), Sensors.GATE_LEFT | Sensors.CELL_IN)
    if bench.status().bypass != {cell}:
        raise Broken(f"after BYPASS({cell}) the cells {sorted(bench.status().bypass)} hold tiles")
    _done_with(bench, Release(cell, 2, 5), RELEASE_EDGES)
    status = bench.status()
    if status.bypass or status.trays[2] != {5}:
        raise Broken(f"after RELEASE the cells hold {sorted(status.bypass)}, the trays {_places(status.trays)}")


@rule(_CODES)
def cell_judged_as_it_will_be(bench: Bench) -> None:
    """A bypass cell is judged as it will be when the commands before have been done.

    Tried: RELEASE of a full cell, and BYPASS into it right behind.
    """
    feed_one(bench)
    bench.do(Bypass(0))
    feed_one(bench)
    mark = bench.mark()
    for number in (bench.order(Release(0, 0, 0)), bench.order(Bypass(0))):
        answer = bench.end(number, mark)
        if not isinstance(answer, DoneReport):
            raise Broken(f"operation {number} was answered {name_of(answer)}")
    if bench.status().bypass != {0}:
        raise Broken("the cell is not filled again")


@rule(_CODES)
def recirculated(bench: Bench) -> None:
    """RECIRCULATE is done with exactly GATE_LEFT and DRUM_IN, and counted.

    Tried: a tile from the gate to the drum.
    """
    feed_one(bench)
    before = bench.status().counters.recirculated
    _done_with(bench, Recirculate(), Sensors.GATE_LEFT | Sensors.DRUM_IN)
    if bench.status().counters.recirculated != before + 1:
        raise Broken("it was not counted once")


@rule(_CODES)
def rejected(bench: Bench) -> None:
    """REJECT is done with exactly GATE_LEFT and REJECT_IN, and counted.

    Tried: a tile from the gate to the reject cell, where it stays.
    """
    feed_one(bench)
    before = bench.status().counters.rejected
    _done_with(bench, Reject(), Sensors.GATE_LEFT | Sensors.REJECT_IN)
    if bench.status().counters.rejected != before + 1:
        raise Broken("it was not counted once")


@rule(_CODES)
def returned(bench: Bench) -> None:
    """RETURN brings a tile back to the gate under its own operation, with exactly its edges.

    Tried: a placed tile returned; TILE_AT_GATE, DONE and occupancy.
    """
    feed_one(bench)
    bench.do(Place(3, last_place(bench)))
    mark = bench.mark()
    operation = bench.last_operation + 1
    _done_with(bench, Return(3, last_place(bench)), Sensors.PICKED | Sensors.GATE_ENTERED)
    tile = bench.wait(TileAtGate, since=mark)
    if tile.operation != operation:
        raise Broken(f"the tile that RETURN {operation} brought was told under operation {tile.operation}")
    status = bench.status()
    if any(status.trays) or not status.gate_occupied:
        raise Broken("the tile is not where RETURN brings it")


@rule(_CODES)
def one_return(bench: Bench) -> None:
    """The whole table takes one RETURN; another one is BUSY.

    Tried: RETURN from two seats right behind each other.
    """
    for seat in (0, 1):
        feed_one(bench)
        bench.do(Place(seat, last_place(bench)))
    mark = bench.mark()
    first, second = (bench.order(Return(seat, last_place(bench))) for seat in (0, 1))
    refused, ended = bench.end(second, mark), bench.end(first, mark)
    if refused != Nak(NakCode.BUSY):
        raise Broken(f"the second RETURN was answered {name_of(refused)}")
    if not isinstance(ended, DoneReport):
        raise Broken(f"the first RETURN was answered {name_of(ended)}")


@rule(_CODES)
def returned_goes_first(bench: Bench) -> None:
    """A returned tile enters the gate before any tile from the drum, once the gate is empty.

    Tried: RETURN while FEED runs and a tile lies at the gate, which then goes back to the drum.
    """
    feed_one(bench)
    bench.do(Place(0, last_place(bench)))
    feed_one(bench)
    bench.do(Feed())
    mark = bench.mark()
    operation = bench.order(Return(0, last_place(bench)))
    first = bench.answer(operation, mark)
    if not isinstance(first, Ack):
        raise Broken(f"RETURN was answered {name_of(first)}")
    bench.pass_time(2 * first.expected_ms / 1000 + ANSWER_S)
    bench.do(Recirculate())
    tile = bench.wait(TileAtGate, 10.0, since=mark)
    bench.do(Hold())
    if tile.operation != operation:
        raise Broken("a tile from the drum came before the returned one")
    bench.end(operation, mark)


def _fill_cells(bench: Bench, count: int) -> None:
    """A tile into each of the first cells."""
    if bench.capabilities.bypass_cells < count:
        raise LeftOut(f"it takes {count} bypass cells")
    for cell in range(count):
        feed_one(bench)
        bench.do(Bypass(cell))


def _places(trays: tuple[frozenset[int], ...]) -> str:
    return " / ".join(", ".join(map(str, sorted(tray))) or "nothing" for tray in trays)


RULES = (
    tile_at_gate,
    hold_feeds_no_further,
    place_edges,
    every_seat,
    no_tile,
    no_such_place,
    occupied,
    empty,
    two_high_support,
    two_high_covered,
    queued_counts_as_filled,
    gate_takes_one_command,
    shuttle_queue,
    bypass_and_release,
    cell_judged_as_it_will_be,
    recirculated,
    rejected,
    returned,
    one_return,
    returned_goes_first,
)
