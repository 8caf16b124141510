"""Presence at slots in one frame: bare, one flat whole tile, or hidden.

A slot is bare if its middle has the cloth's colour and most of its printed outline shows, which a sleeve of that colour would hide. It
holds a tile if the finder has one there and nothing covers it. Otherwise (a hand, a sleeve, a standing or half covered tile) it is hidden,
and another frame may show it. The finder costs most, so it runs only for slots not plainly bare or known to hold a tile.
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
"""A tile further from the nearest slot's middle is beside it."""
_SIDEWAYS_DEG = 45.0


class Presence(StrEnum):
    """What a frame shows at a slot."""

    EMPTY = "empty"
    TILE = "tile"
    HIDDEN = "hidden"
    """The slot was not seen: something covers it, or no whole tile lies flat."""


Found = TilePose | Literal[Presence.EMPTY, Presence.HIDDEN]
"""One slot in one frame; for a tile, its pose."""


@frozen_identity
class SlotFrame:
    """One frame: its ``cloth``, and the search for the tiles on it."""

    cloth: BareSlots
    find: Callable[[], FoundOnMat]

    def _tiles(self) -> dict[Slot, TilePose]:
        """Return the faces by their nearest slots; in a row of a shown hand no tile lies sideways."""
        tiles, places = dict[Slot, TilePose](), self.cloth.places
        for tile in self.find().tiles:
            slot = places.nearest((tile.x_mm, tile.y_mm), _REACH_MM) if tile.face_up else None
            if slot is None or (slot.area is Area.HAND and abs(tile.off_deg(places.turn_deg(slot))) > _SIDEWAYS_DEG):
                continue
            if slot not in tiles or tile.clearness > tiles[slot].clearness:
                tiles[slot] = tile
        return tiles

    def look(self, slots: Sequence[Slot], known: Mapping[Slot, TilePose] | None = None) -> dict[Slot, Found]:
        """Return what is at each slot; some are ``known`` to hold a tile of this pose. Raises ValueError for a slot that the mat does not
        have."""
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
        """Cut tiles for the network (n × CROP_H × CROP_W × 3); one that lies sideways comes out upright or upside down."""
        return cut(self.cloth.image, self.cloth.corner, self.cloth.places.tile_size_mm, tiles)
