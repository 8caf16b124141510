"""Moves of violations: draws that were not allowed or were put back, discards out of turn, second and forbidden ones, false claims, and
tiles of a hand left open.

On the mat only tiles that no legal play can explain any more count (``unexplainable_tiles``), the oldest first. While the due discard may
be hidden, only false claims and open tiles are searched, among tiles no longer seen there that cannot be a coming discard. The kind of a
false discard is evidence; of the others only the place counts.

A draw gate reports a tile, not a hand: the seat of its violation is that of the wall. What the gates alone prove is cheap here; which
violation it was depends on when the discard before it was seen.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from msgspec.structs import replace

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.moves.candidates import against, kinds_of, likeliest
from controller.recorder.moves.second_claims import of_lawful_claim
from controller.recorder.moves.turns import laid_after, laid_later
from controller.recorder.pending_tiles import MOVED_MM, claim_withdrawn, draws_next, may_be_discard, unexplainable_tiles, waits_hidden
from controller.recorder.signals import GateEdge
from controller.recorder.tracks import Track
from controller.recorder.violations import RULES, PathViolation, ViolationKind
from twinwall.game.play import Phase
from twinwall.game.play_events import Claimed, KongDeclared, MeldType, TileDiscarded, TileDrawn
from twinwall.game.rules.checks import NOT_ALLOWED
from twinwall.game.tiles import SEATS, Seat


def drawn_wrongly(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the paths that explain gate edges by wrong draws. No seat draws, discards and draws again within ``costs.DELAY_MS``."""
    if path.in_gate is not None:
        again = next((edge for edge in path.drawn if edge.place == path.in_gate), None)
        if again is not None:
            yield replace(_without(path, again), in_gate=None, clock_ms=max(path.clock_ms, again.at_ms))
        return
    back = next((edge for edge in path.edges if edge.back), None)
    if back is None:
        return
    seat = table.places.seats[back.place]
    out = next((edge for edge in reversed(path.drawn) if edge.place == back.place and edge.at_ms < back.at_ms), None)
    if out is not None and out is not path.edges[0]:
        return  # an earlier draw, and so the turn, is still unexplained
    if out is not None:
        kind = _kind(table, path, seat)
        if kind is not None:
            drew = PathViolation(kind, seat, RULES[kind], out.at_ms, back_ms=back.at_ms)
            rarer = costs.COMMON if kind is ViolationKind.DREW_OUT_OF_TURN else 0.0
            after = _without(path, out, back).violated(drew, costs.RARE + rarer)
            too_soon = path.play.phase is Phase.CLAIMS and path.play.turn is seat and out.at_ms < path.clock_ms + costs.DELAY_MS
            yield after.costing((too_soon or laid_later(table, path, out.at_ms + costs.DELAY_MS)) * costs.AGAINST_SIGHT)
    elif path.play.phase is Phase.DISCARD and path.play.drew and path.play.turn is seat and back.at_ms > path.clock_ms:
        put_back = PathViolation(ViolationKind.PUT_BACK, seat, RULES[ViolationKind.PUT_BACK], back.at_ms)
        yield replace(_without(path, back).violated(put_back, costs.RARE), in_gate=back.place)


def _kind(table: TableContext, path: Hypothesis, seat: Seat) -> ViolationKind | None:
    """Return which violation a draw from this seat's wall is now; None if it is lawful."""
    turn, phase = path.play.turn, path.play.phase
    if seat is draws_next(table, path):
        return None
    if phase is Phase.DISCARD and seat is turn:
        return ViolationKind.DREW_TWICE if path.play.drew else ViolationKind.DREW_OUT_OF_TURN
    early = phase is Phase.DISCARD and seat is path.permissions(table).following(turn)
    return ViolationKind.DREW_EARLY if early else ViolationKind.DREW_OUT_OF_TURN


def _without(path: Hypothesis, *gone: GateEdge) -> Hypothesis:
    return replace(path, edges=tuple(edge for edge in path.edges if edge not in gone))


def laid_wrongly(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the violations that explain the first unexplainable tile."""
    unlawful = (
        track
        for track in unexplainable_tiles(table, path)
        if not (_moved(path, track) or claim_withdrawn(table, path, track) or of_lawful_claim(table, path, track))
    )
    track = next(unlawful, None)
    if track is None:
        return
    hidden, discards = waits_hidden(table, path), path.permissions(table).discard
    for seat in SEATS:
        yield from _claimed(table, path, seat, track, taken_up=hidden)
        in_river = table.places.river(seat, path.play.seat(seat).next_place, track)
        if in_river <= costs.HAND_PLACE and not hidden:
            yield from _discarded(table, path, seat, track, in_river, may_discard=discards is seat)
        open_tiles = _laid_with(table, path, track, partial(table.places.hand, seat), costs.REACH)
        if open_tiles is not None and len(open_tiles[0]) <= costs.WHOLE_MELD and not (hidden and _to_come(table, path, open_tiles[0])):
            yield _with(path, ViolationKind.EXPOSED_TILES, seat, *open_tiles)


def _moved(path: Hypothesis, track: Track) -> bool:
    """Whether a tile of its kind was taken from its place when this one was laid: then it is that tile."""
    kind = likeliest(track)
    return any(
        gone.kind is kind
        and gone.seen_ms < track.appeared_ms < gone.since_ms + costs.AT_ONCE_MS
        and math.dist((gone.x_mm, gone.y_mm), (track.x_mm, track.y_mm)) < MOVED_MM
        for gone in path.missing.values()
    )


def _discarded(table: TableContext, path: Hypothesis, seat: Seat, track: Track, price: float, *, may_discard: bool) -> Iterator[Hypothesis]:
    """Yield the violation if the tile was discarded by a seat that must not discard, or must not discard this kind."""
    if not may_discard:
        turn = _turn_at(path, seat, track.appeared_ms)
        if turn is None:
            yield _with(path, ViolationKind.DISCARDED_OUT_OF_TURN, seat, (track,), price)
            return
        since = islice(path.history, turn, None)
        first = next((grounds for event, grounds in since if isinstance(event, TileDiscarded) and event.seat is seat), None)
        lay_first = first is not None and laid_after(table, first, track.appeared_ms)
        yield _with(path, ViolationKind.DISCARDED_TWICE, seat, (track,), price + lay_first * costs.AGAINST_SIGHT)
        return
    held = None if path.held is None else path.held.of[seat]
    for tile in kinds_of(track, held)[:1]:
        illegal = table.rules.illegal(path.play, TileDiscarded(seat, tile))
        if illegal is not None and illegal.reason == NOT_ALLOWED:
            forbidden = PathViolation(ViolationKind.FALSE_DISCARD, seat, illegal.sentence, track.appeared_ms, (track.id,))
            yield path.violated(forbidden, costs.RARE + price + against(track, tile))


def _turn_at(path: Hypothesis, seat: Seat, at_ms: int) -> int | None:
    """Return the index of the last draw, discard or claim at a time, if it is the seat's and the seat has declared no kong since; else
    None. Between its discard and its next draw a seat has no tile to discard; an arm may have covered a seat's discard and its second
    tile."""
    for index, event in reversed(tuple(enumerate(path.events))):
        if path.grounds[index].at_ms > at_ms or not isinstance(event, TileDiscarded | TileDrawn | KongDeclared | Claimed):
            continue
        kong = isinstance(event, KongDeclared) or (isinstance(event, Claimed) and event.meld.type is MeldType.KONG)
        return index if event.seat is seat and not kong else None
    return None


def _claimed(table: TableContext, path: Hypothesis, seat: Seat, track: Track, *, taken_up: bool) -> Iterator[Hypothesis]:
    """Yield a false claim: the tile and others laid with it are where the seat's next meld belongs, and make none; ``taken_up``: none of
    them is still seen there."""
    laid = _laid_with(table, path, track, partial(table.places.meld, seat, path.melds(seat)), costs.HAND_PLACE)
    if laid is not None and len(laid[0]) >= costs.SEVERAL and not (taken_up and _in_sight(table, laid[0])):
        yield _with(path, ViolationKind.FALSE_CLAIM, seat, *laid)


def _to_come(table: TableContext, path: Hypothesis, laid: tuple[Track, ...]) -> bool:
    """Whether a tile is still there, or may be a coming discard that a seat has claimed."""
    return _in_sight(table, laid) or any(may_be_discard(table, path, track, costs.OFF_ITS_SLOT) for track in laid)


def _in_sight(table: TableContext, laid: tuple[Track, ...]) -> bool:
    return any(track.gone_ms is None and track.seen_ms == table.now_ms for track in laid)


def _laid_with(
    table: TableContext, path: Hypothesis, track: Track, cost: Callable[[Track], float], most: float
) -> tuple[tuple[Track, ...], float] | None:
    """Return the tile and those that appeared soon before or after it, each at a ``cost`` of at most ``most``, and their total cost."""
    left = {other.id for other in unexplainable_tiles(table, path)} & path.departed
    others = (table.track(number) for number in sorted(path.loose | left))
    face_up = [other for other in others if other.face_up and not _moved(path, other)]
    together = [other for other in face_up if abs(other.appeared_ms - track.appeared_ms) < costs.LINGERING_MS]
    laid = tuple(other for other in together if cost(other) <= most)
    return (laid, sum(cost(other) for other in laid)) if track in laid else None


def _with(path: Hypothesis, kind: ViolationKind, seat: Seat, laid: tuple[Track, ...], price: float) -> Hypothesis:
    tracks = tuple(track.id for track in laid)
    violation = PathViolation(kind, seat, RULES[kind], min(track.appeared_ms for track in laid), tracks)
    return path.violated(violation, costs.RARE + price)
