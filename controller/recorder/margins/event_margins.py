"""Margins: how certain each event of the best path is."""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import itemgetter

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext, TileRole
from controller.recorder.margins.discard_margins import Bound, discard_bounds
from controller.recorder.margins.event_order import refused, unordered_from, won_on, won_on_a_guess
from controller.recorder.signals import Decoded, Grounds, MarginBound
from controller.recorder.smoothing import kind_margin, won_margin
from controller.recorder.tracks import Track
from controller.recorder.winning import score
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
from twinwall.game.rule_set import Win
from twinwall.game.tiles import Seat, Tile
from vision.mat import MELD_SLOTS, Area


def decoded(
    table: TableContext,
    beam: Sequence[Hypothesis],
    totals: Sequence[float],
    dropped: Mapping[tuple[int, int], float],
    besides: Container[int] = (),
    *,
    smoothed_below: float = 0.0,
) -> tuple[Decoded, ...]:
    """Return the events of the best path (the first), each with its margin, except the numbers in ``besides``.

    ``dropped``: by index and mark, the distance of paths that contradicted an event and are no longer followed. ``smoothed_below``: the
    hand is over, and kinds of discards below this margin are weighed with the whole hand and the deal.
    """
    best = beam[0]
    spare = _spare_kinds(table, best)
    lingers_ms = _lingers_ms(table, best)
    unordered, found, discarded = unordered_from(table, best), list[Decoded](), costs.MOST
    for index, (event, mark) in enumerate(zip(best.events, best.marks, strict=True)):
        if index + 1 in besides:
            discarded = costs.MOST
            continue
        left_open = _left_open(table, beam, totals, index)
        margin, rival, other_kind, by = _nearest(index, beam, totals, dropped.get((index, mark), costs.MOST), left_open)
        never_seen = best.grounds[index].never_seen
        by_kind = 0.0 if never_seen else _kind_margin(table, best, event, best.grounds[index].tracks, spare)
        if by_kind < smoothed_below and table.deal is not None and isinstance(event, TileDiscarded):
            by_kind = kind_margin(table, best, index, smoothed_below)
        bounds = [Bound(margin, by)]
        against_looks = against_sure_looks(table, best, event, best.grounds[index])
        if against_looks:
            bounds.append(Bound(costs.LINGERING, MarginBound.OTHER_KIND))
        if isinstance(event, TileDiscarded):
            bounds += discard_bounds(table, best, index, event)
        was_refused = refused(best, index)
        gone_on = (table.deal is not None and index < len(best.events) - costs.TWO_TURNS) or won_on(best, index)
        over = smoothed_below > 0 and gone_on
        bounds.append(_most_certain(event, best.grounds[index], lingers_ms, refused=was_refused, over=over))
        if unordered is not None and index >= unordered:
            bounds.append(Bound(costs.LINGERING, MarginBound.ORDER))
        guess = won_on_a_guess(best, index)
        if guess is not None:
            known = smoothed_below > 0 and table.deal is not None
            bounds.append(Bound(won_margin(table, best, guess, smoothed_below) if known else costs.LINGERING, MarginBound.WON_ON_A_GUESS))
        if isinstance(event, HandLaidOpen) and not table.gates and _may_have_won(table, best, event):
            bounds.append(Bound(costs.LINGERING, MarginBound.RIVAL))
        if isinstance(event, WinDeclared) and event.source is not None and not table.over:
            bounds.append(Bound(discarded, MarginBound.DISCARD_BEFORE))
        if other_kind:
            by_kind = min(by_kind, margin)
        least = min(bounds, key=lambda bound: bound.nats)
        kind_in_doubt = by_kind <= least.nats or never_seen or (against_looks and isinstance(event, TileDiscarded))
        margin = max(0.0, min(least.nats, by_kind))
        by = MarginBound.NEVER_SEEN if never_seen else MarginBound.KIND if by_kind <= least.nats else least.by
        if isinstance(event, TileDiscarded):
            discarded = margin
        found.append(Decoded(index + 1, event, round(margin, 2), best.grounds[index], rival, kind_in_doubt, by, left_open=left_open))
    return tuple(found if table.over else reversed([*_held_back(found, len(best.events), besides)]))


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


def _left_open(table: TableContext, beam: Sequence[Hypothesis], totals: Sequence[float], index: int) -> tuple[PlayEvent, ...]:
    """Return what else an event may be after the hand, if the deal is unknown and no camera can decide."""
    event = beam[0].events[index]
    if table.deal is not None or not table.over:
        return ()
    if isinstance(event, KongDeclared) and beam[0].grounds[index].has(costs.CostReason.DRAWN_UNSEEN):
        return (replace(event, late=not event.late),)
    if not isinstance(event, HandShown):
        return ()
    shown, near = shown_tiles(beam[0], index), (path for path, total in zip(beam, totals, strict=True) if total - totals[0] < costs.ASK)
    alike = (path.events[index] for path in near if shown_tiles(path, index) == shown)
    return tuple(dict.fromkeys(other for other in alike if other != event))


def _nearest(
    index: int, beam: Sequence[Hypothesis], totals: Sequence[float], margin: float, left_open: Container[PlayEvent]
) -> tuple[float, PlayEvent | None, bool, MarginBound]:
    """Return the bound by the nearest path with another event of this index, not ``left_open``, if below ``margin``; its event; whether
    they differ only in the kind of one discarded tile; and what the bound is by."""
    best, nearest = beam[0], None
    for path, total in zip(beam[1:], totals[1:], strict=True):
        if total - totals[0] < margin and path.marks[index : index + 1] != best.marks[index : index + 1]:
            if path.events[index:] and path.events[index] in left_open:
                continue
            margin, nearest = total - totals[0], path
    if nearest is None:
        return margin, None, False, MarginBound.DROPPED if margin < costs.MOST else MarginBound.NOTHING
    if index >= len(nearest.events):
        return margin, None, False, MarginBound.RIVAL
    event, rival, tracks = best.events[index], nearest.events[index], best.grounds[index].tracks
    if not (isinstance(event, TileDiscarded) and isinstance(rival, TileDiscarded) and event.seat is rival.seat):
        return margin, rival, False, MarginBound.RIVAL
    return margin, rival, event.tile is not rival.tile and bool(tracks) and nearest.grounds[index].tracks == tracks, MarginBound.RIVAL


def laid_open(
    table: TableContext,
    beam: Sequence[Hypothesis],
    totals: Sequence[float],
    dropped: Mapping[tuple[int, int], float],
    *,
    before: tuple[PlayEvent, ...],
    seat: Seat,
) -> Decoded | None:
    """Return the hand or meld that a seat lays open after these events, with its margin to paths with other tiles; None if no path has one.

    It is certain that the seat shows its hand or lays the called meld, and the deal proves which tile was drawn last. So paths do not
    contradict it that have another winning tile, leave the tiles unexplained, take the meld for a false claim, or have another seat's
    claim. A path with other events ``before`` contradicts the table's record, which is binding, and counts only if it is the better one.
    """
    index = len(before)
    for path, total in zip(beam, totals, strict=True):
        event = path.event_at(index)
        if not isinstance(event, HandShown | HandLaidOpen | Claimed) or event.seat is not seat or path.events[:index] != before:
            continue
        grounds = path.grounds[index]
        others = [
            (other - total, rival.event_at(index))
            for rival, other in zip(beam, totals, strict=True)
            if (rival.events[:index] == before or other < total) and _lays_otherwise(rival, path, index)
        ]
        apart, rival_event = min(others, key=itemgetter(0), default=(costs.MOST, None))
        margin = min(
            _most_certain(event, grounds, _lingers_ms(table, path), refused=False, over=False).nats,
            costs.LINGERING if against_sure_looks(table, path, event, grounds) else costs.MOST,
            _kind_margin(table, path, event, grounds.tracks, _spare_kinds(table, path)),
            dropped.get((index, path.marks[index]), costs.MOST),
            apart,
        )
        return Decoded(index + 1, event, round(max(0.0, margin), 2), grounds, rival_event)
    return None


def _may_have_won(table: TableContext, best: Hypothesis, laid: HandLaidOpen) -> bool:
    """Whether a hand laid open at the end wins on the last discard: without gates it is unknown whether a win was called."""
    for index in reversed(range(len(best.events))):
        if isinstance(discard := best.events[index], TileDiscarded):
            play = reduce(table.rules.apply, best.events[: index + 1], table.rules.start())
            win, shown = WinDeclared(laid.seat, discard.seat, discard.tile), HandShown(laid.seat, laid.concealed, discard.tile)
            return table.rules.illegal(play, win) is None and isinstance(score(table, table.rules.apply(play, win), shown), Win)
    return False


def _lays_otherwise(rival: Hypothesis, path: Hypothesis, index: int) -> bool:
    """Whether ``rival`` has other tiles than ``path`` for the hand or meld laid open by this event."""
    event, tracks = path.events[index], path.grounds[index].tracks
    if isinstance(event, Claimed):
        other = rival.event_at(index)
        return isinstance(other, Claimed) and other.seat is event.seat and other != event
    explained = len(rival.events) > index or len(rival.loose) < len(tracks)
    return explained and shown_tiles(rival, index) != shown_tiles(path, index)


def contradicts(path: Hypothesis, best: Hypothesis, index: int) -> bool:
    """Whether a path lacks this event of the best one. Which tile of a shown hand won does not count."""
    if path.marks[index : index + 1] == best.marks[index : index + 1]:
        return False
    shown = shown_tiles(best, index)
    return not shown or shown_tiles(path, index) != shown


def shown_tiles(path: Hypothesis, index: int) -> tuple[object, ...]:
    """Return the seat and the tiles shown by this event; empty for another event."""
    match path.event_at(index):
        case HandShown(seat, concealed, winning, kongs):
            return seat, tuple(sorted((*concealed, winning))), kongs
        case HandLaidOpen(seat, concealed):
            return seat, concealed
        case _:
            return ()


def _lingers_ms(table: TableContext, best: Hypothesis) -> int | None:
    """Return since when the best path has had an unexplained tile, or, after the hand, an unexplained draw; None without any. During the
    hand a tile counts after a while."""
    tracks = [table.track(track) for track in best.loose]
    least_ms = 0 if table.over else costs.LINGERING_MS
    since = [track.appeared_ms for track in tracks if track.face_up and table.now_ms - track.appeared_ms > least_ms]
    drawn = [edge.at_ms for edge in best.drawn] if table.over else []
    return min((*since, *drawn), default=None)


def _most_certain(event: PlayEvent, grounds: Grounds, lingers_ms: int | None, *, refused: bool, over: bool) -> Bound:
    """Return the most margin of an event: an explanation may exist that no move describes. ``refused``: a win refused at once, since its
    hand does not win, so that this is not odd. ``over``: after the hand, a discard was won on, or the deal is known and play continued."""
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
        case WinDeclared() if refused and grounds.has(costs.CostReason.NOTHING_LAID):
            odd = costs.ODD - costs.LINGERING  # the win was on another tile, or did not happen
        case WinDeclared() if refused:
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
    roles = {TileRole(event.seat.index, Area.MELD, MELD_SLOTS * group + number) for group in groups for number in range(len(laid))}
    return (*grounds.tracks, *(track for track, role in best.roles.items() if role in roles))


def _spare_kinds(table: TableContext, best: Hypothesis) -> dict[Seat, frozenset[Tile]] | None:
    """Return by seat the kinds that it may have laid instead of another: those of its wall so far; None without a deal."""
    if table.deal is None:
        return None
    drawn = {seat: len(wall.draws) - best.play.seat(seat).draws_left for seat, wall in table.deal.walls.items()}
    return {seat: frozenset((*wall.hand, *wall.draws[: drawn[seat]])) for seat, wall in table.deal.walls.items()}


def _kind_margin(
    table: TableContext, best: Hypothesis, event: PlayEvent, tracks: tuple[int, ...], spare: dict[Seat, frozenset[Tile]] | None
) -> float:
    """Return the camera's evidence against the best other kind of the event's tiles; an event without tracks comes from the record."""
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
