"""Moves of a discard seen late, once its cover is gone, with everything that has waited for it; and of a discard that no frame saw: it
stays hidden, and the next seat has drawn or the hand is over.

The kind of an unseen discard is a guess: one of the seat's tiles of which it has fewest. It is always asked about (``margins``). If the
seat's visible tiles contradict the guess, the path changes it.
"""

import math
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import islice, takewhile
from operator import itemgetter

from msgspec import structs

from controller.recorder import costs
from controller.recorder.estimate import total_of
from controller.recorder.hypothesis import Hypothesis, TableContext, TileRole
from controller.recorder.moves.candidates import Priced, fewest_open, kinds_of, likeliest, near
from controller.recorder.moves.melds import claims, kongs
from controller.recorder.moves.refits import refits
from controller.recorder.moves.turns import before_draw, discards, draws, with_duty, without_keys
from controller.recorder.moves.violations import drawn_wrongly
from controller.recorder.moves.wins import shows, wins
from controller.recorder.pending_tiles import DueDiscard, due_now, hands_laid, next_laid_ms, seats_shown
from controller.recorder.smoothing import guessed_as, refolded, with_its_wins
from controller.recorder.winning import calls_a_win
from twinwall.game.play import Phase
from twinwall.game.play_events import TileDiscarded, TileDrawn
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.wire.shapes.panel import Key
from vision.mat import Area


def discard_uncovered(table: TableContext, path: Hypothesis) -> bool:
    """Whether the due discard, for which draws wait, has been uncovered: a tile is at its place, or some way off and not laid after those
    draws. Without gates, the tiles that appeared before it wait for it instead."""
    drawn_ms = [edge.at_ms for edge in path.drawn]
    waiting_ms = drawn_ms if table.gates else [track.appeared_ms for track in table.face_up(path.loose)]
    if not waiting_ms or len(path.edges if table.gates else path.loose) < costs.SEVERAL or path.play.phase is not Phase.DISCARD:
        return False
    since_ms = min(waiting_ms)
    return any(
        (table.gates or sum(at_ms + costs.AT_ONCE_MS < track.appeared_ms for at_ms in waiting_ms) >= costs.SEVERAL)
        and (price <= costs.USUAL_PLACE or (track.bare_before_ms or 0) <= since_ms)
        for price, track in _about_due(table, path, costs.OFF_ITS_SLOT)
    )


def next_discard_visible(table: TableContext, path: Hypothesis) -> bool:
    """Whether draws wait and the discard of the first seat that drew is visible: several uncovered turns follow each other."""
    drawn = path.drawn
    if len(path.edges) < costs.SEVERAL or not drawn or path.play.phase is Phase.DISCARD:
        return False
    return tile_at_due_place(table, path, seat=table.places.seats[drawn[0].place])


def due_discard_visible(table: TableContext, path: Hypothesis, most: float) -> bool:
    """Whether a seat must discard and a tile is at the due place, at a cost of at most ``most``."""
    due = due_now(table, path)
    return due is not None and tile_at_due_place(table, path, most, due.seat)


def tile_at_due_place(table: TableContext, path: Hypothesis, most: float = costs.USUAL_PLACE, seat: Seat | None = None) -> bool:
    """Whether a tile is where a seat discards next; None: the seat whose turn it is."""
    return bool(_about_due(table, path, most, seat))


def discards_seen_late(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the uncovered discard for which draws wait, with everything that waited. One turn at a time, such a path would fall behind
    those that guessed the discard, and be dropped; so would a path that takes another uncovered tile for it."""
    if not discard_uncovered(table, path):
        return
    there = {track.id for _, track in _about_due(table, path, costs.REACH)}
    laid = [(total_of(table, after), after) for after in discards(table, path) if there.issuperset(after.grounds[-1].tracks)]
    each: dict[tuple[int, ...], tuple[float, Hypothesis]] = {}
    for total, after in sorted(laid, key=itemgetter(0)):
        each.setdefault(after.grounds[-1].tracks, (total, after))
    least = min((total for total, _ in laid), default=0.0)
    for total, after in islice(each.values(), costs.TRIED):
        if total < least + table.publish:
            yield from backlog_explained(table, path, after)


def _about_due(table: TableContext, path: Hypothesis, most: float, seat: Seat | None = None) -> Priced:
    """Return the unexplained tiles about where a seat (None: in turn) discards next, at most ``most`` in cost, cheapest first."""
    seat = path.play.turn if seat is None else seat
    return near(table, path, partial(table.places.river, seat, path.play.seat(seat).next_place), most=most)


def backlog_explained(table: TableContext, waiting: Hypothesis, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the path, which has the discard for which ``waiting`` waits, with the draws, discards, claims, kongs and wins since, as far as
    they make it cheaper: one at a time, it would be dropped in between.

    If everything can be explained in several ways, those near enough to be asked about are yielded, since they bound the margins. Nothing
    is yielded if such a path is followed already, or if another path with the same waiting tiles is much better. After each move
    ``waiting`` itself is yielded, so that a search may stop there.
    """
    total = total_of(table, waiting)
    least = table.cache.backlog_explained.setdefault((waiting.edges, waiting.loose), total)
    if total > least + table.publish or any(
        waits < path.waits and marks[: len(path.marks)] == path.marks for marks, waits in table.cache.kept
    ):
        return
    ends, ways = [(total_of(table, path), path)], [path]
    while ways:
        onward: list[Hypothesis] = []
        for way in ways:
            onward += _onward(table, way)
            yield waiting
        found: dict[object, tuple[float, Hypothesis]] = {}
        for total, after in sorted(((total_of(table, after), after) for after in onward), key=lambda pair: pair[0]):
            found.setdefault(after.key, (total, after))
        ways = [after for _, after in islice(found.values(), costs.FEW)]
        ends += islice(found.values(), costs.FEW)
    least, best = min(ends, key=itemgetter(0))
    table.cache.kept.append((best.marks, best.waits))
    yield from (after for total, after in ends if after.waits == best.waits and total < least + table.publish)


def _onward(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the path with one more of the moves that waited. Hands are shown once no draw waits, or the hand is over. After a wrong draw
    its discard may wait alone."""
    last = bool(path.loose) and (table.over or bool(seats_shown(table, path)))
    if not (path.edges or last or (path.loose and not table.gates)):
        if any(violation.back_ms > path.clock_ms for violation in path.violations[-1:]):
            yield from discards(table, path)
        return
    shown = last and (table.over or not path.edges)
    for after in claims(table, path):
        yield after
        yield from refits(table, after)
    for after in wins(table, path):
        yield after
        if table.gates:  # a win by voice explains nothing before the draw after it
            yield from draws(table, after)
            yield from drawn_wrongly(table, after)
    for kind_of_move in (draws, discards, kongs, drawn_wrongly, *((shows,) if shown else ())):
        yield from kind_of_move(table, path)
    yield from refits(table, path)


_HAND_LAID = 7
"""This many tiles laid at once before a seat are its hand: more than a kong, or the last rows of a river with their neighbours."""


def discards_unseen(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the hidden discard of the seat that must discard, because the next seat has drawn or hands are open."""
    seat = path.permissions(table).discard
    if seat is None or path.play.phase is not Phase.DISCARD:
        return
    until_ms = _next_drawn_or_shown_ms(table, path, seat) if table.gates else next_laid_ms(table, path, DueDiscard(seat))
    waits = bool(path.edges) and not (table.over or _shown_since(table, path, seat, until_ms))
    if until_ms is None or (waits and table.now_ms - max(until_ms, table.tracks.watched_ms) < costs.STAYS_FOR_GOOD_MS):
        return
    after = _guessed(table, path, seat, until_ms)
    if after is not None:
        yield from backlog_explained(table, path, after)


def _guessed(table: TableContext, path: Hypothesis, seat: Seat, at_ms: int) -> Hypothesis | None:
    """Return the path with an unseen discard. Its kind is the first on which a seat wins that has pressed its key for a win; else the first
    legal one, those that break no duty first. It declares riichi if the seat may and has pressed that key."""
    riichi = path.permissions(table).riichi is seat and path.pressed(table, seat, Key.RIICHI, at_ms)
    found = (path.happened(table, TileDiscarded(seat, kind, riichi=riichi), at_ms=at_ms) for kind in guesses(table, path, seat))
    legal: Iterator[Hypothesis] = (after for after in found if after is not None)
    if path.held is not None:
        known = [with_duty(table, path, after) for after in legal]
        before_ms = at_ms if path.edges else math.inf
        won = [after for after in known if _win_called(path) and calls_a_win(table, after, before_ms)]
        legal = iter(sorted(won or known, key=lambda after: after.cost))
    after = next(legal, None)
    if after is None:
        return None
    after = after.costing(costs.AGAINST_SIGHT, costs.CostReason.NEVER_SEEN)
    return without_keys(after, 0, used=(table.places.places[seat], Key.RIICHI)) if riichi else after


def _win_called(path: Hypothesis) -> bool:
    """Whether a key for a win has been pressed and had no effect yet."""
    return any(key.key is Key.WIN for key in path.keys)


def _next_drawn_or_shown_ms(table: TableContext, path: Hypothesis, seat: Seat) -> int | None:
    """Return when play continued after the due discard: the next seat drew (any other seat, if a win was called by key), or a hand was laid
    open; None if neither is known."""
    next_seats = set(SEATS) - {seat} if _win_called(path) else {path.permissions(table).following(seat)}
    drawn = path.next_drawn(table, next_seats)
    if drawn is not None:
        return drawn.at_ms
    shown = seats_shown(table, path)
    if path.edges or not shown or tile_at_due_place(table, path):
        return None
    loose = [table.track(number) for number in path.loose]
    laid_ms = (track.appeared_ms for track in loose if any(table.places.hand(seat, track) <= costs.REACH for seat in shown))
    return max(path.clock_ms, min(laid_ms))


def _shown_since(table: TableContext, path: Hypothesis, seat: Seat, drawn_ms: int | None) -> bool:
    """Whether another seat has laid its hand open since a draw and no tile is at the due place: the hand is over, so the discard has been
    laid. If the seat that must discard had called a win by key before, it has won on its draw instead."""
    if drawn_ms is None or tile_at_due_place(table, path):
        return False
    return not path.pressed(table, seat, Key.WIN, drawn_ms) and any(
        since_ms > drawn_ms for other, since_ms in hands_laid(table, path, _HAND_LAID) if other is not seat
    )


def last_unseen(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the path with a hidden last discard of a hand that is over."""
    seat = path.permissions(table).discard
    if seat is None or not table.gates or path.play.phase is not Phase.DISCARD:
        return
    after = _guessed(table, path, seat, table.now_ms)
    if after is not None:
        yield after


def guessed_otherwise(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the path with another guess if the guessed tile is seen before the seat: another is the unseen or unreadable one."""
    if path.held is None or not path.loose:
        return
    for index, (event, grounds) in enumerate(path.history):
        if not isinstance(event, TileDiscarded) or not table.guessed(grounds):
            continue
        held, lying = Counter(path.held.of[event.seat]), _lying_before(table, path, event.seat)
        if lying[event.tile] <= held[event.tile] or (grounds.tracks and costs.WHOLE_MELD < lying.total() < held.total() - 1):
            continue  # any tile of a partly visible hand may be it: too many paths, no evidence
        others = sorted(guesses(table, path, event.seat), key=lambda kind: lying[kind] - held[kind])
        for kind in others[: 1 if grounds.tracks else costs.TRIED]:
            after = refolded(table, path, with_its_wins(path, index, kind))
            if after is not path:
                yield after


def unseen_found(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the path with a guessed discard found, if its place was never seen bare since and it was not far off before."""
    for index, grounds in enumerate(path.grounds if path.loose else ()):
        event = path.events[index]
        if grounds.tracks or not grounds.never_seen or not isinstance(event, TileDiscarded):
            continue
        number = path.discards_before(index, event.seat)
        place = partial(table.places.river, event.seat, path.play.seat(event.seat).place_of(number))
        for price, track in near(table, path, place, most=costs.UNEXPLAINED):
            lay_there = price > costs.OFF_ITS_SLOT and track.appeared_ms + costs.DELAY_MS < grounds.at_ms
            if lay_there or (track.bare_before_ms or 0) > grounds.at_ms:
                continue
            why: tuple[tuple[str, float], ...] = (("place", round(price, 2)), (costs.CostReason.LATE, costs.SELDOM))
            if early := before_draw(track, _drawn_ms(path, index)) * costs.RARE:
                why = (*why, (costs.CostReason.LAY_BEFORE_DRAW, early))
            seen = structs.replace(grounds, tracks=(track.id,), costs=why)
            for kind in kinds_of(track)[: costs.SEVERAL]:
                after = guessed_as(table, path, index, kind, seen)
                if after is not None:
                    found = {track.id: (TileRole(event.seat.index, Area.RIVER, number), kind)}
                    yield after.explains(found).costing(price + early - costs.AGAINST_SIGHT)


def _drawn_ms(path: Hypothesis, index: int) -> int:
    """Return when the seat that discards at this index drew; 0 if it did not draw since the discard before."""
    before = reversed([*islice(path.history, index)])
    since = takewhile(lambda each: not isinstance(each[0], TileDiscarded), before)
    return next((grounds.at_ms for event, grounds in since if isinstance(event, TileDrawn)), 0)


def guesses(table: TableContext, path: Hypothesis, seat: Seat) -> list[Tile]:
    """Return the possible kinds of a seat's discard: its own by the deal, fewest copies first; else all, fewest open tiles first."""
    if path.held is not None:
        return [kind for kind, _ in sorted(Counter(path.held.of[seat]).items(), key=lambda pair: (pair[1], pair[0]))]
    return fewest_open(table, path)


def _lying_before(table: TableContext, path: Hypothesis, seat: Seat) -> Counter[Tile]:
    """Return the likeliest kinds of the unexplained tiles at the places of the seat's next discard, melds and shown hand."""
    place = path.play.seat(seat).next_place
    near = (
        track
        for track in table.face_up(path.loose)
        if min(table.places.river(seat, place, track), table.places.exposed(seat, path.melds(seat) + 1, track)) <= costs.REACH
    )
    return Counter(map(likeliest, near))
