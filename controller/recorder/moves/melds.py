"""Moves that make melds: a chow, pung or kong of a discard, called by key or by voice; a kong in one's own turn."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, Missing, TableContext, TileRole, meld_role
from controller.recorder.moves.candidates import Priced, against, fitted, near
from controller.recorder.moves.turns import how_late, in_order, passed, without_keys
from controller.recorder.tracks import Track
from twinwall.game.held import HeldTiles
from twinwall.game.play import Phase, melds_of_claim, own_tiles
from twinwall.game.play_events import Claim, Claimed, KongDeclared, Meld, MeldType, TileDiscarded
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile
from twinwall.wire.shapes.panel import Key
from vision.mat import MELD_SLOTS, Area

_KEYS = {claim: Key(claim.value) for claim in Claim}
_BESIDE_MM = 40.0
"""Distance between the next tiles of a kong."""


def call_cost(table: TableContext, path: Hypothesis, seat: Seat, claim: Claim) -> tuple[float, str]:
    """Return the cost of a seat's call, and how it was made: by its key, a wrong key, or voice."""
    pressed = {key.key for key in path.keys if key.place == table.places.places[seat] and key.key in _KEYS.values()}
    if _KEYS[claim] in pressed:
        return 0.3, "key"
    return (costs.SELDOM, "wrong key") if pressed else (costs.COMMON, "by voice")


def claims(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the claims for which a seat has laid the tiles of a meld, at once or at its own turn."""
    if not (path.loose or path.edges) or path.play.phase is Phase.SHOW:
        return
    if path.play.phase is Phase.CLAIMS:
        after = passed(table, path)
        if after is not None:
            yield from claims(table, after)
    for seat, may in (path.permissions(table).claims or {}).items():
        found = near(table, path, partial(table.places.meld, seat, path.melds(seat)), most=costs.REACH)
        if not found:
            yield from _claimed_in_hiding(table, path, seat, may)
            continue
        for event in _claims_of(path, seat, may):
            yield from _claimed(table, path, event, found)
            yield from _claimed_out_of_sight(table, path, event, found)


def _claims_of(path: Hypothesis, seat: Seat, may: frozenset[Claim]) -> Iterator[Claimed]:
    """Yield the claims that a seat may make of a last discard."""
    for source in _sources(path, seat):
        tile = path.play.seat(source).river[-1].tile
        for claim in sorted(may - {Claim.WIN}):
            yield from (Claimed(seat, meld) for meld in melds_of_claim(claim, tile, source))


def _called(table: TableContext, path: Hypothesis, event: Claimed, before_ms: int) -> Hypothesis:
    """Return the path with the cost of how its claim was called; its key and those pressed before ``before_ms`` have had their effect."""
    claim = Claim(event.meld.type.value)
    after = path.costing(*call_cost(table, path, event.seat, claim))
    return without_keys(after, before_ms, used=(table.places.places[event.seat], _KEYS[claim]))


def _sources(path: Hypothesis, seat: Seat) -> Iterator[Seat]:
    """Yield the seats whose last discard may be taken."""
    if path.play.phase is Phase.CLAIMS:
        yield path.play.turn
        return
    for source in SEATS:
        river = path.play.seat(source).river
        if source is not seat and river and river[-1].claimed_by is None:
            yield source


def _claimed(table: TableContext, path: Hypothesis, event: Claimed, found: Priced) -> Iterator[Hypothesis]:
    """Yield the path with a claim if the seat's own tiles are among those ``found`` at its next meld."""
    seat, source, meld = event.seat, event.meld.source, event.meld
    assert source is not None
    own = own_tiles(meld, path.play.seat(source).river[-1].tile)
    fit = fitted(found, own) or _all_but_one(table, path, meld, found, own)
    if fit is None:
        return
    laid, group = [*zip(fit[1], own, strict=False)], path.melds(seat)
    price = fit[0] - sum(against(track, kind) for track, kind in laid)
    after = path.happened(table, event, price, tuple(track.id for track, _ in laid))
    if after is None:
        return
    roles = {track.id: (meld_role(seat, group, number), kind) for number, (track, kind) in enumerate(laid)}
    if len(laid) < len(own):
        after = _with_covered(table, after, meld_role(seat, group, len(laid)), own[0], fit[1])
    taken, place = path.last_discard(source), meld_role(seat, group, len(own))
    across = _lies_across(table, path, seat, fit[1], path.track_of(taken))
    after = after.costing(across * costs.RARE, "another tile than the claimed one lies across")
    after = _taken(after.explains(roles), taken, place, _claimed_unseen(table, path, source, place))
    yield _called(table, after, event, min(track.appeared_ms for track, _ in laid) + 1)


def _all_but_one(
    table: TableContext, path: Hypothesis, meld: Meld, found: Priced, own: tuple[Tile, ...]
) -> tuple[float, tuple[Track, ...]] | None:
    """Return a kong's own tiles except one that may be covered beside them, as ``fitted``, if the deal is known; None if none may be."""
    fit = fitted(found, own[1:]) if meld.type is MeldType.KONG and path.held is not None else None
    return fit if fit is not None and any(_beside_covered(table, track) for track in fit[1]) else None


def _claimed_out_of_sight(table: TableContext, path: Hypothesis, event: Claimed, found: Priced) -> Iterator[Hypothesis]:
    """Yield the path with a claim of which only the claimed tile is seen; the others are beyond the picture's edge or covered."""
    seat, source, group = event.seat, event.meld.source, path.melds(event.seat)
    assert source is not None
    taken, first = path.last_discard(source), meld_role(seat, group, 0)
    gone = path.missing.get(taken)
    if gone is None or gone.kind is None:
        return
    own = own_tiles(event.meld, path.play.seat(source).river[-1].tile)
    for price, track in found:
        if track.appeared_ms > gone.seen_ms and against(track, gone.kind) < costs.ASK:
            ways = _beside(table, first, track), _spots(table, first, len(own))
            spots = max(([spot for spot in way if table.tracks.is_covered(*spot)] for way in ways), key=len)
            after = None if len(spots) < len(own) else path.happened(table, event, price + len(own) * costs.SOMETIMES, (track.id,))
            if after is not None:
                after = _with_unseen(after, taken, first, zip(own, spots, strict=False), track.appeared_ms)
                after = after.explains({track.id: (meld_role(seat, group, len(own)), gone.kind)})
                yield _called(table, after, event, track.appeared_ms + 1)
            return


def _claimed_in_hiding(table: TableContext, path: Hypothesis, seat: Seat, may: frozenset[Claim]) -> Iterator[Hypothesis]:
    """Yield the path with each claim of a seat whose whole meld is hidden. By the deal the seat has the other tiles, the last discard is
    gone, the places of the meld have been covered since, and the seat has discarded since (or drawn, for a kong)."""
    own = path.play.seat(seat)
    loose = table.face_up(path.loose)
    discarded_ms = [track.appeared_ms for track in loose if table.places.river(seat, own.next_place, track) <= costs.USUAL_PLACE]
    drawn_ms = [edge.at_ms for edge in path.drawn if edge.place == table.places.places[seat]]
    if path.held is None or not (discarded_ms or drawn_ms):
        return
    for event in _claims_of(path, seat, may):
        source, tiles = event.meld.source, event.meld.tiles
        assert source is not None
        taken, first = path.last_discard(source), meld_role(seat, path.melds(seat), 0)
        gone = path.missing.get(taken)
        spots = _spots(table, first, len(tiles))
        if gone is None or gone.kind is None:
            continue
        went_on_ms = [*discarded_ms, *(drawn_ms if event.meld.type is MeldType.KONG else ())]
        since_ms = min((at_ms for at_ms in went_on_ms if at_ms > gone.seen_ms), default=None)
        if since_ms is None or not all(table.tracks.may_hide(*spot, since_ms) for spot in spots):
            continue
        after = path.happened(table, event, costs.SELDOM, at_ms=min(gone.since_ms, since_ms))
        if after is None:
            continue
        kinds = (*own_tiles(event.meld, gone.kind), gone.kind)
        after = _with_unseen(after, taken, first, zip(kinds, spots, strict=True), gone.since_ms)
        yield _called(table, after, event, since_ms)


def _with_unseen(
    path: Hypothesis, taken: TileRole, first: TileRole, tiles: Iterable[tuple[Tile, tuple[float, float]]], since_ms: int
) -> Hypothesis:
    """Return the path with the tiles of an unseen meld from ``first`` on; its river no longer lacks the claimed one (``taken``)."""
    left = {role: missing for role, missing in path.missing.items() if role != taken}
    unseen = {first._replace(number=first.number + number): Missing(kind, *spot, since_ms) for number, (kind, spot) in enumerate(tiles)}
    return replace(path, missing={**left, **unseen})


def _beside(table: TableContext, first: TileRole, track: Track) -> list[tuple[float, float]]:
    """Return the spots beside a tile of the meld that begins with ``first``, the nearest first."""
    (x_mm, y_mm), (next_x_mm, next_y_mm) = _spots(table, first, 2)
    right_mm, down_mm = next_x_mm - x_mm, next_y_mm - y_mm
    return [(track.x_mm + steps * right_mm, track.y_mm + steps * down_mm) for steps in (-1, 1, -2, 2)]


def _spots(table: TableContext, first: TileRole, count: int) -> list[tuple[float, float]]:
    """Return where ``count`` tiles of a meld belong, from ``first`` on; the fourth tile of a kong is in a row of its own."""
    return [table.places.spot(SEATS[first.seat], Area.MELD, first.number + number) for number in range(count)]


def _claimed_unseen(table: TableContext, path: Hypothesis, source: Seat, place: TileRole) -> Missing | None:
    """Return the last discard of a seat as a tile of the meld that claims it, if no frame has seen it."""
    event, grounds = next(
        (event, grounds) for event, grounds in path.latest_first if isinstance(event, TileDiscarded) and event.seat is source
    )
    spot = table.places.spot(SEATS[place.seat], Area.MELD, place.number)
    return Missing(event.tile, *spot, grounds.at_ms) if grounds.never_seen else None


def _lies_across(table: TableContext, path: Hypothesis, seat: Seat, own: Sequence[Track], claimed: int | None) -> bool:
    """Whether one of the seat's own tiles is laid across, instead of the claimed one, in a meld that is complete."""
    if claimed is None or table.places.meld(seat, path.melds(seat), table.track(claimed)) > costs.REACH:
        return False
    sideways = table.places.sideways(seat, table.track(claimed))
    return sum(table.places.sideways(seat, track) is not sideways for track in own) == 1


def _taken(path: Hypothesis, taken: TileRole, place: TileRole, unseen: Missing | None) -> Hypothesis:
    """Return the path with the claimed tile in the meld, though it may be in its river or in a hand; ``unseen`` if no frame saw it."""
    track = path.track_of(taken)
    if track is not None:
        return replace(path, roles={**path.roles, track: place}).costing(costs.SOMETIMES, costs.CostReason.CLAIMED_NOT_TAKEN)
    missing = dict(path.missing)
    gone = missing.pop(taken, unseen)
    if gone is not None:
        missing[place] = gone
    return replace(path, missing=missing)


def kongs(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the kongs of the seat whose turn it is: a fourth tile on a pung, or four tiles of which at most one is face up."""
    allowed = path.permissions(table)
    seat = allowed.kong
    if seat is None or not path.loose:
        return
    for group, meld in enumerate(path.play.seat(seat).melds):
        if meld.type is MeldType.PUNG:
            yield from _added(table, path, seat, group, meld, asked_late=allowed.late_kongs)
    yield from _concealed(table, path, seat, face_up=allowed.face_up)


def _added(table: TableContext, path: Hypothesis, seat: Seat, group: int, pung: Meld, *, asked_late: bool) -> Iterator[Hypothesis]:
    kind = pung.tiles[0]
    for price, track in near(table, path, _by_pung(table, path, seat, group), most=costs.REACH)[:2]:
        if against(track, kind) >= -costs.LEAST_KIND:
            continue
        late = asked_late and path.held is not None and path.held.of[seat][-1] is not kind
        event = KongDeclared(seat, Meld(MeldType.ADDED_KONG, (*pung.tiles, kind), None), late=late)
        after = path.happened(table, event, price, (track.id,))
        if after is not None:
            after = in_order(after.explains({track.id: (meld_role(seat, group, 3), kind)}), track)
            after = _laid_early(table, path, after, track).costing(*call_cost(table, path, seat, Claim.KONG))
            if asked_late and path.held is None:
                after = after.noted(costs.CostReason.DRAWN_UNSEEN)
            yield without_keys(after, used=(table.places.places[seat], Key.KONG))


def _laid_early(table: TableContext, path: Hypothesis, after: Hypothesis, track: Track) -> Hypothesis:
    """Return the path after a kong with the cost of a tile that was there before the last discard, or long before it."""
    return after.costing(how_late(table, path, track.appeared_ms) * costs.RARE, "lay there before the last discard")


def _by_pung(table: TableContext, path: Hypothesis, seat: Seat, group: int) -> Callable[[Track], float]:
    """Return the cost function of the fourth tile's place. People lay it by the pung, which may be far off its slots."""
    of_pung = [meld_role(seat, group, number) for number in range(MELD_SLOTS - 1)]
    laid = [table.track(track) for track, role in path.roles.items() if role in of_pung]
    if len(laid) < len(of_pung):
        return partial(table.places.meld, seat, group)
    *spots, (x_mm, y_mm) = _spots(table, of_pung[0], MELD_SLOTS)
    x_mm += sum(track.x_mm - spot[0] for track, spot in zip(laid, spots, strict=True)) / len(laid)
    y_mm += sum(track.y_mm - spot[1] for track, spot in zip(laid, spots, strict=True)) / len(laid)
    return lambda track: min(
        table.places.meld(seat, group, track), costs.about(math.hypot(track.x_mm - x_mm, track.y_mm - y_mm), costs.ASTRAY)
    )


def _concealed(table: TableContext, path: Hypothesis, seat: Seat, *, face_up: bool) -> Iterator[Hypothesis]:
    group = path.melds(seat)
    place = partial(table.places.meld, seat, group)
    backs = near(table, path, place, most=costs.REACH, face_up=False)
    needed = COPIES - 1 if face_up else COPIES
    lacking = len(backs) == needed - 1 and any(_beside_covered(table, track) for _, track in backs)
    if len(backs) < needed - lacking:
        return
    chosen, shown = backs[:needed], near(table, path, place, most=costs.REACH)[:1] if face_up else []
    if face_up and not shown:
        return
    price = sum(cost for cost, _ in (*chosen, *shown))
    tracks = [track for _, track in (*chosen, *shown)]
    for kinds in _kinds_of_kong(path.held, seat, shown):
        event = KongDeclared(seat, Meld(MeldType.CONCEALED_KONG, kinds, None))
        after = path.happened(table, event, price, tuple(track.id for track in tracks))
        if after is None:
            continue
        found = {track.id: (meld_role(seat, group, number), kinds[0] if track.face_up else None) for number, track in enumerate(tracks)}
        last = max(tracks, key=lambda track: track.appeared_ms)
        after = _laid_early(table, path, after.explains(found), last).costing(*call_cost(table, path, seat, Claim.KONG))
        if lacking:
            after = _with_covered(table, after, meld_role(seat, group, len(tracks)), None, tracks)
        yield without_keys(after, used=(table.places.places[seat], Key.KONG))


def _with_covered(table: TableContext, path: Hypothesis, role: TileRole, kind: Tile | None, others: Sequence[Track]) -> Hypothesis:
    """Return the path with one tile of a kong covered beside the others."""
    gone = Missing(kind, *table.places.spot(SEATS[role.seat], Area.MELD, role.number), min(track.appeared_ms for track in others))
    return replace(path, missing={**path.missing, role: gone}).costing(costs.SOMETIMES, "one tile lies under something")


def _beside_covered(table: TableContext, track: Track) -> bool:
    """Whether another tile may be hidden beside this one."""
    steps = ((0.0, 0.0), (_BESIDE_MM, 0.0), (-_BESIDE_MM, 0.0), (0.0, _BESIDE_MM), (0.0, -_BESIDE_MM))
    return any(table.tracks.is_covered(track.x_mm + right, track.y_mm + down) for right, down in steps)


def _kinds_of_kong(held: HeldTiles | None, seat: Seat, shown: Priced) -> Iterator[tuple[Tile, ...]]:
    """Yield the kinds of the four tiles: unknown while all are face down, else the kind of the one face up."""
    if not shown:
        yield ()
        return
    track = shown[0][1]
    kinds = set(held.of[seat]) if held is not None else set(Tile)
    for kind in sorted(kinds, key=lambda kind: against(track, kind))[:2]:
        if held is None or held.of[seat].count(kind) == COPIES:
            yield (kind,) * COPIES
