"""Refits: a missing tile is elsewhere on the mat: its river was pushed, it was put back, or it has reached its meld."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, Missing, TableContext, TileRole
from controller.recorder.moves.candidates import against
from controller.recorder.tracks import Track
from twinwall.game.tiles import SEATS, Seat, Tile
from vision.mat import MELD_SLOTS, Area


def refits(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the paths on which an unexplained tile is a missing tile, or one whose place is covered now. Only the first such tile by number
    is tried, not all orders; last come all of them together, since many paths may wait for them and few are expanded."""
    if not path.loose:
        return
    hidden = _out_of_sight(table, path)
    together = [after for seat in SEATS if (after := _pushed(table, path, seat, hidden))]
    if together:
        yield from together
        return
    for number in sorted(path.loose):
        track = table.track(number)
        moved = {path.roles[other]: lay for other, lay in hidden.items() if _may_have_moved(table, path, path.roles[other], lay, track)}
        places = {**path.missing, **moved}
        priced = ((_cost(table, role, gone, track), role) for role, gone in places.items())
        likely = sorted((price + _looks(track, places[role]), price, role) for price, role in priced)[: costs.TRIED]
        ways = [
            _elsewhere(path, {number: (role, places[role].kind)}).costing(price) for _, price, role in likely if price < costs.UNEXPLAINED
        ]
        yield from ways
        if ways:
            if ways[0].cost - path.cost < costs.REACH:
                yield from [*refits(table, ways[0])][-1:]
            return


def _may_have_moved(table: TableContext, path: Hypothesis, role: TileRole, lay: Missing, track: Track) -> bool:
    """Whether a covered tile may be one that has appeared elsewhere since: a claimed tile still recorded in its river, or one of a river of
    which others were moved at that time."""
    if role.area is Area.MELD:
        return math.dist((lay.x_mm, lay.y_mm), table.places.spot(SEATS[role.seat], Area.MELD, role.number)) > costs.NEAR_MM
    last = len(path.play.seats[role.seat].river) - 1
    gone_ms = [one.since_ms for other, one in path.missing.items() if other[:2] == role[:2]]
    gone_ms += [table.track(number).appeared_ms for number, other in path.roles.items() if other[:2] == role[:2] and other.number < last]
    return role.area is Area.RIVER and any(abs(since_ms - track.appeared_ms) < costs.AT_ONCE_MS for since_ms in gone_ms)


def _pushed(table: TableContext, path: Hypothesis, seat: Seat, hidden: Mapping[int, Missing]) -> Hypothesis | None:
    """Return the path with the seat's river pushed: its missing and hidden tiles moved by about the same step; else None."""
    gone = _of_river(path.missing.items(), seat)
    loose = table.face_up(sorted(path.loose))
    if len(gone) < costs.WHOLE_MELD or len(loose) < costs.WHOLE_MELD:
        return None
    gone += _of_river(((path.roles[number], lay) for number, lay in hidden.items()), seat)
    lay = np.array([(one.x_mm, one.y_mm) for _, one in gone])
    steps = np.array([(track.x_mm, track.y_mm) for track in loose]) - lay[:, None]
    kinds = [int(one.kind) for _, one in gone if one.kind is not None]
    fits = -np.array([track.evidence.logs for track in loose]).T[kinds] < costs.ASK
    fits &= np.array([[one.seen_ms] for _, one in gone]) < np.array([track.appeared_ms for track in loose])
    first, may_be = steps[: costs.WHOLE_MELD], fits[: costs.WHOLE_MELD]
    tried = first[may_be & (np.hypot(first[:, :, 0], first[:, :, 1]) < costs.NEAR_MM)]
    best: dict[int, tuple[int, float]] = {}
    for step in tried:
        off = np.where(fits, np.hypot(steps[:, :, 0] - step[0], steps[:, :, 1] - step[1]), np.inf)
        best = max(best, _assigned(off), key=lambda pairs: (len(pairs), -sum(far for _, far in pairs.values())))
    if len(best) < costs.WHOLE_MELD:
        return None
    price = costs.AGAINST_SIGHT + sum(costs.about(far, costs.LAID) for _, far in best.values())
    after = _elsewhere(path, {loose[to].id: (gone[number][0], gone[number][1].kind) for number, (to, _) in best.items()})
    moved = {number: (steps[number, to, 0], steps[number, to, 1]) for number, (to, _) in best.items()}
    return replace(after, missing={**after.missing, **_pushed_unseen(gone, moved)}).costing(price)


def _pushed_unseen(gone: Sequence[tuple[TileRole, Missing]], moved_mm: Mapping[int, tuple[float, float]]) -> dict[TileRole, Missing]:
    """Return the new places of missing tiles that were out of sight when others were pushed: each moved like the nearest of those.
    ``moved_mm``: right and down, by number of a missing tile. A tile under another one's edge is not seen at its new place either."""
    found = {}
    for number, (role, lay) in enumerate(gone):
        if number not in moved_mm and lay.since_ms - lay.seen_ms > costs.AT_ONCE_MS:
            nearest = min(moved_mm, key=lambda other: math.dist((lay.x_mm, lay.y_mm), (gone[other][1].x_mm, gone[other][1].y_mm)))
            right_mm, down_mm = moved_mm[nearest]
            found[role] = lay._replace(x_mm=lay.x_mm + right_mm, y_mm=lay.y_mm + down_mm)
    return found


def _elsewhere(path: Hypothesis, moved: Mapping[int, tuple[TileRole, Tile | None]]) -> Hypothesis:
    """Return the path with these tiles moved; their former tracks explain nothing any more."""
    roles = {role for role, _ in moved.values()}
    before = {number for number, role in path.roles.items() if role in roles}
    left = {number: role for number, role in path.roles.items() if number not in before}
    return replace(path, roles=left, moved=path.moved | before).explains(moved)


def _of_river(places: Iterable[tuple[TileRole, Missing]], seat: Seat) -> list[tuple[TileRole, Missing]]:
    return [(role, one) for role, one in places if (role.seat, role.area) == (seat.index, Area.RIVER) and one.kind is not None]


def _out_of_sight(table: TableContext, path: Hypothesis) -> dict[int, Missing]:
    """Return by number the path's covered tiles with their last places: each may be a tile that has been moved."""
    lying = (track for track in table.tracks.in_sight if track.seen_ms < table.now_ms and track.id in path.roles)
    unseen = (track for track in lying if table.tracks.is_covered(track.x_mm, track.y_mm))
    return {track.id: Missing(path.kinds.get(track.id), track.x_mm, track.y_mm, track.seen_ms, track.seen_ms) for track in unseen}


def _assigned(off_mm: NDArray[np.float64]) -> dict[int, tuple[int, float]]:
    """Return by number of a missing tile the loose one nearest to its new place, each once (``off_mm``: missing × loose)."""
    pairs: dict[int, tuple[int, float]] = {}
    for number, to in sorted(np.argwhere(off_mm < costs.ASIDE_MM).tolist(), key=lambda pair: float(off_mm[pair[0], pair[1]])):
        if number not in pairs and to not in {other for other, _ in pairs.values()}:
            pairs[number] = to, float(off_mm[number, to])
    return pairs


def _looks(track: Track, gone: Missing) -> float:
    return 0.0 if gone.kind is None else against(track, gone.kind)


def _cost(table: TableContext, role: TileRole, gone: Missing, track: Track) -> float:
    if gone.seen_ms >= track.appeared_ms or (gone.kind is None) is track.face_up or _looks(track, gone) >= -costs.LEAST_KIND:
        return math.inf  # both were on the mat at once
    seat = SEATS[role.seat]
    if role.area is Area.HAND:
        place = table.places.hand(seat, track)
    else:
        place = costs.about(math.hypot(track.x_mm - gone.x_mm, track.y_mm - gone.y_mm), costs.ASTRAY) + costs.COMMON
    if role.area is Area.MELD:
        place = min(place, table.places.meld(seat, role.number // MELD_SLOTS, track))
        if (track.bare_before_ms or 0) > gone.since_ms + costs.STAYS_MS:
            place += costs.RARE  # its place was bare long after the meld was laid
    return place
