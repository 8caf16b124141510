"""The person in place of a machine: what the screen asks for, and what the host is told."""

from __future__ import annotations

from typing import Self

import pytest

from firmware_bridge import messages
from firmware_bridge.board.library import PinReading
from firmware_bridge.electrics.wired_core import WiredCore
from firmware_bridge.electrics.wired_machine import BY_HAND
from firmware_bridge.electrics.wiring import Input
from firmware_bridge.link.events import Done, FeederStatus, OperationRefused
from firmware_bridge.link.session import LinkSettings
from tableside.station.camera_worker import Misplaced
from tableside.station.confirmed_places import ConfirmedPlaces
from tableside.station.manual_feeder import ManualFeeder
from tableside.station.station import boot_station
from tableside.station.tasks import Do, SpokenPlace, Task, spoken_place
from tests.support.link.pair import Pair
from tests.support.narrowed import of_type


class Desk(Pair):
    """A host and a station with a person; ``kept`` is what lies on the station's disk: a reboot begins with it, and nothing else."""

    boot_id = 1

    def __init__(self) -> None:
        self.kept = ConfirmedPlaces()
        super().__init__()
        self.host_begins()

    def _boot(self) -> WiredCore:
        self.person = ManualFeeder(BY_HAND, self.kept, (1, 2), self._keep, first_task=1000 * self.boot_id)
        return boot_station(self.person, self.boot_id, self.now_s)

    def _keep(self, memory: ConfirmedPlaces) -> None:
        self.kept = memory

    def host_begins(self) -> None:
        self.restart_host(LinkSettings(expected=messages.Capabilities()))
        self.up()

    def give(self, command: messages.Command, operation: int | None = None) -> int:
        """Send an operation, under the next number if none is given."""
        operation = self.submit(command, operation)
        self.run_for(0.1)
        return operation

    def status(self) -> FeederStatus:
        """What the sensors say when what hands did has come to rest."""
        self.run_for(0.1)
        return super().status()

    def answer(self, operation: int) -> Done | OperationRefused | None:
        """The last answer to an operation so far."""
        answers = [event for event in self.events if isinstance(event, Done | OperationRefused) and event.operation == operation]
        return answers[-1] if answers else None

    # The hands ----------------------------------------------------------------------------------------

    def show(self) -> None:
        """Lay a tile into the empty frame."""
        self.person.shown(self.now_s)
        self.run_for(0.1)

    def take_away(self) -> None:
        self.person.cleared(self.now_s)
        self.run_for(0.1)

    def arrived(self) -> list[messages.TileAtGate]:
        """The tiles that the host has heard of at the gate."""
        return self.all(messages.TileAtGate)

    def take_hands(self) -> None:
        self.person.confirm(self.beside(Do.HANDS).number, self.now_s)
        self.run_for(0.5)

    def doing(self) -> Do:
        """What the screen asks for."""
        return self.person.task.do

    def touch_done(self) -> bool:
        good = self.person.confirm(self.person.task.number, self.now_s)
        self.run_for(0.1)
        return good

    def beside(self, do: Do) -> Task:
        """What players are asked to do."""
        return next(task for task in self.person.beside if task.do is do)

    def fed(self) -> Self:
        """With tiles wanted."""
        self.give(messages.Feed())
        return self

    def place(self, seat: int, position: int) -> int:
        """Show a tile and let the host name its place; the tile is in hand then."""
        arrived = len(self.arrived())
        self.show()
        assert len(self.arrived()) == arrived + 1, self.person.task
        operation = self.give(messages.Place(seat, position))
        self.take_away()
        return operation

    def build(self, walls: int = 34) -> None:
        """Fill the trays, what lies below first, and want no more tiles."""
        for position in reversed(range(walls)):
            for seat in range(4):
                self.place(seat, position)
        self.touch_done()
        self.give(messages.Hold())


def test_a_tile_is_read_where_it_lies_and_is_in_its_place_once_the_next_one_is_shown() -> None:
    desk = Desk().fed()
    assert desk.doing() is Do.SHOW
    desk.show()
    assert desk.doing() is Do.READING
    operation = desk.give(messages.Place(1, 30))
    assert (desk.person.task.do, desk.person.task.seat, desk.person.task.place) == (Do.PUT, 1, 30)
    desk.run_for(3.0)
    assert len(desk.arrived()) == 1, "one that still lies in the frame is not the next one"
    assert desk.answer(operation) is None
    desk.take_away()
    desk.show()
    assert desk.end_of(operation) is messages.Result.OK
    assert desk.status().trays[1] == {30}
    assert desk.doing() is Do.READING


def test_a_repeated_operation_and_a_second_touch_ask_for_nothing_twice() -> None:
    desk = Desk().fed()
    operation = desk.place(2, 5)
    first = desk.person.task
    desk.give(messages.Place(2, 5), operation)
    assert desk.person.task == first
    assert desk.touch_done()
    assert not desk.person.confirm(first.number, desk.now_s)
    desk.give(messages.Place(2, 5), operation)
    assert desk.doing() is Do.SHOW
    assert desk.status().trays[2] == {5}


def test_somebody_who_goes_for_dinner_is_not_a_part_that_is_stuck() -> None:
    desk = Desk().fed()
    operation = desk.place(0, 1)
    desk.now_s += 7200.0
    desk.host_begins()
    desk.run_for(0.1)
    assert desk.doing() is Do.PUT
    desk.touch_done()
    desk.give(messages.Place(0, 1), operation)
    desk.end_of(operation)
    assert not desk.status().faults


def test_a_tile_in_hand_while_the_host_was_away_is_not_trusted() -> None:
    desk = Desk().fed()
    operation = desk.place(0, 1)
    desk.cut = True
    desk.run_for(1.5)
    assert desk.doing() is Do.REST
    desk.cut = False
    desk.host_begins()
    desk.run_for(0.1)
    desk.touch_done()
    desk.give(messages.Place(0, 1), operation)
    assert desk.end_of(operation) is messages.Result.DISTURBED


@pytest.mark.parametrize("after", [1, 4, 5])
def test_after_a_power_cut_what_was_confirmed_lies_there_and_what_was_in_hand_is_asked_back(after: int) -> None:
    desk, order = Desk().fed(), [(seat, place) for place in (33, 32) for seat in range(4)]
    for seat, place in order[:after]:
        desk.place(seat, place)
    desk.reboot()
    desk.run_for(0.2)
    task = desk.person.task
    assert (task.do, task.seat, task.place) == (Do.RECOVER, *order[after - 1])
    desk.touch_done()
    desk.run_for(1.0)
    sensed = {(seat, place) for seat, places in enumerate(desk.status().trays) for place in places}
    assert sensed == set(order[: after - 1])


def test_the_last_placement_can_be_taken_back_and_the_sensors_say_so() -> None:
    desk = Desk().fed()
    desk.place(2, 20)
    desk.touch_done()
    assert desk.person.may_undo
    assert desk.person.undo(desk.now_s)
    assert not desk.person.undo(desk.now_s)
    assert not desk.status().trays[2]


def test_while_a_tile_lies_where_it_does_not_belong_no_other_is_taken_on() -> None:
    desk = Desk().fed()
    desk.place(1, 30)
    desk.person.watched(Misplaced((1, 31), (1, 30)), desk.now_s)
    arrived = len(desk.arrived())
    desk.show()
    assert len(desk.arrived()) == arrived
    desk.person.watched(None, desk.now_s)
    desk.run_for(0.1)
    assert len(desk.arrived()) == arrived + 1


def test_a_tile_is_set_aside_and_fetched_from_there() -> None:
    desk = Desk().fed()
    desk.show()
    desk.give(messages.Bypass(2))
    assert desk.doing() is Do.ASIDE
    desk.take_away()
    desk.touch_done()
    assert desk.status().bypass == {2}
    release = desk.give(messages.Release(2, 1, 4))
    assert (desk.person.task.do, desk.person.task.spot, desk.person.task.place) == (Do.FROM_ASIDE, 2, 4)
    desk.touch_done()
    desk.end_of(release)
    assert desk.status().trays[1] == {4}


def test_a_tile_that_is_to_be_read_again_is_fetched_and_shown() -> None:
    desk = Desk().fed()
    desk.place(3, 7)
    desk.touch_done()
    desk.give(messages.Hold())
    operation = desk.give(messages.Return(3, 7))
    assert desk.doing() is Do.FETCH
    assert not desk.touch_done()
    desk.show()
    if desk.answer(operation) is None:
        desk.wait(messages.TileAtGate)
    assert operation in [tile.operation for tile in desk.arrived()]
    assert not desk.status().trays[3]


def test_the_heap_takes_what_was_not_read_and_is_empty_when_somebody_says_so_until_a_wall_has_gone_back() -> None:
    desk = Desk().fed()
    desk.show()
    operation = desk.give(messages.Recirculate())
    desk.take_away()
    assert desk.doing() is Do.HEAP
    desk.show()
    desk.end_of(operation)
    assert not desk.status().drum_empty
    desk.give(messages.Place(0, 5))
    desk.take_away()
    desk.touch_done()
    assert desk.person.none_left(desk.now_s)
    assert desk.status().drum_empty
    desk.give(messages.Dump(messages.Container.TRAY, 0))
    desk.touch_done()
    assert not desk.status().drum_empty
    assert not desk.status().trays[0]


def test_walls_are_set_before_the_players_who_take_their_hands_and_draw_in_turn() -> None:
    desk = Desk().fed()
    desk.build()
    desk.give(messages.Raise())
    desk.person.watched(Misplaced((1, 35), None), desk.now_s)
    assert desk.doing() is Do.RAISE
    assert not desk.touch_done(), "a tile lies where it does not belong"
    desk.person.watched(None, desk.now_s)
    assert desk.touch_done()
    desk.take_hands()
    assert len(desk.all(messages.Taken)) == 52
    desk.end_of(desk.give(messages.Unlock(2, 5000)))
    draw = desk.beside(Do.DRAW)
    assert draw.seat == 2
    assert desk.person.confirm(draw.number, desk.now_s)
    desk.wait(messages.Drawn)
    assert desk.status().magazines[2] == frozenset(range(14, 34))
    assert not desk.person.beside
    desk.give(messages.Unlock(2, 1000))
    assert desk.beside(Do.DRAW)
    desk.run_for(1.1)
    assert not desk.person.beside, "the lease has run out"
    assert desk.person.state.building == 2
    desk.give(messages.Feed())
    desk.show()
    backs = [tile.back for tile in desk.arrived()]
    assert (backs[0], backs[-1]) == (1, 2), "the two sets take turns"


def test_the_other_set_is_gathered_and_counted_by_what_stands_in_the_walls() -> None:
    desk = Desk().fed()
    desk.build()
    desk.give(messages.OpenWell())
    gather = desk.beside(Do.GATHER)
    desk.person.confirm(gather.number, desk.now_s, missing=1)
    assert desk.wait(messages.Well).count == 135
    desk.person.confirm(gather.number, desk.now_s)
    desk.person.confirm(gather.number, desk.now_s)
    assert desk.wait(messages.Well).count == 136


def test_the_next_set_is_counted_whole_though_a_wall_of_the_one_before_went_back() -> None:
    played = ConfirmedPlaces(trays=(1, 1, 1, 1), magazines=(3, 0, 0, 0)).without_rest(0)
    assert played.fallen == 2
    assert played.with_walls_raised(34).fallen == 0


def test_emptying_all_walls_is_asked_seat_by_seat_and_what_cannot_be_is_refused() -> None:
    desk = Desk()
    assert of_type(OperationRefused, desk.answer(desk.give(messages.Return(0, 3)))).code is messages.NakCode.EMPTY
    operation = desk.give(messages.Dump(messages.Container.MAGAZINE, messages.ALL_SEATS))
    seats = []
    while desk.doing() is Do.EMPTY_PLAYED:
        seats.append(desk.person.task.seat)
        desk.touch_done()
    assert seats == [0, 1, 2, 3]
    desk.end_of(operation)


def test_places_have_the_names_that_people_use() -> None:
    sizes = messages.Capabilities()
    assert [spoken_place(place, sizes) for place in (0, 12, 13, 14, 33, 34)] == [
        SpokenPlace("hand", 1),
        SpokenPlace("hand", 13),
        SpokenPlace("upper", 1),
        SpokenPlace("lower", 1),
        SpokenPlace("single", 11),
        SpokenPlace("spare", 1),
    ]
    names = [spoken_place(place, sizes) for place in range(sizes.tray_places)]
    assert len(set(names)) == len(names)


def test_after_an_emergency_stop_while_the_walls_are_raised_the_table_is_ready_again_once_they_are_done() -> None:
    desk = Desk().fed()
    desk.build(walls=2)
    desk.give(messages.Raise())
    desk.firmware.board.stick(Input.ESTOP, PinReading.HIGH)
    desk.run_for(0.5)
    desk.firmware.board.stick(Input.ESTOP, PinReading.AS_WIRED)
    desk.run_for(0.5)
    desk.done(messages.Clear(messages.FaultCode.ESTOP))
    desk.touch_done()
    desk.run_until(lambda: desk.firmware.state is messages.FeederState.READY)
