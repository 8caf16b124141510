"""Margins: how certain each event of the best path is."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter

from controller.recorder import costs
from controller.recorder.beam import Beam, shown_tiles
from controller.recorder.hypothesis import Hypothesis, TableContext, meld_role
from controller.recorder.margins.discard_margins import Bound, discard_bounds
from controller.recorder.margins.event_order import refused, unordered_from, won_on, won_on_a_guess
from controller.recorder.signals import Decoded, Grounds, MarginBound
from controller.recorder.smoothing import kind_margin, won_margin
from controller.recorder.tracks import Track
from controller.recorder.winning import may_have_won
from twinwall.game.play_events import (
    Claimed,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    PlayEvent,
    SharedTileTurned,
    TileDiscarded,
    WinDeclared,
)
from twinwall.game.tiles import Seat, Tile


def decoded(table: TableContext, beam: Beam, besides: Container[int] = (), *, smoothed_below: float = 0.0) -> tuple[Decoded, ...]:
    """Return the events of the best path, each with its margin, except the numbers in ``besides``. ``smoothed_below``: the hand is over,
    and kinds of discards below this margin are weighed with the whole hand and the deal."""
    best, found, discarded = beam.best, list[Decoded](), costs.MOST
    lingers_ms, unordered = _lingers_ms(table, best), unordered_from(table, best)
    for index, (event, grounds) in enumerate(best.history):
        if index + 1 in besides:
            discarded = costs.MOST
            continue
        left_open = _left_open(table, beam, index)
        nearest, rival, other_kind = _nearest(beam, index, left_open)
        kind = _kind_bound(table, best, index, smoothed_below)
        if other_kind:
            kind = Bound(min(kind.nats, nearest.nats), kind.by)
        bounds = [kind, nearest, *_bounds(table, best, index, smoothed_below, lingers_ms=lingers_ms, unordered=unordered)]
        if isinstance(event, WinDeclared) and event.source is not None and not table.over:
            bounds.append(Bound(discarded, MarginBound.DISCARD_BEFORE))
        least = min(bounds, key=lambda bound: bound.nats)
        margin = max(0.0, least.nats)
        if isinstance(event, TileDiscarded):
            discarded = margin
        misread = isinstance(event, TileDiscarded) and against_sure_looks(table, best, event, grounds)
        by = MarginBound.NEVER_SEEN if grounds.never_seen else least.by
        in_doubt = least is kind or grounds.never_seen or misread
        found.append(Decoded(index + 1, event, round(margin, 2), grounds, rival, in_doubt, by, left_open=left_open))
    return tuple(found if table.over else reversed([*_held_back(found, len(best.events), besides)]))


def _bounds(
    table: TableContext, best: Hypothesis, index: int, smoothed_below: float, *, lingers_ms: int | None, unordered: int | None
) -> Iterator[Bound]:
    """Yield the bounds of an event's margin by its own looks and place, by what is unexplained, and by the win that it is part of."""
    event, grounds, smoothed = best.events[index], best.grounds[index], smoothed_below > 0
    if against_sure_looks(table, best, event, grounds):
        yield Bound(costs.LINGERING, MarginBound.OTHER_KIND)
    if isinstance(event, TileDiscarded):
        yield from discard_bounds(table, best, index, event)
    gone_on = (table.deal is not None and index < len(best.events) - costs.TWO_TURNS) or won_on(best, index)
    yield _most_certain(best, index, lingers_ms, over=smoothed and gone_on)
    if unordered is not None and index >= unordered:
        yield Bound(costs.LINGERING, MarginBound.ORDER)
    guess = won_on_a_guess(best, index)
    if guess is not None:
        known = smoothed and table.deal is not None
        yield Bound(won_margin(table, best, guess, smoothed_below) if known else costs.LINGERING, MarginBound.WON_ON_A_GUESS)
    if isinstance(event, HandLaidOpen) and not table.gates and may_have_won(table, best.events, event):
        yield Bound(costs.LINGERING, MarginBound.RIVAL)


def revised(events: Sequence[Decoded], published: Mapping[int, Decoded]) -> Iterator[Decoded]:
    """Yield the events after the hand; one in whose place another was published becomes a question, not a silent change."""
    for each in events:
        known = published.get(each.number)
        if known is None or known.event == each.event or each.margin <= costs.LINGERING:
            yield each
        else:
            yield replace(each, margin=costs.LINGERING, rival=known.event, bound=MarginBound.REVISED)


def _held_back(found: Sequence[Decoded], count: int, besides: Container[int]) -> Iterator[Decoded]:
    """Yield the events, last one first. A claim whose tile stays in its river is no more certain than the events after it: another claim
    may have priority. Events of the numbers ``besides`` are certain; the path has ``count``."""
    later = costs.LINGERING
    for each in reversed(found):
        if any(number in besides for number in range(each.number + 1, count + 1)):
            later = costs.MOST
        left = isinstance(each.event, Claimed) and each.grounds.has(costs.CostReason.CLAIMED_NOT_TAKEN)
        held = left and each.margin > later
        yield replace(each, margin=later, bound=MarginBound.NOT_TAKEN, if_it_stands=each.margin) if held else each
        later = max(later, each.margin)


def _left_open(table: TableContext, beam: Beam, index: int) -> tuple[PlayEvent, ...]:
    """Return what else an event may be after the hand, if the deal is unknown and no camera can decide."""
    event = beam.best.events[index]
    if table.deal is not None or not table.over:
        return ()
    if isinstance(event, KongDeclared) and beam.best.grounds[index].has(costs.CostReason.DRAWN_UNSEEN):
        return (replace(event, late=not event.late),)
    if not isinstance(event, HandShown):
        return ()
    shown = shown_tiles(beam.best, index)
    alike = (path.events[index] for path in beam.near(costs.ASK) if shown_tiles(path, index) == shown)
    return tuple(dict.fromkeys(other for other in alike if other != event))


def _nearest(beam: Beam, index: int, left_open: Container[PlayEvent | None]) -> tuple[Bound, PlayEvent | None, bool]:
    """Return the bound by the nearest path with another event of this index, not ``left_open``, followed or dropped; its event; and
    whether they differ only in the kind of one discarded tile."""
    best = beam.best
    dropped = beam.dropped.get((index, best.marks[index]), costs.MOST)
    apart, nearest = beam.rival(index, dropped, left_open)
    if nearest is None:
        return Bound(dropped, MarginBound.DROPPED if dropped < costs.MOST else MarginBound.NOTHING), None, False
    event, rival, tracks = best.events[index], nearest.event_at(index), best.grounds[index].tracks
    other_kind = (
        isinstance(event, TileDiscarded)
        and isinstance(rival, TileDiscarded)
        and event.seat is rival.seat
        and event.tile is not rival.tile
        and bool(tracks)
        and nearest.grounds[index].tracks == tracks
    )
    return Bound(apart, MarginBound.RIVAL), rival, other_kind


def laid_open(table: TableContext, beam: Beam, *, before: tuple[PlayEvent, ...], seat: Seat) -> Decoded | None:
    """Return the hand or meld that a seat lays open after these events, with its margin to paths with other tiles; None if no path has one.

    It is certain that the seat shows its hand or lays the called meld, and the deal proves which tile was drawn last. So paths do not
    contradict it that have another winning tile, leave the tiles unexplained, take the meld for a false claim, or have another seat's
    claim. A path with other events ``before`` contradicts the table's record, which is binding, and counts only if it is the better one.
    """
    index = len(before)
    for total, path in zip(beam.totals, beam.paths, strict=True):
        event = path.event_at(index)
        if not isinstance(event, HandShown | HandLaidOpen | Claimed) or event.seat is not seat or path.events[:index] != before:
            continue
        grounds = path.grounds[index]
        others = [
            (other - total, rival.event_at(index))
            for rival, other in zip(beam.paths, beam.totals, strict=True)
            if (rival.events[:index] == before or other < total) and _lays_otherwise(rival, path, index)
        ]
        apart, rival_event = min(others, key=itemgetter(0), default=(costs.MOST, None))
        margin = min(
            _most_certain(path, index, _lingers_ms(table, path), over=False).nats,
            costs.LINGERING if against_sure_looks(table, path, event, grounds) else costs.MOST,
            _kind_margin(table, path, index),
            beam.dropped.get((index, path.marks[index]), costs.MOST),
            apart,
        )
        return Decoded(index + 1, event, round(max(0.0, margin), 2), grounds, rival_event)
    return None


def _lays_otherwise(rival: Hypothesis, path: Hypothesis, index: int) -> bool:
    """Whether ``rival`` has other tiles than ``path`` for the hand or meld laid open by this event."""
    event, tracks = path.events[index], path.grounds[index].tracks
    if isinstance(event, Claimed):
        other = rival.event_at(index)
        return isinstance(other, Claimed) and other.seat is event.seat and other != event
    explained = len(rival.events) > index or len(rival.loose) < len(tracks)
    return explained and shown_tiles(rival, index) != shown_tiles(path, index)


def _lingers_ms(table: TableContext, best: Hypothesis) -> int | None:
    """Return since when the best path has had an unexplained tile, or, after the hand, an unexplained draw; None without any. During the
    hand a tile counts after a while."""
    tracks = [table.track(track) for track in best.loose]
    least_ms = 0 if table.over else costs.LINGERING_MS
    since = [track.appeared_ms for track in tracks if track.face_up and table.now_ms - track.appeared_ms > least_ms]
    drawn = [edge.at_ms for edge in best.drawn] if table.over else []
    return min((*since, *drawn), default=None)


def _most_certain(best: Hypothesis, index: int, lingers_ms: int | None, *, over: bool) -> Bound:
    """Return the most margin of an event: an explanation may exist that no move describes. A refused win is not odd: its hand does not win.
    ``over``: after the hand, a discard was won on, or the deal is known and play continued."""
    event, grounds = best.events[index], best.grounds[index]
    if lingers_ms is not None and grounds.at_ms >= lingers_ms - costs.MOMENT_MS:
        return Bound(costs.LINGERING, MarginBound.UNEXPLAINED)
    spent = sum(cost for _, cost in grounds.costs)
    if grounds.has(costs.CostReason.NOT_SEEN_TURNED):
        return Bound(costs.LINGERING, MarginBound.NOT_SEEN_TURNED)
    if grounds.tracks and grounds.has(costs.CostReason.NEVER_SEEN):
        return Bound(costs.LINGERING, MarginBound.NEVER_SEEN)
    if grounds.has(costs.CostReason.UNFINISHED):
        return Bound(costs.ODD - spent, MarginBound.UNFINISHED)
    match event:
        case TileDiscarded():
            far_off = grounds.place_cost - costs.USUAL_PLACE
            odd = spent - costs.USUAL_PLACE - (min(max(far_off, 0.0), costs.AGAINST_SIGHT) if over else 0.0)
        case WinDeclared() if refused(best, index) and grounds.has(costs.CostReason.NOTHING_LAID):
            odd = costs.ODD - costs.LINGERING  # the win was on another tile, or did not happen
        case WinDeclared() if refused(best, index):
            odd = spent - costs.RARE
        case WinDeclared():
            odd = spent
        case _:
            odd = 0.0
    return Bound(costs.ODD - max(0.0, odd), MarginBound.NOT_DESCRIBED)


def against_sure_looks(table: TableContext, best: Hypothesis, event: PlayEvent, grounds: Grounds) -> bool:
    """Whether the path gives a tile of an event another kind than sure frames show: they may misread it, or the deal may be another one, so
    the event is asked about. Tiles exchanged within one meld do not count."""
    meld, tracks = (event.meld.tiles, _of_claim(best, event, grounds)) if isinstance(event, Claimed) else ((), grounds.tracks)
    seen = ((best.kinds[track], table.track(track).evidence) for track in tracks if track in best.kinds)
    return any(looks.sure and looks.logs[kind] < -costs.ASK and looks.likeliest not in meld for kind, looks in seen)


def _of_claim(best: Hypothesis, event: Claimed, grounds: Grounds) -> tuple[int, ...]:
    """Return the tiles laid for a claim, removed ones included, and those in its meld, the claimed one included."""
    laid = event.meld.tiles
    groups = (group for group, meld in enumerate(best.play.seat(event.seat).melds) if meld.tiles[: len(laid)] == laid)
    roles = {meld_role(event.seat, group, number) for group in groups for number in range(len(laid))}
    return (*grounds.tracks, *(track for track, role in best.roles.items() if role in roles))


def _kind_bound(table: TableContext, best: Hypothesis, index: int, smoothed_below: float) -> Bound:
    """Return the bound by other kinds of the event's tiles; of a discard after the hand, by those with which the whole hand is possible."""
    nats = 0.0 if best.grounds[index].never_seen else _kind_margin(table, best, index)
    if nats < smoothed_below and table.deal is not None and isinstance(best.events[index], TileDiscarded):
        nats = kind_margin(table, best, index, smoothed_below)
    return Bound(nats, MarginBound.KIND)


def _kind_margin(table: TableContext, best: Hypothesis, index: int) -> float:
    """Return the camera's evidence against the best other kind of the event's tiles; an event without tracks comes from the record."""
    tracks = best.grounds[index].tracks
    match best.events[index]:
        case TileDiscarded(seat, tile) if tracks:
            return _gap(table.track(tracks[0]), tile, _spare_kinds(table, best, seat))
        case SharedTileTurned() | HandShown() | HandLaidOpen() if table.deal is None:
            return min((_gap(table.track(track), best.kinds[track], Tile) for track in tracks), default=costs.MOST)
        case _:
            return costs.MOST


def _spare_kinds(table: TableContext, best: Hypothesis, seat: Seat) -> Iterable[Tile]:
    """Return the kinds that a seat may have laid instead of another: those of its wall so far; all without a deal."""
    if table.deal is None:
        return Tile
    wall = table.deal.walls[seat]
    return (*wall.hand, *wall.draws[: len(wall.draws) - best.play.seat(seat).draws_left])


def _gap(track: Track, kind: Tile, among: Iterable[Tile]) -> float:
    logs = track.evidence.logs
    return max(0.0, min((logs[kind] - logs[other] for other in among if other is not kind), default=costs.MOST))
