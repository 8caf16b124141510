"""Estimate: the least that a path will pay to explain what is unexplained.

Without it a path that explains nothing would be the cheapest. Each estimate is a little above the cost of the move that will explain the
thing, so explaining pays, and below the cost of no explanation at all.
"""

from collections.abc import Container, Iterator
from itertools import takewhile
from typing import NamedTuple

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, Missing, OwnTiles, TableContext, TileRole
from controller.recorder.pending_tiles import (
    DueDiscard,
    discard_hidden,
    due_next,
    due_now,
    just_taken_up,
    maybe_claimed,
    moved_mm,
    next_laid_ms,
    seats_shown,
    unexplainable_tiles,
)
from controller.recorder.signals import GateEdge
from controller.recorder.tracks import Track
from controller.recorder.violations import PathViolation, ViolationKind
from twinwall.game.play import Phase
from twinwall.game.play_events import MeldType, TileDiscarded, WinDeclared
from twinwall.game.tiles import SEATS, Seat, Tile
from vision.mat import MELD_SLOTS, Area

_Pending = tuple[tuple[OwnTiles, ...], DueDiscard | None, bool, Phase | None]
"""What decides the meanings that any unexplained tile can still have: the fields of ``_Loose`` after its own."""


class _Loose(NamedTuple):
    """An unexplained tile, and what decides which meanings it can still have."""

    track: Track
    at_once: frozenset[int]
    """``_at_once``."""
    owns: tuple[OwnTiles, ...]
    """Of all seats."""
    due: DueDiscard | None
    hidden: bool
    """Whether the due discard may be hidden."""
    phase: Phase | None
    """The phase if hands are shown or the hand has ended; None before."""

    def is_due(self, own: OwnTiles) -> bool:
        return self.due is not None and self.due.seat is own.seat


def total_of(table: TableContext, path: Hypothesis) -> float:
    """Return the cost of a path, the camera's evidence against it, and the estimate."""
    return path.cost + path.reading(table) + estimate(table, path)


def estimate(table: TableContext, path: Hypothesis) -> float:
    """Return the cost to come of everything unexplained."""
    table.cache.weighed += 1
    due, staying = due_now(table, path), {track.id for track in unexplainable_tiles(table, path, costs.STAYS_FOR_GOOD_MS)}
    if due is None and path.edges and path.loose:
        due = due_next(table, path)
    hidden = due is not None and not table.over and discard_hidden(table, path, due)
    if due is not None:
        due = due._replace(shown=seats_shown(table, path))
    owns = _owns(table, path, due) if path.loose or path.departed else ()
    pending = owns, due, hidden, path.play.phase if path.play.phase in (Phase.SHOW, Phase.ENDED) else None
    total = sum(costs.STAYS if number in staying else waits for number, waits in _waiting(table, path, pending))
    if hidden and due is not None and next_laid_ms(table, path, due) is not None:
        total += costs.AGAINST_SIGHT
    total += _departed(table, path, pending)
    total += sum(_missing(table, path, role, gone) for role, gone in path.missing.items())
    total += sum(_not_put_right(table, violation) for violation in path.violations)
    total += _edges(table, path, hidden=hidden and path.play.phase is Phase.DISCARD)
    return total + sum(costs.SOMETIMES for key in path.keys if table.now_ms - key.at_ms > costs.LINGERING_MS)


def _departed(table: TableContext, path: Hypothesis, pending: _Pending) -> float:
    """Return the cost of tiles picked up unexplained. For a moment they cost what they did on the mat, since they may be laid elsewhere;
    one that may have been claimed waits for its meld."""
    total = 0.0
    for track in map(table.track, path.departed):
        if just_taken_up(table, track):
            together = frozenset(other for other in path.departed | path.loose if _laid_at_once(table.track(other), track))
            total += _loose(table, _Loose(track, together, *pending)) + costs.SOMETIMES
            continue
        cost = costs.STAYS if track.lain_ms >= costs.STAYS_MS else costs.SOMETIMES + costs.UNEXPLAINED / 2
        if maybe_claimed(table, path, track):
            loose = _Loose(track, frozenset(), *pending)
            cost = min(cost, *(_to_be_claimed(table, loose, own) for own in loose.owns))
        if (moved := moved_mm(table, path, track)) is not None:
            cost = min(cost, costs.COMMON + costs.about(moved, costs.ASTRAY))
        total += cost
    return total


def _to_be_claimed(table: TableContext, loose: _Loose, own: OwnTiles) -> float:
    """Return the cost of a tile as a coming discard of this seat that has been claimed."""
    first = loose.is_due(own) and loose.hidden
    turns = range(first, first + max(1, min(first + own.turns, costs.TURNS)))
    return min(own.river(table, further, loose.track) for further in turns) + costs.OFTEN + costs.SOMETIMES


def _not_put_right(table: TableContext, violation: PathViolation) -> float:
    """Return the cost of a violation that was not put right: a tile is still there, or a discard (or a whole meld) was not taken back but
    moved, so that a tile of its kind appeared elsewhere at that moment."""
    laid = [table.track(track) for track in violation.tracks]
    if any(track.gone_ms is None and track.lain_ms > costs.FOR_GOOD_MS for track in laid):
        return costs.SELDOM
    moved = sum(_went_on(table, track) for track in laid)
    discarded = violation.kind in (ViolationKind.DISCARDED_TWICE, ViolationKind.DISCARDED_OUT_OF_TURN)
    return costs.SELDOM * moved if discarded or 1 < moved == len(laid) else 0.0


def _went_on(table: TableContext, track: Track) -> bool:
    """Whether a tile of the track's kind was laid elsewhere when it was picked up."""
    if track.gone_ms is None:
        return False
    kind, others = track.evidence.likeliest, (other for other in table.tracks.all.values() if other.face_up and other is not track)
    return any(abs(other.appeared_ms - track.gone_ms) < costs.MOMENT_MS and other.evidence.likeliest is kind for other in others)


def _waiting(table: TableContext, path: Hypothesis, pending: _Pending) -> Iterator[tuple[int, float]]:
    """Yield the number and the estimate of each loose tile; cached, since an observation weighs thousands of paths."""
    if not path.loose:
        return
    known = table.cache.waiting.setdefault(pending, {})
    for number in path.loose:
        beside = _at_once(table, path, number)
        if (number, beside) not in known:
            known[number, beside] = _loose(table, _Loose(table.track(number), beside, *pending))
        yield number, known[number, beside]


def _owns(table: TableContext, path: Hypothesis, due: DueDiscard | None) -> tuple[OwnTiles, ...]:
    lacking = frozenset({(role.seat, role.number // MELD_SLOTS) for role in path.missing if role.area is Area.MELD})
    since_ms = path.clock_ms if due is None else max(path.clock_ms, due.drawn_ms)
    known, key = table.cache.owns, (path.trail, lacking, _turns_since(table, path, since_ms))
    if key not in known:
        known[key] = tuple(_own(table, path, seat, lacking, turns) for seat, turns in zip(SEATS, key[2], strict=True))
    return known[key]


def _own(table: TableContext, path: Hypothesis, seat: Seat, lacking: Container[tuple[int, int]], turns: int) -> OwnTiles:
    own = path.play.seat(seat)
    takes: list[tuple[int, Tile | None]] = [(group, None) for group in range(len(own.melds)) if (seat.index, group) in lacking]
    takes += [(group, meld.tiles[0]) for group, meld in enumerate(own.melds) if meld.type is MeldType.PUNG]
    left = seat in path.permissions(table).left
    return OwnTiles(seat, own.next_place, len(own.melds), tuple(takes), turns, left)


def _at_once(table: TableContext, path: Hypothesis, number: int) -> frozenset[int]:
    """Return the tiles that appeared at once with a loose one, itself included, except explained discards and tiles of melds."""
    known = table.cache.at_once
    if number not in known:
        first = table.track(number)
        known[number] = frozenset(track.id for track in table.tracks.in_sight if _laid_at_once(track, first))
    explained = known[number] & path.roles.keys()
    return known[number] - {other for other in explained if path.roles[other].area not in (Area.HAND, Area.WIN)}


def _laid_at_once(one: Track, other: Track) -> bool:
    return abs(one.appeared_ms - other.appeared_ms) < costs.AT_ONCE_MS


def _edges(table: TableContext, path: Hypothesis, *, hidden: bool) -> float:
    """Return the cost of waiting draws; if the due discard may be hidden, all of them wait for that one discard."""
    if hidden:
        return costs.SOMETIMES if path.edges else 0.0
    return sum(_edge(table, edge) for edge in path.edges)


def _edge(table: TableContext, edge: GateEdge) -> float:
    if table.now_ms - edge.at_ms < costs.LINGERING_MS:
        return costs.SOMETIMES
    return costs.UNEXPLAINED if edge.back else costs.RARE


def _loose(table: TableContext, loose: _Loose) -> float:
    track = loose.track
    if not track.face_up:
        kongs = (table.places.meld(own.seat, own.melds, track) for own in loose.owns)
        return min(costs.AGAINST_SIGHT, min(kongs) + costs.WAITING)
    if table.over and loose.phase is Phase.ENDED:
        return costs.UNEXPLAINED  # the hand is over: it can mean nothing any more
    meaning = _later if loose.hidden else _meaning
    return min(costs.UNEXPLAINED, *(meaning(table, loose, own) for own in loose.owns))


def _later(table: TableContext, loose: _Loose, own: OwnTiles) -> float:
    """Return the cheapest meaning of the tile for this seat once a discard that may be hidden is seen.

    The tiles of a shown hand are many. They cost less here than on a path that has seen the discard, so that paths which explain them
    wrongly meanwhile do not fill the beam; and enough that the path which has seen it stays in the beam too.
    """
    track, is_due = loose.track, loose.is_due(own)
    turns = range(is_due, min(is_due + own.turns, costs.TURNS))
    discards = (own.river(table, further, track) for further in turns)
    later = min((*discards, _in_meld(table, own, loose))) + costs.OFTEN
    if is_due:
        later = min(later, own.river(table, 0, track) + costs.WAITING + costs.AGAINST_SIGHT)
    return min(later, _in_hand(table, own.seat, loose) + costs.SOMETIMES)


def _turns_since(table: TableContext, path: Hypothesis, since_ms: int) -> tuple[int, ...]:
    """Return how many turns each seat may have had that the path has not explained: one for each waiting draw, and one for a claim if at
    least ``WHOLE_MELD`` tiles are unexplained."""
    if not table.gates:
        return (costs.TURNS,) * len(SEATS)
    drawn = [table.places.seats[edge.place] for edge in path.drawn if edge.at_ms > since_ms]
    return tuple(drawn.count(seat) + (len(path.loose) >= costs.WHOLE_MELD) for seat in SEATS)


def _in_hand(table: TableContext, seat: Seat, loose: _Loose) -> float:
    """Return the cost of a tile of the seat's shown hand; a winning tile may be laid apart before the others."""
    hand = table.places.hand(seat, loose.track)
    if table.places.from_win_slot(seat, loose.track) < costs.ASIDE_MM:
        return hand
    return hand + _alone(table, loose, seat, None)


def _in_meld(table: TableContext, own: OwnTiles, loose: _Loose) -> float:
    """Return the cost of a tile in a meld: one that the meld lacks, the fourth on a pung, or one of several that begin a meld."""
    further = table.places.meld(own.seat, own.melds, loose.track)
    further += _alone(table, loose, own.seat, own.melds)
    logs = loose.track.evidence.logs
    taken = (table.places.meld(own.seat, group, loose.track) - (0.0 if kind is None else logs[kind]) for group, kind in own.takes)
    return min((further, *taken))


def _alone(table: TableContext, loose: _Loose, seat: Seat, meld: int | None) -> float:
    """Return the cost of being the first of several tiles of the seat's meld (None: its hand): the others should appear at once with it."""
    known, key = table.cache.beside, (loose.at_once, seat, meld)
    if key not in known:
        known[key] = frozenset(number for number in loose.at_once if _beside(table, table.track(number), seat, meld))
    if known[key] - {loose.track.id}:
        return 0.0
    return costs.SELDOM if loose.track.lain_ms < costs.MOMENT_MS // 2 else 2 * costs.SELDOM


def _beside(table: TableContext, track: Track, seat: Seat, meld: int | None) -> bool:
    if meld is None:
        return track.face_up and table.places.hand(seat, track) < costs.HAND_PLACE
    return table.places.meld(seat, meld, track) < costs.REACH


def _meaning(table: TableContext, loose: _Loose, own: OwnTiles) -> float:
    """Return the cheapest meaning of the tile for this seat. A tile near the place of a due discard is that discard: a meld or hand that
    begins there would show more tiles."""
    track, due = loose.track, loose.due
    river = own.river(table, 0, track) + costs.WAITING
    hand = _in_hand(table, own.seat, loose)
    meld = _in_meld(table, own, loose)
    if loose.phase is Phase.SHOW:
        return min(river, hand + costs.OFTEN, meld + costs.WAITING)
    if due is None or track.appeared_ms < due.drawn_ms:
        return min(river, min(hand, meld) + costs.WAITING)
    hand += costs.OFTEN if own.seat in due.shown else costs.WAITING
    if due.seat is not own.seat:
        if not own.turns:
            river += costs.AGAINST_SIGHT
        return min(river, hand, meld + costs.WAITING + costs.SELDOM)
    exposed = min(hand, meld + costs.WAITING)
    before_seat = table.places.hand(own.seat, track) < costs.HAND_PLACE
    if own.seat not in due.shown and river - costs.WAITING <= (costs.USUAL_PLACE if before_seat else costs.HAND_PLACE):
        exposed += costs.AGAINST_SIGHT
    return min(river + costs.AGAINST_SIGHT, exposed)


def _missing(table: TableContext, path: Hypothesis, role: TileRole, gone: Missing) -> float:
    if role.area is Area.HAND:
        return costs.RARE if table.over else costs.SOMETIMES
    if role.area is Area.WIN or _won_on(path, role):
        return 0.0  # an unseen winning tile was paid for before; a discard that was won on may be taken
    if table.tracks.is_covered(gone.x_mm, gone.y_mm):
        return costs.OFTEN
    if role.area is Area.MELD:
        return costs.SOMETIMES if table.now_ms - gone.since_ms < costs.STAYS_MS else costs.RARE
    waiting = path.play.phase in (Phase.CLAIMS, Phase.DRAW) and role.number == len(path.play.seats[role.seat].river) - 1
    if waiting:
        return costs.SOMETIMES
    for_good = table.over or table.now_ms - gone.since_ms >= costs.FOR_GOOD_MS
    return costs.AGAINST_SIGHT if for_good else costs.RARE


def _won_on(path: Hypothesis, role: TileRole) -> bool:
    seat = SEATS[role.seat]
    if role != path.last_discard(seat):
        return False
    since = takewhile(lambda event: not (isinstance(event, TileDiscarded) and event.seat is seat), reversed(path.events))
    return any(isinstance(event, WinDeclared) and event.source is seat for event in since)
