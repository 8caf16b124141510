"""Moves: how a path may continue, each a legal event of play and the way in which people do it, with its cost.

No module here names a rule set: ``RuleSet.permissions``, ``illegal`` and ``apply`` decide what may happen.
"""

from collections.abc import Iterator

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.moves.melds import claims, kongs
from controller.recorder.moves.refits import refits
from controller.recorder.moves.second_claims import claims_taken_back, second_claims
from controller.recorder.moves.turns import discards, draws, passed, turn_ups
from controller.recorder.moves.unseen import discards_seen_late, discards_unseen, guessed_otherwise, last_unseen, unseen_found
from controller.recorder.moves.violations import drawn_wrongly, laid_wrongly
from controller.recorder.moves.wins import shows, wins
from controller.recorder.shared_tiles import with_shared_tiles
from twinwall.game.play_events import EndReason, HandEnded, TileDrawn, totals


def moves(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield every path that is one move longer; of equally likely paths the search keeps the first."""
    by_play = _own_turns, discards, discards_seen_late, discards_unseen, unseen_found, claims, kongs, wins, shows, turn_ups
    others = refits, guessed_otherwise, second_claims, claims_taken_back, drawn_wrongly, laid_wrongly
    for kind_of_move in (*by_play, *others):
        yield from kind_of_move(table, path)


def _own_turns(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield the draw of the seat whose turn it is. An assumed draw is one move with its seat's discard, kong or win, so that the path
    competes with one that explains the tiles at once."""
    for after in draws(table, path):
        yield after
        if not table.gates and isinstance(after.events[-1], TileDrawn):
            yield from kongs(table, after)
            yield from wins(table, after)


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
