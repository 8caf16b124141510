"""Bounds of margins: where events may stand in another order, or play may have gone on otherwise than the best path holds; which wins
stand; and what else the tile of a discard may be."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from operator import itemgetter
from typing import NamedTuple

from controller.recorder import costs
from controller.recorder.costs import CostReason
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.shared_tiles import due_since
from controller.recorder.signals import MarginBound
from controller.recorder.smoothing import possible
from controller.recorder.tracks import Track
from twinwall.game.play_events import Claimed, ClaimsPassed, HandEnded, TileDiscarded, TileDrawn, WinDeclared, WinRefused
from twinwall.game.tiles import SEATS


def unordered_from(table: TableContext, best: Hypothesis) -> int | None:
    """The index of the first event whose number may be another one; None where there is none such."""
    known = (since for since in (due_since(table, best), _disordered_from(best), _lost_from(table, best)) if since is not None)
    return min(known, default=None)


def _lost_from(table: TableContext, best: Hypothesis) -> int | None:
    """The index of the first event from which on play may have gone on otherwise; None where there is none such."""
    skipped = next((index for index in range(len(best.events)) if _may_skip(best, index)), None)
    if skipped and isinstance(best.events[skipped], TileDrawn) and isinstance(best.events[skipped - 1], ClaimsPassed):
        skipped -= 1  # with the draw it is in doubt that there was no claim before it
    late = _laid_late(table, best)
    return min((index for index in (skipped, late) if index is not None), default=None)


def _laid_late(table: TableContext, best: Hypothesis) -> int | None:
    """The index of the first event whose tile came to lie, as the camera saw, after a draw that the path holds later; None without one."""
    drawn_ms, first = math.inf, None
    for index, (event, grounds) in reversed(list(enumerate(zip(best.events, best.grounds, strict=True)))):
        bare_ms = table.track(grounds.tracks[0]).bare_before_ms if grounds.tracks else None
        if bare_ms is not None and bare_ms > drawn_ms + costs.DELAY_MS:
            first = index
        if isinstance(event, TileDrawn):
            drawn_ms = min(drawn_ms, grounds.at_ms)
    return first


def lost_ms(table: TableContext, best: Hypothesis) -> float:
    """Since when play may have gone on otherwise: since the draw or discard before the first event that tells of it; infinite where none
    does."""
    lost = _lost_from(table, best)
    if lost is None:
        return math.inf
    turns = zip(best.events[:lost], best.grounds[:lost], strict=True)
    return max((grounds.at_ms for event, grounds in turns if isinstance(event, TileDrawn | TileDiscarded)), default=0)


def _may_skip(best: Hypothesis, index: int) -> bool:
    """Whether play may have gone on otherwise from an event on: a draw without a turn, a discard that was guessed and then taken for a
    tile far from where it was due, or a win with a hand that does not win and was not refused."""
    grounds = best.grounds[index]
    odd = sum(cost for _, cost in grounds.costs) - costs.USUAL_PLACE
    if grounds.has(CostReason.NOT_WON):
        return not refused(best, index)
    return grounds.has(CostReason.WITHOUT_TURN) or (grounds.has(CostReason.LATE) and odd > costs.ODD - costs.LINGERING)


def _disordered_from(best: Hypothesis) -> int | None:
    """While several draws wait, the index of the first event that has come after one which follows it: what lay hidden may be another
    tile, and then each later event has another number. None where no draws wait, or all events came in their order."""
    if len(best.edges) < costs.WAITING_DRAWS:
        return None
    earliest_ms, first = math.inf, None
    for index in reversed(range(len(best.grounds))):
        at_ms = best.grounds[index].at_ms
        if at_ms > earliest_ms + costs.MOMENT_MS:
            first = index
        earliest_ms = min(earliest_ms, at_ms)
    return first


def won_on(best: Hypothesis, index: int) -> bool:
    """Whether a win was declared on the discard of this index with a hand that wins."""
    later = index + 1
    if later >= len(best.events) or not isinstance(best.events[later], WinDeclared):
        return False
    return not refused(best, later) and not best.grounds[later].has(CostReason.NOT_WON)


def won_on_a_guess(best: Hypothesis, index: int) -> bool:
    """Whether the event of this index is a win on a discard that no frame saw."""
    event = best.events[index]
    if not isinstance(event, WinDeclared) or event.source is None:
        return False
    turns = zip(reversed(best.events[:index]), reversed(best.grounds[:index]), strict=True)
    return next(grounds.never_seen for discard, grounds in turns if isinstance(discard, TileDiscarded))


def refused(best: Hypothesis, index: int) -> bool:
    """Whether the event of this index is a win that was refused: at once, or once all hands are shown."""
    win = best.events[index]
    return isinstance(win, WinDeclared) and any(
        isinstance(later, WinRefused) and later.seat is win.seat for later in best.events[index + 1 :]
    )


class Bound(NamedTuple):
    """An event is no more certain than this, and why."""

    nats: float
    by: MarginBound


def discard_bounds(table: TableContext, best: Hypothesis, index: int, event: TileDiscarded) -> Iterator[Bound]:
    """How certain the discard of this index is at most, since its tile may be something else than that; ``costs.MOST``: nothing else."""
    yield Bound(_exchanged(table, best, index, event), MarginBound.EXCHANGED)
    yield Bound(_left_open(table, best, index), MarginBound.LEFT_OPEN)
    yield Bound(_may_be_hidden(table, best, index, event), MarginBound.SLOT_HIDDEN)


def _exchanged(table: TableContext, best: Hypothesis, index: int, event: TileDiscarded) -> float:
    """How much dearer the places are if a discard that was seen late has changed places with another one of its seat, which came to light
    with it; ``costs.MOST`` where there is no such tile, or where the whole hand is possible in no other order."""
    late, least = _seen_late(table, best, index), costs.MOST
    own = [number for number, other in enumerate(best.events) if isinstance(other, TileDiscarded) and other.seat is event.seat]
    place, river = best.play.seat(event.seat).place_of, table.places.river
    for at, number in enumerate(own if late is not None else ()):
        other, discard = _seen_late(table, best, number), best.events[number]
        if late is None or other is None or not isinstance(discard, TileDiscarded) or discard.tile is event.tile:
            continue
        first, second = sorted(((index, late), (number, other)), key=itemgetter(0))
        bare = (second[1][0].bare_before_ms or 0) > first[1][1] + costs.DELAY_MS
        if bare or abs(other[0].appeared_ms - late[0].appeared_ms) > costs.MOMENT_MS:
            continue
        places = (place(own.index(index)), late[0], other[0]), (place(at), other[0], late[0])
        dearer = max(0.0, sum(river(event.seat, due, instead) - river(event.seat, due, lies) for due, lies, instead in places))
        changed = {index: replace(event, tile=discard.tile), number: replace(discard, tile=event.tile)}
        if dearer < least and (not table.over or table.deal is None or _may_be(table, best, changed)):
            least = dearer
    return least


def _may_be(table: TableContext, best: Hypothesis, changed: Mapping[int, TileDiscarded]) -> bool:
    """Whether the whole hand may be possible with these discards, by index; unknown where one of them was won on."""
    won = any(isinstance(after, WinDeclared) for number in changed for after in best.events[number + 1 : number + 2])
    return won or possible(table, best.events, changed) or not possible(table, best.events, {})


def _seen_late(table: TableContext, best: Hypothesis, index: int) -> tuple[Track, int] | None:
    """The tile of a discard that was seen only after the draw that follows it, and the time of that draw; None where it was seen before, or
    never."""
    if not best.grounds[index].tracks:
        return None
    track = table.track(best.grounds[index].tracks[0])
    later = range(index + 1, len(best.events))
    drawn = next((best.grounds[number] for number in later if isinstance(best.events[number], TileDrawn)), None)
    return (track, drawn.at_ms) if drawn is not None and track.appeared_ms > drawn.at_ms + costs.DELAY_MS else None


def _left_open(table: TableContext, best: Hypothesis, index: int) -> float:
    """How much dearer it is that a seat has left the tile of the last discard open before its hand, to discard another one; ``costs.MOST``
    once somebody has drawn or claimed, or won on it."""
    grounds, later = best.grounds[index], best.events[index + 1 :]
    if not grounds.tracks or any(isinstance(event, TileDrawn | Claimed | HandEnded) for event in later) or won_on(best, index):
        return costs.MOST
    track = table.track(grounds.tracks[0])
    return max(0.0, costs.RARE + min(table.places.hand(seat, track) for seat in SEATS) - grounds.place_cost)


def _may_be_hidden(table: TableContext, best: Hypothesis, index: int, event: TileDiscarded) -> float:
    """``costs.LINGERING`` for a discard far off its slot while the hand goes on and something covers that slot, or has just left it: the
    seat's own discard may lie there, and the tile be one of a hand or of a meld; else ``costs.MOST``."""
    if table.over or best.grounds[index].place_cost <= costs.OFF_ITS_SLOT:
        return costs.MOST
    place = best.play.seat(event.seat).place_of(best.discards_before(index, event.seat))
    spot = table.places.river_spot(event.seat, place)
    return costs.LINGERING if table.tracks.may_hide(*spot) else costs.MOST
