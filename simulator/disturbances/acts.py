"""Acts: the single things that people do to the tiles, as data, and what the tabletop is after each.

What is done by the book is done by the methods of ``Tabletop``; one act lets tiles lie elsewhere than in their slots.
"""

from dataclasses import replace
from typing import assert_never

from simulator.tabletop import NotPossibleError, PhysicalTile, Tabletop
from twinwall.art.mat import Area, Slot
from twinwall.values import frozen


@frozen
class Draw:
    """``place`` lifts a tile out of the draw gate of ``wall``, its own unless it errs."""

    place: int
    tile: PhysicalTile
    wall: int


@frozen
class Discard:
    place: int
    face: str
    index: int
    stick: bool = False


@frozen
class Expose:
    """A meld with the tile that lies at ``claimed``."""

    place: int
    faces: tuple[str, ...]
    claimed: Slot


@frozen
class AddToPung:
    place: int
    face: str


@frozen
class LayFaceDown:
    place: int
    face: str
    last_face_up: bool


@frozen
class Show:
    """``place`` lays its hand open; ``order`` says which tile of the sorted hand comes to lie in each slot, None for sorted."""

    place: int
    winning: str | None
    order: tuple[int, ...] | None = None


@frozen
class Askew:
    """How one tile lies: so far off its slot and turned, besides what every tile is off; on its face, on the edge of another."""

    x_mm: float = 0.0
    y_mm: float = 0.0
    turn_deg: float = 0.0
    face_down: bool = False
    level: int = 0


@frozen
class LieAskew:
    """Tiles come to lie so, each from wherever it lay."""

    tiles: tuple[tuple[Slot, Askew], ...]


Act = Draw | Discard | Expose | AddToPung | LayFaceDown | Show | LieAskew


def done(table: Tabletop, act: Act) -> Tabletop:
    """The tabletop after an act; raises NotPossibleError where it is impossible."""
    match act:
        case Draw():
            return table.draw(act.place, act.tile)
        case Discard():
            return table.discard(act.place, act.face, act.index, stick=act.stick)
        case Expose():
            return table.expose(act.place, act.faces, act.claimed)
        case AddToPung():
            return table.add_to_pung(act.place, act.face)
        case LayFaceDown():
            return table.lay_face_down(act.place, act.face, last_face_up=act.last_face_up)
        case Show():
            return _in_order(table.show(act.place, act.winning), act)
        case LieAskew():
            return _askew(table, dict(act.tiles))
        case _:
            assert_never(act)


def _in_order(table: Tabletop, act: Show) -> Tabletop:
    """The shown tiles exchanged among the slots of the hand."""
    if act.order is None:
        return table
    lain = table.tiles_in(act.place, Area.HAND)
    if sorted(act.order) != list(range(len(lain))):
        raise NotPossibleError(f"place {act.place} shows {len(lain)} tiles, which cannot lie in the order {act.order}")
    tiles = {lain[slot].slot: lain[number].tile for slot, number in enumerate(act.order)}
    lying = tuple(replace(one, tile=tiles.get(one.slot, one.tile)) for one in table.lying)
    return replace(table, lying=lying, version=table.version + 1)


def _askew(table: Tabletop, how: dict[Slot, Askew]) -> Tabletop:
    missing = how.keys() - {lying.slot for lying in table.lying}
    if missing:
        slot = next(iter(missing))
        raise NotPossibleError(f"no tile lies at {slot.area} {slot.index} of place {slot.place}")
    after = []
    for lying in table.lying:
        askew = how.get(lying.slot)
        if askew is not None:
            offset_mm = lying.offset_mm[0] + askew.x_mm, lying.offset_mm[1] + askew.y_mm
            angle_deg = lying.angle_deg + askew.turn_deg
            lying = replace(lying, offset_mm=offset_mm, angle_deg=angle_deg, face_down=askew.face_down, level=askew.level)  # noqa: PLW2901
        after.append(lying)
    return replace(table, lying=tuple(after), version=table.version + 1)
