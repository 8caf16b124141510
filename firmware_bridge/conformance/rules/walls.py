"""Trays, magazines and the well: walls are dumped, raised and collected again (PROTOCOL.md, "Codes" and below)."""

from firmware_bridge.conformance.bench import Bench, edges, name_of, rule, second_is_busy
from firmware_bridge.conformance.bench_line import ANSWER_S, Broken, HandsAct
from firmware_bridge.conformance.preparing import feed_one, place_one, raise_one
from firmware_bridge.messages import (
    ALL_SEATS,
    Ack,
    Bypass,
    CloseWell,
    Container,
    DoneReport,
    Dump,
    FaultCode,
    Feed,
    Flags,
    NakCode,
    OpenWell,
    Place,
    Raise,
    Recirculate,
    Release,
    Return,
    Sense,
    Sensors,
    Unlock,
    Well,
)

_CODES = "Codes"


@rule(_CODES)
def dump_one_tray(bench: Bench) -> None:
    """DUMP of one seat's tray empties that tray and no other, and is done with FLOOR.

    Tried: a tile in two trays; one of them dumped, then all.
    """
    for seat in (0, 1):
        place_one(bench, seat, 0)
    done = bench.do(Dump(Container.TRAY, 0))
    if done.sensors != Sensors.FLOOR:
        raise Broken(f"DUMP ended with {edges(done.sensors)}")
    trays = bench.status().trays
    if trays[0] or trays[1] != {0}:
        raise Broken("another tray than that of seat 0 was emptied")
    bench.do(Dump(Container.TRAY, ALL_SEATS))
    if any(bench.status().trays):
        raise Broken("DUMP of all trays has left tiles in them")


@rule(_CODES)
def dump_waits_for_shuttles(bench: Bench) -> None:
    """A tray whose shuttle is at work is not dumped: BUSY.

    Tried: PLACE, and DUMP of that tray right behind it.
    """
    feed_one(bench)
    second_is_busy(bench, Place(0, bench.last_place), Dump(Container.TRAY, 0))


@rule(_CODES)
def raise_walls(bench: Bench) -> None:
    """RAISE lifts the walls' places into the magazines and leaves the spare ones where they are.

    Tried: a hand tile, a draw and (where there is one) a spare tile of a seat, then RAISE.
    """
    has = bench.capabilities
    spare = {has.wall_places} if has.tray_places > has.wall_places else set()
    wall = {0, bench.last_place}
    for position in sorted(wall | spare):
        place_one(bench, 2, position)
    done = bench.do(Raise())
    status = bench.status()
    if Sensors.RAISED not in done.sensors:
        raise Broken(f"RAISE ended with {edges(done.sensors)}")
    if status.magazines[2] != wall or status.trays[2] != spare:
        raise Broken(
            f"magazine {sorted(status.magazines[2])} and tray {sorted(status.trays[2])} are not {sorted(wall)} and {sorted(spare)}"
        )


@rule(_CODES)
def raise_only_into_empty(bench: Bench) -> None:
    """RAISE while a magazine holds a tile is OCCUPIED.

    Tried: RAISE twice with one tile; then the magazines dumped.
    """
    raise_one(bench, 0)
    bench.refuse(Raise(), NakCode.OCCUPIED)
    done = bench.do(Dump(Container.MAGAZINE, ALL_SEATS))
    if done.sensors != Sensors.FLOOR or any(bench.status().magazines):
        raise Broken(f"DUMP of the magazines ended with {edges(done.sensors)}, and they are not empty")


@rule(_CODES)
def dumped_magazine_stays_locked(bench: Bench) -> None:
    """UNLOCK of a magazine that is being dumped is BUSY.

    Tried: DUMP of a magazine, and UNLOCK right behind it.
    """
    raise_one(bench, 1)
    second_is_busy(bench, Dump(Container.MAGAZINE, 1), Unlock(1, 1000))
    if bench.status().open_locks:
        raise Broken("a lock is open")


@rule(_CODES)
def well_ends_feeding(bench: Bench) -> None:
    """From OPEN_WELL on FEED is WELL_OPEN, and shutting the well does not bring feeding back.

    Tried: FEED, OPEN_WELL, FEED, CLOSE_WELL, and the flags.
    """
    bench.do(Feed())
    bench.do(OpenWell())
    status = bench.status()
    if Flags.FEEDING in status.flags or Flags.WELL_OPEN not in status.flags:
        raise Broken(f"with the well open the flags are {status.flags!r}")
    bench.refuse(Feed(), NakCode.WELL_OPEN)
    bench.do(CloseWell())
    status = bench.status()
    if Flags.FEEDING in status.flags or Flags.WELL_OPEN in status.flags:
        raise Broken(f"with the well shut again the flags are {status.flags!r}")


@rule(_CODES)
def well_counts_from_zero(bench: Bench) -> None:
    """OPEN_WELL counts from 0 and is done with DOOR_MOVED.

    Tried: OPEN_WELL, the count in STATUS_STATE, CLOSE_WELL.
    """
    done = bench.do(OpenWell())
    count = bench.status().report.well
    bench.do(CloseWell())
    if Sensors.DOOR_MOVED not in done.sensors or count != 0:
        raise Broken(f"OPEN_WELL ended with {edges(done.sensors)} and a count of {count}")


@rule(_CODES, hands=True)
def well_counts_tiles(bench: Bench) -> str:
    """WELL tells how many tiles have fallen in, and what has fallen in is reported before CLOSE_WELL is DONE.

    Tried: three hand tiles taken and dropped into the well.
    """
    bench.do(OpenWell())
    bench.ask_hands(HandsAct.DROP_INTO_WELL)  # what a rule before this one has left in them
    bench.do(CloseWell())
    for position in range(3):
        place_one(bench, 0, position)
    bench.do(Raise())
    bench.ask_hands(HandsAct.TAKE_HAND, 0)
    bench.do(OpenWell())
    mark = bench.mark()
    bench.ask_hands(HandsAct.DROP_INTO_WELL)
    closed = bench.order(CloseWell())
    bench.end(closed, mark)
    reported = [(heard.message, heard.frame.operation) for heard in bench.heard[mark:]]
    ended = next(index for index, (message, number) in enumerate(reported) if isinstance(message, DoneReport) and number == closed)
    counts = [message.count for message, _ in reported[:ended] if isinstance(message, Well)]
    if not counts or counts[-1] != 3 or counts != sorted(counts):
        raise Broken(f"three tiles were reported as {counts} before CLOSE_WELL was done")
    return f"reported as {', '.join(map(str, counts))}"


@rule(_CODES)
def sense_agrees(bench: Bench) -> None:
    """SENSE compares the level sensors with the edges; without interference they agree.

    Tried: SENSE with a tile in a tray, one in a cell and one at the gate.
    """
    place_one(bench, 0, 0)
    feed_one(bench)
    bench.do(Bypass(0))
    feed_one(bench)
    before = bench.status()
    bench.do(Sense())
    after = bench.status()
    if FaultCode.SENSORS_DISAGREE in after.faults or (before.trays, before.bypass) != (after.trays, after.bypass):
        raise Broken("the sensors disagree with the edges")
    bench.do(Release(0, 0, 1))


@rule("Rules")
def acknowledged_at_once(bench: Bench) -> None:
    """What takes time is acknowledged before it is done, and ends in about the time that ACK says.

    Tried: PLACE, DUMP, RAISE and OPEN_WELL; their ACKs and the time to DONE.
    """
    feed_one(bench)
    for command in (Place(0, 0), Dump(Container.TRAY, ALL_SEATS), Raise(), OpenWell(), CloseWell()):
        operation = bench.order(command)
        end = bench.end(operation)
        first = bench.answer(operation)
        if not isinstance(first, Ack) or not isinstance(end, DoneReport):
            raise Broken(f"{command} was answered {name_of(first)} and {name_of(end)}")
        if end.ms > first.expected_ms * 2 + 1000 * ANSWER_S:
            raise Broken(f"{command} took {end.ms} ms, though ACK promised {first.expected_ms} ms")


@rule(_CODES)
def tiles_are_kept_track_of(bench: Bench) -> str:
    """Every tile that has entered the gate is somewhere: the counters add up, moved by edges alone.

    Tried: tiles placed, bypassed and released, returned, recirculated; then arrived = placed - released + bypassed +
    recirculated + rejected + the one at the gate, as it was before.
    """
    before = _unaccounted(bench)
    place_one(bench, 0, 0)
    feed_one(bench)
    bench.do(Bypass(0))
    bench.do(Release(0, 0, 1))
    bench.do(Return(0, 1))
    bench.do(Recirculate())
    feed_one(bench)
    lost = _unaccounted(bench) - before
    if lost:
        raise Broken(f"{lost} tiles more have entered the gate than are accounted for")
    return f"{bench.status().counters.arrived} tiles since boot"


def _unaccounted(bench: Bench) -> int:
    status = bench.status()
    has = status.counters
    return has.arrived - (has.placed - has.released + has.bypassed + has.recirculated + has.rejected) - status.gate_occupied
