"""Visible state of a table at one moment, and the part of it that one person sees."""

from simulator import seen_tiles
from simulator.mechanics import FeederView
from simulator.tabletop import PLACES, Tabletop
from simulator.world.visible_table import Pressed, VisibleTable
from twinwall.art.mat import Area
from twinwall.values import frozen
from twinwall.wire.shapes.panel import Lamps


@frozen
class Moment:
    """``answered`` is the latest claim window that each place has answered, ``pressed`` its latest press that counted."""

    tabletop: Tabletop
    machine: FeederView
    lamps: Lamps
    hand: int = 0
    box: bool = False
    answered: tuple[int, ...] = (0,) * 4
    pressed: tuple[Pressed | None, ...] = (None,) * 4

    def has_answered(self, place: int) -> bool:
        return self.answered[place] >= self.tabletop.discards

    def asks_nothing_of(self, place: int) -> bool:
        """Whether nothing is asked of a person."""
        machine, lamps = self.machine, self.lamps
        asked = machine.waiting[place] or machine.clearing or machine.rear_gates_open[place]
        return not (asked or place in lamps.turn or (lamps.window and not self.has_answered(place)))

    def shown_to(self, place: int) -> object:
        """All that ``seen_from`` is made of."""
        machine = self.machine
        feeder = machine.waiting[place], machine.gates_open[place], machine.rear_gates_open[place], machine.draws_left, machine.clearing
        own = self.has_answered(place), self.pressed[place]
        return self.tabletop.version, self.lamps, feeder, own, self.box, self.hand

    def seen_from(self, place: int, version: int) -> VisibleTable:
        """What the person at ``place`` sees."""
        table, machine = self.tabletop, self.machine
        rack, last = table.racks[place], table.last_discard
        return VisibleTable(
            version=version,
            place=place,
            hand=self.hand,
            rack=tuple(tile.face for tile in rack.tiles),
            drawn=None if rack.drawn is None else rack.drawn.face,
            after_kong=rack.after_kong,
            hand_waiting=machine.waiting[place],
            gate_open=machine.gates_open[place],
            rear_gate_open=machine.rear_gates_open[place],
            draws_left=machine.draws_left,
            clearing=machine.clearing,
            box=self.box,
            rivers=tuple(seen_tiles.river(table, other) for other in PLACES),
            sticks=table.sticks,
            shared=seen_tiles.shared(table),
            melds=tuple(seen_tiles.melds(table, other, place) for other in PLACES),
            shown=tuple(seen_tiles.shown(table, other) for other in PLACES),
            lamps=self.lamps,
            discards=table.discards,
            last_discard=None if last is None or last.area is not Area.RIVER else (last.place, last.index),
            added=None if last is None or last.area is not Area.MELD else (last.place, seen_tiles.face_at(table, last)),
            answered=self.has_answered(place),
            pressed=self.pressed[place],
        )
