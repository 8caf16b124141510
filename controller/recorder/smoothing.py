"""Smoothing: the other kinds that a discard may have, once the whole hand and the deal are known.

A kind is possible if the hand is legal and every seat had its tiles with it, alone or exchanged with another discard of the same seat.
Nothing that players see or hear comes from this.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, islice

from msgspec import structs

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.signals import Grounds
from controller.recorder.violations import mark_of
from controller.recorder.winning import calls_a_win, score
from twinwall.game.play import PlayState
from twinwall.game.play_events import (
    Claimed,
    ClaimsPassed,
    HandEnded,
    HandLaidOpen,
    HandShown,
    PlayEvent,
    TileDiscarded,
    TileDrawn,
    WinDeclared,
    WinRefused,
)
from twinwall.game.rule_set import Win
from twinwall.game.tiles import COPIES, Seat, Tile

_MOST_CHANGES = 8


def kind_margin(table: TableContext, best: Hypothesis, index: int, limit: float) -> float:
    """Return the log-odds of a discard's kind to the best other kind with which the whole hand is possible, if below ``limit``. The kind of
    a discard that no frame saw follows from the whole hand alone."""
    event, tracks = best.events[index], best.grounds[index].tracks
    assert isinstance(event, TileDiscarded)
    logs = table.track(tracks[0]).evidence.logs if tracks else [0.0] * len(Tile)
    others = sorted((logs[event.tile] - logs[other], other) for other in Tile if other is not event.tile)
    margin = costs.MOST
    for gap, other in others:
        if gap >= min(margin, limit):
            break
        for further, exchange in _exchanges(table, best, index, other):
            if max(0.0, gap + further) < margin and possible(table, best.events, exchange):
                margin = max(0.0, gap + further)
    return margin


def won_margin(table: TableContext, best: Hypothesis, index: int, limit: float) -> float:
    """Return the log-odds of the kind of an unseen discard that was won on to the best other kind with which the whole hand is possible and
    all winners win, if below ``limit``."""
    event, margin = best.events[index], costs.MOST if possible(table, best.events, {}) else costs.LINGERING
    assert isinstance(event, TileDiscarded)
    for other in (kind for kind in Tile if kind is not event.tile):
        wins = with_its_wins(best, index, other)
        shown = _shown_to_win(table, best, index, {win.seat for win in wins.values() if isinstance(win, WinDeclared)}, other)
        for further, exchange in _exchanges(table, best, index, other):
            against = further + sum(gap for gap, _ in shown.values())
            changed = {**exchange, **wins, **{number: hand for number, (_, hand) in shown.items()}}
            if against < min(margin, limit) and possible(table, best.events, changed):
                margin = max(0.0, against)
    return margin


def _shown_to_win(
    table: TableContext, best: Hypothesis, index: int, winners: Iterable[Seat], other: Tile
) -> dict[int, tuple[float, HandShown]]:
    """Return by index the hands that won on a discard, as if that was another tile, and the camera's evidence against it."""
    discard, found = best.events[index], dict[int, tuple[float, HandShown]]()
    assert isinstance(discard, TileDiscarded)
    left = set(winners)
    for number, shown in enumerate(best.events[index:], index):
        if not isinstance(shown, HandShown) or shown.seat not in left:
            continue
        left.remove(shown.seat)
        lying = [table.track(track).evidence.logs for track in best.grounds[number].tracks if best.kinds.get(track) is discard.tile]
        seen = len(lying) > shown.concealed.count(discard.tile)
        against = min((logs[discard.tile] - logs[other] for logs in lying), default=0.0) if seen else 0.0
        found[number] = against, replace(shown, winning=other)
    return found


def settled(table: TableContext, path: Hypothesis) -> Hypothesis:
    """Return the path with discards of other kinds where that is likelier: an unreadable face is known once a laid open hand lacks one
    tile, and is another kind if the assumed tile is discarded later. A winning hand was shown with its tiles and stays."""
    for _ in range(_MOST_CHANGES):
        after = next(_likelier(table, path), None)
        if after is None:
            break
        path = after
    return path


def _likelier(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    for index, (event, grounds) in enumerate(path.history):
        if not isinstance(event, TileDiscarded) or not grounds.tracks or _laid_for(table, path, index):
            continue
        logs = table.track(grounds.tracks[0]).evidence.logs
        for other in (kind for kind in Tile if kind is not event.tile and logs[event.tile] - logs[kind] < table.publish):
            for further, exchange in _exchanges(table, path, index, other):
                better = logs[event.tile] - logs[other] + further < -costs.COMMON
                if better and not any(isinstance(each, HandShown) for each in exchange.values()) and possible(table, path.events, exchange):
                    after = refolded(table, path, exchange)
                    if after is not path:
                        yield after


def _laid_for(table: TableContext, path: Hypothesis, index: int) -> bool:
    """Whether the path explains tiles as a claim of this discard that does not stand; with another kind they are a violation."""
    by_violations = {track for violation in path.violations for track in violation.tracks}
    later = islice(path.history, index + 1, None)
    until_ms = next((grounds.at_ms for event, grounds in later if not isinstance(event, ClaimsPassed | Claimed)), table.now_ms)
    laid = (table.track(track).appeared_ms for track in path.aside.keys() - by_violations)
    return any(path.grounds[index].at_ms <= at_ms < until_ms for at_ms in laid)


def with_kind(table: TableContext, path: Hypothesis, track: int, kind: Tile) -> Hypothesis:
    """Return the path with another kind for the discard of a track, as a person says; the path itself if no legal hand has it."""
    index = next((number for number, grounds in enumerate(path.grounds) if grounds.tracks[:1] == (track,)), None)
    event = None if index is None else path.events[index]
    if index is None or not isinstance(event, TileDiscarded) or event.tile is kind:
        return path
    exchanges = sorted(_exchanges(table, path, index, kind), key=lambda exchange: exchange[0])
    changed = next((changed for _, changed in exchanges if possible(table, path.events, changed)), None)
    return path if changed is None else refolded(table, path, changed)


def with_unseen(table: TableContext, path: Hypothesis, index: int, kind: Tile) -> Hypothesis | None:
    """Return the path with the kind that a person names for an unseen discard; None if no legal hand has it."""
    if not isinstance(path.event_at(index), TileDiscarded) or not path.grounds[index].never_seen:
        return None
    return guessed_as(table, path, index, kind, structs.replace(path.grounds[index], costs=(("as answered", costs.AGAINST_SIGHT),)))


def guessed_as(table: TableContext, path: Hypothesis, index: int, kind: Tile, grounds: Grounds) -> Hypothesis | None:
    """Return the path on which a guessed discard is of this kind for these grounds, beside a broken duty; None if no legal hand has it."""
    event = path.events[index]
    assert isinstance(event, TileDiscarded)
    after = path if event.tile is kind else refolded(table, path, with_its_wins(path, index, kind))
    if after.events[index] != replace(event, tile=kind):
        return None
    duties = (cost for cost in after.grounds[index].costs if cost[0] == costs.CostReason.DUTY_BROKEN)
    return after.based_on(index, structs.replace(grounds, costs=(*grounds.costs, *duties)))


def with_its_wins(path: Hypothesis, index: int, kind: Tile) -> dict[int, PlayEvent]:
    """Return by index the events that change when this discard is of another kind: itself, and the wins declared on it."""
    event = path.events[index]
    assert isinstance(event, TileDiscarded)
    changed: dict[int, PlayEvent] = {index: replace(event, tile=kind)}
    for later, win in enumerate(path.events[index + 1 :], index + 1):
        if isinstance(win, WinDeclared) and win.source is event.seat:
            changed[later] = replace(win, tile=kind)
        elif not isinstance(win, HandShown | WinRefused):
            break
    return changed


def refolded(table: TableContext, path: Hypothesis, changed: Mapping[int, PlayEvent]) -> Hypothesis:
    """Return the path with some events changed and all folded again; the path itself if that is impossible."""
    events = tuple(changed.get(index, known) for index, known in enumerate(path.events))
    marks = tuple(mark_of(changed[index]) if index in changed else mark for index, mark in enumerate(path.marks))
    after = with_events(table, path, events, marks)
    if after is None:
        return path
    for index in range(min(changed, default=len(events)), len(events)):
        if isinstance(events[index], TileDiscarded | ClaimsPassed):
            path = _weighed_anew(table, path, index, events, marks)
    kinds = dict(path.kinds)
    for index, event in changed.items():
        tracks, before = path.grounds[index].tracks, path.events[index]
        if isinstance(event, TileDiscarded) and tracks:
            kinds[tracks[0]] = event.tile
        elif isinstance(event, HandLaidOpen) and isinstance(before, HandLaidOpen):
            kinds |= _laid_otherwise(table, {track: kinds[track] for track in tracks}, before, event)
    return structs.replace(after, cost=path.cost, grounds=path.grounds, kinds=kinds)


def _weighed_anew(table: TableContext, path: Hypothesis, index: int, events: Sequence[PlayEvent], marks: Sequence[int]) -> Hypothesis:
    """Return the path with the costs of a broken duty and of a win not taken updated for the event of this index. ``events`` are the new
    ones; the grounds are still those of the old ones."""
    before = with_events(table, path, events[:index], marks[:index])
    if before is None:
        return path
    now = {
        costs.CostReason.DUTY_BROKEN: costs.RARE * table.breaks_duty(before.play, before.held, events[index]),
        costs.CostReason.WIN_NOT_TAKEN: costs.RARE * _win_let_pass(table, path, index, before),
    }
    grounds = path.grounds[index]
    known = tuple((why, cost) for why, cost in grounds.costs if why not in now)
    charged = sum(cost for why, cost in grounds.costs if why in now)
    weighed = structs.replace(grounds, costs=(*known, *((why, cost) for why, cost in now.items() if cost)))
    cost = path.cost + sum(now.values()) - charged
    return structs.replace(path.based_on(index, weighed), cost=cost)


def _win_let_pass(table: TableContext, path: Hypothesis, index: int, before: Hypothesis) -> bool:
    """Whether this event ends the claims although a seat that wins had pressed its key for a win; ``before`` is the path before it."""
    if not isinstance(path.events[index], ClaimsPassed):
        return False
    after = path.grounds[index + 1 : index + 2]
    drawn = bool(after) and isinstance(path.events[index + 1], TileDrawn)
    keys = (*path.keys, *(key for grounds in after for key in grounds.keys))
    before = structs.replace(before, keys=keys)
    return calls_a_win(table, before, after[0].at_ms if drawn else math.inf)


def with_events(table: TableContext, path: Hypothesis, events: Sequence[PlayEvent], marks: Sequence[int]) -> Hypothesis | None:
    """Return the path with these events and marks in place of its own; None if they are impossible."""
    trails, known = list(accumulate(marks, lambda trail, mark: hash((trail, mark)), initial=0)), table.deal is not None
    table.folds[0, known] = table.beginning()
    done = next(number for number in range(len(events), -1, -1) if (trails[number], known) in table.folds)
    after = table.folds[trails[done], known]
    for event, trail in zip(events[done:], trails[done + 1 :], strict=True):
        if after is None:
            break
        after = table.after(*after, event, trail)
    if after is None:
        return None
    return structs.replace(path, play=after[0], held=after[1], events=tuple(events), marks=tuple(marks), trail=trails[-1])


def _laid_otherwise(table: TableContext, lying: Mapping[int, Tile], before: HandLaidOpen, after: HandLaidOpen) -> dict[int, Tile]:
    """Return the changed tile of a hand laid open: its track and new kind."""
    gone, come = Counter(before.concealed) - Counter(after.concealed), Counter(after.concealed) - Counter(before.concealed)
    found = {}
    for old, new in zip(gone.elements(), come.elements(), strict=True):
        among = [track for track, kind in lying.items() if kind is old and track not in found]
        if among:
            found[min(among, key=lambda track: table.track(track).evidence.logs[old] - table.track(track).evidence.logs[new])] = new
    return found


def _exchanges(table: TableContext, best: Hypothesis, index: int, other: Tile) -> Iterator[tuple[float, Mapping[int, PlayEvent]]]:
    """Yield the ways in which a discard may be of another kind, with the camera's evidence against the tile that it is exchanged with."""
    event = best.events[index]
    assert isinstance(event, TileDiscarded)
    yield 0.0, {index: replace(event, tile=other)}
    for place, further in enumerate(best.events):
        match further:
            case TileDiscarded(event.seat, tile) if tile is other and place != index:
                seen = best.grounds[place].tracks
                logs = table.track(seen[0]).evidence.logs if seen else None
                against_both = 0.0 if logs is None else logs[other] - logs[event.tile]
                yield against_both, {index: replace(event, tile=other), place: replace(further, tile=event.tile)}
            case HandShown(event.seat, concealed) | HandLaidOpen(event.seat, concealed) if other in concealed:
                left = list(concealed)
                left.remove(other)
                shown = replace(further, concealed=tuple(sorted((*left, event.tile))))
                lying = (table.track(track).evidence.logs for track in best.grounds[place].tracks if best.kinds.get(track) is other)
                against = min((logs[other] - logs[event.tile] for logs in lying), default=0.0)
                yield against, {index: replace(event, tile=other), place: shown}
            case _:
                pass


def possible(table: TableContext, events: Sequence[PlayEvent], changed: Mapping[int, PlayEvent]) -> bool:
    """Whether changed events are legal, each seat had its tiles, and a changed winning hand still wins; scores are not checked."""
    state, held = table.beginning()
    for index, known in enumerate(events):
        event = changed.get(index, known)
        if isinstance(event, HandEnded):
            return True
        after = table.step(state, held, event)
        if after is None:
            return False
        before, (state, held) = state, after
        if isinstance(event, HandShown | HandLaidOpen) and held is not None and _laid(before, event) - Counter(held.of[event.seat]):
            return False
        if isinstance(event, HandShown) and index in changed and not _still_wins(table, events, index, before, event):
            return False
    return True


def _still_wins(table: TableContext, events: Sequence[PlayEvent], index: int, state: PlayState, shown: HandShown) -> bool:
    """Whether a changed hand wins as the original did; True if the original was refused."""
    later = (event for event in events[index + 1 :] if isinstance(event, HandShown | WinRefused) and event.seat is shown.seat)
    return isinstance(next(later, None), WinRefused) or isinstance(score(table, state, shown), Win)


def _laid(state: PlayState, event: HandShown | HandLaidOpen) -> Counter[Tile]:
    """Return the tiles that a seat lays open and must have held: with the winning tile if it was drawn, without it if it was a discard."""
    laid = Counter(event.concealed)
    if isinstance(event, HandShown):
        laid.update(dict.fromkeys(event.kongs, COPIES))
        laid.update([event.winning] if state.turn is event.seat and state.drew else [])
    return laid
