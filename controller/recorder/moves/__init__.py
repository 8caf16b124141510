"""Moves: how a path may continue, each a legal event of play and the way in which people do it, with its cost.

No module here names a rule set: ``RuleSet.permissions``, ``illegal`` and ``apply`` decide what may happen.
"""

from collections.abc import Iterator

from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.moves.melds import claims, kongs
from controller.recorder.moves.refits import refits
from controller.recorder.moves.second_claims import claims_taken_back, second_claims
from controller.recorder.moves.turns import discards, draws, turn_ups
from controller.recorder.moves.unseen import discards_seen_late, discards_unseen, guessed_otherwise, unseen_found
from controller.recorder.moves.violations import drawn_wrongly, laid_wrongly
from controller.recorder.moves.wins import shows, wins
from twinwall.game.play_events import TileDrawn


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
