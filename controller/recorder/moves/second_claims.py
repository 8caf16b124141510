"""Second claims: tiles that a seat has laid for a claim of a discard, before which another claim of that discard goes, and takes back.

They break no rule. A path that holds the other claim explains them without an event, and nobody is accused of them. Which of two claims
stands is for the rules to say: a claim that would stand before the other one is none of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from controller.recorder import costs
from controller.recorder.dues import AT_ONCE_MS, IN_MELD
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.moves.candidates import against, fitted
from controller.recorder.smoothing import folded, trails_of
from controller.recorder.tracks import Track
from twinwall.game.melds import chows_with, own_tiles
from twinwall.game.play import PlayState
from twinwall.game.play_events import Claim, Claimed, Meld, MeldType, TileDiscarded, WinDeclared
from twinwall.game.tiles import SEATS, Seat

_OWN_TILES = 2
"""So many tiles of its own a seat lays for a pung or a chow."""
_KINDS = 6.0
"""Most that the camera may say against the kinds of both tiles: tiles that it is sure of and that make no meld are a false claim."""


class _SecondClaim(NamedTuple):
    """Tiles that a seat has laid for a claim that does not stand, and what their places and looks cost."""

    seat: Seat
    laid: tuple[Track, ...]
    price: float


def second_claims(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """A seat has laid two tiles for a claim that does not stand."""
    for claim in _second_claims(table, path):
        yield path.set_aside(claim.seat, tuple(track.id for track in claim.laid), costs.SECOND_CLAIM + claim.price)


def of_second_claim(table: TableContext, path: Hypothesis, track: Track) -> bool:
    """Whether a tile may be one of two that a seat has laid for a claim that does not stand."""
    return any(track in claim.laid for claim in _second_claims(table, path))


def _second_claims(table: TableContext, path: Hypothesis) -> Iterator[_SecondClaim]:
    tracks = [track for track in map(table.track, sorted(path.loose | path.departed)) if track.face_up]
    if len(tracks) < _OWN_TILES:
        return
    for index, event in enumerate(path.events[1:], start=1):
        discard = path.events[index - 1]
        if not isinstance(event, Claimed | WinDeclared) or not isinstance(discard, TileDiscarded):
            continue
        laid = [track for track in tracks if _laid_about(table, path, index, track)]
        before = None if len(laid) < _OWN_TILES else folded(table, path.events[:index], trails_of(path.marks[:index]))
        if before is not None:
            yield from _beside(table, before[0], event, discard, laid)


def _laid_about(table: TableContext, path: Hypothesis, index: int, track: Track) -> bool:
    """Whether a tile came to lie after the discard that the event of this index claims, and hardly later than the tiles of that claim.
    What of this was hidden may have been so."""
    grounds = path.grounds[index - 1]
    since_ms = (table.track(grounds.tracks[0]).bare_before_ms or 0) if grounds.tracks else 0
    return track.appeared_ms >= since_ms and (track.bare_before_ms or 0) <= path.grounds[index].at_ms + AT_ONCE_MS


def _beside(
    table: TableContext, before: PlayState, event: Claimed | WinDeclared, discard: TileDiscarded, laid: Sequence[Track]
) -> Iterator[_SecondClaim]:
    """The claims for which these tiles may have been laid, and before which that of the event goes."""
    stands = Claim(event.meld.type.value) if isinstance(event, Claimed) else Claim.WIN
    melds = [Meld(MeldType.CHOW, chow, discard.seat) for chow in chows_with(discard.tile)]
    melds.append(Meld(MeldType.PUNG, (discard.tile,) * 3, discard.seat))
    for seat in SEATS:
        group = len(before.seat(seat).melds)
        near = [(table.places.meld(seat, group, track), track) for track in laid]
        near = sorted(((price, track) for price, track in near if price < IN_MELD), key=lambda pair: (pair[0], pair[1].id))
        for meld in melds if len(near) >= _OWN_TILES and seat not in (discard.seat, event.seat) else ():
            own, called = own_tiles(meld, discard.tile), {seat: Claim(meld.type.value), event.seat: stands}
            fit = fitted(near, own)
            if fit is None or table.rules.priority(before, called) != (event.seat, seat):
                continue
            looks = sum(against(track, kind) for track, kind in zip(fit[1], own, strict=True))
            if looks < _KINDS and table.rules.illegal(before, Claimed(seat, meld)) is None:
                yield _SecondClaim(seat, fit[1], fit[0])
