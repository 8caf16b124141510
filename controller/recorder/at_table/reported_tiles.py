"""Reported tiles: what a decoder reports of the tiles that its table awaits and whose own reader does not find.

Stray discards, and melds, winning tiles and hands anywhere on the mat, are reported when the decoder is certain of them. After a while it
reports that it is not certain, and about which tile to ask.
"""

import logging
from collections.abc import Mapping, Sequence

from controller.recorder import costs
from controller.recorder.at_table.followed_hand import FollowedHand, agreeing
from controller.recorder.places import covered_places, nearest, slots_of
from controller.recorder.signals import Decoded
from controller.state.messages import CallDecoded, TilesDecoded
from controller.state.watches import Awaits, Watch, in_slots
from twinwall.game.play_events import (
    Claim,
    Claimed,
    ClaimsPassed,
    HandLaidOpen,
    HandShown,
    KongDeclared,
    Meld,
    MeldType,
    TileDiscarded,
    WinDeclared,
)
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.values import frozen
from vision.mat import Area, Slot

PATIENCE_MS = 1500
"""The table's own reader has this long for a discard before the decoder reports it."""
DOUBT_MS = 10_000
"""A discard of which the decoder is not certain after this long is reported as unreadable."""
Exposure = Claimed | KongDeclared | WinDeclared | HandShown | HandLaidOpen | TileDiscarded
_LAID: Mapping[Awaits, tuple[type[Exposure], ...]] = {
    Awaits.MELD: (Claimed,),
    Awaits.KONG: (KongDeclared, TileDiscarded),
    Awaits.WIN: (WinDeclared, TileDiscarded),
    Awaits.HAND: (HandShown, HandLaidOpen),
    Awaits.SHARED: (),
}
"""The events that answer a watch for anything but a discard."""
log = logging.getLogger(__name__)


@frozen
class PicturedPlace:
    """The place ``near`` a tile, of which a picture can be shown; it must show the spot ``at_mm`` of the mat. ``lain_ms``: how long before
    the last observation the tile appeared."""

    near: Slot
    at_mm: tuple[float, float] | None = None
    lain_ms: int = 0


@frozen
class DoubtedTile:
    """A tile of unknown kind, and the report to the table.

    - ``kinds``: all kinds in the order of the camera alone; for a discard that is not found, those with the fewest open tiles first
    - ``place``: for a discard that is not found, where it was due, and how long it has been awaited
    """

    report: TilesDecoded
    kinds: tuple[Tile, ...]
    place: PicturedPlace


Report = TilesDecoded | DoubtedTile
"""The report to the table after an observation."""


def report_at(followed: FollowedHand, now_ms: int) -> Report | None:
    """Return the report to the table after an observation; None without news."""
    watch = followed.hand.awaited
    if watch != followed.awaited:
        followed.awaited, followed.awaited_ms = watch, now_ms
    waited_ms = now_ms - followed.awaited_ms
    if watch is None or waited_ms < PATIENCE_MS or watch in followed.reported or followed.decoder.searching:
        return None
    if _anchors(followed, watch):
        return None
    best = followed.decoder.best()
    if watch.awaited.kind is not Awaits.DISCARD:
        return _exposure(followed, best, watch, waited_ms)
    found = _next_discard(followed, best, watch)
    doubts = waited_ms >= DOUBT_MS and watch not in followed.doubted
    if found is None:
        return _unreadable(followed, watch, waited_ms) if doubts and (not watch.slots or _is_doubted(watch)) else None
    discard, certain = found
    if not certain and (not doubts or _set_on_record(followed, watch)):
        return None
    (followed.reported if certain else followed.doubted).add(watch)
    track = followed.decoder.tracks[discard.grounds.tracks[0]]
    shown_ns = (track.appeared_ms - followed.heard.later_ms) * 1_000_000
    covers = tuple(covered_places(followed.mat, track))
    if certain:
        return TilesDecoded(watch, discard.event, covers, shown_ns=shown_ns)
    log.info("%s: the decoder is not certain (margin %.1f, %s)", watch.label, discard.margin, discard.grounds.costs)
    near, lain_ms = nearest(followed.mat, slots_of(followed.mat, Area.RIVER), track), followed.seen_ms - track.appeared_ms
    report = TilesDecoded(watch, None, covers, watch.in_river(followed.hand.deal), shown_ns)
    return DoubtedTile(report, track.evidence.by_camera(), PicturedPlace(near, lain_ms=lain_ms))


def called_aloud(followed: FollowedHand) -> CallDecoded | None:
    """Return the call that is certain by its open tiles though the table awaits none, each once; None while the decoder differs from the
    table's record. The window may have closed meanwhile: the table decides what a late call means."""
    hand = followed.hand
    if followed.decoder.searching or (hand.awaited is not None and hand.awaited.awaited.kind is not Awaits.DISCARD):
        return None
    before, closed = len(hand.events), bool(hand.events) and isinstance(hand.events[-1], ClaimsPassed)
    same = agreeing(followed.decoder.held, hand.events)
    found = followed.decoder.best()[same] if before - closed <= same < len(followed.decoder.held) else None
    call = None if found is None or not _certain(followed, found, PATIENCE_MS) else _call_of(found)
    if found is None or call is None or (before, hand.rulings, *call) in followed.called:
        return None
    followed.called.add((before, hand.rulings, *call))
    return CallDecoded(hand.deal.n, before, *call, in_time=not (closed and _laid_after(followed, found, followed.passed_ms)))


def _laid_after(followed: FollowedHand, found: Decoded, passed_ms: int) -> bool:
    """Whether all new tiles of an event were laid after the claims were over: a frame half a second later shows each place bare. Otherwise
    a tile laid in time may have been covered."""
    last_ms = max((each.grounds.at_ms for each in followed.decoder.best()[: found.number - 1]), default=0)
    tracks = (followed.decoder.tracks[track] for track in found.grounds.tracks)
    bare_ms = [track.bare_before_ms for track in tracks if track.appeared_ms > last_ms]
    return bool(bare_ms) and all(at_ms is not None and at_ms >= passed_ms + costs.MOMENT_MS // 2 for at_ms in bare_ms)


def _certain(followed: FollowedHand, found: Decoded, lain_ms: int) -> bool:
    """Whether the decoder is certain of an event. A pung counts if the only doubt is a kong whose fourth tile has not come within
    ``lain_ms``; a claim counts before its tile is taken, since the table decides which claim stands."""
    margin = found.margin if found.if_it_stands is None else found.if_it_stands
    if margin >= costs.PUBLISH:
        return True
    match found.event, found.rival:
        case Claimed(seat, Meld(MeldType.PUNG)), Claimed(other, Meld(MeldType.KONG)) if seat is other:
            tracks = [followed.decoder.tracks[track] for track in found.grounds.tracks]
            return bool(tracks) and all(track.lain_ms >= lain_ms for track in tracks)
        case _:
            return False


def _call_of(found: Decoded) -> tuple[Seat, Claim] | None:
    """Return seat and call of an event; None if it is no call, or a win with a hand that does not win."""
    match found.event:
        case Claimed(seat, Meld(MeldType.CHOW)):
            return seat, Claim.CHOW
        case Claimed(seat, Meld(MeldType.PUNG)):
            return seat, Claim.PUNG
        case Claimed(seat) | KongDeclared(seat):
            return seat, Claim.KONG
        case WinDeclared(seat) if not found.grounds.has(costs.CostReason.NOT_WON):
            return seat, Claim.WIN
        case _:
            return None


def _is_doubted(watch: Watch) -> bool:
    """Whether the table did not believe what it saw, and looks again."""
    return watch.version is not None and watch.version.look > 1


def _anchors(followed: FollowedHand, watch: Watch) -> bool:
    """Set the decoder on the table's record if it differs, once a watch; whether that was done."""
    events = followed.hand.events
    return agreeing(followed.decoder.held, events) < len(events) and _set_on_record(followed, watch)


def _set_on_record(followed: FollowedHand, watch: Watch) -> bool:
    """Set the decoder on the table's binding record, once a watch; whether that was done now. It is tried before people are asked: the
    record may settle the doubt."""
    return followed.anchored != watch and followed.anchor(watch)


def _exposure(followed: FollowedHand, best: Sequence[Decoded], watch: Watch, waited_ms: int) -> TilesDecoded | DoubtedTile | None:
    """Return what the awaited seat has laid open, if the best path has the table's record and then that."""
    found = _next_laid(followed, best, watch)
    if found is not None and (not isinstance(found.event, _LAID[watch.awaited.kind]) or found.event.seat is not watch.awaited.seat):
        found = None
    if found is None or _is_another_meld(watch, found.event):
        if waited_ms < DOUBT_MS or watch in followed.doubted or (found is None and not (_is_doubted(watch) or _hides(followed, watch))):
            return None
        followed.doubted.add(watch)
        return TilesDecoded(watch, None)
    if _certain(followed, found, costs.STAYS_MS) or _named(followed, watch, found):
        if (watch, found.event) in followed.exposed:
            return None
        followed.exposed.add((watch, found.event))
        covers = {cover for track in found.grounds.tracks for cover in covered_places(followed.mat, followed.decoder.tracks[track])}
        return TilesDecoded(watch, found.event, tuple(sorted(covers)))
    if waited_ms < DOUBT_MS or watch in followed.doubted or _set_on_record(followed, watch):
        return None
    followed.doubted.add(watch)
    log.info("%s: the decoder is not certain (margin %.1f, %s)", watch.label, found.margin, found.grounds.costs)
    return _doubted_exposure(followed, watch, found)


def _hides(followed: FollowedHand, watch: Watch) -> bool:
    """Whether the camera has for a while seen neither cloth nor tile at an awaited place: the tiles may be there unseen."""
    spots = (followed.mat.spot(slot) for slot in watch.slots if slot.area is not Area.RIVER)
    tracks, since_ms = followed.decoder.tracks, followed.seen_ms - costs.STAYS_MS
    return any(tracks.may_hide(spot.x_mm, spot.y_mm, since_ms) for spot in spots)


def _is_another_meld(watch: Watch, laid: object) -> bool:
    """Whether a meld has another number of tiles than the called one: a tile may be hidden, or the seat errs."""
    return watch.awaited.kind is Awaits.MELD and isinstance(laid, Claimed) and len(watch.slots) not in (0, len(laid.meld.tiles))


def _named(followed: FollowedHand, watch: Watch, found: Decoded) -> bool:
    """Whether the referee has named each tile as the best path has it, so that no question is left."""
    laid = in_slots(watch, followed.play, followed.hand.deal.place(watch.awaited.seat), found.event)
    return bool(laid) and all(followed.hand.answers.get(slot) is tile for slot, tile in laid.items())


def _doubted_exposure(followed: FollowedHand, watch: Watch, found: Decoded) -> TilesDecoded | DoubtedTile:
    """Return the doubt of what was laid: the tile of which the camera is least sure, if it is in doubt and a picture can show it, or the
    tile of a kong, which may be one by its place; else staff look at the table."""
    tracks = [each for number in found.grounds.tracks if (each := followed.decoder.tracks[number]).face_up]
    track = min(tracks, key=lambda each: each.evidence.margin, default=None)
    kind = None if track is None else followed.decoder.kind_of(track.id)
    sure = track is not None and track.evidence.margin >= costs.PUBLISH
    if track is None or kind is None or (sure and watch.awaited.kind is not Awaits.KONG):  # a kong may be one by its place
        return TilesDecoded(watch, None)
    place = followed.hand.deal.place(watch.awaited.seat)
    laid = in_slots(watch, followed.play, place, found.event)
    asked = next((slot for slot, tile in laid.items() if tile is kind and slot not in watch.answered), None)
    if asked is None:
        return TilesDecoded(watch, None)
    followed.asked[asked] = track.id
    near = nearest(followed.mat, _shown_slots(followed, watch), track)
    report, at_mm, lain_ms = TilesDecoded(watch, None, asked=asked), (track.x_mm, track.y_mm), followed.seen_ms - track.appeared_ms
    return DoubtedTile(report, track.evidence.by_camera(), PicturedPlace(near, at_mm, lain_ms))


def _shown_slots(followed: FollowedHand, watch: Watch) -> list[Slot]:
    """Return the slots of which pictures may be shown: rivers and melds; if a hand must be shown, its own too."""
    place = followed.hand.deal.place(watch.awaited.seat)
    shown = (Area.HAND, Area.WIN) if watch.awaited.kind is Awaits.HAND else ()
    own = (slot for area in shown for slot in followed.mat.slots(place, area))
    return [*slots_of(followed.mat, Area.RIVER, Area.MELD), *own]


def _unreadable(followed: FollowedHand, watch: Watch, waited_ms: int) -> DoubtedTile:
    """Return the doubt of a discard that neither the table's reader nor the decoder finds: the referee is shown its due place. It may be
    any tile on a place without a recorded tile, so no discard is awaited on those."""
    followed.doubted.add(watch)
    due = watch.in_river(followed.hand.deal)
    lying = (track for track in followed.decoder.tracks.lying if track.face_up)
    covers = {cover for track in lying for cover in covered_places(followed.mat, track)} - _taken_places(followed)
    report = TilesDecoded(watch, None, tuple(sorted(covers)), due)
    return DoubtedTile(report, followed.decoder.unseen_kinds(), PicturedPlace(due, lain_ms=waited_ms))


def _taken_places(followed: FollowedHand) -> set[tuple[int, int]]:
    play = followed.play
    rivers = ((followed.hand.deal.place(seat), play.seat(seat)) for seat in SEATS)
    return {(place, own.place_of(number)) for place, own in rivers for number, tile in enumerate(own.river) if tile.claimed_by is None}


def _next_discard(followed: FollowedHand, best: Sequence[Decoded], watch: Watch) -> tuple[Decoded, bool] | None:
    """Return the awaited seat's discard right after the record on the best path, and whether it was published and is still as certain."""
    found = _next_event(followed, best)
    if (
        found is None
        or not isinstance(found.event, TileDiscarded)
        or found.event.seat is not watch.awaited.seat
        or not found.grounds.tracks
    ):
        return None
    published = followed.decoder.published.get(found.number)
    certain = published is not None and published.event == found.event and found.margin >= costs.PUBLISH
    return found, certain


def _next_laid(followed: FollowedHand, best: Sequence[Decoded], watch: Watch) -> Decoded | None:
    """Return what comes after the table's record: a hand or meld of any path with the record, else the event of the best path."""
    if watch.awaited.kind in (Awaits.HAND, Awaits.MELD):
        return followed.decoder.laid_open(followed.hand.events, watch.awaited.seat)
    return _next_event(followed, best)


def _next_event(followed: FollowedHand, best: Sequence[Decoded]) -> Decoded | None:
    """Return the event after the table's record on the best path, if that has the record."""
    events = followed.hand.events
    return best[len(events)] if len(best) > len(events) == agreeing(followed.decoder.held, events) else None
