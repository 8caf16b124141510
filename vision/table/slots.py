"""Presence at slots in one frame: the bare mat, one tile that lies flat and whole, or hidden.

A slot is bare only when its middle has the cloth's colour and most of its printed outline can be seen: a sleeve of that
colour hides the outline. A tile is present where the finder has one and nothing covers it. All else (a hand, a sleeve, a
standing or half covered tile) is hidden: the slot has not been seen, and another frame may show it. The finder costs most by far: it
looks only where a slot is neither plainly bare nor known to hold a tile.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from twinwall.art.mat import Area, Slot
from twinwall.values import frozen_identity
from vision.table.bare_slots import BareSlots
from vision.table.mat_finder import FoundOnMat
from vision.table.tile_pose import TilePose, cut

_REACH_MM = 15.0
"""A tile whose middle is further from that of the nearest slot lies beside it."""
_SIDEWAYS_DEG = 45.0


class Presence(StrEnum):
    """What a frame shows at a slot."""

    EMPTY = "empty"
    TILE = "tile"
    HIDDEN = "hidden"
    """A hand, a sleeve, or a tile half covered: no whole tile lying flat. The slot has not been seen."""


Found = TilePose | Literal[Presence.EMPTY, Presence.HIDDEN]
"""One slot in one frame: how the tile lies that lies there."""


@frozen_identity
class SlotFrame:
    """One frame: its ``cloth``, and what finds the tiles on it."""

    cloth: BareSlots
    find: Callable[[], FoundOnMat]

    def _tiles(self) -> dict[Slot, TilePose]:
        """The faces, each at the slot that it is nearest to; in a row of a shown hand none lies sideways."""
        tiles, places = dict[Slot, TilePose](), self.cloth.places
        for tile in self.find().tiles:
            slot = places.nearest((tile.x_mm, tile.y_mm), _REACH_MM) if tile.face_up else None
            if slot is None or (slot.area is Area.HAND and abs(tile.off_deg(places.turn_deg(slot))) > _SIDEWAYS_DEG):
                continue
            if slot not in tiles or tile.clearness > tiles[slot].clearness:
                tiles[slot] = tile
        return tiles

    def look(self, slots: Sequence[Slot], known: Mapping[Slot, TilePose] | None = None) -> dict[Slot, Found]:
        """What lies at each of the slots, of which some are ``known`` to hold a tile that lies so.

        Raises ValueError for a slot that the mat does not have.
        """
        known = known or {}
        found: dict[Slot, Found] = {slot: known[slot] for slot in slots if slot in known}
        places = [self.cloth.places[slot] for slot in slots if slot not in found]
        cores = dict(zip(places, self.cloth.cores(places), strict=True))
        found |= {place.slot: Presence.EMPTY for place in self.cloth.bare(cores)}
        tiles = self._tiles() | dict(known) if len(found) < len(slots) else {}
        found = {**{slot: tiles[slot] for slot in slots if slot in tiles}, **found}
        for place, core in cores.items():
            if place.slot not in found:
                leaning = [tiles[slot] for slot in place.neighbours if slot in tiles]
                bare = self.cloth.may_be_bare(place, core) and self.cloth.bare_beside(place, leaning, core)
                found[place.slot] = Presence.EMPTY if bare else Presence.HIDDEN
        return {slot: found[slot] for slot in slots}

    def crops(self, tiles: Sequence[TilePose]) -> NDArray[np.uint8]:
        """Tiles, cut for the network (n × CROP_H × CROP_W × 3); one that lies sideways comes out upright or upside down."""
        return cut(self.cloth.image, self.cloth.corner, self.cloth.places.tile_size_mm, tiles)
