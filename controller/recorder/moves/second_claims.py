"""Second claims: tiles that a seat laid for a claim of a discard and takes back, because another claim of that discard has priority.

They break no rule. A path with the other claim explains them without an event and accuses no player. The rules decide which claim stands. A
claim that a path took for the one that stands is withdrawn if the next tiles may belong to another claim (``claims_taken_back``).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext, TileRole, meld_role
from controller.recorder.moves.candidates import against, fitted
from controller.recorder.pending_tiles import seats_shown
from controller.recorder.signals import Grounds
from controller.recorder.smoothing import with_events
from controller.recorder.tracks import Track
from twinwall.game.play import PlayState, melds_of_claim, own_tiles
from twinwall.game.play_events import Claim, Claimed, Meld, TileDiscarded, WinDeclared
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.shapes.panel import Key
from vision.mat import MELD_SLOTS

_MELD_KEYS = (Key.CHOW, Key.PUNG, Key.KONG)


class _LaidClaim(NamedTuple):
    """Tiles that a seat has laid for a claim, and the cost of their places and looks."""

    seat: Seat
    meld: Meld
    laid: tuple[Track, ...]
    price: float


def second_claims(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the paths on which a seat has laid two tiles for a claim that does not stand."""
    for claim in _second_claims(table, path):
        yield path.set_aside(claim.seat, tuple(track.id for track in claim.laid), costs.SOMETIMES + claim.price)


def claims_taken_back(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the path without its last claim, if the seat has not taken the claimed tile and a sign of another claim is there: the seat has
    picked up its own tiles, another seat shows its hand, or tiles are laid for a claim with priority."""
    event, grounds = next(path.latest_first, (None, None))
    if not isinstance(event, Claimed) or grounds is None or not grounds.has(costs.CostReason.CLAIMED_NOT_TAKEN):
        return
    looks = sum(against(table.track(track), path.kinds[track]) for track in grounds.tracks)
    if looks >= costs.ASK:
        return
    taken_up = all(table.track(track).gone_ms is not None for track in grounds.tracks)
    if not (taken_up or len(path.loose) >= costs.SEVERAL) or _has_taken(table, path, event):
        return
    before = with_events(table, path, path.events[:-1], path.marks[:-1])
    if before is None or not (taken_up or seats_shown(table, path) - {event.seat} or _goes_first(table, path, before.play, event)):
        return
    yield _without_last(table, path, event, before).set_aside(event.seat, grounds.tracks, costs.SOMETIMES + grounds.place_cost + looks)


def _goes_first(table: TableContext, path: Hypothesis, before: PlayState, event: Claimed) -> bool:
    """Whether unexplained tiles are there for a claim of the same discard that has priority."""
    discard, tracks = path.events[-2], table.face_up(sorted(path.loose))
    if not isinstance(discard, TileDiscarded):
        return False
    others = (claim for claim in _claims(table, before, None, discard, tracks) if claim.seat is not event.seat)
    return any(_goes_before(table, before, Claimed(claim.seat, claim.meld), event.seat, event.meld) for claim in others)


def _claimed_role(path: Hypothesis, event: Claimed) -> TileRole:
    return meld_role(event.seat, path.melds(event.seat) - 1, len(event.meld.tiles) - 1)


def _has_taken(table: TableContext, path: Hypothesis, event: Claimed) -> bool:
    role = _claimed_role(path, event)
    track = path.track_of(role)
    return track is not None and table.places.meld(event.seat, role.number // MELD_SLOTS, table.track(track)) < costs.REACH


def _without_last(table: TableContext, path: Hypothesis, event: Claimed, before: Hypothesis) -> Hypothesis:
    """Return the path without its last event, a claim, and its cost; ``before`` ends earlier. Keys of other seats count again."""
    assert event.meld.source is not None
    grounds, claimed = path.grounds[-1], _claimed_role(path, event)
    track, gone = path.track_of(claimed), path.missing.get(claimed)
    river = before.last_discard(event.meld.source)
    of_meld = {claimed._replace(number=claimed.number - number) for number in range(len(event.meld.tiles))}
    roles = {other: role for other, role in path.roles.items() if role not in of_meld}
    missing = {role: other for role, other in path.missing.items() if role not in of_meld}
    others = (key for key in grounds.keys if key.place != table.places.places[event.seat] or key.key not in _MELD_KEYS)
    return replace(
        before,
        grounds=path.grounds[:-1],
        roles=roles if track is None else {**roles, track: river},
        missing=missing if gone is None else {**missing, river: gone},
        kinds={track: kind for track, kind in path.kinds.items() if track not in grounds.tracks},
        keys=(*path.keys, *others),
        cost=path.cost - sum(cost for _, cost in grounds.costs),
    )


def of_lawful_claim(table: TableContext, path: Hypothesis, track: Track) -> bool:
    """Whether a tile may be one of two laid for a claim that does not stand, or for one of the last discard, not yet claimed."""
    return any(track in claim.laid for claims in (_second_claims, _claims_to_come) for claim in claims(table, path))


def _claims_to_come(table: TableContext, path: Hypothesis) -> Iterator[_LaidClaim]:
    last = path.events[-1] if path.events else None
    tracks = _face_up(table, path)
    if isinstance(last, TileDiscarded) and len(tracks) >= costs.SEVERAL:
        laid = [track for track in tracks if track.appeared_ms >= _lies_since_ms(table, path.grounds[-1])]
        yield from _claims(table, path.play, None, last, laid)


def _second_claims(table: TableContext, path: Hypothesis) -> Iterator[_LaidClaim]:
    tracks = _face_up(table, path)
    if len(tracks) < costs.SEVERAL:
        return
    for index, event in enumerate(path.events[1:], start=1):
        discard = path.events[index - 1]
        if not isinstance(event, Claimed | WinDeclared) or not isinstance(discard, TileDiscarded):
            continue
        laid = [track for track in tracks if _laid_about(table, path, index, track)]
        before = None if len(laid) < costs.SEVERAL else with_events(table, path, path.events[:index], path.marks[:index])
        if before is not None:
            yield from _claims(table, before.play, event, discard, laid)


def _face_up(table: TableContext, path: Hypothesis) -> list[Track]:
    return table.face_up(sorted(path.loose | path.departed))


def _laid_about(table: TableContext, path: Hypothesis, index: int, track: Track) -> bool:
    """Whether a tile may have appeared after the discard that this event claims, and not much later than the tiles of that claim."""
    since_ms = _lies_since_ms(table, path.grounds[index - 1])
    return track.appeared_ms >= since_ms and (track.bare_before_ms or 0) <= path.grounds[index].at_ms + costs.AT_ONCE_MS


def _lies_since_ms(table: TableContext, grounds: Grounds) -> int:
    """Return the earliest time at which a discard may have been laid."""
    return (table.track(grounds.tracks[0]).bare_before_ms or 0) if grounds.tracks else 0


def _claims(
    table: TableContext, before: PlayState, stands: Claimed | WinDeclared | None, discard: TileDiscarded, laid: Sequence[Track]
) -> Iterator[_LaidClaim]:
    """Yield claims of a discard for which these tiles may have been laid; the one that ``stands``, if any, has priority over them."""
    melds = [meld for claim in (Claim.CHOW, Claim.PUNG) for meld in melds_of_claim(claim, discard.tile, discard.seat)]
    for seat in SEATS:
        group = len(before.seat(seat).melds)
        near = [(table.places.meld(seat, group, track), track) for track in laid]
        near = sorted(((price, track) for price, track in near if price < costs.REACH), key=lambda pair: (pair[0], pair[1].id))
        for meld in melds if len(near) >= costs.SEVERAL and seat is not discard.seat else ():
            own = own_tiles(meld, discard.tile)
            fit = fitted(near, own)
            if fit is None or not _goes_before(table, before, stands, seat, meld):
                continue
            looks = sum(against(track, kind) for track, kind in zip(fit[1], own, strict=True))
            if looks < costs.ASK and table.rules.illegal(before, Claimed(seat, meld)) is None:
                yield _LaidClaim(seat, meld, fit[1], fit[0])


def _goes_before(table: TableContext, before: PlayState, stands: Claimed | WinDeclared | None, seat: Seat, meld: Meld) -> bool:
    """Whether the claim that ``stands``, if any, has priority over this one of another seat."""
    if stands is None:
        return True
    called = Claim(stands.meld.type.value) if isinstance(stands, Claimed) else Claim.WIN
    return table.rules.priority(before, {seat: Claim(meld.type.value), stands.seat: called}) == (stands.seat, seat)
