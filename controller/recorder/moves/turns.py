"""Moves of a turn: a draw, with the end of the claim window before it; a discard; a shared tile turned up."""

import math
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext, TileRole
from controller.recorder.moves.candidates import Priced, kinds_of, kinds_worth_trying, near
from controller.recorder.pending_tiles import DueDiscard, discard_hidden, maybe_claimed
from controller.recorder.shared_tiles import due_since
from controller.recorder.signals import Grounds
from controller.recorder.tracks import SAME_TURN_DEG, Track
from controller.recorder.violations import ViolationKind
from controller.recorder.winning import calls_a_win
from twinwall.game.play import Phase
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    HandShown,
    KongDeclared,
    SharedTileTurned,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
)
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.shapes.panel import Key
from vision.mat import Area


def passed(table: TableContext, path: Hypothesis) -> Hypothesis | None:
    """Return the path with the claim window closed without a claim; the path itself if no window is open."""
    if path.play.phase is not Phase.CLAIMS:
        return path
    after = path.happened(table, ClaimsPassed())
    return None if after is None else with_duty(table, path, after)


def with_duty(table: TableContext, path: Hypothesis, after: Hypothesis) -> Hypothesis:
    """Return ``after`` with the cost of a duty that its last event, the one after ``path``, breaks."""
    broken = table.breaks_duty(path.play, path.held, after.events[-1])
    return after.costing(broken * costs.RARE, costs.CostReason.DUTY_BROKEN)


def without_keys(path: Hypothesis, before_ms: int | None = None, *, used: tuple[int, Key] | None = None) -> Hypothesis:
    """Return the path with the keys pressed before that time used up; ``used``, if given, explains the event whenever it was pressed."""
    gone = [key for key in path.keys if before_ms is None or key.at_ms < before_ms or (key.place, key.key) == used]
    if not gone:
        return path
    back = sum((key.place, key.key) != used for key in gone)
    return path.without(gone).costing(back * costs.SOMETIMES, "key without effect")


def draws(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the draw of the seat whose turn it is: a sensed one, or an assumed one without gates. An assumed draw is one move with its
    discard, so that the path competes with one that explains the tile at once."""
    if not path.edges and (table.gates or not path.loose):
        return
    before = passed(table, path)
    if before is None:
        return
    allowed = before.permissions(table)
    if allowed.draw is None:
        return
    if allowed.turn_up is not None:
        before = before.costing(costs.SOMETIMES if table.gates else costs.RARE, "shared tile not turned up yet")
    drawn = TileDrawn(allowed.draw, allowed.from_end)
    if not table.gates:
        after = before.happened(table, drawn)
        if after is not None:
            yield after
            yield from discards(table, after)
        return
    edge = path.next_drawn(table, {allowed.draw})
    if edge is None or path.in_gate is not None:
        return
    if before is not path and calls_a_win(table, path, edge.at_ms):
        before = before.costing(costs.RARE, costs.CostReason.WIN_NOT_TAKEN)
    after = before.happened(table, drawn, at_ms=edge.at_ms)
    if after is None:
        return
    stale = [costs.UNEXPLAINED if other.back else costs.RARE for other in path.edges if other.at_ms < edge.at_ms]
    rest = tuple(other for other in path.edges if other.at_ms > edge.at_ms)
    after = replace(after.drawn_by(edge), edges=rest, clock_ms=edge.at_ms)
    after = after.costing(sum(stale), costs.CostReason.WITHOUT_TURN)
    after = after.costing(how_late(table, path, edge.at_ms) * costs.AGAINST_SIGHT, "drawn before what came before was laid")
    yield without_keys(after, edge.at_ms)


def laid_later(table: TableContext, path: Hypothesis, at_ms: int) -> bool:
    """Whether the place of the last discard, or of a kong, hand or winning tile laid since, was seen bare after a time."""
    for event, grounds in path.latest_first:
        if isinstance(event, TileDiscarded | KongDeclared | HandShown) or (isinstance(event, WinDeclared) and grounds.tracks):
            return laid_after(table, grounds, at_ms)
    return False


def how_late(table: TableContext, path: Hypothesis, at_ms: int) -> int:
    """Return 1 if ``laid_later`` holds for a moment after a time, 2 for long after it; else 0."""
    return sum(laid_later(table, path, at_ms + after_ms) for after_ms in (costs.DELAY_MS, costs.STAYS_FOR_GOOD_MS))


def laid_after(table: TableContext, grounds: Grounds, at_ms: int) -> bool:
    """Whether the place of the first tile of an event was seen bare after a time."""
    bare_ms = table.track(grounds.tracks[0]).bare_before_ms if grounds.tracks else None
    return bare_ms is not None and bare_ms > at_ms


def in_order(path: Hypothesis, track: Track) -> Hypothesis:
    """Return the path with the cost of a tile, just explained, that was there well before the last wrong draw of the path."""
    wrong = (each for each in path.violations if each.kind in (ViolationKind.DREW_EARLY, ViolationKind.DREW_TWICE))
    drawn_ms = max((each.at_ms for each in wrong), default=0)
    lay_there = track.appeared_ms + costs.DELAY_MS < drawn_ms
    return path.costing(lay_there * costs.AGAINST_SIGHT, "lay there before the wrong draw")


def discards(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the discards of the seat that must discard, each with one unexplained tile."""
    allowed = path.permissions(table)
    seat = allowed.discard
    if seat is None:
        return
    due = path.play.seat(seat).next_place
    held = None if path.held is None else path.held.of[seat]
    claimants = _claimants(table, path, seat)

    def place(track: Track) -> float:
        claimed = (table.places.meld(other, group, track) + costs.SELDOM for other, group in claimants)
        return min((table.places.river(seat, due, track), *claimed))

    most = costs.REACH if discard_hidden(table, path, DueDiscard(seat)) else costs.UNEXPLAINED + 2
    found = near(table, path, place, most=most)[: costs.TRIED]
    for price, track in (*found, *_claimed_since(table, path, place)):
        for kind in kinds_worth_trying(track, held, costs.TRIED):
            for declares in (False, True) if allowed.riichi is seat else (False,):
                yield from _discarded(table, path, track, TileDiscarded(seat, kind, riichi=declares), price)


def _claimed_since(table: TableContext, path: Hypothesis, place: Callable[[Track], float]) -> Iterator[tuple[float, Track]]:
    """Yield the tiles picked up unexplained that may have been claimed and were about where they were due."""
    taken = (track for track in map(table.track, sorted(path.departed)) if maybe_claimed(table, path, track))
    yield from (priced for track in taken if (priced := (place(track), track))[0] < costs.REACH)


def _claimants(table: TableContext, path: Hypothesis, seat: Seat) -> list[tuple[Seat, int]]:
    """Return the seats with unexplained tiles of a meld before them, and the number of that meld: an unseen discard may be among them."""
    found = []
    for other in SEATS:
        group = path.melds(other)
        laid = sum(table.places.meld(other, group, track) < costs.REACH for track in table.face_up(path.loose))
        if other is not seat and laid >= costs.WHOLE_MELD:
            found.append((other, group))
    return found


def _discarded(table: TableContext, path: Hypothesis, track: Track, event: TileDiscarded, price: float) -> Iterator[Hypothesis]:
    seat, place = event.seat, table.places.places[event.seat]
    after = path.happened(table, event, price, (track.id,))
    if after is None:
        return
    role = TileRole(seat.index, Area.RIVER, len(path.play.seat(seat).river))
    after = after.explains({track.id: (role, event.tile)}) if track.gone_ms is None else after.explains_taken(track, role, event.tile)
    why = costs.CostReason.LAY_BEFORE_DRAW if path.play.drew else "lay there before the claim"
    after = in_order(after.costing(_before_turn(table, path, track) * costs.RARE, why), track)
    after = with_duty(table, path, after)
    drawn = (edge.at_ms for edge in path.drawn if edge.at_ms > path.clock_ms and edge.place != path.in_gate)
    drawn_ms = min(drawn, default=math.inf if table.gates else track.appeared_ms + costs.LINGERING_MS)
    declared = path.pressed(table, seat, Key.RIICHI, drawn_ms) or (not table.gates and table.places.sideways(seat, track, SAME_TURN_DEG))
    otherwise = path.permissions(table).riichi is seat and declared is not event.riichi
    after = after.costing(otherwise * costs.AGAINST_SIGHT, "riichi")
    used = (place, Key.RIICHI) if event.riichi else None
    yield without_keys(after, max(min(track.appeared_ms, path.clock_ms + costs.DELAY_MS), path.clock_ms), used=used)


def _before_turn(table: TableContext, path: Hypothesis, track: Track) -> int:
    """Return 1 if a tile was there before its seat's turn (the sensed draw, or the last tile laid), 2 if long before; else 0."""
    if path.play.drew and table.gates:
        return before_draw(track, path.clock_ms)
    follows = bool(path.events) and (path.play.drew or isinstance(path.events[-1], Claimed))
    return how_late(table, path, track.appeared_ms) if follows else 0


def before_draw(track: Track, drawn_ms: int) -> int:
    """Return 1 if a tile was there before a draw sensed then, 2 if long before; else 0."""
    return sum(track.appeared_ms < drawn_ms - before_ms for before_ms in (costs.DELAY_MS, costs.STAYS_FOR_GOOD_MS))


def turn_ups(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the turning of the due shared tile in the middle of the mat; it closes an open claim window."""
    since = due_since(table, path) if table.gates else None
    # the draw gates stay shut until the shared tile is turned up
    late = since is not None and any(isinstance(event, TileDrawn | TileDiscarded) for event in path.events[since:])
    place = path.permissions(table).turn_up
    if place is None and path.play.phase is Phase.CLAIMS and path.loose and any(table.rules.shared_rows):
        path = passed(table, path) or path
        place = path.permissions(table).turn_up
    if place is None:
        return
    known = None if table.deal is None else (table.deal.rest[place],)
    claimed = path.grounds[-1] if path.events and isinstance(path.events[-1], Claimed) else None
    for price, track in turned_up(table, path, place):
        for kind in kinds_of(track, known)[: costs.TRIED]:
            after = path.happened(table, SharedTileTurned(place, kind), price, (track.id,))
            if after is None:
                continue
            early = table.gates and track.appeared_ms < path.clock_ms
            after = after.costing(early * costs.RARE, costs.CostReason.LAY_BEFORE_DRAW)
            before_claim = claimed is not None and laid_after(table, claimed, track.appeared_ms + costs.DELAY_MS)
            after = after.costing(before_claim * costs.RARE, "lay there before the claim")
            after = after.costing(late * costs.AGAINST_SIGHT, "drawn before the shared tile lay open")
            yield after.explains({track.id: (TileRole(0, Area.SHARED, place), kind)})


def turned_up(table: TableContext, path: Hypothesis, place: int, most: float = costs.UNEXPLAINED) -> Priced:
    """Return the tiles whose place costs at most ``most`` for the shared tile of this number."""
    return near(table, path, lambda track: table.places.shared(place, track), most=most)
