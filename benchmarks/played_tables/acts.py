"""Acts of people in hands in memory, in addition to ``simulator.disturbances.acts``, and the tabletop after each."""

from dataclasses import replace

from simulator.disturbances import acts
from simulator.tabletop import LooseTile, NotPossibleError, PhysicalTile, Tabletop
from twinwall.art.mat import Area, Slot
from twinwall.values import frozen


@frozen
class PutBackTile:
    """``place`` puts a tile that it holds back into the draw gate of ``wall``."""

    place: int
    tile: PhysicalTile
    wall: int


@frozen
class TurnUpShared:
    """``place`` lays the tile behind its rear gate face up in the middle."""

    place: int
    tile: PhysicalTile
    index: int


@frozen
class LayApart:
    """The winner lays the winning tile face up beside the hand."""

    place: int
    face: str


@frozen
class TakeUp:
    """``place`` takes a tile off the mat into its hand."""

    place: int
    slot: Slot


@frozen
class LayBack:
    """``place`` lays a tile that it took off the mat back."""

    place: int
    face: str
    slot: Slot


@frozen
class Drop:
    """A tile of the rack falls onto the mat."""

    loose: LooseTile


@frozen
class PickUpLoose:
    """A loose tile goes back to the rack, and stands apart if it did before."""

    place: int
    tile: PhysicalTile
    apart: bool = False


Act = acts.Act | PutBackTile | TurnUpShared | LayApart | TakeUp | LayBack | Drop | PickUpLoose


def done(table: Tabletop, act: Act) -> Tabletop:
    """Return the tabletop after an act; raises NotPossibleError."""
    match act:
        case PutBackTile():
            return _put_back(table, act)
        case TurnUpShared():
            return table.turn_up(act.tile, act.index)
        case LayApart():
            return table.lay(act.place, act.face, Slot(act.place, Area.WIN, 0))
        case TakeUp():
            return table.pick_up(act.place, act.slot)
        case LayBack():
            return table.lay(act.place, act.face, act.slot)
        case Drop():
            after = _put_back(table, PutBackTile(act.loose.place, act.loose.tile, act.loose.place))
            return replace(after, loose=(*table.loose, act.loose))
        case PickUpLoose():
            return _picked_up(table, act)
        case _:
            return acts.done(table, act)


def _put_back(table: Tabletop, act: PutBackTile) -> Tabletop:
    rack = table.racks[act.place]
    if act.tile not in rack.tiles:
        raise NotPossibleError(f"place {act.place} does not hold the tile {act.tile.id} to put it back")
    left = tuple(tile for tile in rack.tiles if tile != act.tile)
    changed = replace(rack, tiles=left, drawn=None if rack.drawn == act.tile else rack.drawn)
    racks = tuple(changed if place == act.place else other for place, other in enumerate(table.racks))
    return replace(table, racks=racks, version=table.version + 1)


def _picked_up(table: Tabletop, act: PickUpLoose) -> Tabletop:
    left = tuple(loose for loose in table.loose if loose.tile != act.tile)
    if len(left) == len(table.loose):
        raise NotPossibleError(f"the tile {act.tile.id} does not lie loose on the mat")
    after = replace(table, loose=left)
    return after.draw(act.place, act.tile) if act.apart else after.take(act.place, act.tile)
