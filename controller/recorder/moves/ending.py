"""Ending: bring a path to the end of its hand when no more signals come."""

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.moves.turns import passed
from controller.recorder.moves.unseen import last_unseen
from controller.recorder.shared_tiles import with_shared_tiles
from twinwall.game.play_events import EndReason, HandEnded, totals


def ended(table: TableContext, path: Hypothesis) -> Hypothesis:
    """Return the path with the end of the hand, adding an unseen last discard if only that is missing; at the cost of an unfinished hand if
    the rules would continue."""
    path = with_shared_tiles(table, path)
    for way in (path, *last_unseen(table, path)):
        after = _ended_by_the_rules(table, way)
        if after is not None:
            return after
    return path.costing(costs.STAYS, costs.CostReason.UNFINISHED)


def _ended_by_the_rules(table: TableContext, path: Hypothesis) -> Hypothesis | None:
    """Return the path with the end of the hand if the rules allow it now, or once the last tile is not claimed."""
    for way in (passed(table, path), path):
        if way is None:
            continue
        payments = table.rules.payments(way.play, way.wins) if way.permissions(table).ended or way.wins else ()
        for reason in (EndReason.WON, EndReason.DRAWN):
            after = way.happened(table, HandEnded(reason, totals(payments)))
            if after is not None:
                return after
    return None
