"""How certain the place of a discard is against what else its tile may be."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.margins.event_order import won_on
from controller.recorder.moves.turns import DELAY_MS
from controller.recorder.moves.unseen import OFF_ITS_SLOT
from controller.recorder.signals import Grounds, MarginBound
from controller.recorder.tracks import Track
from twinwall.game.play_events import Claimed, HandEnded, TileDiscarded, TileDrawn
from twinwall.game.tiles import SEATS


class Bound(NamedTuple):
    """An event is no more certain than this, and why."""

    nats: float
    by: MarginBound


_TO_LIGHT_MS = 500
"""Tiles that came to light within this time lay below one thing."""


def discard_bounds(table: TableContext, best: Hypothesis, index: int, event: TileDiscarded) -> Iterator[Bound]:
    """How certain the discard of this index is at most, since its tile may be something else than that; ``costs.MOST``: nothing else."""
    yield Bound(_exchanged(table, best, index, event), MarginBound.EXCHANGED)
    yield Bound(_left_open(table, best, index), MarginBound.LEFT_OPEN)
    yield Bound(_may_be_hidden(table, best, index, event), MarginBound.SLOT_HIDDEN)


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


def _left_open(table: TableContext, best: Hypothesis, index: int) -> float:
    """How much dearer it is that a seat has left the tile of the last discard open before its hand, to discard another one; ``costs.MOST``
    once somebody has drawn or claimed, or won on it."""
    grounds, later = best.grounds[index], best.events[index + 1 :]
    if not grounds.tracks or any(isinstance(event, TileDrawn | Claimed | HandEnded) for event in later) or won_on(best, index):
        return costs.MOST
    track = table.track(grounds.tracks[0])
    return max(0.0, costs.VIOLATION + min(table.places.hand(seat, track) for seat in SEATS) - place_cost(grounds))


def _may_be_hidden(table: TableContext, best: Hypothesis, index: int, event: TileDiscarded) -> float:
    """``costs.LINGERING`` for a discard far off its slot while the hand goes on and something covers that slot, or has just left it: the
    seat's own discard may lie there, and the tile be one of a hand or of a meld; else ``costs.MOST``."""
    if table.over or place_cost(best.grounds[index]) <= OFF_ITS_SLOT:
        return costs.MOST
    place = best.play.seat(event.seat).place_of(best.discards_before(index, event.seat))
    spot = table.places.river_spot(event.seat, place)
    return costs.LINGERING if table.tracks.may_hide(*spot) else costs.MOST


def place_cost(grounds: Grounds) -> float:
    """What the place of the event's tiles has cost."""
    return sum(cost for why, cost in grounds.costs if why == "place")
