"""From the gate to trays, drum and reject cell: edges, occupancy and refusals (PROTOCOL.md, "Codes" and below)."""

from firmware_bridge.conformance.bench import Bench, done_with, in_words, name_of, rule
from firmware_bridge.conformance.bench_line import Broken, NotTriedError
from firmware_bridge.conformance.preparing import feed_one, place_one
from firmware_bridge.messages import (
    PLACE_EDGES,
    Ack,
    Bypass,
    DoneReport,
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


@rule(_EVENTS)
def tile_at_gate(bench: Bench) -> str:
    """FEED brings tiles, each reported once it is at rest, with its width, its leading edges and operation 0.

    Tried: FEED until a tile comes.
    """
    tile = feed_one(bench)
    if tile.operation != 0 or tile.edges < 1 or not 100 <= tile.width <= 600:
        raise Broken(f"this is no tile from the drum: {tile}")
    if not bench.status().gate_occupied:
        raise Broken("a tile was reported, but GATE_OCCUPIED is not set")
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
    before = bench.status()
    operation = bench.order(Place(0, bench.last_place))
    answer = bench.end(operation)
    if not isinstance(bench.answer(operation), Ack):
        raise Broken("PLACE was not acknowledged before it was done")
    if answer != DoneReport(Result.OK, PLACE_EDGES, getattr(answer, "ms", 0)):
        raise Broken(f"PLACE was answered {name_of(answer)}")
    after = bench.status()
    if after.trays != (frozenset({bench.last_place}), *before.trays[1:]):
        raise Broken(f"after PLACE(0, {bench.last_place}) the trays hold {in_words(after.trays)}")
    if after.counters.placed != before.counters.placed + 1 or after.gate_occupied:
        raise Broken("the tile is counted otherwise than once, or still at the gate")
    return f"{answer.ms} ms"


@rule(_CODES)
def every_seat(bench: Bench) -> None:
    """Each seat's tray can be reached, in its first and its last place.

    Tried: the first hand place and the last wall place of the four seats.
    """
    for seat in range(4):
        for position in (0, bench.last_place):
            place_one(bench, seat, position)
    trays = bench.status().trays
    if trays != (frozenset({0, bench.last_place}),) * 4:
        raise Broken(f"the trays hold {in_words(trays)}")


@rule(_CODES)
def no_tile(bench: Bench) -> None:
    """What concerns the gate's tile is NO_TILE when none lies there.

    Tried: PLACE, BYPASS, RECIRCULATE and REJECT with an empty gate.
    """
    for command in (Place(0, bench.last_place), Bypass(0), Recirculate(), Reject()):
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
    place_one(bench, 0, bench.last_place)
    feed_one(bench)
    bench.refuse(Place(0, bench.last_place), NakCode.OCCUPIED)
    bench.do(Bypass(0))
    feed_one(bench)
    bench.refuse(Bypass(0), NakCode.OCCUPIED)


@rule(_CODES)
def empty(bench: Bench) -> None:
    """A place that holds nothing is EMPTY.

    Tried: RETURN from an empty position, RELEASE from an empty cell.
    """
    bench.refuse(Return(0, bench.last_place), NakCode.EMPTY)
    bench.refuse(Release(0, 0, bench.last_place), NakCode.EMPTY)


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
    place_one(bench, 0, upper)


@rule(_CODES)
def two_high_covered(bench: Bench) -> None:
    """In a two-high tray the lower place of a pair cannot be emptied while the upper one lies on it.

    Tried: RETURN of the lower place of a full pair, then of the upper and of the lower.
    """
    upper = bench.capabilities.hand_places
    lower = bench.capabilities.support_below(upper)
    if lower is None:
        raise NotTriedError("the trays have a single row")
    for position in (lower, upper):
        place_one(bench, 0, position)
    bench.refuse(Return(0, lower), NakCode.COVERED)
    for position in (upper, lower):
        bench.do(Return(0, position))
        bench.do(Recirculate())


@rule(_CODES)
def recirculated(bench: Bench) -> None:
    """RECIRCULATE is done with exactly GATE_LEFT and DRUM_IN, and counted.

    Tried: a tile from the gate to the drum.
    """
    feed_one(bench)
    before = bench.status().counters.recirculated
    done_with(bench, Recirculate(), Sensors.GATE_LEFT | Sensors.DRUM_IN)
    if bench.status().counters.recirculated != before + 1:
        raise Broken("it was not counted once")


@rule(_CODES)
def rejected(bench: Bench) -> None:
    """REJECT is done with exactly GATE_LEFT and REJECT_IN, and counted.

    Tried: a tile from the gate to the reject cell, where it stays.
    """
    feed_one(bench)
    before = bench.status().counters.rejected
    done_with(bench, Reject(), Sensors.GATE_LEFT | Sensors.REJECT_IN)
    if bench.status().counters.rejected != before + 1:
        raise Broken("it was not counted once")
