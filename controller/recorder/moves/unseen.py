"""Moves of a discard that is seen late, when what lay over it has gone, with all that has waited for it; and of one that no frame saw: its
tile stays hidden, and the next seat has drawn, or the hand is over.

The kind of one that no frame saw is a guess: of the tiles that the seat has, one of which it has fewest. It is always asked about
(``margins``). Where what lies before the seat contradicts the guess, the path goes on with another one.
"""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice, takewhile
from operator import itemgetter

from msgspec import structs

from controller.recorder import costs
from controller.recorder.dues import Due, due_now, hands_laid, seats_shown, went_on_ms
from controller.recorder.estimate import total_of
from controller.recorder.hypothesis import Hypothesis, TableContext, TileRole
from controller.recorder.moves.candidates import fewest_open, kinds_of, likeliest, near
from controller.recorder.moves.melds import claims, kongs
from controller.recorder.moves.refits import refits
from controller.recorder.moves.turns import before_draw, discards, draws, riichi_pressed, without_keys
from controller.recorder.moves.violations import drawn_wrongly
from controller.recorder.moves.wins import shows, wins
from controller.recorder.smoothing import refolded, with_its_wins
from controller.recorder.tracks import Track
from controller.recorder.winning import calls_a_win
from twinwall.game.play import Phase
from twinwall.game.play_events import TileDiscarded, TileDrawn
from twinwall.game.rule_set import Permissions
from twinwall.game.tiles import SEATS, Seat, Tile
from twinwall.wire.shapes.panel import Key
from vision.mat import Area


def comes_to_light(table: TableContext, path: Hypothesis) -> bool:
    """Whether a tile lies where the discard is due for which draws wait, or some way off and was not laid after those draws: what lay over
    it has gone. Where draws are not sensed, the tiles that have come to lie before it wait for it."""
    drawn_ms = [edge.at_ms for edge in path.edges if not edge.back]
    waiting_ms = drawn_ms if table.gates else [track.appeared_ms for track in table.face_up(path.loose)]
    if not waiting_ms or len(path.edges if table.gates else path.loose) < costs.SEVERAL or path.play.phase is not Phase.DISCARD:
        return False
    since_ms = min(waiting_ms)
    return any(
        (table.gates or sum(at_ms + costs.AT_ONCE_MS < track.appeared_ms for at_ms in waiting_ms) >= costs.SEVERAL)
        and (price <= costs.USUAL_PLACE or (track.bare_before_ms or 0) <= since_ms)
        for price, track in _about_due(table, path, costs.OFF_ITS_SLOT)
    )


def next_lies(table: TableContext, path: Hypothesis) -> bool:
    """Whether draws wait, and a tile lies where the seat that has drawn first of them is to discard: turns that come one after the other
    once more than one tile has come to light."""
    drawn = next((edge for edge in path.edges if not edge.back), None)
    if len(path.edges) < costs.SEVERAL or drawn is None or path.play.phase is Phase.DISCARD:
        return False
    return lies_where_due(table, path, seat=table.places.seats[drawn.place])


def discard_lies(table: TableContext, path: Hypothesis, most: float) -> bool:
    """Whether a seat is to discard and a tile lies where that is due: its place costs no more than ``most``."""
    due = due_now(table, path)
    return due is not None and lies_where_due(table, path, most, due.seat)


def lies_where_due(table: TableContext, path: Hypothesis, most: float = costs.USUAL_PLACE, seat: Seat | None = None) -> bool:
    """Whether a tile lies where a seat is to discard next; None: the one whose turn it is."""
    return bool(_about_due(table, path, most, seat))


def discards_seen_late(table: TableContext, path: Hypothesis, allowed: Permissions) -> Iterator[Hypothesis]:
    """The discard for which draws wait, with all that has waited for it: one turn after the other, such a path is behind those that have
    guessed the discard, and would be dropped. So would be one that takes another tile for the discard, where several came to light."""
    if not comes_to_light(table, path):
        return
    there = {track.id for _, track in _about_due(table, path, costs.REACH)}
    laid = [(total_of(table, after), after) for after in discards(table, path, allowed) if there.issuperset(after.grounds[-1].tracks)]
    each: dict[tuple[int, ...], tuple[float, Hypothesis]] = {}
    for total, after in sorted(laid, key=itemgetter(0)):
        each.setdefault(after.grounds[-1].tracks, (total, after))
    least = min((total for total, _ in laid), default=0.0)
    for total, after in islice(each.values(), costs.TRIED):
        if total < least + table.publish:
            yield from caught_up(table, path, after)


def _about_due(table: TableContext, path: Hypothesis, most: float, seat: Seat | None = None) -> list[tuple[float, Track]]:
    """The unexplained tiles that lie about where a seat is to discard next (None: the one whose turn it is), at no more than ``most``, the
    nearest first."""
    seat = path.play.turn if seat is None else seat
    return near(table, path, partial(table.places.river, seat, path.play.seat(seat).next_place), most=most)


def caught_up(table: TableContext, waiting: Hypothesis, path: Hypothesis) -> Iterator[Hypothesis]:
    """The path, which has the discard for which ``waiting`` waits, with the draws, discards, claims, kongs and wins that have waited since,
    as far as they become cheaper by it: between two of them a path is so dear that it would be dropped. So would one be between the last
    draw and the hand that is shown, where that is all.

    Of several ways in which all is explained those that may be asked about: what is certain is known from what contradicts it.

    Nothing where such a path is followed already and goes on by itself, nor where another one on which the same waits is so much better
    that this one would not be asked about. After each move ``waiting`` itself, which says nothing new: there a search may stop.
    """
    total = total_of(table, waiting)
    least = table.workings.caught_up.setdefault((waiting.edges, waiting.loose), total)
    if total > least + table.publish or any(
        waits < path.waits and marks[: len(path.marks)] == path.marks for marks, waits in table.workings.kept
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
    table.workings.kept.append((best.marks, best.waits))
    yield from (after for total, after in ends if after.waits == best.waits and total < least + table.publish)


def _onward(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """The path with one more of the moves that have waited: hands are shown once no draw waits, or the hand is over. Where the last draw
    was a wrong one, the discard that follows it may wait alone."""
    last = bool(path.loose) and (table.over or bool(seats_shown(table, path)))
    allowed = path.permissions(table)
    if not (path.edges or last or (path.loose and not table.gates)):
        if any(violation.back_ms > path.clock_ms for violation in path.violations[-1:]):
            yield from discards(table, path, allowed)
        return
    shown = last and (table.over or not path.edges)
    for after in claims(table, path, allowed):
        yield after
        yield from refits(table, after)
    for after in wins(table, path, allowed):
        yield after
        if table.gates:  # a win by voice explains nothing that waits until the draw after it does
            yield from draws(table, after, after.permissions(table))
            yield from drawn_wrongly(table, after, after.permissions(table))
    for kind_of_move in (draws, discards, kongs, drawn_wrongly, *((shows,) if shown else ())):
        yield from kind_of_move(table, path, allowed)
    yield from refits(table, path)


_HAND_LAID = 7
"""This many tiles laid before a seat at once are its hand, and neither a kong nor the last rows of a river with what was laid beside
them."""


def discards_unseen(table: TableContext, path: Hypothesis, allowed: Permissions) -> Iterator[Hypothesis]:
    """The seat that is to discard has done so where the camera sees nothing, because the next seat has drawn, or hands lie open."""
    seat = allowed.discard
    if seat is None or path.play.phase is not Phase.DISCARD:
        return
    until_ms = _gone_on_ms(table, path, seat, allowed) if table.gates else went_on_ms(table, path, Due(seat))
    waits = bool(path.edges) and not (table.over or _shown_since(table, path, seat, until_ms))
    if until_ms is None or (waits and table.now_ms - max(until_ms, table.tracks.watched_ms) < costs.STAYS_FOR_GOOD_MS):
        return
    after = _guessed(table, path, seat, until_ms)
    if after is not None:
        yield from caught_up(table, path, after)


def _guessed(table: TableContext, path: Hypothesis, seat: Seat, at_ms: int) -> Hypothesis | None:
    """The path with a discard of the seat that no frame saw. Its kind is the first on which a seat wins that has pressed its key for a win;
    where there is none, the first that the rules allow, of those first that break no duty of the seat. It declares riichi where the seat
    has pressed the key for that, and may."""
    riichi = path.permissions(table).riichi is seat and riichi_pressed(table, path, seat, at_ms)
    found = (path.happened(table, TileDiscarded(seat, kind, riichi=riichi), at_ms=at_ms) for kind in guesses(table, path, seat))
    legal: Iterator[Hypothesis] = (after for after in found if after is not None)
    if path.held is not None:
        known = [_weighed(table, path, after) for after in legal]
        before_ms = at_ms if path.edges else math.inf
        won = [after for after in known if _win_called(path) and calls_a_win(table, after, after.permissions(table), before_ms)]
        legal = iter(sorted(won or known, key=lambda after: after.cost))
    after = next(legal, None)
    if after is None:
        return None
    after = after.costing(costs.AGAINST_SIGHT, costs.CostReason.NEVER_SEEN)
    return without_keys(after, 0, used=(table.places.places[seat], Key.RIICHI)) if riichi else after


def _weighed(table: TableContext, path: Hypothesis, after: Hypothesis) -> Hypothesis:
    """The path after a guessed discard, with what it costs that the discard breaks a duty."""
    broken = table.breaks_duty(path.play, path.held, after.events[-1])
    return after.costing(costs.RARE, costs.CostReason.DUTY_BROKEN) if broken else after


def _win_called(path: Hypothesis) -> bool:
    """Whether somebody has pressed a key for a win that has had no effect yet."""
    return any(key.key is Key.WIN for key in path.keys)


def _gone_on_ms(table: TableContext, path: Hypothesis, seat: Seat, allowed: Permissions) -> int | None:
    """When play went on after the discard that is due: the next seat drew, or one after it where somebody has called a win by key, or a
    hand was laid open; None where nothing tells of that."""
    next_places = {table.places.places[other] for other in (set(SEATS) - {seat} if _win_called(path) else {allowed.following(seat)})}
    drawn = next((edge for edge in path.edges if edge.place in next_places and not edge.back and edge.at_ms > path.clock_ms), None)
    if drawn is not None:
        return drawn.at_ms
    shown = seats_shown(table, path)
    if path.edges or not shown or lies_where_due(table, path):
        return None
    loose = [table.track(number) for number in path.loose]
    laid_ms = (track.appeared_ms for track in loose if any(table.places.hand(seat, track) <= costs.REACH for seat in shown))
    return max(path.clock_ms, min(laid_ms))


def _shown_since(table: TableContext, path: Hypothesis, seat: Seat, drawn_ms: int | None) -> bool:
    """Whether another seat than the one that is to discard has laid its hand open at once since a draw, and nothing lies where the discard
    is due: the hand is over, so the discard has been laid. A seat that had called a win by key by then has won on its draw instead."""
    if drawn_ms is None or lies_where_due(table, path):
        return False
    calls = ((key.place, key.key) == (table.places.places[seat], Key.WIN) for key in path.keys if key.at_ms < drawn_ms)
    if any(calls):
        return False
    return any(since_ms > drawn_ms for other, since_ms in hands_laid(table, path, _HAND_LAID) if other is not seat)


def last_unseen(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """The hand is over, and the seat that is to discard has done so where the camera sees nothing."""
    seat = path.permissions(table).discard
    if seat is None or not table.gates or path.play.phase is not Phase.DISCARD:
        return
    after = _guessed(table, path, seat, table.now_ms)
    if after is not None:
        yield after


def guessed_otherwise(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """The guess lies before the seat, so another of its tiles is the unseen one, or the one that no frame could read."""
    if path.held is None or not path.loose:
        return
    for index, (event, grounds) in enumerate(path.history):
        if not isinstance(event, TileDiscarded) or not table.guessed(grounds):
            continue
        held, lying = Counter(path.held.of[event.seat]), _lying_before(table, path, event.seat)
        if lying[event.tile] <= held[event.tile] or (grounds.tracks and costs.WHOLE_MELD < lying.total() < held.total() - 1):
            continue  # of a hand that lies there in part any tile may be the one: paths would be many, and say nothing
        others = sorted(guesses(table, path, event.seat), key=lambda kind: lying[kind] - held[kind])
        for kind in others[: 1 if grounds.tracks else costs.TRIED]:
            after = refolded(table, path, with_its_wins(path, index, kind))
            if after is not path:
                yield after


def unseen_found(table: TableContext, path: Hypothesis, _: Permissions) -> Iterator[Hypothesis]:
    """A discard that was guessed has come to light where its place was never seen bare since: it was that tile, and none that lay far off
    before."""
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
            for kind in kinds_of(track)[: costs.SEVERAL]:
                after = path if kind is event.tile else refolded(table, path, with_its_wins(path, index, kind))
                if after.events[index] != replace(event, tile=kind):
                    continue
                duties = tuple(cost for cost in after.grounds[index].costs if cost[0] == costs.CostReason.DUTY_BROKEN)
                seen = structs.replace(
                    grounds, tracks=(track.id,), costs=(("place", round(price, 2)), (costs.CostReason.LATE, costs.SELDOM), *duties)
                )
                if early := before_draw(track, _drawn_ms(path, index)) * costs.RARE:
                    seen = structs.replace(seen, costs=(*seen.costs, (costs.CostReason.LAY_BEFORE_DRAW, early)))
                after = structs.replace(after, grounds=(*after.grounds[:index], seen, *after.grounds[index + 1 :]))
                found = {track.id: (TileRole(event.seat.index, Area.RIVER, number), kind)}
                yield after.explains(found).costing(price + early - costs.AGAINST_SIGHT)


def _drawn_ms(path: Hypothesis, index: int) -> int:
    """When the seat has drawn that discards at this index; 0 where it has not drawn since the discard before."""
    before = zip(reversed(path.events[:index]), reversed(path.grounds[:index]), strict=True)
    since = takewhile(lambda each: not isinstance(each[0], TileDiscarded), before)
    return next((grounds.at_ms for event, grounds in since if isinstance(event, TileDrawn)), 0)


def guesses(table: TableContext, path: Hypothesis, seat: Seat) -> list[Tile]:
    """The kinds that a discard of the seat can be of: where the deal is known those that it has, those first of which it has fewest;
    else those of the rules, those first of which fewest lie open."""
    if path.held is not None:
        return [kind for kind, _ in sorted(Counter(path.held.of[seat]).items(), key=lambda pair: (pair[1], pair[0]))]
    return fewest_open(table, path)


def _lying_before(table: TableContext, path: Hypothesis, seat: Seat) -> Counter[Tile]:
    """The likeliest kinds of the unexplained tiles that lie where the seat's next discard, its melds or its shown hand belong."""
    own = path.play.seat(seat)
    near = (
        track
        for track in table.face_up(path.loose)
        if min(table.places.river(seat, own.next_place, track), table.places.exposed(seat, len(own.melds) + 1, track)) <= costs.REACH
    )
    return Counter(likeliest(track) for track in near)
