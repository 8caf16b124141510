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
    """The events of the best path (the first), each with its margin; those of the numbers ``besides`` are left out.

    ``dropped`` bounds the margin of events, by index and mark, that paths contradicted which are no longer followed. ``smoothed_below``:
    the hand is over, and kinds of discards closer than this are weighed with the whole hand and the deal.
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
    """The events once a hand is over, those in whose place another one was published no more certain than is asked about: what frames have
    shown for certain is not taken back in silence."""
    for each in events:
        known = published.get(each.number)
        if known is None or known.event == each.event or each.margin <= costs.LINGERING:
            yield each
        else:
            yield replace(each, margin=costs.LINGERING, rival=known.event, bound=MarginBound.REVISED)


def _held_back(found: Sequence[Decoded], count: int, besides: Container[int]) -> Iterator[Decoded]:
    """The last event first: the events of a path that has ``count``, a claim whose tile was left in its river no more certain than what
    follows it: another claim may go before it. Those of the numbers ``besides`` are certain."""
    later = costs.LINGERING
    for each in reversed(found):
        if any(number in besides for number in range(each.number + 1, count + 1)):
            later = costs.MOST
        left = isinstance(each.event, Claimed) and each.grounds.has(costs.CostReason.CLAIMED_NOT_TAKEN)
        held = left and each.margin > later
        yield replace(each, margin=later, bound=MarginBound.NOT_TAKEN, if_it_stands=each.margin) if held else each
        later = max(later, each.margin)


def _left_open(table: TableContext, beam: Sequence[Hypothesis], totals: Sequence[float], index: int) -> tuple[PlayEvent, ...]:
    """What the event of this index of the best path may be as well once the hand is over, where the deal is unknown and no camera tells."""
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
    """How far from the best path the nearest one is that holds another event of this index, where that is less than ``margin`` and the
    event is not ``left_open``; that event; whether both are discards of one tile, so that its kind alone is in doubt; and what kind of
    bound that is."""
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
    """The hand or the meld that a seat lays open after these events, with its margin to paths that hold other tiles; None where no path
    holds one.

    That the seat is to show its hand, or to lay the meld that it called, is certain, and the deal proves which tile was drawn last. So
    neither a path with another winning tile contradicts it, nor one that leaves the tiles unexplained, nor one on which a meld is a false
    claim, or another seat claims. A path that holds other events ``before`` contradicts the table's record, which is binding, and counts
    only where it is the better one.
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
    """Whether a hand that was laid open at the end wins on the last discard: without gates nothing tells whether that was called."""
    for index in reversed(range(len(best.events))):
        if isinstance(discard := best.events[index], TileDiscarded):
            play = reduce(table.rules.apply, best.events[: index + 1], table.rules.start())
            win, shown = WinDeclared(laid.seat, discard.seat, discard.tile), HandShown(laid.seat, laid.concealed, discard.tile)
            return table.rules.illegal(play, win) is None and isinstance(score(table, table.rules.apply(play, win), shown), Win)
    return False


def _lays_otherwise(rival: Hypothesis, path: Hypothesis, index: int) -> bool:
    """Whether a path holds other tiles than another one holds for the hand or the meld that is laid open as the event of this index."""
    event, tracks = path.events[index], path.grounds[index].tracks
    if isinstance(event, Claimed):
        other = rival.event_at(index)
        return isinstance(other, Claimed) and other.seat is event.seat and other != event
    explained = len(rival.events) > index or len(rival.loose) < len(tracks)
    return explained and shown_tiles(rival, index) != shown_tiles(path, index)


def contradicts(path: Hypothesis, best: Hypothesis, index: int) -> bool:
    """Whether a path does not hold what the best one holds as the event of this index. Which tile of a shown hand won does not matter."""
    if path.marks[index : index + 1] == best.marks[index : index + 1]:
        return False
    shown = shown_tiles(best, index)
    return not shown or shown_tiles(path, index) != shown


def shown_tiles(path: Hypothesis, index: int) -> tuple[object, ...]:
    """By whom which tiles are shown as the event of this index; nothing where that is another event."""
    match path.event_at(index):
        case HandShown(seat, concealed, winning, kongs):
            return seat, tuple(sorted((*concealed, winning))), kongs
        case HandLaidOpen(seat, concealed):
            return seat, concealed
        case _:
            return ()


def _lingers_ms(table: TableContext, best: Hypothesis) -> int | None:
    """Since when a tile lies there that the best path does not explain; None where there is no such tile. Once the hand is over that may
    have come to light with its last tiles, and a draw without an explanation tells the same."""
    tracks = [table.track(track) for track in best.loose]
    least_ms = 0 if table.over else costs.LINGERING_MS
    since = [track.appeared_ms for track in tracks if track.face_up and table.now_ms - track.appeared_ms > least_ms]
    drawn = [edge.at_ms for edge in best.edges if not edge.back] if table.over else []
    return min((*since, *drawn), default=None)


def _most_certain(event: PlayEvent, grounds: Grounds, lingers_ms: int | None, *, refused: bool, over: bool) -> Bound:
    """How certain an event can be at most: there may be an explanation that no move describes. ``refused``: a win that is refused
    at once, because the hand that was shown for it does not win; then that it does not win is nothing odd. ``over``: the hand is
    over, and a discard was won on, or play has gone on and the deal is known: the seat's own one would be one that no frame saw."""
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
            odd = costs.ODD - costs.LINGERING  # it was on another tile, or is none
        case WinDeclared() if refused:
            odd = spent - costs.RARE
        case WinDeclared():
            odd = spent
        case _:
            odd = 0.0
    return Bound(costs.ODD - max(0.0, odd), MarginBound.NOT_DESCRIBED)


def against_sure_looks(table: TableContext, best: Hypothesis, event: PlayEvent, grounds: Grounds) -> bool:
    """Whether the path takes a tile of an event for another kind than sure frames show: frames may misread it, or it may be none of this
    deal. Which is the likelier is unknown, so such an event is asked about. A tile of a meld that was taken for another one of the same
    meld changes nothing."""
    meld, tracks = (event.meld.tiles, _of_claim(best, event, grounds)) if isinstance(event, Claimed) else ((), grounds.tracks)
    seen = ((best.kinds[track], table.track(track).evidence) for track in tracks if track in best.kinds)
    return any(looks.sure and looks.logs[kind] < -costs.ASK and looks.likeliest not in meld for kind, looks in seen)


def _of_claim(best: Hypothesis, event: Claimed, grounds: Grounds) -> tuple[int, ...]:
    """The tiles laid for a claim, also where they were taken up since, and those that lie in its meld: the claimed one as well."""
    laid = event.meld.tiles
    groups = (group for group, meld in enumerate(best.play.seat(event.seat).melds) if meld.tiles[: len(laid)] == laid)
    roles = {TileRole(event.seat.index, Area.MELD, MELD_SLOTS * group + number) for group in groups for number in range(len(laid))}
    return (*grounds.tracks, *(track for track, role in best.roles.items() if role in roles))


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
