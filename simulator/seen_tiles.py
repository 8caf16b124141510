"""The tiles of a tabletop as they are seen: rivers, melds, shared tiles and shown hands by their faces, and the camera's scene."""

from simulator.scene import BACK, CLEAR, FREE, Between, LaidTile, TableScene
from simulator.tabletop import SHARED_SLOTS, Tabletop
from twinwall.art.mat import Area, Slot
from twinwall.values import frozen


@frozen
class MeldSeen:
    """A group of tiles in the melds of a place: faces by position (``back`` for what lies face down before somebody
    else), and the position that lies sideways."""

    tiles: tuple[str, ...]
    sideways: int | None


def scene(table: Tabletop, between: Between = CLEAR) -> TableScene:
    """What the overhead camera sees."""
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
