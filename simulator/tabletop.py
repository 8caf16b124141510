"""Tabletop: what lies on the table and stands in the racks, by people's actions, without rules of play.

A tabletop is a value; every action makes a new one or raises ``NotPossibleError`` where it is impossible (a tile that is not there, a slot
that is taken). Illegal plays are possible: wrong tiles can be laid, and tiles beside their slots. A tile's slot says what it was laid as;
how far off it really lies may be anything (``disturbances.acts``). Tiles lie slightly off and either way up, by the seed and the number of
the action, so the same actions give the same picture.

Physical tiles: each has an identity, a face and the colour of its back.

Only the simulated world knows identities. All other code sees kinds, read from faces by a camera.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from twinwall.art.mat import MELD_SLOTS, Area, Slot
from twinwall.game.tiles import COPIES, WHOLE_SET, Tile, parse_tile
from twinwall.values import frozen

FLOWER = "flower"
"""The face of a tile that belongs to no set."""

SET_ID_SPAN = 1000
"""Tiles of the set with back ``b`` have ids from ``b`` times this."""


@frozen
class PhysicalTile:
    """One tile: ``face`` is notation or ``flower``, ``back`` the colour number of its set."""

    id: int
    face: str
    back: int


class NotPossibleError(ValueError):
    """Hands cannot do this now: the message says with which tile, slot or part, and why."""


TileSet = tuple[PhysicalTile, ...]


def tile_set(
    back: int, *, tiles: Iterable[Tile] = WHOLE_SET, missing: Iterable[str] = (), extra: Iterable[str] = (), foreign: int = 0
) -> tuple[PhysicalTile, ...]:  # fmt: skip
    """A set of ``tiles`` (the 136 of all kinds) in this order, with some left out, doubled, or strayed in from elsewhere.

    ``missing`` and ``extra`` are faces in notation, each repeated as often as it is meant. Raises NotationError for text that is not a tile
    and ValueError when a fifth copy would be missing.
    """
    faces = [tile.text for tile in tiles]
    for face in missing:
        parse_tile(face)
        if face not in faces:
            raise ValueError(f"{face} cannot be missing so often: the set has {COPIES} of each of its kinds")
        faces.remove(face)
    for face in extra:
        parse_tile(face)
        faces.append(face)
    faces += [FLOWER] * foreign
    return tuple(PhysicalTile(back * SET_ID_SPAN + number, face, back) for number, face in enumerate(faces))


def swap_tiles(first: Sequence[PhysicalTile], second: Sequence[PhysicalTile], faces: Iterable[str]) -> tuple[TileSet, TileSet]:
    """Two sets after one tile of each of ``faces`` has got into the other; raises ValueError when a set lacks such a tile."""
    ours, theirs = list(first), list(second)
    for face in faces:
        try:
            here = next(index for index, tile in enumerate(ours) if tile.face == face and tile.back == first[0].back)
            there = next(index for index, tile in enumerate(theirs) if tile.face == face and tile.back == second[0].back)
        except StopIteration:
            raise ValueError(f"{face} cannot be swapped between the sets: one of them has none left") from None
        ours[here], theirs[there] = theirs[there], ours[here]
    return tuple(ours), tuple(theirs)


PLACES = range(4)
RIVER_SLOTS = 24
HAND_SLOTS = 13
SHARED_SLOTS = 12
_LOOSENESS = {Area.RIVER: (0.5, 1.5), Area.MELD: (0.8, 2.0), Area.HAND: (0.2, 0.4), Area.WIN: (0.5, 1.5), Area.SHARED: (0.5, 1.5)}
"""How far off (mm) and how skew (degrees) a tile is laid at most: rows of a hand are pushed together."""
_UPSIDE_DOWN_DEG = 180.0


Value = TypeVar("Value")


@frozen
class Lying:
    """A tile on the mat; ``angle_deg`` is its skew, with 180 added when it lies upside down."""

    tile: PhysicalTile
    slot: Slot
    sideways: bool
    offset_mm: tuple[float, float]
    angle_deg: float
    face_down: bool = False
    level: int = 0
    """1 where it lies on the edge of another tile."""


@frozen
class LooseTile:
    """A tile on the mat that belongs to no slot, on the side of ``place``; from the mat's centre, turned as ``Mat.spot`` says."""

    place: int
    tile: PhysicalTile
    x_mm: float
    y_mm: float
    turn_deg: float
    face_down: bool = False


@frozen
class Rack:
    """One player's concealed tiles in the order taken; ``drawn`` is the one that still stands apart. ``after_kong`` from
    a kong that the player has laid until the next discard."""

    tiles: tuple[PhysicalTile, ...] = ()
    drawn: PhysicalTile | None = None
    after_kong: bool = False


@frozen
class Tabletop:
    """The table; ``discards`` counts the tiles ever laid where others may claim them: into rivers, and on pungs that became
    kongs; ``last_discard`` is the slot of the latest. ``rivers_used`` counts the slots of the rivers by place, ``sticks`` are the
    slots by whose tiles people have laid a riichi stick."""

    seed: int
    version: int = 0
    racks: tuple[Rack, ...] = (Rack(),) * 4
    lying: tuple[Lying, ...] = ()
    loose: tuple[LooseTile, ...] = ()
    discards: int = 0
    rivers_used: tuple[int, ...] = (0,) * 4
    sticks: tuple[int | None, ...] = (None,) * 4
    last_discard: Slot | None = None

    def take(self, place: int, tile: PhysicalTile) -> Tabletop:
        rack = self.racks[place]
        return self._with_rack(place, replace(rack, tiles=(*rack.tiles, tile)))

    def draw(self, place: int, tile: PhysicalTile) -> Tabletop:
        rack = self.racks[place]
        return self._with_rack(place, replace(rack, tiles=(*rack.tiles, tile), drawn=tile))

    def discard(self, place: int, face: str, index: int | None = None, *, stick: bool = False) -> Tabletop:
        """Lay a tile into the next free slot of one's own river, or into a later one; slots of claimed tiles stay empty. With
        ``stick`` a riichi stick is laid by it."""
        at = self.rivers_used[place] if index is None else index
        if not self.rivers_used[place] <= at < RIVER_SLOTS:
            raise NotPossibleError(f"slot {at} of the river of place {place} is used, or is not there: a river has {RIVER_SLOTS} slots")
        slot = Slot(place, Area.RIVER, at)
        after = self.lay(place, face, slot)
        racks = tuple(replace(rack, after_kong=rack.after_kong and other != place) for other, rack in enumerate(after.racks))
        used, sticks = _changed(self.rivers_used, place, at + 1), _changed(self.sticks, place, at) if stick else self.sticks
        return replace(after, racks=racks, rivers_used=used, sticks=sticks, discards=self.discards + 1, last_discard=slot)

    def turn_up(self, tile: PhysicalTile, index: int) -> Tabletop:
        """Lay a tile that belongs to no seat face up in the middle of the mat."""
        return replace(self, version=self.version + 1)._put(tile, Slot(0, Area.SHARED, index), False)

    def lay(
        self, place: int, face: str, slot: Slot, *, sideways: bool = False, beside_mm: tuple[float, float] = (0.0, 0.0)
    ) -> Tabletop:  # fmt: skip
        """Lay a tile from the rack of ``place`` at any slot, or ``beside_mm`` off it."""
        tile = self._held(place, face)
        rack = self.racks[place]
        left = replace(rack, tiles=tuple(held for held in rack.tiles if held is not tile), drawn=None)  # a drawn tile stands apart no more
        return self._with_rack(place, left)._put(tile, slot, sideways, beside_mm)

    def expose(self, place: int, faces: Sequence[str], claimed: Slot) -> Tabletop:
        """Take the tile at ``claimed`` and lay it with ``faces`` from the rack as a meld.

        It lies sideways: at the left when it came from the left neighbour, in the middle from
        across, at the right from the right neighbour.
        """
        taken = self.at(claimed)
        if taken is None:
            raise NotPossibleError(f"no tile lies at {claimed.area} {claimed.index} of place {claimed.place}")
        if claimed.place == place:
            raise NotPossibleError(f"place {place} cannot claim its own tile")
        group = self._free_group(place)
        sideways_at = {3: 0, 2: 1, 1: 2}[(claimed.place - place) % 4]
        after = replace(self, lying=tuple(lying for lying in self.lying if lying is not taken))
        after = after._put(taken.tile, Slot(place, Area.MELD, MELD_SLOTS * group + sideways_at), sideways=True)
        positions = [position for position in range(4) if position != sideways_at]
        for position, face in zip(positions, faces, strict=False):
            after = after.lay(place, face, Slot(place, Area.MELD, MELD_SLOTS * group + position))
        return after._with_kong(place) if len(faces) == 3 else after

    def add_to_pung(self, place: int, face: str) -> Tabletop:
        """Lay the fourth tile on a pung of one's own: others may win on it."""
        group = next((group for group, seen in self.groups(place).items() if [lying.tile.face for lying in seen] == [face] * 3), None)
        if group is None:
            raise NotPossibleError(f"place {place} has no pung of {face} to lay a fourth tile on")
        slot = Slot(place, Area.MELD, MELD_SLOTS * group + 3)
        after = self.lay(place, face, slot)._with_kong(place)
        return replace(after, discards=self.discards + 1, last_discard=slot)

    def lay_face_down(self, place: int, face: str, *, last_face_up: bool = False) -> Tabletop:
        """Lay four equal tiles of the rack face down as a concealed kong, or the last of them face up."""
        group = self._free_group(place)
        after = self
        for position in range(4):
            after = after.lay(place, face, Slot(place, Area.MELD, MELD_SLOTS * group + position))
        hidden = 3 if last_face_up else 4
        before, laid = after.lying[:-4], after.lying[-4:]
        turned = (replace(lying, face_down=position < hidden) for position, lying in enumerate(laid))
        return replace(after, lying=(*before, *turned))._with_kong(place)

    def show(self, place: int, winning: str | None) -> Tabletop:
        """Lay the whole rack open in order of faces, and turn up what lies face down; ``winning`` names the self-drawn
        tile, which lies apart."""
        turned = tuple(replace(lying, face_down=False) if lying.slot.place == place else lying for lying in self.lying)
        after = replace(self, lying=turned)
        if winning is not None:
            after = after.lay(place, winning, Slot(place, Area.WIN, 0))
        faces = sorted((tile.face for tile in after.racks[place].tiles), key=_face_order)
        if len(faces) > HAND_SLOTS:
            raise NotPossibleError(f"place {place} holds {len(faces)} tiles, but a shown hand has {HAND_SLOTS} slots")
        for index, face in enumerate(faces):
            after = after.lay(place, face, Slot(place, Area.HAND, index))
        return after

    def pick_up(self, place: int, slot: Slot) -> Tabletop:
        lying = self.at(slot)
        if lying is None:
            raise NotPossibleError(f"no tile lies at {slot.area} {slot.index} of place {slot.place}")
        after = replace(self, lying=tuple(other for other in self.lying if other is not lying))
        return after.take(place, lying.tile)

    def sweep(self, place: int) -> tuple[Tabletop, tuple[PhysicalTile, ...]]:
        """Gather the rack and everything on a place's side of the mat; returns the tiles as well."""
        gathered = [lying.tile for lying in self.lying if lying.slot.place == place]
        gathered += [loose.tile for loose in self.loose if loose.place == place]
        left = tuple(lying for lying in self.lying if lying.slot.place != place)
        loose = tuple(loose for loose in self.loose if loose.place != place)
        used, sticks = _changed(self.rivers_used, place, 0), _changed(self.sticks, place, None)
        last = None if self.last_discard is not None and self.last_discard.place == place else self.last_discard
        after = replace(self, lying=left, loose=loose, rivers_used=used, sticks=sticks, last_discard=last)._with_rack(place, Rack())
        return after, (*gathered, *self.racks[place].tiles)

    def at(self, slot: Slot) -> Lying | None:
        return next((lying for lying in self.lying if lying.slot == slot), None)

    def groups(self, place: int) -> dict[int, list[Lying]]:
        """What lies in each group of melds, in order."""
        groups: dict[int, list[Lying]] = {}
        for lying in self.tiles_in(place, Area.MELD):
            groups.setdefault(lying.slot.index // MELD_SLOTS, []).append(lying)
        return groups

    def tiles_in(self, place: int, area: Area) -> list[Lying]:
        found = [lying for lying in self.lying if lying.slot.place == place and lying.slot.area is area]
        return sorted(found, key=lambda lying: lying.slot.index)

    def _free_group(self, place: int) -> int:
        taken = self.groups(place)
        group = next((group for group in range(4) if group not in taken), None)
        if group is None:
            raise NotPossibleError(f"place {place} has four melds already")
        return group

    def _held(self, place: int, face: str) -> PhysicalTile:
        """A tile of that face in the rack, the one just drawn before others."""
        rack = self.racks[place]
        if rack.drawn is not None and rack.drawn.face == face:
            return rack.drawn
        for tile in rack.tiles:
            if tile.face == face:
                return tile
        raise NotPossibleError(f"place {place} holds no {face}")

    def _with_kong(self, place: int) -> Tabletop:
        return self._with_rack(place, replace(self.racks[place], after_kong=True))

    def _with_rack(self, place: int, rack: Rack) -> Tabletop:
        racks = tuple(rack if other == place else old for other, old in enumerate(self.racks))
        return replace(self, racks=racks, version=self.version + 1)

    def _put(self, tile: PhysicalTile, slot: Slot, sideways: bool, beside_mm: tuple[float, float] = (0.0, 0.0)) -> Tabletop:
        if self.at(slot) is not None:
            raise NotPossibleError(f"a tile lies at {slot.area} {slot.index} of place {slot.place} already")
        version = self.version + 1
        across, along, skew, way_up = _drawn_numbers(self.seed, version)
        loose_mm, loose_deg = _LOOSENESS[slot.area]
        offset_mm = (beside_mm[0] + loose_mm * across, beside_mm[1] + loose_mm * along)
        angle_deg = loose_deg * skew + (_UPSIDE_DOWN_DEG if way_up > 0 else 0.0)
        return replace(self, lying=(*self.lying, Lying(tile, slot, sideways, offset_mm, angle_deg)), version=version)


def _changed(by_place: tuple[Value, ...], place: int, value: Value) -> tuple[Value, ...]:
    return tuple(value if other == place else old for other, old in enumerate(by_place))


def _drawn_numbers(seed: int, version: int) -> tuple[float, float, float, float]:
    """Four numbers from −1 to 1 that belong to one move of one seed."""
    drawn = hashlib.blake2b(f"{seed} {version}".encode(), digest_size=16).digest()
    first, second, third, fourth = (int.from_bytes(drawn[start : start + 4], "big") / 2**31 - 1 for start in range(0, 16, 4))
    return first, second, third, fourth


def _face_order(face: str) -> tuple[int, str, str]:
    """Suits m, p, s by rank, then winds and dragons, then anything else: as a player sorts a hand."""
    if len(face) == 2:
        return 0, face[1], face[0]
    return 1, str("ESWNCFP".find(face) % 10), face
