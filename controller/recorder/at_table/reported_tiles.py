"""Reported tiles: what a decoder reports of the tiles that its table awaits, where its own reader does not find them.

A discard that lies astray, melds, winning tiles and hands laid anywhere are reported when the decoder is certain of them; after a while the
decoder reports that it is not, and about which tile to ask.
"""

import logging
from collections.abc import Mapping, Sequence

from controller.recorder import costs
from controller.recorder.at_table.followed_hand import FollowedHand, agreeing
from controller.recorder.decoder import DecoderLimits
from controller.recorder.places import covered_places, nearest, slots_of
from controller.recorder.signals import Decoded
from controller.state.messages import CallDecoded, DiscardDecoded, ExposureDecoded
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
"""A discard of which the decoder is still not certain after that long is reported as unreadable."""
Exposure = Claimed | KongDeclared | WinDeclared | HandShown | HandLaidOpen | TileDiscarded
_LAID: Mapping[Awaits, tuple[type[Exposure], ...]] = {
    Awaits.MELD: (Claimed,),
    Awaits.KONG: (KongDeclared, TileDiscarded),
    Awaits.WIN: (WinDeclared, TileDiscarded),
    Awaits.HAND: (HandShown, HandLaidOpen),
    Awaits.SHARED: (),
}
"""The events by which a watch for anything but a discard is answered."""
log = logging.getLogger(__name__)


@frozen
class DoubtedTile:
    """A tile whose kind the decoder does not know: the report to the table, the slot for which it was laid, all kinds in the order of what
    the camera alone thinks, and the place next to which it lies; of a discard that the decoder does not find, the kinds of which fewest
    lie open come first, and the place is that where it was due. Where ``at_mm`` is given, a picture that does not show that spot of the
    mat is of no use."""

    report: DiscardDecoded | ExposureDecoded
    asked: Slot
    kinds: tuple[Tile, ...]
    near: Slot
    at_mm: tuple[float, float] | None = None
    lain_ms: int = 0
    """How long before the last observation it came to lie there; of a discard that is not found, how long it has been waited for."""


Report = DiscardDecoded | DoubtedTile | ExposureDecoded
"""What follows from an observation, for the table."""


def report_at(followed: FollowedHand, now_ms: int) -> Report | None:
    """The report to the table after an observation; None where that is nothing new."""
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
    assert isinstance(discard.event, TileDiscarded)
    if not certain and (not doubts or _set_on_record(followed, watch)):
        return None
    (followed.reported if certain else followed.doubted).add(watch)
    track = followed.decoder.tracks[discard.grounds.tracks[0]]
    shown_ns = (track.appeared_ms - followed.heard.later_ms) * 1_000_000
    report = DiscardDecoded(watch, discard.event.tile if certain else None, tuple(covered_places(followed.mat, track)), shown_ns)
    if certain:
        return report
    log.info("%s: the decoder is not certain (margin %.1f, %s)", watch.label, discard.margin, discard.grounds.costs)
    near, lain_ms = nearest(followed.mat, slots_of(followed.mat, Area.RIVER), track), followed.seen_ms - track.appeared_ms
    return DoubtedTile(report, watch.in_river(followed.hand.deal), track.evidence.by_camera(), near, lain_ms=lain_ms)


def called_aloud(followed: FollowedHand) -> CallDecoded | None:
    """The call whose tiles lie open though the table waits for none, each once; None where the decoder is not certain of any, or holds
    another hand than the table's record. A window that has closed meanwhile does not matter: the table says what a late call means."""
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
    """Whether every tile of an event that came to lie after the events before it was laid after the claims were over: a frame from
    half a second later still shows its place in sight and bare. Where none does, something may have lain over a tile laid in time."""
    last_ms = max((each.grounds.at_ms for each in followed.decoder.best()[: found.number - 1]), default=0)
    tracks = (followed.decoder.tracks[track] for track in found.grounds.tracks)
    bare_ms = [track.bare_before_ms for track in tracks if track.appeared_ms > last_ms]
    return bool(bare_ms) and all(at_ms is not None and at_ms >= passed_ms + costs.MOMENT_MS // 2 for at_ms in bare_ms)


def _certain(followed: FollowedHand, found: Decoded, lain_ms: int) -> bool:
    """Whether the decoder is certain of an event, or of all but that a pung is not a kong, whose fourth tile has not come in that time. A
    claim whose tile is not taken yet may be certain: the table itself says which of several claims stands."""
    margin = found.margin if found.if_it_stands is None else found.if_it_stands
    if margin >= DecoderLimits().publish:
        return True
    match found.event, found.rival:
        case Claimed(seat, Meld(MeldType.PUNG)), Claimed(other, Meld(MeldType.KONG)) if seat is other:
            tracks = [followed.decoder.tracks[track] for track in found.grounds.tracks]
            return bool(tracks) and all(track.lain_ms >= lain_ms for track in tracks)
        case _:
            return False


def _call_of(found: Decoded) -> tuple[Seat, Claim] | None:
    """Who calls what by an event; None for any that is no call, and for a win with a hand that does not win."""
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
    """Whether something was seen that the table did not believe, so that it looks again."""
    return watch.version is not None and watch.version.look > 1


def _anchors(followed: FollowedHand, watch: Watch) -> bool:
    """Set the decoder on the table's record where it holds another hand, once for each watch; whether that was done."""
    events = followed.hand.events
    return agreeing(followed.decoder.held, events) < len(events) and _set_on_record(followed, watch)


def _set_on_record(followed: FollowedHand, watch: Watch) -> bool:
    """Set the decoder on the table's record, which is binding, once for each watch; whether that was done now. Before anybody is asked this
    is tried: the decoder may be in doubt of nothing but what the record holds."""
    return followed.anchored != watch and followed.anchor(watch)


def _exposure(followed: FollowedHand, best: Sequence[Decoded], watch: Watch, waited_ms: int) -> ExposureDecoded | DoubtedTile | None:
    """What the awaited seat has laid open, where the best path holds the table's record and then that."""
    found = _next_laid(followed, best, watch)
    if found is not None and (not isinstance(found.event, _LAID[watch.awaited.kind]) or found.event.seat is not watch.awaited.seat):
        found = None
    if found is None or _is_another_meld(watch, found.event):
        if waited_ms < DOUBT_MS or watch in followed.doubted or (found is None and not (_is_doubted(watch) or _hides(followed, watch))):
            return None
        followed.doubted.add(watch)
        return ExposureDecoded(watch, None)
    if _certain(followed, found, costs.STAYS_MS) or _named(followed, watch, found):
        if (watch, found.event) in followed.exposed:
            return None
        followed.exposed.add((watch, found.event))
        covers = {cover for track in found.grounds.tracks for cover in covered_places(followed.mat, followed.decoder.tracks[track])}
        return ExposureDecoded(watch, found.event, tuple(sorted(covers)))
    if waited_ms < DOUBT_MS or watch in followed.doubted or _set_on_record(followed, watch):
        return None
    followed.doubted.add(watch)
    log.info("%s: the decoder is not certain (margin %.1f, %s)", watch.label, found.margin, found.grounds.costs)
    return _doubted_exposure(followed, watch, found)


def _hides(followed: FollowedHand, watch: Watch) -> bool:
    """Whether the camera has for a while seen neither cloth nor a tile where something is to be laid open: it may lie there unfound."""
    spots = (followed.mat.spot(slot) for slot in watch.slots if slot.area is not Area.RIVER)
    tracks, since_ms = followed.decoder.tracks, followed.seen_ms - costs.STAYS_MS
    return any(tracks.may_hide(spot.x_mm, spot.y_mm, since_ms) for spot in spots)


def _is_another_meld(watch: Watch, laid: object) -> bool:
    """Whether a meld has more or fewer tiles than the one that was called: one may be out of sight, or the seat errs."""
    return watch.awaited.kind is Awaits.MELD and isinstance(laid, Claimed) and len(watch.slots) not in (0, len(laid.meld.tiles))


def _named(followed: FollowedHand, watch: Watch, found: Decoded) -> bool:
    """Whether the referee has named each tile that was laid, as the best path holds it: there is nothing left to ask."""
    laid = in_slots(watch, followed.play, followed.hand.deal.place(watch.awaited.seat), found.event)
    return bool(laid) and all(followed.hand.answers.get(slot) is tile for slot, tile in laid.items())


def _doubted_exposure(followed: FollowedHand, watch: Watch, found: Decoded) -> ExposureDecoded | DoubtedTile:
    """What was laid is not certain: its tile of which the camera is least sure, where that is what is in doubt and a picture can show
    it, or the tile of a kong, which may be one by where it lies; else the staff look at the table."""
    tracks = [each for number in found.grounds.tracks if (each := followed.decoder.tracks[number]).face_up]
    track = min(tracks, key=lambda each: each.evidence.margin, default=None)
    kind = None if track is None else followed.decoder.kind_of(track.id)
    sure = track is not None and track.evidence.margin >= DecoderLimits().publish
    if track is None or kind is None or (sure and watch.awaited.kind is not Awaits.KONG):  # a kong by where it lies
        return ExposureDecoded(watch, None)
    place = followed.hand.deal.place(watch.awaited.seat)
    laid = in_slots(watch, followed.play, place, found.event)
    asked = next((slot for slot, tile in laid.items() if tile is kind and slot not in watch.answered), None)
    if asked is None:
        return ExposureDecoded(watch, None)
    followed.asked[asked] = track.id
    near = nearest(followed.mat, _shown_slots(followed, watch), track)
    report, at_mm, lain_ms = ExposureDecoded(watch, None, asked=asked), (track.x_mm, track.y_mm), followed.seen_ms - track.appeared_ms
    return DoubtedTile(report, asked, track.evidence.by_camera(), near, at_mm, lain_ms)


def _shown_slots(followed: FollowedHand, watch: Watch) -> list[Slot]:
    """The slots of which pictures may be shown: rivers and melds; where a hand is to be shown, its own as well."""
    place = followed.hand.deal.place(watch.awaited.seat)
    shown = (Area.HAND, Area.WIN) if watch.awaited.kind is Awaits.HAND else ()
    own = (slot for area in shown for slot in followed.mat.slots(place, area))
    return [*slots_of(followed.mat, Area.RIVER, Area.MELD), *own]


def _unreadable(followed: FollowedHand, watch: Watch, waited_ms: int) -> DoubtedTile:
    """The table's own reader does not know this discard, and the decoder finds none: the referee is shown the place where it was due. It
    may be any tile that lies on a place where the record has none, so no discard is awaited there."""
    followed.doubted.add(watch)
    due = watch.in_river(followed.hand.deal)
    lying = (track for track in followed.decoder.tracks.lying if track.face_up)
    covers = {cover for track in lying for cover in covered_places(followed.mat, track)} - _taken_places(followed)
    report = DiscardDecoded(watch, None, tuple(sorted(covers)))
    return DoubtedTile(report, due, followed.decoder.unseen_kinds(), due, lain_ms=waited_ms)


def _taken_places(followed: FollowedHand) -> set[tuple[int, int]]:
    """The places of rivers on which the record has a discard."""
    play = followed.play
    rivers = ((followed.hand.deal.place(seat), play.seat(seat)) for seat in SEATS)
    return {(place, own.place_of(number)) for place, own in rivers for number, tile in enumerate(own.river) if tile.claimed_by is None}


def _next_discard(followed: FollowedHand, best: Sequence[Decoded], watch: Watch) -> tuple[Decoded, bool] | None:
    """The event after the table's record on the best path, where that holds the record and then a discard of the awaited seat; and
    whether it has been published, and is as certain still."""
    found = _next_event(followed, best)
    if (
        found is None
        or not isinstance(found.event, TileDiscarded)
        or found.event.seat is not watch.awaited.seat
        or not found.grounds.tracks
    ):
        return None
    published = followed.decoder.published.get(found.number)
    certain = published is not None and published.event == found.event and found.margin >= DecoderLimits().publish
    return found, certain


def _next_laid(followed: FollowedHand, best: Sequence[Decoded], watch: Watch) -> Decoded | None:
    """What comes after the table's record, where that is a hand or a meld by any path that holds the record."""
    if watch.awaited.kind in (Awaits.HAND, Awaits.MELD):
        return followed.decoder.laid_open(followed.hand.events, watch.awaited.seat)
    return _next_event(followed, best)


def _next_event(followed: FollowedHand, best: Sequence[Decoded]) -> Decoded | None:
    """The event after the table's record on the best path, where that holds the record."""
    events = followed.hand.events
    return best[len(events)] if len(best) > len(events) == agreeing(followed.decoder.held, events) else None
