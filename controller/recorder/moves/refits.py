"""Refits: a tile that is gone from where it lay lies elsewhere: its river was pushed, it was put back, or it has come to its meld."""

from __future__ import annotations

import math
from collections.abc import Iterator

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, Missing, TableContext, TileRole
from controller.recorder.moves.candidates import against
from controller.recorder.places import GROUP
from controller.recorder.tracks import Track
from twinwall.game.tiles import SEATS
from vision.mat import Area

_WAYS = 2


def refits(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """An unexplained tile is one that the path misses; the first such tile by number is tried, so that orders are not tried too."""
    if not path.missing:
        return
    for number in sorted(path.loose):
        track = table.track(number)
        ways = sorted((_cost(table, role, gone, track), role) for role, gone in path.missing.items())[:_WAYS]
        found = False
        for price, role in ways:
            kind = path.missing[role].kind
            if price < costs.UNEXPLAINED:
                found = True
                yield path.explains({number: (role, kind)}).costing(price)
        if found:
            return


def _cost(table: TableContext, role: TileRole, gone: Missing, track: Track) -> float:
    if (gone.kind is None) is track.face_up:
        return math.inf
    if gone.kind is not None and against(track, gone.kind) >= -costs.LEAST_KIND:
        return math.inf
    seat = SEATS[role.seat]
    if role.area is Area.HAND:
        place = table.places.hand(seat, track)
    else:
        place = costs.about(math.hypot(track.x_mm - gone.x_mm, track.y_mm - gone.y_mm), costs.PUSHED) + costs.MOVED
    if role.area is Area.MELD:
        place = min(place, table.places.meld(seat, role.number // GROUP, track))
    return place
