"""Shared tiles whose turning was not seen. Play does not wait for one, and each later event has a number one higher.

So no later event is certain while one is due (``margins``). After the hand, if the deal names the tile, it is inserted where it was due.
"""

from msgspec.structs import replace

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.signals import Grounds
from controller.recorder.smoothing import with_events
from controller.recorder.violations import mark_of
from twinwall.game.play_events import SharedTileTurned


def due_since(table: TableContext, path: Hypothesis) -> int | None:
    """Return the number of events of the path when the due shared tile became due; None if none is due."""
    if not any(table.rules.shared_rows) or path.permissions(table).turn_up is None:
        return None
    state, since = table.rules.start(), 0
    for number, event in enumerate(path.events, start=1):
        before, state = state, table.rules.apply(state, event)
        if table.rules.permissions(before).turn_up is None:
            since = number
    return since


def with_shared_tiles(table: TableContext, path: Hypothesis) -> Hypothesis:
    """Return the path with the due shared tiles inserted where they became due; the path itself if the deal is unknown."""
    since = due_since(table, path)
    while since is not None and table.deal is not None:
        after = _turned(table, path, since)
        if after is None:
            return path
        path, since = after, due_since(table, after)
    return path


def _turned(table: TableContext, path: Hypothesis, since: int) -> Hypothesis | None:
    assert table.deal is not None
    place = path.permissions(table).turn_up
    assert place is not None
    turned = SharedTileTurned(place, table.deal.rest[place])
    events = (*path.events[:since], turned, *path.events[since:])
    marks = (*path.marks[:since], mark_of(turned), *path.marks[since:])
    after = with_events(table, path, events, marks)
    if after is None:
        return None
    at_ms = path.grounds[since].at_ms if since < len(path.grounds) else table.now_ms
    unseen = Grounds(at_ms, (), ((costs.CostReason.NOT_SEEN_TURNED, costs.SOMETIMES),))
    grounds = (*path.grounds[:since], unseen, *path.grounds[since:])
    return replace(after, grounds=grounds)
