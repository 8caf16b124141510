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


def moves(table: TableContext, path: Hypothesis) -> Iterator[Hypothesis]:
    """Yield every path that is one move longer; of equally likely paths the search keeps the first."""
    by_play = draws, discards, discards_seen_late, discards_unseen, unseen_found, claims, kongs, wins, shows, turn_ups
    others = refits, guessed_otherwise, second_claims, claims_taken_back, drawn_wrongly, laid_wrongly
    for kind_of_move in (*by_play, *others):
        yield from kind_of_move(table, path)
