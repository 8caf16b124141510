"""Visible table: what one person sees, as it travels from the world to that person.

It is all that a simulated player gets: own tiles, rivers, melds, shown hands, shared tiles, how full the walls are,
the lamps. It holds nothing concealed of anybody else. The camera of the table gets its scene from here too.
"""

from simulator.mechanics import FeederView
from simulator.scene import BACK, CLEAR, FREE, Between, LaidTile, TableScene
from simulator.tabletop import PLACES, SHARED_SLOTS, Tabletop
from twinwall.art.mat import Area, Slot
from twinwall.values import frozen
from twinwall.wire.shapes.panel import Key, Lamps


@frozen
class MeldSeen:
    """A group of tiles in the melds of a place: faces by position (``back`` for what lies face down before somebody
    else), and the position that lies sideways."""

    tiles: tuple[str, ...]
    sideways: int | None


def scene(table: Tabletop, between: Between = CLEAR) -> TableScene:
    tiles = tuple(
        LaidTile(
            BACK if lying.face_down else lying.tile.face,
            lying.slot.place,
            lying.slot.area.value,
            lying.slot.index,
            lying.sideways,
            lying.offset_mm,
            lying.angle_deg,
            lying.level,
        )
        for lying in table.lying
    )
    loose = tuple(
        LaidTile(BACK if one.face_down else one.tile.face, 0, FREE, 0, False, (one.x_mm, one.y_mm), one.turn_deg) for one in table.loose
    )
    return TableScene(table.version, (*tiles, *loose), between)


def river(table: Tabletop, place: int) -> tuple[str | None, ...]:
    """Faces in a river, slot by slot; None where a tile was taken away."""
    return tuple(map(_faces(table, place, Area.RIVER).get, range(table.rivers_used[place])))


def shared(table: Tabletop) -> tuple[str | None, ...]:
    """Faces of the shared tiles that lie open in the middle, by their numbers."""
    return tuple(map(_faces(table, 0, Area.SHARED).get, range(SHARED_SLOTS)))


def shown(table: Tabletop, place: int) -> tuple[str, ...]:
    """Faces of the hand that a place has laid open, without a self-drawn winning tile that lies apart."""
    return tuple(lying.tile.face for lying in table.tiles_in(place, Area.HAND))


def melds(table: Tabletop, place: int, seen_from: int) -> tuple[MeldSeen, ...]:
    """The groups of a place in order, as the person at ``seen_from`` knows them."""
    seen = []
    for group in table.groups(place).values():
        turned = [position for position, lying in enumerate(group) if lying.sideways]
        faces = tuple(BACK if lying.face_down and seen_from != place else lying.tile.face for lying in group)
        seen.append(MeldSeen(faces, turned[0] if turned else None))
    return tuple(seen)


def face_at(table: Tabletop, slot: Slot) -> str | None:
    lying = table.at(slot)
    return None if lying is None else lying.tile.face


def _faces(table: Tabletop, place: int, area: Area) -> dict[int, str]:
    return {lying.slot.index: lying.tile.face for lying in table.tiles_in(place, area)}


Faces = tuple[str, ...]


@frozen
class Pressed:
    """A press after which the person's call lamp was lit: which key, whether the window lamp was lit, and after how many discards."""

    key: Key
    in_window: bool
    discards: int


@frozen
class VisibleTable:
    """The table from ``place``; sequences over places have four entries, faces are notation.

    ``discards`` numbers the claim windows: the k-th tile laid into a river, or on a pung, opens window k. ``answered`` tells whether this
    person has answered the latest; ``last_discard`` is the place and river slot of that tile, which may have been claimed since, or
    ``added`` the place and the face when it was laid on a pung. Windows are numbered through all hands of the session. ``pressed`` is what
    the person pressed last with success, as far as one remembers one's own hand.
    """

    version: int
    place: int
    hand: int
    """The hand of the session in play, or played last; one less than the first before any tile was taken."""
    rack: Faces
    drawn: str | None
    after_kong: bool
    """Whether the person has laid a kong since its last discard."""
    hand_waiting: int
    """Tiles that stand in the person's own hand places of the magazine."""
    gate_open: bool
    """Whether the person's own draw gate lets a tile be lifted."""
    draws_left: tuple[int, ...]
    clearing: bool
    """The table is cleared between two hands: the well is open for everything that lies on it (``FeederSight``)."""
    box: bool
    """Whether the box beside the table is full."""
    rivers: tuple[tuple[str | None, ...], ...]
    melds: tuple[tuple[MeldSeen, ...], ...]
    shown: tuple[Faces, ...]
    lamps: Lamps
    discards: int
    last_discard: tuple[int, int] | None
    answered: bool
    added: tuple[int, str | None] | None = None
    pressed: Pressed | None = None
    rear_gate_open: bool = False
    """Whether the rear gate before the person lets a shared tile be lifted."""
    sticks: tuple[int | None, ...] = (None,) * 4
    """The slot of each river by whose tile a riichi stick lies."""
    shared: tuple[str | None, ...] = ()
    """The shared tiles that lie open in the middle, by their numbers."""

    @property
    def own_window_open(self) -> bool:
        """Whether the latest tile to claim is one's own, and its window has not been answered yet."""
        giver = self.added or self.last_discard
        return giver is not None and giver[0] == self.place and not self.answered

    @property
    def latest(self) -> tuple[int, str | None]:
        """Place and face of the tile that the latest claim window is about; no face once it has been claimed."""
        if self.added is not None:
            return self.added
        assert self.last_discard is not None
        place, slot = self.last_discard
        return place, self.rivers[place][slot]


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
            rivers=tuple(river(table, other) for other in PLACES),
            sticks=table.sticks,
            shared=shared(table),
            melds=tuple(melds(table, other, place) for other in PLACES),
            shown=tuple(shown(table, other) for other in PLACES),
            lamps=self.lamps,
            discards=table.discards,
            last_discard=None if last is None or last.area is not Area.RIVER else (last.place, last.index),
            added=None if last is None or last.area is not Area.MELD else (last.place, face_at(table, last)),
            answered=self.has_answered(place),
            pressed=self.pressed[place],
        )
