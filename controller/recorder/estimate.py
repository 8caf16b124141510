"""Estimate: what it will cost a path at least to explain what it has not explained yet.

Without it a path that explains nothing would be the cheapest. Each estimate is a little above what the move costs that will
explain the thing, so explaining pays, and below what it costs to have no explanation for good.
"""

from __future__ import annotations

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, Missing, TableContext, TileRole
from controller.recorder.tracks import Track
from twinwall.game.play import Phase
from twinwall.game.tiles import SEATS, Seat
from vision.mat import Area

_FRESH_MS = 3000


def estimate(table: TableContext, path: Hypothesis) -> float:
    """The cost to come of everything unexplained."""
    due = _due(table, path)
    total = sum(_loose(table, path, table.track(track), due) for track in path.loose)
    total += sum(_missing(table, path, role, gone) for role, gone in path.missing.items())
    total += _edges(table, path, due)
    return total + sum(costs.TAKEN_BACK for key in path.keys if table.now_ms - key.at_ms > _FRESH_MS)


def _edges(table: TableContext, path: Hypothesis, due: Seat | None) -> float:
    """Draws that wait; where the discard that is due may lie under something, all of them wait for that one discard."""
    if due is not None and table.tracks.is_covered(*table.places.river_spot(due, path.play.seat(due).next_place)):
        return costs.EDGE_WAITS if path.edges else 0.0
    return sum(costs.EDGE_WAITS if table.now_ms - edge.at_ms < _FRESH_MS else costs.EDGE_ALONE for edge in path.edges)


def _due(table: TableContext, path: Hypothesis) -> Seat | None:
    """Who is to discard now, or would be if the last tile is not claimed and draws are not sensed."""
    if path.play.phase is Phase.DISCARD:
        return path.play.turn
    if table.gates or path.play.phase not in (Phase.CLAIMS, Phase.DRAW):
        return None
    return path.play.turn.next if path.play.phase is Phase.CLAIMS else path.play.turn


def _loose(table: TableContext, path: Hypothesis, track: Track, due: Seat | None) -> float:
    if not track.face_up:
        kongs = (table.places.meld(seat, len(path.play.seat(seat).melds), track) for seat in SEATS)
        return min(costs.UNEXPLAINED_BACK, min(kongs) + costs.WAITING)
    return min(costs.UNEXPLAINED, *(_meaning(table, path, track, seat, due) for seat in SEATS))


def _meaning(table: TableContext, path: Hypothesis, track: Track, seat: Seat, due: Seat | None) -> float:
    """The cheapest meaning that the tile can still get from this seat."""
    own = path.play.seat(seat)
    river = table.places.river(seat, own.next_place, track) + costs.WAITING
    if seat is due and not table.tracks.is_covered(*table.places.river_spot(seat, own.next_place)):
        river += costs.OVERDUE
    if path.play.phase is Phase.SHOW:
        return min(river, table.places.exposed(seat, len(own.melds) + 1, track) + costs.BEING_SHOWN)
    return min(river, table.places.exposed(seat, len(own.melds) + 1, track) + costs.WAITING)


def _missing(table: TableContext, path: Hypothesis, role: TileRole, gone: Missing) -> float:
    if role.area is Area.HAND:
        return costs.UNSEEN_SHOWN
    if table.tracks.is_covered(gone.x_mm, gone.y_mm):
        return costs.UNSEEN_COVERED
    if role.area is Area.MELD:
        return costs.MAYBE_CLAIMED
    waiting = path.play.phase in (Phase.CLAIMS, Phase.DRAW) and role.number == len(path.play.seats[role.seat].river) - 1
    return costs.MAYBE_CLAIMED if waiting else costs.UNSEEN_GONE
