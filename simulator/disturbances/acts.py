"""Acts: the single things that people do to the tiles, as data, and what the tabletop is after each.

What is done by the book is done by the methods of ``Tabletop``; the acts here add what people do beside it: tiles that lie
elsewhere than in their slots, fall, are turned over, go back to a wall.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

from simulator.physical_tiles import PhysicalTile
from simulator.tabletop import LooseTile, Tabletop, TabletopError
from twinwall.art.mat import Area, Slot


@dataclass(frozen=True, slots=True)
class _AtGate:
    place: int
    tile: PhysicalTile
    wall: int


class Draw(_AtGate):
    """``place`` lifts a tile out of the draw gate of ``wall``, its own unless it errs."""

    __slots__ = ()


class PutBackTile(_AtGate):
    """``place`` puts a tile that it holds back into the draw gate of ``wall``."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TurnUpShared:
    """``place`` lays the tile behind its rear gate open in the middle."""

    place: int
    tile: PhysicalTile
    index: int


@dataclass(frozen=True, slots=True)
class Discard:
    place: int
    face: str
    index: int
    stick: bool = False


@dataclass(frozen=True, slots=True)
class Expose:
    """A meld with the tile that lies at ``claimed``."""

    place: int
    faces: tuple[str, ...]
    claimed: Slot


@dataclass(frozen=True, slots=True)
class AddToPung:
    place: int
    face: str


@dataclass(frozen=True, slots=True)
class LayFaceDown:
    place: int
    face: str
    last_face_up: bool


@dataclass(frozen=True, slots=True)
class LayApart:
    """The tile that one has won with, face up beside the hand."""

    place: int
    face: str


@dataclass(frozen=True, slots=True)
class Show:
    """``place`` lays its hand open; ``order`` says which tile of the sorted hand comes to lie in each slot, None for sorted."""

    place: int
    winning: str | None
    order: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Askew:
    """How one tile lies: so far off its slot and turned, besides what every tile is off; on its face, on the edge of another."""

    x_mm: float = 0.0
    y_mm: float = 0.0
    turn_deg: float = 0.0
    face_down: bool = False
    level: int = 0


@dataclass(frozen=True, slots=True)
class LieAskew:
    """Tiles come to lie so, each from wherever it lay."""

    tiles: tuple[tuple[Slot, Askew], ...]


@dataclass(frozen=True, slots=True)
class TakeUp:
    """A tile is taken off the mat into the hand of ``place``."""

    place: int
    slot: Slot


@dataclass(frozen=True, slots=True)
class LayBack:
    """A tile that was taken up is laid back as what it was."""

    place: int
    face: str
    slot: Slot


@dataclass(frozen=True, slots=True)
class Drop:
    """A tile of the rack comes to lie loose on the mat."""

    loose: LooseTile


@dataclass(frozen=True, slots=True)
class PickUpLoose:
    """A loose tile goes back to the rack, where it stands apart if it did before."""

    place: int
    tile: PhysicalTile
    apart: bool = False


_ByTheBook = Draw | TurnUpShared | Discard | Expose | AddToPung | LayFaceDown | LayApart | Show
Act = _ByTheBook | PutBackTile | LieAskew | TakeUp | LayBack | Drop | PickUpLoose


def done(table: Tabletop, act: Act) -> Tabletop:
    """The tabletop after an act; raises TabletopError where it is impossible."""
    match act:
        case Draw():
            return table.draw(act.place, act.tile)
        case PutBackTile():
            return _put_back(table, act)
        case TurnUpShared():
            return table.turn_up(act.tile, act.index)
        case Discard():
            return table.discard(act.place, act.face, act.index, stick=act.stick)
        case Expose():
            return table.expose(act.place, act.faces, act.claimed)
        case AddToPung():
            return table.add_to_pung(act.place, act.face)
        case LayFaceDown():
            return table.lay_face_down(act.place, act.face, last_face_up=act.last_face_up)
        case LayApart():
            return table.lay(act.place, act.face, Slot(act.place, Area.WIN, 0))
        case Show():
            return _in_order(table.show(act.place, act.winning), act)
        case LieAskew():
            return _askew(table, dict(act.tiles))
        case TakeUp():
            return table.pick_up(act.place, act.slot)
        case LayBack():
            return table.lay(act.place, act.face, act.slot)
        case Drop():
            return _dropped(table, act)
        case PickUpLoose():
            return _picked_up(table, act)
        case _:
            assert_never(act)


def _put_back(table: Tabletop, act: PutBackTile) -> Tabletop:
    rack = table.racks[act.place]
    if act.tile not in rack.tiles:
        raise TabletopError(f"place {act.place} does not hold the tile {act.tile.id} to put it back")
    left = tuple(tile for tile in rack.tiles if tile != act.tile)
    changed = replace(rack, tiles=left, drawn=None if rack.drawn == act.tile else rack.drawn)
    racks = tuple(changed if place == act.place else other for place, other in enumerate(table.racks))
    return replace(table, racks=racks, version=table.version + 1)


def _in_order(table: Tabletop, act: Show) -> Tabletop:
    """The shown tiles exchanged among the slots of the hand."""
    if act.order is None:
        return table
    lain = table.tiles_in(act.place, Area.HAND)
    if sorted(act.order) != list(range(len(lain))):
        raise TabletopError(f"place {act.place} shows {len(lain)} tiles, which cannot lie in the order {act.order}")
    tiles = {lain[slot].slot: lain[number].tile for slot, number in enumerate(act.order)}
    lying = tuple(replace(one, tile=tiles.get(one.slot, one.tile)) for one in table.lying)
    return replace(table, lying=lying, version=table.version + 1)


def _askew(table: Tabletop, how: dict[Slot, Askew]) -> Tabletop:
    missing = how.keys() - {lying.slot for lying in table.lying}
    if missing:
        slot = next(iter(missing))
        raise TabletopError(f"no tile lies at {slot.area} {slot.index} of place {slot.place}")
    after = []
    for lying in table.lying:
        askew = how.get(lying.slot)
        if askew is not None:
            offset_mm = lying.offset_mm[0] + askew.x_mm, lying.offset_mm[1] + askew.y_mm
            angle_deg = lying.angle_deg + askew.turn_deg
            lying = replace(lying, offset_mm=offset_mm, angle_deg=angle_deg, face_down=askew.face_down, level=askew.level)  # noqa: PLW2901
        after.append(lying)
    return replace(table, lying=tuple(after), version=table.version + 1)


def _dropped(table: Tabletop, act: Drop) -> Tabletop:
    after = _put_back(table, PutBackTile(act.loose.place, act.loose.tile, act.loose.place))
    return replace(after, loose=(*table.loose, act.loose))


def _picked_up(table: Tabletop, act: PickUpLoose) -> Tabletop:
    left = tuple(loose for loose in table.loose if loose.tile != act.tile)
    if len(left) == len(table.loose):
        raise TabletopError(f"the tile {act.tile.id} does not lie loose on the mat")
    after = replace(table, loose=left)
    return after.draw(act.place, act.tile) if act.apart else after.take(act.place, act.tile)
