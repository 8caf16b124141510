"""Dues: which discard is due and may lie hidden, which tiles stay where no legal play explains them, and who shows a hand."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.tracks import Track
from twinwall.game.melds import chows_with
from twinwall.game.play import Phase
from twinwall.game.play_events import ClaimsPassed, TileDiscarded, TileDrawn
from twinwall.game.tiles import SEATS, Seat, Tile

MOVED_MM = 300.0
"""A tile that is moved on the mat is moved no farther."""


class Due(NamedTuple):
    """Who is to discard: a tile that came to lie in its river since ``drawn_ms`` is that discard, or none."""

    seat: Seat
    drawn_ms: int = 0
    """When its draw was sensed, where the path has yet to take that; 0 where it has drawn."""
    shown: frozenset[Seat] = frozenset()
    """The seats before which a hand lies."""


def stays(table: TableContext, path: Hypothesis, at_least_ms: int = costs.STAYS_MS) -> list[Track]:
    """The tiles that stay where no legal play can explain them any more, because nothing that could explain them is hidden or still to
    come; and those that have been taken up since without an explanation, but for those that may have been claimed, or were moved, or may
    be laid elsewhere yet. While a draw waits there are none, unless the discard that is due may be hidden: then those taken up.

    Without gates whether a seat has drawn is unknown, so such a tile is not reported.
    """
    if not table.gates or path.play.phase in (Phase.SHOW, Phase.ENDED):
        return []
    found = [track for track in table.face_up(path.loose | path.departed) if track.lain_ms >= at_least_ms]
    if not found or seats_shown(table, path) or last_taken(path):
        return []
    if waits_hidden(table, path):
        found = [track for track in found if track.id in path.departed]
    elif any(not edge.back for edge in path.edges):
        return []
    left = (
        track
        for track in found
        if track.gone_ms is None
        or not (just_taken_up(table, track) or maybe_claimed(table, path, track) or moved_mm(table, path, track) is not None)
    )
    return sorted(left, key=lambda track: track.id)


def claim_withdrawn(table: TableContext, path: Hypothesis, track: Track) -> bool:
    """Whether a tile that has been taken up was one of two that a seat laid for a claim of the last discard, and takes back: together with
    the discard they make a meld. The other one may lie there still."""
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
    melds = ((seat, len(path.play.seat(seat).melds), other) for seat in SEATS if seat is not last.seat for other in beside)
    return any(
        _make_a_meld(last.tile, track, other) and all(table.places.meld(seat, meld, each) < costs.REACH for each in (track, other))
        for seat, meld, other in melds
    )


def _make_a_meld(claimed: Tile, *own: Track) -> bool:
    """Whether tiles make a pung or a chow with a claimed one, by what the camera holds them for."""
    tiles = tuple(sorted((claimed, *(track.evidence.likeliest for track in own))))
    return len(set(tiles)) == 1 or tiles in chows_with(claimed)


def just_taken_up(table: TableContext, track: Track) -> bool:
    """Whether a tile has been taken up so lately that it may be laid elsewhere yet."""
    return track.gone_ms is not None and table.now_ms - track.gone_ms < costs.AT_ONCE_MS and not table.over


def last_taken(path: Hypothesis) -> bool:
    """Whether the last discard has been taken and may be claimed: where its meld is laid something may hide that."""
    return path.play.phase is Phase.CLAIMS and path.last_discard(path.play.turn) in path.missing


def waits_hidden(table: TableContext, path: Hypothesis) -> bool:
    """Whether a seat is to discard, and its discard may lie hidden."""
    return path.play.phase is Phase.DISCARD and discard_hidden(table, path, Due(path.play.turn))


def moved_mm(table: TableContext, path: Hypothesis, track: Track) -> float | None:
    """How far a tile that has been taken up unexplained was moved; None where it was not. One tile of its kind that came to lie elsewhere
    at that moment tells nothing: two tiles or more that were taken up at once have each to be found again."""
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
    """The tiles of its kind that came to lie elsewhere when a tile was taken up: how far from where it lay (mm), and their numbers."""
    kind, until_ms = track.evidence.likeliest, (track.gone_ms or 0) + costs.AT_ONCE_MS
    for other in table.tracks.all.values():
        if other.face_up and other.lies and track.seen_ms < other.appeared_ms < until_ms and other.evidence.likeliest is kind:
            apart_mm = math.dist((other.x_mm, other.y_mm), (track.x_mm, track.y_mm))
            if apart_mm < MOVED_MM:
                yield apart_mm, other.id


def may_be_discard(table: TableContext, path: Hypothesis, track: Track, most: float) -> bool:
    """Whether a tile lies, or lay, where a discard of one of the next turns of any seat may be laid: its place costs less than ``most``."""
    turns = ((seat, path.play.seat(seat).next_place + further) for seat in SEATS for further in range(costs.TURNS))
    return any(table.places.river(seat, place, track) < most for seat, place in turns)


def maybe_claimed(table: TableContext, path: Hypothesis, track: Track) -> bool:
    """Whether a tile that has been taken up from a river, and that the path has not explained, may have been claimed: while it lay there,
    or as it was taken, tiles were laid for a meld that wait for an explanation as well."""
    if track.gone_ms is None or len(path.loose) < costs.SEVERAL:
        return False
    if not may_be_discard(table, path, track, costs.REACH):
        return False
    laid = [other for other in table.face_up(path.loose) if track.appeared_ms < other.appeared_ms < track.gone_ms + costs.AT_ONCE_MS]
    melds = ((seat, len(path.play.seat(seat).melds) + further) for seat in SEATS for further in range(costs.SEVERAL))
    return any(sum(table.places.meld(seat, meld, other) < costs.REACH for other in laid) >= costs.SEVERAL for seat, meld in melds)


def discard_hidden(table: TableContext, path: Hypothesis, due: Due) -> bool:
    """Whether the discard that is due may lie under something. It was laid before the draw after it: what came over its place
    later hides nothing, because the place was seen bare."""
    since_ms = max(path.clock_ms, due.drawn_ms)
    drawn_ms = min((edge.at_ms for edge in path.edges if not edge.back and edge.at_ms > since_ms), default=None)
    spot = table.places.river_spot(due.seat, path.play.seat(due.seat).next_place)
    return table.tracks.may_hide(*spot, None if drawn_ms is None else drawn_ms + costs.DELAY_MS)


def went_on_ms(table: TableContext, path: Hypothesis, due: Due) -> int | None:
    """Where draws are not sensed, when the first tile was laid after the last event: if that is long ago, and the discard that is due may
    have lain under something then. A tile that no frame can read looks like something that lies there."""
    if table.gates:
        return None
    since_ms = max(path.clock_ms, path.grounds[-1].at_ms if path.grounds else 0)
    until_ms = table.now_ms if table.over else table.now_ms - costs.STAYS_FOR_GOOD_MS
    laid_ms = min((at_ms for number in path.loose if since_ms < (at_ms := table.track(number).appeared_ms) <= until_ms), default=None)
    spot = table.places.river_spot(due.seat, path.play.seat(due.seat).next_place)
    return None if laid_ms is None or not table.tracks.may_hide(*spot, laid_ms) else laid_ms


def due_now(table: TableContext, path: Hypothesis) -> Due | None:
    """Who is to discard now, or would be if the last tile is not claimed and draws are not sensed."""
    if path.play.phase is Phase.DISCARD:
        return Due(path.play.turn)
    if table.gates or path.play.phase not in (Phase.CLAIMS, Phase.DRAW):
        return None
    turn = path.play.turn
    return Due(path.permissions(table).following(turn) if path.play.phase is Phase.CLAIMS else turn)


def due_next(table: TableContext, path: Hypothesis) -> Due | None:
    """Who is to discard as soon as the path takes the first draw that waits for the lawful one that it is; None where it is not."""
    if not table.gates or path.play.phase not in (Phase.CLAIMS, Phase.DRAW):
        return None
    first = next((edge for edge in path.edges if edge.at_ms > path.clock_ms), None)
    if first is None or first.back or table.places.seats[first.place] is not draws_next(table, path):
        return None
    return Due(table.places.seats[first.place], first.at_ms)


def draws_next(table: TableContext, path: Hypothesis) -> Seat | None:
    """Who is to draw, once no other seat claims the last tile; None where there is none."""
    passed = path.then(table, ClaimsPassed()) if path.play.phase is Phase.CLAIMS else None
    return (passed or path.permissions(table)).draw


def seats_shown(table: TableContext, path: Hypothesis) -> frozenset[Seat]:
    """The seats before which enough unexplained tiles lie that they show their hands: the last rows of a long river lie there too."""
    if len(path.loose) < costs.A_HAND:
        return frozenset()
    known = table.workings.shown
    if path.loose not in known:
        up = table.face_up(path.loose)
        shown = (seat for seat in SEATS if sum(table.places.hand(seat, track) < costs.HAND_PLACE for track in up) >= costs.A_HAND)
        known[path.loose] = frozenset(shown)
    return known[path.loose]


def hand_waits(table: TableContext, path: Hypothesis) -> bool:
    """Whether enough unexplained tiles were laid before a seat at once that it has just shown its hand."""
    return next(hands_laid(table, path), None) is not None


def hands_laid(table: TableContext, path: Hypothesis, least: int = costs.A_HAND) -> Iterator[tuple[Seat, int]]:
    """The seats before which at least this many unexplained tiles were laid at once, and since when."""
    for seat in seats_shown(table, path):
        up = table.face_up(path.loose)
        since_ms = sorted(track.appeared_ms for track in up if table.places.hand(seat, track) < costs.HAND_PLACE)
        at_once = (first for first, last in zip(since_ms, since_ms[least - 1 :], strict=False) if last - first < costs.AT_ONCE_MS)
        if (first_ms := next(at_once, None)) is not None:
            yield seat, first_ms
