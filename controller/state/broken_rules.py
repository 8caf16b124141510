"""Broken rules: which rule each violation breaks, by its stable word, in a sentence for people. Table and decoder name the same rules. If
the rule set's own sentence is more precise (swap calling), the event has that one."""

from collections.abc import Mapping

BROKEN_RULES: Mapping[str, str] = {
    "drew-early": "a seat draws when the discard before its turn lies there and nobody claims it",
    "drew-out-of-turn": "a tile is drawn by the seat whose turn it is, from its own wall",
    "drew-twice": "a seat draws one tile a turn",
    "put-back": "a drawn tile is not put back into its draw gate",
    "discarded-out-of-turn": "a seat discards when it is its turn and it has drawn or claimed",
    "discarded-twice": "a seat discards one tile a turn",
    "false-discard": "a tile that the rules bar is not discarded",
    "false-claim": "whoever claims lays open two or three tiles that form the meld with a discard that may be claimed",
    "claimed-late": "a discard is claimed before its claim window closes; where melds may wait for the turn, before the draw",
    "false-kong": "a kong is declared with four equal tiles, when the rules allow one",
    "false-win": "a win is declared on a hand that wins",
    "exposed-tiles": "tiles of a hand stay concealed until they are discarded, laid as a meld or shown",
    "not-shown": "what was called is laid open at once",
    "slow-play": "a seat draws and discards within the time of the turn clock",
    "magazine-differs": "tiles leave a magazine one by one, through its gate",
}
"""By stable word of the event ``violation``."""
