"""Pending tiles: the discard that is due and may be hidden, tiles that stay unexplained, tiles picked up again, and hands laid before
seats."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.tracks import Track
from twinwall.game.play import Phase, chows_with
from twinwall.game.play_events import ClaimsPassed, TileDiscarded, TileDrawn
from twinwall.game.tiles import SEATS, Seat, Tile
from vision.mat import Area

MOVED_MM = 300.0
"""Most distance over which a tile is moved on the mat."""


class DueDiscard(NamedTuple):
    """The seat that must discard next; a tile that appeared in its river since ``drawn_ms`` is that discard."""

    seat: Seat
    drawn_ms: int = 0
    """Time of its draw if the path has yet to explain that; 0 if it has drawn."""
    shown: frozenset[Seat] = frozenset()
    """The seats before which a hand rests."""


def unexplainable_tiles(table: TableContext, path: Hypothesis, at_least_ms: int = costs.STAYS_MS) -> list[Track]:
    """Return the tiles that no legal play can explain any more, in the order of their numbers. A tile on the mat counts after
    ``at_least_ms``, when nothing that could explain it is hidden or still to come. A tile picked up since counts unless it may have been
    claimed, was moved, or may be laid elsewhere soon. While a draw waits no tile counts; if the due discard may be hidden, only those
    picked up do. Without gates none counts, since it is unknown whether a seat has drawn."""
    if not table.gates or path.play.phase in (Phase.SHOW, Phase.ENDED):
        return []
    found = [track for track in table.face_up(path.loose | path.departed) if track.lain_ms >= at_least_ms]
    if not found or seats_shown(table, path) or last_taken(path):
        return []
    if waits_hidden(table, path):
        found = [track for track in found if track.id in path.departed]
    elif path.drawn:
        return []
    left = (
        track
        for track in found
        if track.gone_ms is None
        or not (just_taken_up(table, track) or maybe_claimed(table, path, track) or moved_mm(table, path, track) is not None)
    )
    return sorted(left, key=lambda track: track.id)


def claim_withdrawn(table: TableContext, path: Hypothesis, track: Track) -> bool:
    """Whether a tile that was picked up is one of two that a seat laid for a claim of the last discard and took back: the two and the
    discard make a meld. The other tile may still be there."""
    if track.gone_ms is None:
        return False
    before = (
        event for event, grounds in path.latest_first if grounds.at_ms <= track.appeared_ms and isinstance(event, TileDiscarded | TileDrawn)
    )
    last = next(before, None)
    if not isinstance(last, TileDiscarded):
        return False
    others = table.face_up((path.loose | path.departed) - {track.id})
    beside = [other for other in others if abs(other.appeared_ms - track.appeared_ms) < costs.AT_ONCE_MS]
    melds = ((seat, path.melds(seat), other) for seat in SEATS if seat is not last.seat for other in beside)
    return any(
        _make_a_meld(last.tile, track, other) and all(table.places.meld(seat, meld, each) < costs.REACH for each in (track, other))
        for seat, meld, other in melds
    )


def _make_a_meld(claimed: Tile, *own: Track) -> bool:
    """Whether tiles make a pung or chow with a claimed one, by their likeliest kinds."""
    tiles = tuple(sorted((claimed, *(track.evidence.likeliest for track in own))))
    return len(set(tiles)) == 1 or tiles in chows_with(claimed)


def just_taken_up(table: TableContext, track: Track) -> bool:
    """Whether a tile was picked up so recently that it may still be laid elsewhere."""
    return track.gone_ms is not None and table.now_ms - track.gone_ms < costs.AT_ONCE_MS and not table.over


def last_taken(path: Hypothesis) -> bool:
    """Whether the last discard is gone and may be claimed: its meld may be hidden."""
    return path.play.phase is Phase.CLAIMS and path.last_discard(path.play.turn) in path.missing


def waits_hidden(table: TableContext, path: Hypothesis) -> bool:
    """Whether a seat must discard and its discard may be hidden."""
    return path.play.phase is Phase.DISCARD and discard_hidden(table, path, DueDiscard(path.play.turn))


def moved_mm(table: TableContext, path: Hypothesis, track: Track) -> float | None:
    """Return how far a tile that was picked up unexplained was moved; None if it was not. At least two tiles picked up together must each
    be found again: a single tile of the same kind that appears elsewhere proves nothing."""
    if track.gone_ms is None:
        return None
    at_once = (other for other in map(table.track, sorted(path.departed)) if abs((other.gone_ms or 0) - track.gone_ms) < costs.AT_ONCE_MS)
    moved = dict[int, float]()
    taken = set[int]()
    for other in at_once:
        if other.id not in table.tracks.laid_again:
            table.tracks.laid_again[other.id] = tuple(_laid_again(table, other))
        fresh = min((pair for pair in table.tracks.laid_again[other.id] if pair[1] not in taken), default=None)
        if fresh is not None:
            moved[other.id] = fresh[0]
            taken.add(fresh[1])
    return moved.get(track.id) if len(moved) >= costs.SEVERAL else None


def _laid_again(table: TableContext, track: Track) -> Iterator[tuple[float, int]]:
    """Yield the tiles of its kind that appeared elsewhere when a tile was picked up: distance (mm) and number."""
    kind, until_ms = track.evidence.likeliest, (track.gone_ms or 0) + costs.AT_ONCE_MS
    for other in table.tracks.all.values():
        if other.face_up and other.rests and track.seen_ms < other.appeared_ms < until_ms and other.evidence.likeliest is kind:
            apart_mm = math.dist((other.x_mm, other.y_mm), (track.x_mm, track.y_mm))
            if apart_mm < MOVED_MM:
                yield apart_mm, other.id


def may_be_discard(table: TableContext, path: Hypothesis, track: Track, most: float) -> bool:
    """Whether a tile's place costs less than ``most`` as a discard of one of the next turns of any seat."""
    turns = ((seat, path.play.seat(seat).next_place + further) for seat in SEATS for further in range(costs.TURNS))
    return any(table.places.river(seat, place, track) < most for seat, place in turns)


def maybe_claimed(table: TableContext, path: Hypothesis, track: Track) -> bool:
    """Whether an unexplained tile that was picked up from a river may have been claimed: unexplained tiles were laid for a meld before it
    was taken, or as it was."""
    if track.gone_ms is None or len(path.loose) < costs.SEVERAL:
        return False
    if not may_be_discard(table, path, track, costs.REACH):
        return False
    laid = [other for other in table.face_up(path.loose) if track.appeared_ms < other.appeared_ms < track.gone_ms + costs.AT_ONCE_MS]
    melds = ((seat, path.melds(seat) + further) for seat in SEATS for further in range(costs.SEVERAL))
    return any(sum(table.places.meld(seat, meld, other) < costs.REACH for other in laid) >= costs.SEVERAL for seat, meld in melds)


def discard_hidden(table: TableContext, path: Hypothesis, due: DueDiscard) -> bool:
    """Whether the due discard may be covered. It was laid before the draw after it: whatever covered its place later hides nothing, because
    the place was seen bare."""
    since_ms = max(path.clock_ms, due.drawn_ms)
    drawn_ms = min((edge.at_ms for edge in path.drawn if edge.at_ms > since_ms), default=None)
    spot = table.places.spot(due.seat, Area.RIVER, path.play.seat(due.seat).next_place)
    return table.tracks.may_hide(*spot, None if drawn_ms is None else drawn_ms + costs.DELAY_MS)


def next_laid_ms(table: TableContext, path: Hypothesis, due: DueDiscard) -> int | None:
    """Without sensed draws, return when the first tile was laid after the last event, if that is long ago and the due discard may have been
    covered then. A tile that no frame can read looks like a cover."""
    if table.gates:
        return None
    since_ms = max(path.clock_ms, path.grounds[-1].at_ms if path.grounds else 0)
    until_ms = table.now_ms if table.over else table.now_ms - costs.STAYS_FOR_GOOD_MS
    laid_ms = min((at_ms for number in path.loose if since_ms < (at_ms := table.track(number).appeared_ms) <= until_ms), default=None)
    spot = table.places.spot(due.seat, Area.RIVER, path.play.seat(due.seat).next_place)
    return None if laid_ms is None or not table.tracks.may_hide(*spot, laid_ms) else laid_ms


def due_now(table: TableContext, path: Hypothesis) -> DueDiscard | None:
    """Return the seat that must discard now, or would if the last tile is not claimed and draws are not sensed."""
    if path.play.phase is Phase.DISCARD:
        return DueDiscard(path.play.turn)
    if table.gates or path.play.phase not in (Phase.CLAIMS, Phase.DRAW):
        return None
    turn = path.play.turn
    return DueDiscard(path.permissions(table).following(turn) if path.play.phase is Phase.CLAIMS else turn)


def due_next(table: TableContext, path: Hypothesis) -> DueDiscard | None:
    """Return the seat that must discard once the path takes the first waiting draw as lawful; None if that draw is not lawful."""
    if not table.gates or path.play.phase not in (Phase.CLAIMS, Phase.DRAW):
        return None
    first = next((edge for edge in path.edges if edge.at_ms > path.clock_ms), None)
    if first is None or first.back or table.places.seats[first.place] is not draws_next(table, path):
        return None
    return DueDiscard(table.places.seats[first.place], first.at_ms)


def draws_next(table: TableContext, path: Hypothesis) -> Seat | None:
    """Return the seat that draws next if the last tile is not claimed; None if no seat does."""
    passed = path.then(table, ClaimsPassed()) if path.play.phase is Phase.CLAIMS else None
    return (passed or path.permissions(table)).draw


def seats_shown(table: TableContext, path: Hypothesis) -> frozenset[Seat]:
    """Return the seats before which enough unexplained tiles rest to be a shown hand; the last rows of a long river are there too."""
    if len(path.loose) < costs.A_HAND:
        return frozenset()
    known = table.cache.shown
    if path.loose not in known:
        up = table.face_up(path.loose)
        shown = (seat for seat in SEATS if sum(table.places.hand(seat, track) < costs.HAND_PLACE for track in up) >= costs.A_HAND)
        known[path.loose] = frozenset(shown)
    return known[path.loose]


def hand_waits(table: TableContext, path: Hypothesis) -> bool:
    """Whether enough unexplained tiles were laid at once before a seat to be its shown hand."""
    return next(hands_laid(table, path), None) is not None


def hands_laid(table: TableContext, path: Hypothesis, least: int = costs.A_HAND) -> Iterator[tuple[Seat, int]]:
    """Yield the seats before which at least ``least`` unexplained tiles were laid at once, and since when."""
    for seat in seats_shown(table, path):
        up = table.face_up(path.loose)
        since_ms = sorted(track.appeared_ms for track in up if table.places.hand(seat, track) < costs.HAND_PLACE)
        at_once = (first for first, last in zip(since_ms, since_ms[least - 1 :], strict=False) if last - first < costs.AT_ONCE_MS)
        if (first_ms := next(at_once, None)) is not None:
            yield seat, first_ms
