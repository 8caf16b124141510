"""The whole machine, and the actions of people on it.

Only drives and hands move tiles, and no tile is ever lost: ``census`` says where each one is. Time is an argument of
every call.
"""

from __future__ import annotations

from collections.abc import Iterable

from firmware_bridge.electrics.wired_machine import CollisionError
from firmware_bridge.firmware.port import (
    Drive,
    DropMagazine,
    DropTray,
    Edge,
    GateLock,
    Home,
    Levels,
    Lift,
    Motors,
    Sensor,
    WellDoor,
)
from firmware_bridge.messages import REAR_GATE
from twinwall.simulator.mechanics.feeder_view import SEEN, FeederView
from twinwall.simulator.mechanics.mishaps import Mishaps
from twinwall.simulator.mechanics.parts import Parts, Stuck, present
from twinwall.simulator.mechanics.schedule import Schedule
from twinwall.simulator.mechanics.settings import FaultPlan, MechanicsSettings
from twinwall.simulator.mechanics.side import Side
from twinwall.simulator.physical_tiles import PhysicalTile
from twinwall.simulator.scene import WindowTile


class NotPossibleError(ValueError):
    """Hands tried what the table does not allow; the message says why."""


class Mechanics:
    """The reference table with its tiles, all in the drum to begin with."""

    def __init__(
        self, settings: MechanicsSettings, faults: FaultPlan, tiles: Iterable[PhysicalTile], seed: int, now_s: float = 0.0
    ) -> None:
        self.settings = settings
        self._schedule = Schedule(settings.speed, now_s)
        self._edges: list[Edge] = []
        self._parts = Parts(settings, Mishaps(faults, seed), seed, schedule=self._schedule, edge=self._note)
        self._in_play: dict[int, PhysicalTile] = {}
        self._motors_on = True
        self._door_open = self._lid_open = self._estop = False
        self._walls_raised = self._acts = 0
        self.looks = 0
        """Grows whenever ``sight`` may have changed."""
        self._parts.drum.pour(tiles)

    # What firmware sees ---------------------------------------------------------------------

    def advance(self, now_s: float) -> list[Edge]:
        """Let time pass until ``now_s``; return the edges since the last call, in order."""
        self._schedule.run_until(now_s)
        edges = self._edges.copy()
        self._edges.clear()
        return edges

    def next_edge_s(self) -> float | None:
        """When something is next due; at once when edges wait to be fetched."""
        return self._schedule.now_s if self._edges else self._schedule.next_s()

    def drive(self, drive: Drive, now_s: float) -> None:
        """Begin a motion; raises CollisionError where a real machine would break."""
        self._act(now_s)
        match drive:
            case DropTray(seat):
                self._parts.drum.pour(self._parts.sides[seat].empty_tray())
                self._schedule.after(self.settings.dump_s, lambda: self._tell(Sensor.FLOOR, seat))
            case DropMagazine(seat):
                self._parts.drum.pour(self._parts.sides[seat].empty_magazine())
                self._schedule.after(self.settings.dump_s, lambda: self._tell(Sensor.MAGAZINE_FLOOR, seat))
            case Lift():
                self._schedule.after(self.settings.raise_s, self._raise_walls)
            case WellDoor(opened):
                self._schedule.after(self.settings.door_s, lambda: self._move_door(opened))
            case GateLock(seat, opened):
                self._move_lock(seat, opened and not self._estop)
            case Motors(on):
                self._motors_on = on
                self._power()
            case Home():
                self._go_home()
            case _:
                self._parts.drive(drive)

    def levels(self) -> Levels:
        """Read every lasting sensor."""
        gates = tuple(intake.gate.reading if intake.gate else None for intake in self._parts.intakes)
        return Levels(
            gate=gates[0],
            drum_empty=self.drum_empty,
            returned=self.returned,
            cells=_mask(cell for intake in self._parts.intakes for cell in intake.cells),
            carried=self.carried,
            trays=tuple(_mask(side.tray) for side in self._parts.sides),
            magazines=tuple(_mask(side.magazine) for side in self._parts.sides),
            locks=_mask_of(gate.open for rank in (0, 1) for gate in (side.gates[rank] for side in self._parts.sides)),
            lid_open=self._lid_open,
            estop=self._estop,
            door_open=self._door_open,
            other_gates=gates[1:],
        )

    @property
    def changes(self) -> int:
        """Grows whenever anything may have changed."""
        return self._acts + self._schedule.done

    @property
    def carried(self) -> int:
        """Bit per shuttle that holds a tile."""
        return sum(1 << number for number, shuttle in self._parts.shuttles.items() if shuttle.carried is not None)

    @property
    def returned(self) -> bool:
        """Whether a tile that a shuttle has brought back waits before a gate."""
        return any(intake.returned for intake in self._parts.intakes)

    def returned_at(self, gate: int) -> bool:
        """Whether such a tile waits before this gate."""
        return bool(self._parts.intakes[gate].returned)

    def exchanging(self, exchanger: int) -> bool:
        """Whether an exchanger holds a tile."""
        return self._parts.exchangers[exchanger].carried is not None

    @property
    def drum_empty(self) -> bool:
        """Whether neither the drum nor a row before a gate holds a tile."""
        return not self._parts.drum.tiles and not any(intake.row for intake in self._parts.intakes)

    @property
    def held(self) -> bool:
        """Whether lid or emergency stop keep the motors without power."""
        return self._lid_open or self._estop

    @property
    def door_open(self) -> bool:
        """Whether the well is open."""
        return self._door_open

    @property
    def grippers_work(self) -> bool:
        """Whether any gripper opens or closes just now."""
        return any(shuttle.gripping for shuttle in self._parts.shuttles.values())

    def gripping(self, shuttle: int) -> bool:
        """Whether a gripper opens or closes just now, so that its carriage must stand still."""
        return self._parts.shuttles[shuttle].gripping

    # What the camera and people see -----------------------------------------------------------

    def gate_tile(self, gate: int = 0) -> WindowTile | None:
        """The tile in a gate's window as it lies there, None when the window is empty."""
        resting = self._parts.intakes[gate].gate
        return resting.seen if resting else None

    def sight(self) -> FeederView:
        """What people see of the feeder."""
        hands, draws_end = self.settings.hand_places, self.settings.wall_tiles or self.settings.wall_places
        walls = self.settings.wall_places if self.settings.rear_tiles else draws_end
        return FeederView(
            waiting=tuple(len(present(side.magazine[:hands])) for side in self._parts.sides),
            draws_left=tuple(len(present(side.magazine[hands:draws_end])) for side in self._parts.sides),
            gates_open=tuple(side.gates[0].open for side in self._parts.sides),
            rear_gates_open=tuple(side.gates[1].open for side in self._parts.sides),
            well_open=self._door_open,
            walls_ready=all(None not in side.tray[:walls] for side in self._parts.sides),
            walls_raised=self._walls_raised,
        )

    def census(self) -> dict[str, tuple[PhysicalTile, ...]]:
        """Every tile, by where it is."""
        return self._parts.census() | {"in play": tuple(self._in_play.values())}

    def tray(self, place: int) -> tuple[PhysicalTile | None, ...]:
        """A seat's tray, position by position."""
        return tuple(self._parts.sides[place].tray)

    # What people do -----------------------------------------------------------------------------

    def stuck(self) -> tuple[Stuck, ...]:
        """The parts in which something sticks, for whoever opens the machine."""
        return self._parts.stuck()

    def free(self, stuck: Stuck, now_s: float) -> None:
        """Take out what sticks in a part; the tile falls into the drum. Raises NotPossibleError when nothing sticks there."""
        self._act(now_s)
        if stuck not in self.stuck():
            raise NotPossibleError(f"nothing sticks in the {stuck.part.name.lower()} {stuck.index}")
        self._parts.free(stuck)

    def hold_gate_tile(self, now_s: float) -> None:
        """Keep the tile in the gate from leaving it, until ``free``; raises NotPossibleError when none lies there."""
        self._act(now_s)
        if self._parts.intakes[0].gate is None:
            raise NotPossibleError("no tile lies in the gate")
        self._parts.intakes[0].hold()

    def empty_reject_cell(self, now_s: float) -> tuple[PhysicalTile, ...]:
        """Take out what lies in the reject cells."""
        self._act(now_s)
        tiles = tuple(tile for intake in self._parts.intakes for tile in intake.rejected)
        for intake in self._parts.intakes:
            intake.rejected.clear()
        self._in_play |= {tile.id: tile for tile in tiles}
        return tiles

    def take_hand_tile(self, place: int, index: int, now_s: float) -> PhysicalTile:
        """Take the tile at a hand place; raises NotPossibleError when there is none."""
        self._act(now_s)
        tile = self._parts.sides[place].magazine[index] if index < self.settings.hand_places else None
        if tile is None:
            raise NotPossibleError(f"no tile at hand place {index} of seat {place}")
        self._parts.sides[place].magazine[index] = None
        self._in_play[tile.id] = tile
        self._tell(Sensor.HAND, place, index, level=False)
        return tile

    def take_hand_tiles(self, place: int, count: int, now_s: float) -> tuple[PhysicalTile, ...]:
        """Take up to ``count`` tiles from the hand places of a seat, those in front first."""
        hand = self._parts.sides[place].magazine[: self.settings.hand_places]
        there = [index for index, tile in enumerate(hand) if tile is not None]
        return tuple(self.take_hand_tile(place, index, now_s) for index in there[:count])

    def lift_draw(self, place: int, now_s: float) -> PhysicalTile | None:
        """Lift the tile at a draw gate; None when it is locked or nothing is left. The lock springs shut behind it."""
        return self._lift_at(place, now_s)

    def force_draw(self, place: int, now_s: float) -> PhysicalTile | None:
        """Pull the next tile out through a draw gate, locked or not; None when nothing is left."""
        return self._lift_at(place, now_s, forced=True)

    def lift_at_rear(self, place: int, now_s: float) -> PhysicalTile | None:
        """Lift the tile at a rear gate, as at a draw gate."""
        return self._lift_at(REAR_GATE + place, now_s)

    def _lift_at(self, gate: int, now_s: float, *, forced: bool = False) -> PhysicalTile | None:
        self._act(now_s)
        side, rank = self._gate(gate)
        lifted_from = side.next_at(rank)
        if lifted_from is None or not (forced or side.gates[rank].open):
            return None
        tile = side.magazine[lifted_from]
        assert tile is not None
        side.magazine[lifted_from] = None
        side.gates[rank].lifted_from = lifted_from
        self._in_play[tile.id] = tile
        self._tell(Sensor.DRAW, gate, lifted_from, level=False)
        self._move_lock(gate, False)
        return tile

    def put_back(self, place: int, tile: PhysicalTile, now_s: float) -> None:
        """Put a tile in play back into the draw gate that one was last lifted from; raises NotPossibleError otherwise."""
        self._act(now_s)
        side, gate = self._parts.sides[place], self._parts.sides[place].gates[0]
        if gate.lifted_from is None or tile.id not in self._in_play:
            raise NotPossibleError(f"the draw gate of seat {place} has no room for tile {tile.id}, or the tile is not in play")
        side.magazine[gate.lifted_from] = self._in_play.pop(tile.id)
        self._tell(Sensor.DRAW, place, gate.lifted_from)
        gate.lifted_from = None

    def drop_into_well(self, tiles: Iterable[PhysicalTile], now_s: float) -> None:
        """Push tiles into the open well, which counts them into the drum; raises NotPossibleError when it is closed.

        A tile that was not in play comes from outside the table, such as one found under it.
        """
        self._act(now_s)
        if not self._door_open:
            raise NotPossibleError("the well is closed")
        for _ in self._add(tiles):
            self._tell(Sensor.WELL)

    def add_to_drum(self, tiles: Iterable[PhysicalTile], now_s: float) -> None:
        """Drop tiles through the open lid, uncounted; raises NotPossibleError when it is closed."""
        self._act(now_s)
        if not self._lid_open:
            raise NotPossibleError("the lid is closed")
        self._add(tiles)

    def set_lid(self, opened: bool, now_s: float) -> None:
        """Open or close the drum's lid; motors have no power while it is open."""
        self._act(now_s)
        if opened is not self._lid_open:
            self._lid_open = opened
            self._tell(Sensor.LID, level=opened)
            self._power()

    def set_estop(self, on: bool, now_s: float) -> None:
        """Press or release the emergency stop; it cuts motors and lets every lock spring shut."""
        self._act(now_s)
        if on is self._estop:
            return
        self._estop = on
        self._tell(Sensor.ESTOP, level=on)
        self._power()
        if on:
            for gate in range(2 * REAR_GATE):
                self._move_lock(gate, False)

    # ------------------------------------------------------------------------------------------

    def _act(self, now_s: float) -> None:
        """Hands or firmware are about to change something."""
        self._schedule.run_until(now_s)
        self._acts += 1

    def _add(self, tiles: Iterable[PhysicalTile]) -> list[PhysicalTile]:
        arriving = list(tiles)
        inside = {tile.id for place, there in self.census().items() if place != "in play" for tile in there}
        doubled = [tile.id for tile in arriving if tile.id in inside]
        if doubled or len({tile.id for tile in arriving}) != len(arriving):
            raise NotPossibleError(
                f"tiles {doubled or [tile.id for tile in arriving]} cannot be dropped in: they are in the table already, or named twice"
            )
        for tile in arriving:
            self._in_play.pop(tile.id, None)
        self._parts.drum.pour(arriving)
        return arriving

    def _power(self) -> None:
        self._schedule.power(self._motors_on and not self._lid_open and not self._estop)

    def _raise_walls(self) -> None:
        for side in self._parts.sides:
            side.lift()
        self._walls_raised += 1
        self._tell(Sensor.LIFT)

    def _move_door(self, opened: bool) -> None:
        self._door_open = opened
        self._tell(Sensor.DOOR, level=opened)

    def _gate(self, number: int) -> tuple[Side, int]:
        """The side of a gate, and which of its two it is."""
        return self._parts.sides[number % REAR_GATE], number // REAR_GATE

    def _move_lock(self, number: int, opened: bool) -> None:
        side, rank = self._gate(number)
        if side.gates[rank].open is not opened:
            side.gates[rank].open = opened
            self._tell(Sensor.LOCK, number, level=opened)

    def _go_home(self) -> None:
        self._schedule.clear()
        self._parts.home()
        self._schedule.after(self.settings.home_s, lambda: self._tell(Sensor.HOME))

    def _tell(self, sensor: Sensor, index: int = 0, place: int = 0, *, level: bool = True) -> None:
        self._note(Edge(sensor, self._schedule.now_s, index, place, level))

    def _note(self, edge: Edge) -> None:
        self._edges.append(edge)
        self.looks += edge.sensor in SEEN


def _mask(places: Iterable[PhysicalTile | None]) -> int:
    return _mask_of(tile is not None for tile in places)


def _mask_of(bits: Iterable[bool]) -> int:
    return sum(1 << number for number, bit in enumerate(bits) if bit)


__all__ = ["CollisionError", "Mechanics", "NotPossibleError"]
