"""A dealt wall is built through bytes: a reader that is always right, and a greedy choice of places."""

from collections import Counter
from contextlib import suppress
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.link.events import Done, FeederEvent, OperationRefused
from firmware_bridge.messages import (
    ALL_SEATS,
    PLACE_EDGES,
    RELEASE_EDGES,
    Bypass,
    Capabilities,
    Clear,
    CloseWell,
    Command,
    Container,
    Dump,
    FaultCode,
    Feed,
    Hold,
    Lock,
    OpenWell,
    Place,
    Raise,
    Recirculate,
    Reject,
    Release,
    Renew,
    Result,
    Return,
    Sense,
    Stop,
    TileAtGate,
    Unlock,
)
from simulator.mechanics import FaultPlan, MechanicsSettings, NotPossibleError
from simulator.physical_tiles import tile_set
from tests.support.link.pair import Pair
from tests.support.narrowed import present
from tests.support.tiers import examples, some
from twinwall.game.tiles import ALL_TILES

small = MechanicsSettings(speed=20.0, tray_places=6, wall_places=5, hand_places=2, bypass_cells=2)
TILES = tile_set(0)[:24]
seats = st.integers(0, 3)
positions = st.integers(0, 6)
cells = st.integers(0, 2)
commands: st.SearchStrategy[Command] = st.one_of(
    st.builds(Place, seats, positions),
    st.builds(Place, seats, positions),
    st.builds(Place, seats, positions),
    st.builds(Bypass, cells),
    st.builds(Release, cells, seats, positions),
    st.builds(Return, seats, positions),
    st.builds(Recirculate),
    st.builds(Reject),
    st.builds(Feed),
    st.builds(Hold),
    st.builds(Dump, st.sampled_from(Container), seats | st.just(ALL_SEATS)),
    st.builds(Raise),
    st.builds(OpenWell),
    st.builds(CloseWell),
    st.builds(Unlock, seats, st.integers(0, 2000)),
    st.builds(Renew, seats, st.integers(0, 2000)),
    st.builds(Lock, seats | st.just(ALL_SEATS)),
    st.builds(Sense),
    st.builds(Stop),
    st.builds(Clear, st.sampled_from([FaultCode.STOP, FaultCode.ESTOP, FaultCode.LID])),
)
accidents = st.sampled_from(["reboot", "silence", "lid", "take", "draw", "drop"])


def befall(pair: Pair, accident: str) -> None:
    """Something that no host has ordered."""
    mechanics, now_s = pair.mechanics, pair.now_s
    match accident:
        case "reboot":
            pair.reboot()
            pair.operation = 0
        case "silence":
            pair.cut = True
            pair.run_for(1.5)
            pair.cut = False
        case "lid":
            mechanics.hands.set_lid(True, now_s)
            pair.run_for(0.05)
            mechanics.hands.set_lid(False, pair.now_s)
        case "take":
            with suppress(NotPossibleError):
                mechanics.hands.take_hand_tile(0, 0, now_s)
        case "draw":
            mechanics.hands.lift_draw(0, now_s)
        case _:
            with suppress(NotPossibleError):
                mechanics.hands.drop_into_well(mechanics.census()["in play"][:2], now_s)


rows_of_deeds = st.lists(st.tuples(commands | accidents, st.sampled_from([0.0, 0.002, 0.03, 0.4])), min_size=10, max_size=80)


def do_all(pair: Pair, deeds: list[tuple[Command | str, float]]) -> None:
    """Order and suffer all that, on a machine of ``small`` with ``TILES``; nothing may be lost, and the status must be true afterwards."""
    pair.up()
    pair.do(Feed())
    for deed, wait_s in deeds:
        if isinstance(deed, str):
            befall(pair, deed)
        else:
            pair.submit(deed)
        pair.run_for(wait_s)
    there = [tile for tiles in pair.mechanics.census().values() for tile in tiles]
    assert sorted(tile.id for tile in there) == sorted(tile.id for tile in TILES)

    pair.run_for(3.0)
    status, levels = pair.status(), pair.mechanics.levels()
    assert [sum(1 << place for place in places) for places in status.trays] == [*levels.trays]
    assert [sum(1 << place for place in places) for places in status.magazines] == [*levels.magazines]
    assert sum(1 << cell for cell in status.bypass) == levels.cells
    assert status.open_locks == frozenset(seat for seat in range(4) if levels.locks >> seat & 1)


Spot = tuple[int, int]


class OracleBuilder:
    """Builds four dealt walls; it looks into the gate instead of reading a picture."""

    def __init__(self, pair: Pair, seed: int) -> None:
        faces = [tile.text for tile in ALL_TILES for _ in range(4)]
        Random(seed).shuffle(faces)
        self.wanted = {(seat, position): faces[34 * seat + position] for seat in range(4) for position in range(34)}
        self.pair = pair
        self.open = dict(self.wanted)
        self.cells: dict[int, str] = {}
        self.filled_cells: set[int] = set()
        self.placed: set[Spot] = set()
        self.backlog: Counter[int] = Counter()
        self._spots: dict[int, Spot] = {}
        self._bypasses: dict[int, int] = {}
        self._sizes = Capabilities()

    def build(self) -> float:
        """Build everything; return how long it took from the first FEED, in simulated seconds."""
        self.pair.up()
        began_s = self.pair.now_s
        self.pair.on_event = self._take
        self.pair.submit(Feed())
        self.pair.run_until(lambda: len(self.placed) == 136, 500.0)
        return self.pair.now_s - began_s

    def _take(self, event: FeederEvent) -> None:
        match event:
            case TileAtGate():
                self._decide()
            case Done(Result.OK, sensors, operation=operation) if operation in self._spots and sensors in (PLACE_EDGES, RELEASE_EDGES):
                spot = self._spots[operation]
                self.placed.add(spot)
                self.backlog[spot[0]] -= 1
                self._empty_cells()
            case Done(Result.OK, operation=operation) if operation in self._bypasses:
                self.filled_cells.add(self._bypasses[operation])
                self._empty_cells()
            case _:
                pass

    def _decide(self) -> None:
        seen = present(self.pair.mechanics.gate_tile())
        spot = None if seen.obscured else self._best(seen.face)
        free_cell = next((cell for cell in range(4) if cell not in self.cells), None)
        if spot is not None:
            self._send(spot, Place(*spot))
        elif seen.obscured or free_cell is None:
            self.pair.submit(Recirculate())
        else:
            self.cells[free_cell] = seen.face
            self._bypasses[self.pair.submit(Bypass(free_cell))] = free_cell

    def _empty_cells(self) -> None:
        for cell, face in list(self.cells.items()):
            spot = self._best(face)
            if spot is not None and cell in self.filled_cells:
                del self.cells[cell]
                self.filled_cells.remove(cell)
                self._send(spot, Release(cell, *spot))

    def _send(self, spot: Spot, command: Place | Release) -> None:
        del self.open[spot]
        self.backlog[spot[0]] += 1
        self._spots[self.pair.submit(command)] = spot

    def _best(self, face: str) -> Spot | None:
        """The fitting place that is best now; less work left counts for little, and a lower tile frees an upper one."""
        fitting = [spot for spot, wanted in self.open.items() if wanted == face and self._reachable(spot)]
        return min(fitting, key=self._cost, default=None)

    def _reachable(self, spot: Spot) -> bool:
        below = self._sizes.support_below(spot[1])
        return self.backlog[spot[0]] <= self._sizes.shuttle_queue and (below is None or (spot[0], below) in self.placed)

    def _cost(self, spot: Spot) -> float:
        left = sum(seat == spot[0] for seat, _ in self.open)
        frees = self._sizes.covered_by(spot[1]) is not None
        return self.backlog[spot[0]] + 0.3 * spot[1] / 40 - 0.12 * left - (0.5 if frees else 0.0)


@pytest.mark.parametrize("two_high", [True, False])
def test_a_dealt_wall_stands_as_dealt_behind_steppers_and_bouncing_switches(two_high: bool) -> None:
    pair = Pair(machine=MechanicsSettings(speed=24.0, two_high=two_high), faults=FaultPlan(unread=0.01), seed=2)
    builder = OracleBuilder(pair, seed=2)
    assert 24 * builder.build() < 1.2 * 136 * 0.6
    trays = [pair.mechanics.tray(seat) for seat in range(4)]
    assert {spot: tile.face for spot in builder.wanted if (tile := trays[spot[0]][spot[1]]) is not None} == builder.wanted
    assert not pair.all(OperationRefused)


@pytest.mark.nightly
@pytest.mark.slow
def test_building_at_the_reference_tables_speed_takes_about_as_long_as_the_gate_needs() -> None:
    took = []
    for seed in some(range(4), 2):
        pair = Pair(machine=MechanicsSettings(), faults=FaultPlan(unread=0.01), seed=seed)
        took.append(OracleBuilder(pair, seed).build())
    mean_s = sum(took) / len(took)
    assert 136 * 0.6 < mean_s < 1.08 * 136 * 0.6


@settings(max_examples=examples(60))
@given(rows_of_deeds, st.integers(0, 99))
def test_no_row_of_operations_and_accidents_breaks_the_machine_or_loses_a_tile(deeds: list[tuple[Command | str, float]], seed: int) -> None:
    do_all(Pair(machine=small, tiles=TILES, seed=seed), deeds)


@settings(max_examples=examples(40))
@given(st.lists(commands, min_size=5, max_size=30), st.integers(0, 99))
def test_every_operation_is_answered_in_the_end(row: list[Command], seed: int) -> None:
    pair = Pair(machine=small, tiles=TILES, seed=seed)
    pair.up()
    for command in row:
        pair.submit(command)
    pair.run_for(1.0)
    pair.do(Clear(FaultCode.STOP))
    pair.do(Hold())
    pair.run_for(1.0)
    while pair.status().gate_occupied:
        pair.do(Recirculate())
    pair.run_for(5.0)
    answered = {event.operation for event in pair.all(Done)} | {event.operation for event in pair.all(OperationRefused)}
    assert answered == set(range(1, pair.operation + 1))
