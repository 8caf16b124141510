"""Margins: how certain each event of the best path is, and the question where two paths are too close."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.moves.turns import DELAY_MS
from controller.recorder.moves.unseen import fewest_open
from controller.recorder.shared_tiles import due_since
from controller.recorder.signals import Decoded, Grounds, Question
from controller.recorder.smoothing import kind_margin
from controller.recorder.tracks import Track
from twinwall.game.play_events import (
    ClaimsPassed,
    HandLaidOpen,
    HandShown,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.tiles import SEATS, Seat, Tile

_BEFORE_MS = 1000
_TO_LIGHT_MS = 500
"""Tiles that came to light within this time lay below one thing."""
_WAITING_DRAWS = 2
"""One draw waits for a moment before each discard; more wait for something that the best path does not see."""
_SETTLED = 6
"""After so many further events, two turns, a discard is one that play has gone on from."""
_ONE_RUN = 6
"""Events in doubt that are so near to one another are about one thing, and make one question."""


def decoded(
    table: TableContext,
    beam: Sequence[Hypothesis],
    totals: Sequence[float],
    dropped: Mapping[tuple[int, int], float],
    besides: Container[int] = (),
    *,
    smoothed_below: float = 0.0,
) -> tuple[Decoded, ...]:
    """The events of the best path (the first), each with its margin; those of the numbers ``besides`` are left out.

    ``dropped`` bounds the margin of events, by index and mark, that paths contradicted which are no longer followed. ``smoothed_below``:
    the hand is over, and kinds of discards closer than this are weighed with the whole hand and the deal.
    """
    best = beam[0]
    spare = _spare_kinds(table, best)
    lingers_ms = _lingers_ms(table, best)
    unordered, found = _unordered_from(table, best), list[Decoded]()
    for index, (event, mark) in enumerate(zip(best.events, best.marks, strict=True)):
        if index + 1 in besides:
            continue
        margin, rival, other_kind = _nearest(index, beam, totals, dropped.get((index, mark), costs.MOST))
        never_seen = best.grounds[index].never_seen
        by_kind = 0.0 if never_seen else _kind_margin(table, best, event, best.grounds[index].tracks, spare)
        if by_kind < smoothed_below and table.deal is not None and isinstance(event, TileDiscarded):
            by_kind = kind_margin(table, best, index, smoothed_below)
        if other_kind:
            by_kind = min(by_kind, margin)
        if isinstance(event, TileDiscarded):
            margin = min(margin, _exchanged(table, best, index, event), _left_open(table, best, index))
        refused = _refused(best, index)
        gone_on = index < len(best.events) - _SETTLED or _won_on(best, index)
        over = smoothed_below > 0 and table.deal is not None and gone_on
        margin = min(margin, _most_certain(event, best.grounds[index], lingers_ms, refused=refused, over=over))
        if (unordered is not None and index >= unordered) or _won_on_a_guess(best, index):
            margin = min(margin, costs.LINGERING)
        kind_in_doubt = by_kind <= margin or never_seen
        margin = max(0.0, min(margin, by_kind))
        found.append(Decoded(index + 1, event, round(margin, 2), best.grounds[index], rival, kind_in_doubt))
    return tuple(found)


def _exchanged(table: TableContext, best: Hypothesis, index: int, event: TileDiscarded) -> float:
    """How much dearer the places are if a discard that was seen late and another one of its seat, which came to light with it, were laid
    the other way round; ``costs.MOST`` where there is no such tile."""
    late = _seen_late(table, best, index)
    if late is None:
        return costs.MOST
    own = [number for number, other in enumerate(best.events) if isinstance(other, TileDiscarded) and other.seat is event.seat]
    places = [best.play.seat(event.seat).place_of(number) for number in range(len(own))]
    margin, at = costs.MOST, own.index(index)
    for other_at, number in enumerate(own):
        other = None if number == index else _seen_late(table, best, number)
        if other is None or abs(other.track.appeared_ms - late.track.appeared_ms) > _TO_LIGHT_MS or best.events[number] == event:
            continue
        first, second = sorted((late, other), key=lambda each: each.drawn_ms)
        if (second.track.bare_before_ms or 0) > first.drawn_ms + DELAY_MS:
            continue  # its place was seen bare when the first one lay there
        pairs = ((places[at], other.track, late.track), (places[other_at], late.track, other.track))
        river = partial(table.places.river, event.seat)
        margin = min(margin, max(0.0, sum(river(place, instead) - river(place, lies) for place, instead, lies in pairs)))
    return margin


def _left_open(table: TableContext, best: Hypothesis, index: int) -> float:
    """How much dearer it is that a seat has left the tile of the last discard open before its hand, to discard another one; ``costs.MOST``
    once somebody has drawn or claimed."""
    grounds = best.grounds[index]
    if not grounds.tracks or any(not isinstance(event, ClaimsPassed) for event in best.events[index + 1 :]):
        return costs.MOST
    track = table.track(grounds.tracks[0])
    return max(0.0, costs.VIOLATION + min(table.places.hand(seat, track) for seat in SEATS) - _place_cost(grounds))


def _place_cost(grounds: Grounds) -> float:
    return sum(cost for why, cost in grounds.costs if why == "place")


class _SeenLate(NamedTuple):
    """The tile of a discard that was seen only after the draw that follows it, and the time of that draw."""

    track: Track
    drawn_ms: int


def _seen_late(table: TableContext, best: Hypothesis, index: int) -> _SeenLate | None:
    """The tile of a discard, where it was seen late; None where it was seen before the next draw, or never."""
    if not best.grounds[index].tracks:
        return None
    track = table.track(best.grounds[index].tracks[0])
    later = range(index + 1, len(best.events))
    drawn = next((best.grounds[number] for number in later if isinstance(best.events[number], TileDrawn)), None)
    return _SeenLate(track, drawn.at_ms) if drawn is not None and track.appeared_ms > drawn.at_ms + DELAY_MS else None


def _won_on(best: Hypothesis, index: int) -> bool:
    """Whether a win was declared on the discard of this index with a hand that wins."""
    later = index + 1
    if later >= len(best.events) or not isinstance(best.events[later], WinDeclared):
        return False
    return not _refused(best, later) and all(why != costs.NOT_WON for why, _ in best.grounds[later].costs)


def _unordered_from(table: TableContext, best: Hypothesis) -> int | None:
    """The index of the first event whose number may be another one; None where there is none such."""
    known = (since for since in (due_since(table, best), _disordered_from(best), _lost_from(best)) if since is not None)
    return min(known, default=None)


def _lost_from(best: Hypothesis) -> int | None:
    """The index of the first event from which on play may have gone on otherwise; None where there is none such."""
    return next((index for index in range(len(best.events)) if _may_skip(best, index)), None)


def lost_ms(best: Hypothesis) -> float:
    """Since when play may have gone on otherwise: since the draw or discard before the first event that tells of it; infinite where none
    does."""
    lost = _lost_from(best)
    if lost is None:
        return math.inf
    turns = zip(best.events[:lost], best.grounds[:lost], strict=True)
    return max((grounds.at_ms for event, grounds in turns if isinstance(event, TileDrawn | TileDiscarded)), default=0)


def _may_skip(best: Hypothesis, index: int) -> bool:
    """Whether play may have gone on otherwise from an event on: a draw without a turn, a discard that was guessed and then taken for a
    tile far from where it was due, or a win with a hand that does not win and was not refused."""
    grounds = best.grounds[index]
    whys = {why for why, _ in grounds.costs}
    odd = sum(cost for _, cost in grounds.costs) - costs.USUAL_PLACE
    if costs.NOT_WON in whys:
        return not _refused(best, index)
    return costs.WITHOUT_TURN in whys or (costs.LATE in whys and odd > costs.ODD - costs.LINGERING)


def _won_on_a_guess(best: Hypothesis, index: int) -> bool:
    """Whether the event of this index is a win on a discard that no frame saw: on which tile, nobody knows."""
    event = best.events[index]
    if not isinstance(event, WinDeclared) or event.source is None:
        return False
    discards = (number for number in reversed(range(index)) if isinstance(best.events[number], TileDiscarded))
    return best.grounds[next(discards)].never_seen


def _refused(best: Hypothesis, index: int) -> bool:
    """Whether the event of this index is a win that was refused: at once, or once all hands are shown."""
    win = best.events[index]
    return isinstance(win, WinDeclared) and any(
        isinstance(later, WinRefused) and later.seat is win.seat for later in best.events[index + 1 :]
    )


def _disordered_from(best: Hypothesis) -> int | None:
    """While several draws wait, the index of the first event that has come after one which follows it: what lay hidden may be another
    tile, and then each later event has another number. None where no draws wait, or all events came in their order."""
    if len(best.edges) < _WAITING_DRAWS:
        return None
    earliest_ms, first = math.inf, None
    for index in reversed(range(len(best.grounds))):
        at_ms = best.grounds[index].at_ms
        if at_ms > earliest_ms + _BEFORE_MS:
            first = index
        earliest_ms = min(earliest_ms, at_ms)
    return first


def _nearest(index: int, beam: Sequence[Hypothesis], totals: Sequence[float], margin: float) -> tuple[float, PlayEvent | None, bool]:
    """How far from the best path the nearest one is that holds another event of this index, where that is less than ``margin``; that
    event; and whether both are discards of one tile, so that its kind alone is in doubt."""
    best, nearest = beam[0], None
    for path, total in zip(beam[1:], totals[1:], strict=True):
        if (index >= len(path.marks) or path.marks[index] != best.marks[index]) and total - totals[0] < margin:
            margin, nearest = total - totals[0], path
    if nearest is None or index >= len(nearest.events):
        return margin, None, False
    event, rival, tracks = best.events[index], nearest.events[index], best.grounds[index].tracks
    both = isinstance(event, TileDiscarded) and isinstance(rival, TileDiscarded) and event.seat is rival.seat
    return margin, rival, both and bool(tracks) and nearest.grounds[index].tracks == tracks


def shown_hand(
    table: TableContext,
    beam: Sequence[Hypothesis],
    totals: Sequence[float],
    dropped: Mapping[tuple[int, int], float],
    *,
    before: tuple[PlayEvent, ...],
    seat: Seat,
) -> Decoded | None:
    """The hand that a seat shows after these events, with its margin to paths that hold other tiles; None where no path holds one.

    The deal proves which tile was drawn last, and that the seat is to show its hand is certain. So neither a path with another winning
    tile contradicts it, nor one that leaves the tiles unexplained.
    """
    index = len(before)
    for path, total in zip(beam, totals, strict=True):
        event = path.events[index] if len(path.events) > index else None
        if not isinstance(event, HandShown | HandLaidOpen) or event.seat is not seat or path.events[:index] != before:
            continue
        grounds = path.grounds[index]
        others = [
            other - total
            for rival, other in zip(beam, totals, strict=True)
            if (len(rival.events) > index or len(rival.loose) < len(grounds.tracks))
            and _shown_tiles(rival, index) != _shown_tiles(path, index)
        ]
        margin = min(
            _most_certain(event, grounds, _lingers_ms(table, path), refused=False, over=False),
            _kind_margin(table, path, event, grounds.tracks, _spare_kinds(table, path)),
            dropped.get((index, path.marks[index]), costs.MOST),
            *others,
        )
        return Decoded(index + 1, event, round(max(0.0, margin), 2), grounds)
    return None


def _shown_tiles(path: Hypothesis, index: int) -> tuple[object, ...]:
    """By whom which tiles are shown as the event of this index; nothing where that is another event."""
    match path.events[index] if len(path.events) > index else None:
        case HandShown(seat, concealed, winning, kongs):
            return seat, tuple(sorted((*concealed, winning))), kongs
        case HandLaidOpen(seat, concealed):
            return seat, concealed
        case _:
            return ()


def _lingers_ms(table: TableContext, best: Hypothesis) -> int | None:
    """Since when a tile lies there that the best path does not explain; None where there is no such tile."""
    tracks = (table.track(track) for track in best.loose)
    since = [track.appeared_ms for track in tracks if track.face_up and table.now_ms - track.appeared_ms > costs.LINGERING_MS]
    return min(since, default=None)


def _most_certain(event: PlayEvent, grounds: Grounds, lingers_ms: int | None, *, refused: bool, over: bool) -> float:
    """How certain an event can be at most: there may be an explanation that no move describes. ``refused``: a win that is refused
    at once, because the hand that was shown for it does not win; then that it does not win is nothing odd. ``over``: the hand has gone
    on since and is over, so whatever else a discard may be, the seat's own one would be one that no frame saw."""
    if lingers_ms is not None and grounds.at_ms >= lingers_ms - _BEFORE_MS:
        return costs.LINGERING
    spent = sum(cost for _, cost in grounds.costs)
    if any(why == costs.NOT_SEEN_TURNED for why, _ in grounds.costs):
        return costs.LINGERING
    if any(why == costs.UNFINISHED_HAND for why, _ in grounds.costs):
        return costs.ODD - spent
    match event:
        case TileDiscarded():
            far_off = _place_cost(grounds) - costs.USUAL_PLACE
            odd = spent - costs.USUAL_PLACE - (min(max(far_off, 0.0), costs.UNSEEN_DISCARD) if over else 0.0)
        case WinDeclared() if refused:
            odd = spent - costs.FALSE_WIN
        case WinDeclared():
            odd = spent
        case _:
            odd = 0.0
    return costs.ODD - max(0.0, odd)


def _spare_kinds(table: TableContext, best: Hypothesis) -> dict[Seat, frozenset[Tile]] | None:
    """By seat the kinds that it could have laid at some time in place of another: those of its wall so far; None without a deal."""
    if table.deal is None:
        return None
    drawn = {seat: len(wall.draws) - best.play.seat(seat).draws_left for seat, wall in table.deal.walls.items()}
    return {seat: frozenset((*wall.hand, *wall.draws[: drawn[seat]])) for seat, wall in table.deal.walls.items()}


def _kind_margin(
    table: TableContext, best: Hypothesis, event: PlayEvent, tracks: tuple[int, ...], spare: dict[Seat, frozenset[Tile]] | None
) -> float:
    """What the camera says against the best other kind of the event's tiles that nothing else rules out.

    An event without tracks is the table's own (``anchoring``).
    """
    if not tracks:
        return costs.MOST
    match event:
        case TileDiscarded(seat, tile):
            return _gap(table.track(tracks[0]), tile, None if spare is None else spare[seat])
        case SharedTileTurned(_, tile) if table.deal is None:
            return _gap(table.track(tracks[0]), tile, None)
        case HandShown() | HandLaidOpen() if table.deal is None:
            return min((_gap(table.track(track), best.kinds[track], None) for track in tracks), default=costs.MOST)
        case _:
            return costs.MOST


def _gap(track: Track, kind: Tile, among: frozenset[Tile] | None) -> float:
    logs = track.evidence.logs
    others = [logs[kind] - logs[other] for other in (Tile if among is None else among) if other is not kind]
    return max(0.0, min(others, default=costs.MOST))


def questions(table: TableContext, best: Hypothesis, doubted: Sequence[Decoded]) -> Iterator[Question]:
    """One question for each tile whose kind is in doubt, and one for each run of events that another path does not hold."""
    last: Decoded | None = None
    for event in doubted:
        if event.kind_in_doubt:
            yield _question(table, best, event)
        elif last is None or event.number > last.number + _ONE_RUN:
            yield _question(table, best, event)
            last = event
        else:
            last = event


def _question(table: TableContext, best: Hypothesis, event: Decoded) -> Question:
    track = table.track(event.grounds.tracks[0]) if event.grounds.tracks else None
    disputed = event.event
    kinds: tuple[Tile, ...] = ()
    if track is not None and event.kind_in_doubt:
        kinds = tuple(kind for kind in track.evidence.by_camera() if kind in set(table.rules.tiles))
    elif event.grounds.never_seen:
        kinds = tuple(fewest_open(table, best))
    x_mm, y_mm = (track.x_mm, track.y_mm) if track is not None else _due_spot(table, best, event)
    return Question(
        number=event.number,
        x_mm=x_mm,
        y_mm=y_mm,
        before_ms=event.grounds.at_ms - _BEFORE_MS,
        after_ms=table.now_ms,
        kinds=kinds,
        track=track.id if kinds and track is not None else None,
        paths=(disputed, event.rival),
        margin=event.margin,
    )


def _due_spot(table: TableContext, best: Hypothesis, event: Decoded) -> tuple[float, float]:
    """Where a discard without a tile in sight was due; the middle of the mat for any other event."""
    match event.event:
        case TileDiscarded(seat):
            before = sum(isinstance(other, TileDiscarded) and other.seat is seat for other in best.events[: event.number - 1])
            return table.places.river_spot(seat, before)
        case _:
            return 0.0, 0.0
