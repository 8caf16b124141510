"""One end-to-end test over every kind of bad line: 136 tiles are placed, none lost and none twice."""

from random import Random

import pytest

from firmware_bridge.link.events import Done, LinkDown, OperationRefused
from firmware_bridge.messages import PLACE_EDGES, Feed, Place, Result, TileAtGate
from tests.support.link.pair import Disturbance, Pair, clean, fill_trays, places_in_order
from tests.support.narrowed import of_type
from tests.support.tiers import one_in


def drops(piece: bytes, random: Random) -> list[tuple[float, bytes]]:
    """Every tenth piece is lost."""
    return [] if random.random() < 0.1 else [(0.0, piece)]


def flips(piece: bytes, random: Random) -> list[tuple[float, bytes]]:
    """In every tenth piece one bit is wrong."""
    changed = bytearray(piece)
    if random.random() < 0.1:
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return [(0.0, bytes(changed))]


def duplicates(piece: bytes, random: Random) -> list[tuple[float, bytes]]:
    """Every third piece comes twice, the second time much later."""
    return [(0.0, piece), *([(random.uniform(0, 2.0), piece)] if random.random() < 0.3 else [])]


def inserts(piece: bytes, random: Random) -> list[tuple[float, bytes]]:
    """Noise gets between the bytes of every tenth piece."""
    if random.random() >= 0.1:
        return [(0.0, piece)]
    cut = random.randrange(len(piece))
    return [(0.0, piece[:cut] + random.randbytes(random.randrange(1, 80)) + piece[cut:])]


def stalls(piece: bytes, random: Random) -> list[tuple[float, bytes]]:
    """Every twentieth piece comes a quarter of a second late, behind others."""
    return [(0.25 if random.random() < 0.05 else 0.0, piece)]


def tears(piece: bytes, random: Random) -> list[tuple[float, bytes]]:
    """Pieces come byte by byte."""
    return [(0.0, piece[index : index + 1]) for index in range(len(piece))]


def everything(piece: bytes, random: Random) -> list[tuple[float, bytes]]:
    """All of it at once."""
    pieces = [(0.0, piece)]
    for disturbance in (drops, flips, duplicates, inserts, stalls):
        pieces = [(delay + more, part) for delay, whole in pieces for more, part in disturbance(whole, random)]
    return pieces


@pytest.mark.slow
@pytest.mark.parametrize("line", one_in(4, [everything, clean, flips, drops, duplicates, inserts, tears, stalls]))
def test_over_any_line_136_tiles_are_placed_none_lost_and_none_twice(line: Disturbance) -> None:
    pair = Pair(line=line, seed=5)
    fill_trays(pair)
    assert [event.number for event in pair.all(TileAtGate)] == list(range(1, 137))
    census = pair.mechanics.census()
    assert len(census["trays"]) == 136
    assert sum(len(tiles) for tiles in census.values()) == 136
    placed = [event for event in pair.all(Done) if event.sensors == PLACE_EDGES]
    assert len(placed) == len({event.operation for event in placed}) == 136
    assert not pair.all(OperationRefused)
    status = pair.status()
    assert status.counters.placed == 136
    assert all(places == frozenset(range(34)) for places in status.trays)


def test_a_line_that_is_cut_for_long_loses_no_operation_and_repeats_none() -> None:
    pair = Pair().linked()
    pair.do(Feed())
    pair.wait(TileAtGate)
    operation = pair.submit(Place(*places_in_order(2)[0]))
    pair.cut = True
    pair.wait(LinkDown)
    pair.run_for(5.0)
    pair.cut = False
    assert of_type(Done, pair.answer_to(operation)).result is Result.OK
    assert len(pair.mechanics.census()["trays"]) == 1
