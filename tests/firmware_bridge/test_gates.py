"""Machines with several gates: their own version of the protocol, lanes that work at once, and tiles that change gates."""

from dataclasses import replace
from random import Random

import pytest

from firmware_bridge.frames import VERSION, VERSION_OF_GATES
from firmware_bridge.link.events import Done, FeederEvent, NotAFeeder, OperationRefused, OperationRequest
from firmware_bridge.link.session import LinkSettings
from firmware_bridge.messages import (
    PLACE_EDGES,
    RELEASE_EDGES,
    Bypass,
    Capabilities,
    Clear,
    Fault,
    FaultCode,
    Feed,
    Hold,
    NakCode,
    Place,
    Recirculate,
    Release,
    Result,
    Return,
    Sensors,
    TileAtGate,
    Where,
)
from simulator.mechanics import FaultPlan
from tests.support.link.pair import FAST, READABLE, Pair

FOUR = replace(FAST, gates=4, exchangers=2, pocket_places=2, shuttles=2)
TWO = replace(FAST, gates=2, exchangers=1, pocket_places=2)
SEVERAL = pytest.mark.parametrize("machine", [TWO, replace(FAST, gates=3, exchangers=1, pocket_places=1), FOUR], ids=["2", "3", "4"])


class Placing:
    """Puts every tile that comes where it may lie, whichever gate it is at; a tile that finds no room waits in its gate."""

    def __init__(self, pair: Pair) -> None:
        self._pair, self._chance = pair, Random(1)
        self.sizes = pair.up().capabilities
        self.open = {(seat, position) for seat in range(4) for position in range(self.sizes.wall_places)}
        self.placed: dict[int, tuple[int, int]] = {}
        self.waiting: dict[int, int] = {}
        self.exchanged = 0
        self.wanted: dict[int, Place] = {}
        pair.on_event = self.take

    def take(self, event: FeederEvent) -> None:
        """Answer an arrival, and try again what was refused."""
        match event:
            case TileAtGate(gate=gate):
                self._place(gate)
            case OperationRefused(operation, NakCode.BUSY) if operation in self.wanted:
                refused = self.wanted.pop(operation)
                self.open.add((refused.seat, refused.position))
                self._place(refused.gate)
            case Done(Result.OK, sensors, operation=operation) if operation in self.wanted:
                command = self.wanted.pop(operation)
                exchanged = self.sizes.gate_of_seat(command.seat) != command.gate
                assert sensors == PLACE_EDGES | (Sensors.EXCHANGED if exchanged else Sensors(0))
                self.exchanged += exchanged
                self.placed[operation] = (command.seat, command.position)
                for gate in sorted(self.waiting):
                    del self.waiting[gate]
                    self._place(gate)
            case OperationRefused():
                raise AssertionError(event)

    def _place(self, gate: int) -> None:
        lying = set(self.placed.values())
        possible = [at for at in sorted(self.open) if (below := self.sizes.support_below(at[1])) is None or (at[0], below) in lying]
        if not possible:
            self.waiting[gate] = gate
            return
        command = Place(*self._chance.choice(possible), gate)
        self.wanted[self._pair.submit(command)] = command
        taken = {(each.seat, each.position) for each in self.wanted.values()} | lying
        self.open = {(seat, position) for seat in range(4) for position in range(self.sizes.wall_places)} - taken


@pytest.mark.slow
@SEVERAL
def test_every_gate_feeds_every_seat_and_a_position_is_trusted_by_its_edges(machine: object) -> None:
    assert isinstance(machine, type(FAST))
    pair = Pair(machine=machine)
    placing = Placing(pair)
    pair.submit(Feed())
    pair.run_until(lambda: len(placing.placed) == 136, 600.0)
    status = pair.status()
    assert [len(tray) for tray in status.trays] == [34] * 4
    assert placing.exchanged > 136 * 0.3
    for place in range(4):
        assert len({tile.id for tile in pair.mechanics.tray(place) if tile is not None}) == 34


def test_a_machine_with_one_gate_answers_in_version_1_and_one_with_four_in_version_2() -> None:
    assert Pair().up().hello.protocol_version == VERSION
    up = Pair(machine=FOUR).up()
    assert up.hello.protocol_version == VERSION_OF_GATES
    assert up.capabilities == replace(Capabilities(), gate_period_ms=30, gates=4, exchangers=2, pocket_places=2, shuttles=2)


def test_where_another_number_of_gates_is_expected_the_link_says_so() -> None:
    pair = Pair(machine=FOUR, settings=LinkSettings(expected=Capabilities()))
    assert "gates is 4, not 1" in pair.wait(NotAFeeder).reason


def test_a_gate_that_the_machine_has_not_is_refused() -> None:
    pair = Pair(machine=TWO).linked()
    for command in (Place(0, 33, 2), Recirculate(2)):
        assert pair.refusal(command) is NakCode.NO_SUCH_PLACE


def at_gate(pair: Pair, gate: int) -> TileAtGate:
    """Feed until a tile lies in this gate, and no further; what has come to others goes back."""
    pair.submit(Feed())
    pair.run_until(lambda: gate in pair.status().gates)
    pair.done(Hold())
    pair.run_for(0.1)
    for other in sorted(pair.status().gates - {gate}):
        pair.done(Recirculate(other))
    return next(event for event in reversed(pair.all(TileAtGate)) if event.gate == gate)


def test_cells_are_numbered_through_all_gates_and_their_tiles_change_gates_as_well() -> None:
    pair = Pair(machine=TWO).linked()
    at_gate(pair, 1)
    cell = TWO.bypass_cells + 1
    pair.done(Bypass(cell))
    assert pair.status().bypass == {cell}
    assert pair.done(Release(cell, 0, 5)).sensors == RELEASE_EDGES | Sensors.EXCHANGED
    assert pair.status().trays[0] == {5}


def test_a_tile_comes_back_to_its_seats_own_gate() -> None:
    pair = Pair(machine=TWO).linked()
    at_gate(pair, 0)
    pair.done(Place(3, 33, 0))
    operation = pair.submit(Return(3, 33))
    arrived = pair.wait(TileAtGate)
    assert (arrived.operation, arrived.gate) == (operation, 1)


def test_an_upper_place_waits_until_the_lower_one_is_filled_for_tiles_may_overtake_each_other() -> None:
    pair = Pair(machine=replace(TWO, exchange_s=20.0)).linked()
    at_gate(pair, 0)
    lower = pair.submit(Place(3, 14, 0))
    pair.submit(Feed())
    pair.run_until(lambda: 1 in pair.status().gates)
    assert pair.refusal(Place(3, 13, 1)) is NakCode.UNSUPPORTED
    pair.end_of(lower)
    pair.done(Place(3, 13, 1))


def test_a_pocket_that_is_full_makes_the_gate_wait() -> None:
    pair = Pair(machine=replace(TWO, pocket_places=1, exchange_s=20.0)).linked()
    at_gate(pair, 0)
    first = pair.submit(Place(2, 33, 0))
    pair.submit(Feed())
    pair.run_until(lambda: sum(event.gate == 0 for event in pair.all(TileAtGate)) == 2)
    assert pair.refusal(Place(2, 32, 0)) is NakCode.BUSY
    pair.end_of(first)


def test_an_exchanger_that_stalls_comes_free_by_itself_and_the_position_is_trusted() -> None:
    pair = Pair(machine=TWO, faults=FaultPlan(unread=0.0, shuttle=1.0)).linked()
    at_gate(pair, 0)
    assert pair.done(Place(2, 33, 0), 60.0).result is Result.OK


def test_a_jam_at_another_gate_is_named_and_stops_every_gate_until_it_is_cleared() -> None:
    pair = Pair(machine=FOUR, faults=replace(READABLE, jam=1.0, jam_needs_hand=1.0)).linked()
    pair.done(Feed())
    pair.run_until(lambda: 2 in pair.status().gates)
    operation = pair.submit(Recirculate(2))
    fault = pair.wait(Fault)
    assert fault.code is FaultCode.JAM
    assert fault.where in (Where.OTHER_GATE + 2, Where.OTHER_DIVERTER + 2)
    assert fault.operation == operation
    for stuck in pair.mechanics.hands.stuck():
        pair.mechanics.hands.free(stuck, pair.now_s)
    pair.done(Clear(FaultCode.JAM))
    pair.link.submit(OperationRequest(99, Feed()), pair.now_s)
    pair.end_of(99)
