"""Interlocks: power of the motors, lid, emergency stop, the well's door, and the locks of draw gates and rear gates. Hands: what
people do at the machine. Time is an argument of every call."""

from collections.abc import Iterable

from firmware_bridge.electrics.wired_machine import Sensor
from firmware_bridge.electrics.wiring import SEATS, Input
from firmware_bridge.messages import REAR_GATE
from simulator.mechanics.parts import Parts, Stuck
from simulator.mechanics.schedule import EdgeLog, Schedule
from simulator.mechanics.settings import MechanicsSettings
from simulator.mechanics.side import DrawGate, Side
from simulator.tabletop import NotPossibleError, PhysicalTile

GATES = range(2 * REAR_GATE)
"""Draw gates, then rear gates."""


class Interlocks:
    """Lid and emergency stop cut the motors' power; the emergency stop also lets every lock spring shut."""

    def __init__(self, sides: tuple[Side, ...], schedule: Schedule, log: EdgeLog, door_s: float) -> None:
        """The well's door takes ``door_s`` of machine time."""
        self._sides = sides
        self._schedule = schedule
        self._log = log
        self._door_s = door_s
        self._motors_on = True
        self._door_runs: bool | None = None
        self.door_open = self.lid_open = self.estop = False

    @property
    def held(self) -> bool:
        """Whether lid or emergency stop keep the motors without power."""
        return self.lid_open or self.estop

    def switch_motors(self, on: bool) -> None:
        """The board gives the motors power or takes it away."""
        self._motors_on = on
        self._power()

    def move_door(self, opened: bool, runs: bool) -> None:
        """The well's door sets out, or stays where it is."""
        self._door_runs = opened if runs else None

        def arrive() -> None:
            if self._door_runs is opened:
                self.door_open = opened
                self._log.tell(Sensor.DOOR, level=opened)

        if runs:
            self._schedule.after(self._door_s, arrive)

    def gate(self, number: int) -> DrawGate:
        return self._sides[number % REAR_GATE].gates[number // REAR_GATE]

    def move_lock(self, number: int, opened: bool) -> None:
        """A gate's lock is held open, unless the emergency stop is pressed, or springs shut."""
        gate, opened = self.gate(number), opened and not self.estop
        if gate.open is not opened:
            gate.open, gate.passed = opened, False
            self._sides[number % REAR_GATE].barred += opened and number >= REAR_GATE  # a bolt that is drawn lets a blind move on
            self._log.tell(Sensor.LOCK, number, level=opened)

    def set_lid(self, opened: bool) -> None:
        if opened is not self.lid_open:
            self.lid_open = opened
            self._log.tell(Sensor.LID, level=opened)
            self._power()

    def set_estop(self, on: bool) -> None:
        if on is self.estop:
            return
        self.estop = on
        self._log.tell(Sensor.ESTOP, level=on)
        self._power()
        if on:
            for number in GATES:
                self.move_lock(number, False)

    def _power(self) -> None:
        self._schedule.power(self._motors_on and not self.held)


NO_SHUTTLES = [first + seat for first in (Input.HOME, Input.AT_PLACE, Input.GRIPPER_UP) for seat in range(SEATS)]
"""Inputs that read low where nothing is plugged in."""


class MachineHands:
    """The hands of everybody at the table, and the tiles in play."""

    def __init__(self, settings: MechanicsSettings, parts: Parts, interlocks: Interlocks, schedule: Schedule, log: EdgeLog) -> None:
        self._hand_places = settings.hand_places
        self._blinds = settings.blinds
        self._parts = parts
        self._interlocks = interlocks
        self._schedule = schedule
        self._log = log
        self._in_play: dict[int, PhysicalTile] = {}
        self.unplugged: dict[int, bool] = dict.fromkeys(NO_SHUTTLES, False) if settings.lanes else {}
        """Inputs, by their numbers, whose plugs are pulled, with what each reads now."""

    @property
    def in_play(self) -> tuple[PhysicalTile, ...]:
        return tuple(self._in_play.values())

    def stuck(self) -> tuple[Stuck, ...]:
        """The parts in which something sticks, for the person who opens the machine."""
        return self._parts.stuck()

    def free(self, stuck: Stuck, now_s: float) -> None:
        """Take out what sticks in a part; the tile falls into the drum. Raises NotPossibleError when nothing sticks there."""
        self._schedule.act(now_s)
        if stuck not in self.stuck():
            raise NotPossibleError(f"nothing sticks in the {stuck[0].name.lower()} {stuck[1]}")
        self._parts.free(stuck)

    def block_drum(self, now_s: float, *, blocked: bool = True) -> None:
        """Get something between drum and gates, or take it out."""
        self._schedule.act(now_s)
        self._parts.drum.block(blocked)

    def pull_plug(self, number: int, now_s: float, *, pulled: bool = True, reads: bool = False) -> None:
        """Pull the plug of an input that ``WiredMachine.unplugged`` names, or put it back; a gripper's may be bridged."""
        self._schedule.act(now_s)
        self.unplugged.pop(number, None)
        if pulled:
            self.unplugged[number] = reads

    def draw_bolt(self, gate: int, now_s: float, *, drawn: bool) -> None:
        """Hold a gate open by its bolt or shutter, or let go."""
        self._schedule.act(now_s)
        self._interlocks.move_lock(gate, drawn)

    def hold_gate_tile(self, now_s: float) -> None:
        """Keep the tile in the gate from leaving it, until ``free``; raises NotPossibleError when none lies there."""
        self._schedule.act(now_s)
        if self._parts.intakes[0].window.resting is None:
            raise NotPossibleError("no tile lies in the gate")
        self._parts.intakes[0].hold()

    def empty_reject_cell(self, now_s: float) -> tuple[PhysicalTile, ...]:
        self._schedule.act(now_s)
        tiles = tuple(tile for intake in self._parts.intakes for tile in intake.rejected)
        for intake in self._parts.intakes:
            intake.rejected.clear()
        self._in_play |= {tile.id: tile for tile in tiles}
        return tiles

    def take_from_lane(self, place: int, now_s: float) -> PhysicalTile:
        """Take the tile at the end of a seat's lane; raises NotPossibleError when none lies there."""
        self._schedule.act(now_s)
        tile = self._parts.shuttles[place].take_by_hand()
        if tile is None:
            raise NotPossibleError(f"no tile lies at the end of the lane of seat {place}")
        self._in_play[tile.id] = tile
        return tile

    def take_hand_tile(self, place: int, index: int, now_s: float) -> PhysicalTile:
        """Take the tile at a hand place; raises NotPossibleError when there is none."""
        self._schedule.act(now_s)
        magazine = self._parts.sides[place].magazine
        tile = magazine[index] if index < self._hand_places else None
        if tile is None:
            raise NotPossibleError(f"no tile at hand place {index} of seat {place}")
        magazine[index] = None
        self._in_play[tile.id] = tile
        self._log.tell(Sensor.HAND, place, index, level=False)
        return tile

    def take_hand_tiles(self, place: int, count: int, now_s: float) -> tuple[PhysicalTile, ...]:
        """Take up to ``count`` tiles from the hand places of a seat, those in front first."""
        hand = self._parts.sides[place].magazine[: self._hand_places]
        there = [index for index, tile in enumerate(hand) if tile is not None]
        return tuple(self.take_hand_tile(place, index, now_s) for index in there[:count])

    def lift_draw(self, place: int, now_s: float) -> PhysicalTile | None:
        """Lift the tile at a draw gate; None when it is locked, one has passed already or nothing is left."""
        return self._lift_at(place, now_s)

    def lift_at_rear(self, place: int, now_s: float) -> PhysicalTile | None:
        """Lift the tile at a rear gate, as at a draw gate."""
        return self._lift_at(REAR_GATE + place, now_s)

    def put_back(self, place: int, tile: PhysicalTile, now_s: float) -> None:
        """Put a tile in play back into the draw gate that one was last lifted from; raises NotPossibleError otherwise."""
        self._schedule.act(now_s)
        gate = self._interlocks.gate(place)
        if gate.lifted_from is None or tile.id not in self._in_play or (self._blinds and not gate.open):
            raise NotPossibleError(f"the draw gate of seat {place} has no room for tile {tile.id}, or the tile is not in play")
        self._parts.sides[place].magazine[gate.lifted_from] = self._in_play.pop(tile.id)
        self._log.tell(Sensor.DRAW, place, gate.lifted_from)
        gate.lifted_from = None

    def drop_into_well(self, tiles: Iterable[PhysicalTile], now_s: float) -> None:
        """Push tiles into the open well, which counts them into the drum; raises NotPossibleError when it is closed.

        A tile that was not in play comes from outside the table, such as one found under it.
        """
        self._schedule.act(now_s)
        if not self._interlocks.door_open:
            raise NotPossibleError("the well is closed")
        for _ in self._add(tiles):
            self._log.tell(Sensor.WELL)

    def add_to_drum(self, tiles: Iterable[PhysicalTile], now_s: float) -> None:
        """Drop tiles through the open lid, uncounted; raises NotPossibleError when it is closed."""
        self._schedule.act(now_s)
        if not self._interlocks.lid_open:
            raise NotPossibleError("the lid is closed")
        self._add(tiles)

    def set_lid(self, opened: bool, now_s: float) -> None:
        """Open or close the drum's lid; motors have no power while it is open."""
        self._schedule.act(now_s)
        self._interlocks.set_lid(opened)

    def set_estop(self, on: bool, now_s: float) -> None:
        """Press or release the emergency stop; it cuts motors and lets every lock spring shut."""
        self._schedule.act(now_s)
        self._interlocks.set_estop(on)

    def _lift_at(self, number: int, now_s: float) -> PhysicalTile | None:
        self._schedule.act(now_s)
        side, gate = self._parts.sides[number % REAR_GATE], self._interlocks.gate(number)
        lifted_from = side.next_at(number // REAR_GATE)
        if lifted_from is None or not gate.lets_pass:
            return None
        tile = side.magazine[lifted_from]
        assert tile is not None
        side.magazine[lifted_from] = None
        gate.lifted_from = lifted_from
        self._in_play[tile.id] = tile
        gate.passed = not self._blinds
        self._log.tell(Sensor.DRAW, number, lifted_from, level=False)
        return tile

    def _add(self, tiles: Iterable[PhysicalTile]) -> list[PhysicalTile]:
        arriving = list(tiles)
        inside = {tile.id for there in self._parts.census().values() for tile in there}
        doubled = [tile.id for tile in arriving if tile.id in inside]
        if doubled or len({tile.id for tile in arriving}) != len(arriving):
            raise NotPossibleError(
                f"tiles {doubled or [tile.id for tile in arriving]} cannot be dropped in: they are in the table already, or named twice"
            )
        for tile in arriving:
            self._in_play.pop(tile.id, None)
        self._parts.drum.pour(arriving)
        return arriving
