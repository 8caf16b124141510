"""Bounds of a discard's margin by what else its tile may be."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import permutations
from operator import itemgetter
from typing import NamedTuple

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.margins.event_order import won_on
from controller.recorder.signals import MarginBound
from controller.recorder.smoothing import possible
from twinwall.game.play_events import Claimed, HandEnded, TileDiscarded, TileDrawn, WinDeclared
from twinwall.game.tiles import SEATS, Tile
from vision.mat import Area


class Bound(NamedTuple):
    """Most margin of an event, and why."""

    nats: float
    by: MarginBound


def discard_bounds(table: TableContext, best: Hypothesis, index: int, event: TileDiscarded) -> Iterator[Bound]:
    """Yield the bounds of this discard's margin; ``costs.MOST``: none."""
    yield Bound(_exchanged(table, best, index, event), MarginBound.EXCHANGED)
    yield Bound(_left_open(table, best, index), MarginBound.LEFT_OPEN)
    yield Bound(_may_be_hidden(table, best, index, event), MarginBound.SLOT_HIDDEN)


def _exchanged(table: TableContext, best: Hypothesis, index: int, event: TileDiscarded) -> float:
    """Return the cost difference if this discard, seen late, and others of its seat uncovered with it were laid in another order;
    ``costs.MOST`` if there are none, or the whole hand is possible in no other order."""
    if _drawn_unseen_ms(table, best, index) is None:
        return costs.MOST
    own = [number for number, other in enumerate(best.events) if isinstance(other, TileDiscarded) and other.seat is event.seat]
    places = {number: best.play.seat(event.seat).place_of(at) for at, number in enumerate(own)}
    drawn_ms = {number: at_ms for number in own if (at_ms := _drawn_unseen_ms(table, best, number)) is not None}
    seen = {number: table.track(best.grounds[number].tracks[0]) for number in drawn_ms}
    together = [number for number, track in seen.items() if abs(track.appeared_ms - seen[index].appeared_ms) <= costs.DELAY_MS]
    nearest = sorted(together, key=lambda number: abs(number - index))[: costs.FEW]
    tiles = {number: each.tile for number in together if isinstance(each := best.events[number], TileDiscarded)}
    orders, river = [], partial(table.places.river, event.seat)
    exchanged = [dict(zip(nearest, order, strict=True)) for order in permutations(nearest)]
    exchanged += [{index: number, number: index} for number in together if number not in nearest]
    for laid in exchanged:
        moved = {number: tile for number, tile in laid.items() if number != tile}
        bare = any((seen[tile].bare_before_ms or 0) > drawn_ms[number] + costs.DELAY_MS for number, tile in moved.items())
        if tiles[laid[index]] is not event.tile and not bare:
            pairs = ((places[number], seen[tile], seen[number]) for number, tile in moved.items())
            dearer = sum(river(place, instead) - river(place, lies) for place, instead, lies in pairs)
            orders.append((max(0.0, dearer), {number: tiles[tile] for number, tile in moved.items()}))
    orders = sorted(orders, key=itemgetter(0))
    least = orders[0][0] if orders else costs.MOST
    if least >= table.publish or not table.over or table.deal is None or not possible(table, best.events, {}):
        return least
    return next((dearer for dearer, kinds in orders if dearer >= table.publish or _may_be(table, best, kinds)), costs.MOST)


def _may_be(table: TableContext, best: Hypothesis, kinds: Mapping[int, Tile]) -> bool:
    """Whether the whole hand may be possible with discards of these kinds, by index; True if one of them was won on."""
    if any(isinstance(after, WinDeclared) for number in kinds for after in best.events[number + 1 : number + 2]):
        return True
    discards = ((number, best.events[number]) for number in kinds)
    changed = {number: replace(event, tile=kinds[number]) for number, event in discards if isinstance(event, TileDiscarded)}
    return possible(table, best.events, changed)


def _drawn_unseen_ms(table: TableContext, best: Hypothesis, index: int) -> int | None:
    """Return the time of the draw after a discard whose tile was seen only after that draw; else None."""
    if not best.grounds[index].tracks:
        return None
    track = table.track(best.grounds[index].tracks[0])
    later = range(index + 1, len(best.events))
    drawn = next((best.grounds[number] for number in later if isinstance(best.events[number], TileDrawn)), None)
    return drawn.at_ms if drawn is not None and track.appeared_ms > drawn.at_ms + costs.DELAY_MS else None


def _left_open(table: TableContext, best: Hypothesis, index: int) -> float:
    """Return the cost difference if a seat left the tile of the last discard open before its hand and discarded another one; ``costs.MOST``
    once a seat has drawn, claimed or won on it."""
    grounds, later = best.grounds[index], best.events[index + 1 :]
    if not grounds.tracks or any(isinstance(event, TileDrawn | Claimed | HandEnded) for event in later) or won_on(best, index):
        return costs.MOST
    track = table.track(grounds.tracks[0])
    return max(0.0, costs.RARE + min(table.places.hand(seat, track) for seat in SEATS) - grounds.place_cost)


def _may_be_hidden(table: TableContext, best: Hypothesis, index: int, event: TileDiscarded) -> float:
    """Return ``costs.LINGERING`` for a discard far off its slot while that slot is or was just covered: the true discard may be there, and
    the tile belong to a hand or meld; else, and after the hand, ``costs.MOST``."""
    if table.over or best.grounds[index].place_cost <= costs.OFF_ITS_SLOT:
        return costs.MOST
    place = best.play.seat(event.seat).place_of(best.discards_before(index, event.seat))
    spot = table.places.spot(event.seat, Area.RIVER, place)
    return costs.LINGERING if table.tracks.may_hide(*spot) else costs.MOST
