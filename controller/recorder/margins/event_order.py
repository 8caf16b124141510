"""Where events may have another order, or play may have continued otherwise than on the best path; and which wins stand."""

import math
from itertools import islice

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.shared_tiles import due_since
from controller.recorder.violations import ViolationKind
from twinwall.game.play_events import ClaimsPassed, TileDiscarded, TileDrawn, WinDeclared, WinRefused
from twinwall.wire.shapes.panel import Key, KeyEdge


def unordered_from(table: TableContext, best: Hypothesis) -> int | None:
    """Return the index of the first event that may have another number; None without one."""
    firsts = due_since(table, best), _disordered_from(best), _lost_from(table, best), _laid_together(table, best)
    return min((first for first in firsts if first is not None), default=None)


def _lost_from(table: TableContext, best: Hypothesis) -> int | None:
    """Return the index of the first event from which play may have continued otherwise; None without one."""
    skipped = next((index for index in range(len(best.events)) if _may_skip(best, index) or _won_unwatched(table, best, index)), None)
    if skipped and isinstance(best.events[skipped], TileDrawn) and isinstance(best.events[skipped - 1], ClaimsPassed):
        skipped -= 1  # if the draw is in doubt, a claim may have come before it
    late = _laid_late(table, best)
    return min((index for index in (skipped, late) if index is not None), default=None)


def _laid_late(table: TableContext, best: Hypothesis) -> int | None:
    """Return the index of the first event whose tile, by the camera, appeared after a draw that is later on the path; None without one."""
    drawn_ms, first = math.inf, None
    for index, (event, grounds) in reversed(list(enumerate(best.history))):
        bare_ms = table.track(grounds.tracks[0]).bare_before_ms if grounds.tracks else None
        if bare_ms is not None and bare_ms > drawn_ms + costs.DELAY_MS:
            first = index
        if isinstance(event, TileDrawn):
            drawn_ms = min(drawn_ms, grounds.at_ms)
    return first


def _laid_together(table: TableContext, best: Hypothesis) -> int | None:
    """Without gates, return the index of the first of three discards that appeared at once on bare places: other discards and claims may be
    missing before them; None without such."""
    if table.gates or not table.over:
        return None
    laid = sorted(
        (track.appeared_ms, index)
        for index, (event, grounds) in enumerate(best.history)
        if isinstance(event, TileDiscarded)
        for track in map(table.track, grounds.tracks[:1])
        if track.bare_before_ms is not None
    )
    return next((index for (at_ms, index), (third_ms, _) in zip(laid, laid[2:], strict=False) if third_ms - at_ms <= costs.DELAY_MS), None)


def lost_ms(table: TableContext, best: Hypothesis) -> float:
    """Return since when play may have continued otherwise: the last draw or discard before the first such event; infinite without one."""
    lost = _lost_from(table, best)
    if lost is None:
        return math.inf
    turns = islice(best.history, lost)
    return max((grounds.at_ms for event, grounds in turns if isinstance(event, TileDrawn | TileDiscarded)), default=0)


def _may_skip(best: Hypothesis, index: int) -> bool:
    """Whether play may have continued otherwise from this event: a draw without a turn, a guessed discard later matched to a tile far from
    its place, or a win that was not refused though its hand does not win."""
    grounds = best.grounds[index]
    if not grounds.costs:
        return False
    odd = sum(cost for _, cost in grounds.costs) - costs.USUAL_PLACE
    if grounds.has(costs.CostReason.NOT_WON):
        return not refused(best, index)
    return grounds.has(costs.CostReason.WITHOUT_TURN) or (grounds.has(costs.CostReason.LATE) and odd > costs.ODD - costs.LINGERING)


def _won_unwatched(table: TableContext, best: Hypothesis, index: int) -> bool:
    """Whether a key for a win had no effect by this event, and a hand may have been shown, refused and picked up unseen: the camera was
    silent after it, or the seat left tiles of its hand open then."""
    event, keys = best.events[index], best.grounds[index].keys
    if not keys:
        return False
    wins = [key for key in keys if key.key is Key.WIN]
    if isinstance(event, WinDeclared):
        wins = [key for key in wins if key.place != table.places.places[event.seat]]
    silent = any(from_ms <= key.at_ms < until_ms - costs.LINGERING_MS for key in wins for from_ms, until_ms in table.tracks.silences)
    return silent or any(_laid_open_with(table, best, key) for key in wins)


def _laid_open_with(table: TableContext, best: Hypothesis, key: KeyEdge) -> bool:
    """Whether the seat of a key left tiles of its hand open about when it pressed the key: the rest may be covered."""
    opened = (each for each in best.violations if each.kind is ViolationKind.EXPOSED_TILES)
    return any(table.places.places[each.seat] == key.place and abs(each.at_ms - key.at_ms) < costs.LINGERING_MS for each in opened)


def _disordered_from(best: Hypothesis) -> int | None:
    """While several draws wait, return the index of the first event that is earlier on the path than in time: a hidden tile may be another
    one, and each later event have another number. None otherwise."""
    if len(best.edges) < costs.SEVERAL:
        return None
    earliest_ms, first = math.inf, None
    for index in reversed(range(len(best.grounds))):
        at_ms = best.grounds[index].at_ms
        if at_ms > earliest_ms + costs.MOMENT_MS:
            first = index
        earliest_ms = min(earliest_ms, at_ms)
    return first


def won_on(best: Hypothesis, index: int) -> bool:
    """Whether a win was declared on this discard with a hand that wins."""
    later = index + 1
    if later >= len(best.events) or not isinstance(best.events[later], WinDeclared):
        return False
    return not (refused(best, later) or best.grounds[later].has(costs.CostReason.NOT_WON))


def won_on_a_guess(best: Hypothesis, index: int) -> int | None:
    """Return the index of the unseen discard on which this event is a win; None if it is none."""
    event = best.events[index]
    if not isinstance(event, WinDeclared) or event.source is None:
        return None
    discard = next(number for number in reversed(range(index)) if isinstance(best.events[number], TileDiscarded))
    return discard if best.grounds[discard].never_seen else None


def refused(best: Hypothesis, index: int) -> bool:
    """Whether this event is a win that was refused: at once, or once all hands are shown."""
    win = best.events[index]
    return isinstance(win, WinDeclared) and any(
        isinstance(later, WinRefused) and later.seat is win.seat for later in best.events[index + 1 :]
    )
