"""Moves of a discard that is seen late, when what lay over it has gone, and of all that has waited for it."""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from operator import itemgetter

from controller.recorder import costs
from controller.recorder.dues import due_now, seats_shown
from controller.recorder.estimate import total_of
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.moves.candidates import near
from controller.recorder.moves.drawn_wrongly import drawn_wrongly
from controller.recorder.moves.melds import claims, kongs
from controller.recorder.moves.refits import refits
from controller.recorder.moves.turns import discards, draws
from controller.recorder.moves.wins import shows, wins
from controller.recorder.tracks import Track
from twinwall.game.play import Phase
from twinwall.game.rule_set import Permissions
from twinwall.game.tiles import Seat


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
    return near(table, path, partial(table.places.river, seat, path.play.seat(seat).next_place), face_up=True, most=most)


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
    for kind_of_move in (
        draws,
        discards,
        kongs,
        drawn_wrongly,
        wins,
        *((shows,) if shown else ()),
    ):
        yield from kind_of_move(table, path, allowed)
    yield from refits(table, path)
