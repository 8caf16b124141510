"""The whole machine, and what people do at it.

Tiles move by drives and by hands only, and no tile is ever lost: ``census`` says where each one
is (invariant I1 of the feeder's page). Time is an argument of every call.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

from firmware_bridge.firmware.port import (
    Carry,
    Divert,
    Drive,
    DropMagazine,
    DropTray,
    Edge,
    Exchange,
    FeedMotor,
    Fetch,
    GateBelt,
    GateLock,
    Grip,
    Home,
    Lane,
    LetGo,
    Levels,
    Lift,
    Loosen,
    Motors,
    Part,
    ReleaseCell,
    Sensor,
    WellDoor,
)
from firmware_bridge.firmware.settings import capabilities_of
from firmware_bridge.messages import REAR_GATE
from twinwall.simulator.mechanics.drum import CollisionError, Drum
from twinwall.simulator.mechanics.exchanger import Exchanger
from twinwall.simulator.mechanics.intake import Intake
from twinwall.simulator.mechanics.mishaps import Mishaps
from twinwall.simulator.mechanics.schedule import Schedule
from twinwall.simulator.mechanics.settings import FaultPlan, MechanicsSettings
from twinwall.simulator.mechanics.shuttle import Shuttle
from twinwall.simulator.mechanics.side import Side
from twinwall.simulator.mechanics.sight import SEEN, FeederSight
from twinwall.simulator.scene import GateTile
from twinwall.simulator.tiles import PhysicalTile

PLACES = range(4)


class NotPossibleError(ValueError):
    """Hands tried what the table does not allow; the message says why."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """A part in which something sticks; ``index`` is the diverter's gate, or a shuttle's or an exchanger's number."""

    part: Part
    index: int


class Mechanics:
    """The reference table with its tiles, all in the drum to begin with."""

    def __init__(
        self, settings: MechanicsSettings, faults: FaultPlan, tiles: Iterable[PhysicalTile], seed: int, now_s: float = 0.0
    ) -> None:
        self.settings = settings
        self._schedule = Schedule(settings.speed, now_s)
        self._edges: list[Edge] = []
        mishaps = Mishaps(faults, seed)
        sizes, schedule = capabilities_of(settings), self._schedule
        self._drum = Drum()
        self._intakes = tuple(
            Intake(gate, settings, mishaps, seed, drum=self._drum, schedule=schedule, edge=self._note, to_chute=self._into_chute)
            for gate in range(settings.gates)
        )
        self._sides = tuple(
            Side(seat, settings, mishaps, schedule, middle=sizes.middle, edge=self._note, give_back=intake.give_back)
            for seat, intake in ((seat, self._intakes[sizes.gate_of_seat(seat)]) for seat in PLACES)
        )
        self._shuttles: dict[int, Shuttle] = {shuttle.number: shuttle for side in self._sides for shuttle in side.shuttles}
        self._exchangers = tuple(Exchanger(each, settings, mishaps, schedule, edge=self._note) for each in range(settings.exchangers))
        self._in_play: dict[int, PhysicalTile] = {}
        self._motors_on = True
        self._door_open = self._lid_open = self._estop = False
        self._walls_raised = 0
        self.looks = 0
        """Grows whenever ``sight`` may have changed."""
        self._drum.pour(tiles)

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

    def drive(self, drive: Drive, now_s: float) -> None:  # noqa: PLR0912 - one case per drive
        """Begin a motion; raises CollisionError where a real machine would break."""
        self._schedule.run_until(now_s)
        match drive:
            case FeedMotor(on):
                self._drum.turn(on)
            case GateBelt(on):
                for intake in self._intakes:
                    intake.run_belt(on)
            case Divert(lane, index, gate):
                own = index - gate * self.settings.bypass_cells if lane is Lane.CELL else index
                self._intakes[gate].divert(lane, own)
            case ReleaseCell(cell, index, lane):
                gate, own = divmod(cell, self.settings.bypass_cells)
                self._intakes[gate].release(own, lane, index)
            case Exchange(exchanger, gate, shuttle):
                self._exchangers[exchanger].exchange(self._intakes[gate], self._shuttles[shuttle])
            case Carry(seat, position):
                self._sides[seat].shuttle_for(position).carry(position)
            case Fetch(seat, position):
                self._sides[seat].shuttle_for(position).fetch(position)
            case Grip(seat, place):
                self._sides[seat].shuttle_for(place).grip(place)
            case LetGo(seat, place):
                self._sides[seat].shuttle_for(place).let_go(place)
            case Loosen(part, index):
                self._part(Stuck(part, index)).loosen()
            case DropTray(seat):
                self._drum.pour(self._sides[seat].empty_tray())
                self._schedule.after(self.settings.dump_s, lambda: self._tell(Sensor.FLOOR, seat))
            case DropMagazine(seat):
                self._drum.pour(self._sides[seat].empty_magazine())
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
                assert_never(drive)

    def levels(self) -> Levels:
        """Read every lasting sensor."""
        gates = tuple(intake.gate.reading if intake.gate else None for intake in self._intakes)
        return Levels(
            gate=gates[0],
            drum_empty=not self._drum.tiles and not any(intake.row for intake in self._intakes),
            returned=any(intake.returned for intake in self._intakes),
            cells=_mask(cell for intake in self._intakes for cell in intake.cells),
            carried=sum(1 << number for number, shuttle in self._shuttles.items() if shuttle.carried is not None),
            trays=tuple(_mask(side.tray) for side in self._sides),
            magazines=tuple(_mask(side.magazine) for side in self._sides),
            locks=_mask_of(gate.open for rank in (0, 1) for gate in (side.gates[rank] for side in self._sides)),
            lid_open=self._lid_open,
            estop=self._estop,
            door_open=self._door_open,
            other_gates=gates[1:],
        )

    def gripping(self, seat: int) -> bool:
        """Whether a gripper opens or closes just now, so that its carriage must stand still."""
        return any(shuttle.gripping for shuttle in self._sides[seat].shuttles)

    # What the camera and people see -----------------------------------------------------------

    def gate_tile(self, gate: int = 0) -> GateTile | None:
        """The tile in a gate's window as it lies there, None when the window is empty."""
        resting = self._intakes[gate].gate
        return resting.seen if resting else None

    def sight(self) -> FeederSight:
        """What people see of the feeder."""
        hands, draws_end = self.settings.hand_places, self.settings.wall_tiles or self.settings.wall_places
        walls = self.settings.wall_places if self.settings.rear_tiles else draws_end
        return FeederSight(
            waiting=tuple(len(_present(side.magazine[:hands])) for side in self._sides),
            draws_left=tuple(len(_present(side.magazine[hands:draws_end])) for side in self._sides),
            gates_open=tuple(side.gates[0].open for side in self._sides),
            rear_gates_open=tuple(side.gates[1].open for side in self._sides),
            well_open=self._door_open,
            walls_ready=all(None not in side.tray[:walls] for side in self._sides),
            walls_raised=self._walls_raised,
        )

    def census(self) -> dict[str, tuple[PhysicalTile, ...]]:
        """Every tile, by where it is."""
        intakes, shuttles = self._intakes, self._shuttles.values()
        lying = tuple(tile for intake in intakes if intake.gate for tile in intake.gate.tiles)
        near = tuple(tile for intake in intakes for tile in (*intake.row, *intake.returned, *intake.moving, *intake.pocket))
        return {
            "drum": tuple(self._drum.tiles),
            "gate": (*lying, *near, *_present(exchanger.carried for exchanger in self._exchangers)),
            "bypass": _present(cell for intake in intakes for cell in intake.cells),
            "shuttles": tuple(tile for shuttle in shuttles for tile in (*shuttle.chute, *_present([shuttle.carried]))),
            "trays": tuple(tile for side in self._sides for tile in _present(side.tray)),
            "magazines": tuple(tile for side in self._sides for tile in _present(side.magazine)),
            "in play": tuple(self._in_play.values()),
            "rejected": tuple(tile for intake in intakes for tile in intake.rejected),
        }

    def tray(self, place: int) -> tuple[PhysicalTile | None, ...]:
        """A seat's tray, position by position."""
        return tuple(self._sides[place].tray)

    # What people do -----------------------------------------------------------------------------

    def stuck(self) -> tuple[Stuck, ...]:
        """The parts in which something sticks, for whoever opens the machine."""
        parts = (
            *(Stuck(Part.DIVERTER, intake.number) for intake in self._intakes),
            *(Stuck(Part.SHUTTLE, number) for number in self._shuttles),
            *(Stuck(Part.EXCHANGER, exchanger.number) for exchanger in self._exchangers),
        )
        return tuple(part for part in parts if self._part(part).stuck)

    def free(self, stuck: Stuck, now_s: float) -> None:
        """Take out what sticks in a part; the tile falls into the drum. Raises NotPossibleError when nothing sticks there."""
        self._schedule.run_until(now_s)
        if stuck not in self.stuck():
            raise NotPossibleError(f"nothing sticks in the {stuck.part.name.lower()} {stuck.index}")
        if stuck.part is Part.DIVERTER:
            self._intakes[stuck.index].free()
        else:
            carrier = self._shuttles[stuck.index] if stuck.part is Part.SHUTTLE else self._exchangers[stuck.index]
            self._drum.pour(carrier.free())

    def hold_gate_tile(self, now_s: float) -> None:
        """Keep the tile in the gate from leaving it, until ``free``; raises NotPossibleError when none lies there."""
        self._schedule.run_until(now_s)
        if self._intakes[0].gate is None:
            raise NotPossibleError("no tile lies in the gate")
        self._intakes[0].hold()

    def empty_reject_cell(self, now_s: float) -> tuple[PhysicalTile, ...]:
        """Take out what lies in the reject cells."""
        self._schedule.run_until(now_s)
        tiles = tuple(tile for intake in self._intakes for tile in intake.rejected)
        for intake in self._intakes:
            intake.rejected.clear()
        self._in_play |= {tile.id: tile for tile in tiles}
        return tiles

    def take_hand_tile(self, place: int, index: int, now_s: float) -> PhysicalTile:
        """Take the tile at a hand place; raises NotPossibleError when there is none."""
        self._schedule.run_until(now_s)
        tile = self._sides[place].magazine[index] if index < self.settings.hand_places else None
        if tile is None:
            raise NotPossibleError(f"no tile at hand place {index} of seat {place}")
        self._sides[place].magazine[index] = None
        self._in_play[tile.id] = tile
        self._tell(Sensor.HAND, place, index, level=False)
        return tile

    def take_hand_tiles(self, place: int, count: int, now_s: float) -> tuple[PhysicalTile, ...]:
        """Take up to ``count`` tiles from the hand places of a seat, those in front first."""
        hand = self._sides[place].magazine[: self.settings.hand_places]
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
        self._schedule.run_until(now_s)
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
        self._schedule.run_until(now_s)
        side, gate = self._sides[place], self._sides[place].gates[0]
        if gate.lifted_from is None or tile.id not in self._in_play:
            raise NotPossibleError(f"the draw gate of seat {place} has no room for tile {tile.id}, or the tile is not in play")
        side.magazine[gate.lifted_from] = self._in_play.pop(tile.id)
        self._tell(Sensor.DRAW, place, gate.lifted_from)
        gate.lifted_from = None

    def drop_into_well(self, tiles: Iterable[PhysicalTile], now_s: float) -> None:
        """Push tiles into the open well, which counts them into the drum; raises NotPossibleError when it is closed.

        A tile that was not in play comes from outside the table, such as one found under it.
        """
        self._schedule.run_until(now_s)
        if not self._door_open:
            raise NotPossibleError("the well is closed")
        for _ in self._add(tiles):
            self._tell(Sensor.WELL)

    def add_to_drum(self, tiles: Iterable[PhysicalTile], now_s: float) -> None:
        """Drop tiles through the open lid, uncounted; raises NotPossibleError when it is closed."""
        self._schedule.run_until(now_s)
        if not self._lid_open:
            raise NotPossibleError("the lid is closed")
        self._add(tiles)

    def set_lid(self, opened: bool, now_s: float) -> None:
        """Open or close the drum's lid; motors have no power while it is open."""
        self._schedule.run_until(now_s)
        if opened is not self._lid_open:
            self._lid_open = opened
            self._tell(Sensor.LID, level=opened)
            self._power()

    def set_estop(self, on: bool, now_s: float) -> None:
        """Press or release the emergency stop; it cuts motors and lets every lock spring shut."""
        self._schedule.run_until(now_s)
        if on is self._estop:
            return
        self._estop = on
        self._tell(Sensor.ESTOP, level=on)
        self._power()
        if on:
            for gate in range(2 * REAR_GATE):
                self._move_lock(gate, False)

    # ------------------------------------------------------------------------------------------

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
        self._drum.pour(arriving)
        return arriving

    def _power(self) -> None:
        self._schedule.power(self._motors_on and not self._lid_open and not self._estop)

    def _into_chute(self, shuttle: int, tile: PhysicalTile) -> None:
        self._shuttles[shuttle].receive(tile)

    def _part(self, stuck: Stuck) -> Intake | Shuttle | Exchanger:
        """Whatever moves by itself, and can stick."""
        match stuck.part:
            case Part.DIVERTER:
                return self._intakes[stuck.index]
            case Part.SHUTTLE:
                return self._shuttles[stuck.index]
            case Part.EXCHANGER:
                return self._exchangers[stuck.index]

    def _raise_walls(self) -> None:
        for side in self._sides:
            side.lift()
        self._walls_raised += 1
        self._tell(Sensor.LIFT)

    def _move_door(self, opened: bool) -> None:
        self._door_open = opened
        self._tell(Sensor.DOOR, level=opened)

    def _gate(self, number: int) -> tuple[Side, int]:
        """The side of a gate, and which of its two it is."""
        return self._sides[number % REAR_GATE], number // REAR_GATE

    def _move_lock(self, number: int, opened: bool) -> None:
        side, rank = self._gate(number)
        if side.gates[rank].open is not opened:
            side.gates[rank].open = opened
            self._tell(Sensor.LOCK, number, level=opened)

    def _go_home(self) -> None:
        self._schedule.clear()
        self._drum.turning = False
        for intake in self._intakes:
            intake.home()
        for side in self._sides:
            self._drum.pour(side.home())
        for exchanger in self._exchangers:
            self._drum.pour(exchanger.home())
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


def _present(places: Iterable[PhysicalTile | None]) -> tuple[PhysicalTile, ...]:
    return tuple(tile for tile in places if tile is not None)


__all__ = ["CollisionError", "Mechanics", "NotPossibleError"]
