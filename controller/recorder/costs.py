"""Costs: how unlikely each way of playing is, in nats, in one table; and how unlikely a tile's place is for each meaning of it.

The rates are those assumed for people (players.md of the design), per hand of some 55 discards and 3 claims. A cost is minus the
logarithm of a rate per occasion. Places are densities per mm², so meanings of one tile compare with one another.
"""

from __future__ import annotations

import math

UNEXPLAINED = 20.0
"""A tile lies before a seat and no move explains it: a tile fallen from a hand, taken up soon (0.03 a hand)."""
UNEXPLAINED_AWAY = 22.5
"""The same away from all hands: few tiles fall so far, on the mat as a whole."""
UNEXPLAINED_BACK = 14.0
"""The same for a tile that lies face down: a drawn tile laid beside the hand and discarded later (0.05 a hand)."""
TAKEN_UP = 2.0
"""Beside that: it has been taken up again."""
WAITING = 4.0
"""A tile lies where it will mean something (a river, a meld, a shown hand) and has not been explained yet."""
BEHIND_HIDDEN = 0.5
"""The same while the discard that is due may lie under an arm or a thing: what was laid since then cannot be explained before it."""
SHOWN_BEHIND_HIDDEN = 2.5
"""The same for a tile of a shown hand."""
BEING_SHOWN = 0.3
"""The same while hands are shown: their tiles are explained all at once, and a path that still waits for one must not fall behind."""
FIRST_ALONE = 5.5
"""The first tile of a shown hand or a meld is seen in two frames and no other one beside it (1 in 250); in a third one too, twice that."""
OVERDUE = 12.0
"""Beside that: it lies where its seat was to discard, in full sight, and the seat has discarded another tile unseen."""
UNSEEN_GONE = 7.0
"""A tile that must lie in full sight is gone: taken from the wrong river, to be put back (0.01 a hand)."""
MAYBE_CLAIMED = 2.0
"""The same for a tile that may be claimed now."""
RIVER_GONE = 12.0
"""A tile of a river has been gone for ``FOR_GOOD_MS`` from cloth in full sight: people put back what they took away (assumed: all but 1 in
150)."""
MELD_GONE = 8.0
"""A tile of a meld has been gone for some seconds from cloth in full sight: players do not pick melds up."""
UNSEEN_COVERED = 0.5
UNSEEN_SHOWN = 3.0
"""A tile of a shown hand has not been seen yet."""
NEVER_SHOWN = 7.5
"""A tile of a shown hand has not been seen when the hand is over: 0.0005 of tiles are assumed to be hidden for good."""
MOVED = 1.5
"""A tile lies elsewhere than before: a river re-arranged or pushed (0.3 a hand), a tile put back."""
RIVER_PUSHED = 13.0
"""A river pushed as a whole, wherever to (0.3 a hand; within 60 mm)."""
NOT_TAKEN_YET = 2.5
"""A claimed tile still lies in its river (0.1 of claims)."""
CLAIMED_NOT_TAKEN = "not taken yet"
CLAIMED_UNSEEN = 5.0
"""A discard was claimed before any frame saw it in its river, or no frame has seen a tile of its meld: an arm or a thing lay over it."""
OWN_UNSEEN = 3.0
"""An own tile of a meld lies where the camera sees nothing (assumed)."""
OWN_ACROSS = 6.2
"""Another tile of a meld than the claimed one lies across the others (assumed: 1 in 500 melds; no simulated player does that)."""
KONG_COVERED = 3.0
"""Of a kong that lies face down, or of one that is claimed, one own tile lies under something."""
BY_VOICE = 1.2
"""A call without a key (0.3 of calls)."""
WRONG_KEY = 4.0
"""A call with another key (0.02 of calls)."""
TAKEN_BACK = 3.0
"""A key was pressed and nothing came of it (0.05 of calls), or another call went before it."""
SECOND_CLAIM = 3.0
"""Beside the places and looks of the two tiles: a seat has laid them for a claim before which another one goes (assumed: 1 in 20
calls)."""
CALLED_LATE = 8.0
"""A win stands that was called after the next seat had drawn: the claim window was over by then (assumed: 1 in 3,000 wins)."""
WIN_LET_PASS = 7.0
"""Beside that: it was the key of a win, on a hand that wins by the deal. A call is taken back after 1 of 1,000 discards (6.9), with one of
four keys (1.4), and at most 1 in 5 lets such a win pass (1.6); 3.0 of these are ``TAKEN_BACK``."""
WIN_NOT_TAKEN = "a win let pass"
"""What the grounds of the end of the claim window call that."""
EDGE_WAITS = 3.0
"""A draw has been sensed that is not due yet: the discard before it has not been seen."""
EDGE_ALONE = 7.0
"""A draw was sensed that no turn explains: a tile put back and drawn again, two tiles drawn (0.03 a hand)."""
WITHOUT_TURN = "draw without a turn"
"""What the grounds of the next draw call that: play may have gone on without the path, so each later event may have another number."""
BEFORE_DRAW = 8.0
"""A discard was seen to lie before the draw of its turn was sensed."""
LAY_BEFORE_DRAW = "lay there before the draw"
"""What the grounds of such a discard call that."""
BEFORE_CLAIM = 8.0
"""A shared tile was seen to lie open before the meld of the claim that the path holds before it."""
NOT_TURNED_YET = 3.0
"""A seat draws while a shared tile is still to be turned up."""
DRAWN_PAST_LOCK = 12.0
"""A shared tile comes to lie open after such a draw, at a table with draw gates: they stay shut until then."""
NOT_SEEN_TURNED = "not seen turned up"
"""What the grounds of a shared tile call it when it was not seen: that it was turned up is a question."""
RIICHI_OTHERWISE = 12.0
"""A discard declares riichi though the key was not pressed, nor its tile laid sideways where there are no draw gates; or the other way
round."""
BREAKS_DUTY = 9.0
"""A discard that breaks a duty by the deal, as riichi with a hand that is not ready; a win let pass that must be taken."""
DUTY_BROKEN = "breaks a duty"
"""What the grounds of such an event call that."""
FALSE_WIN = 9.0
"""A hand is declared that does not win."""
NOT_WON = "the hand does not win"
"""What the grounds of such a win call that."""
NOT_APART = 1.2
"""The winning tile lies among the others (0.3 of shown hands)."""
SHOWN_EARLY = 5.0
"""A tile of a shown hand came to lie there well before the others (1 in 150): people show a hand all at once."""
SILENT_WIN = 4.0
"""A win by voice after which nothing is laid and the others play on, where the rules do not oblige the seat to win."""
UNSEEN_DISCARD = 12.0
"""A discard that no frame saw though the next seat has drawn: 0.001 of tiles are assumed to be hidden for good, and a discard that is only
covered is to be waited for."""
NEVER_SEEN = "never seen"
"""What the grounds of such a discard call that: its kind is a question."""
LATE = "seen late"
"""What the grounds of a discard call it that was guessed before a frame saw it."""
SEEN_LATE = 6.0
"""What is odd about a tile that a path takes for a discard which it has guessed, besides its place: it may be a later one of the seat."""
UNFINISHED = 30.0
"""The stream ends and the rules would go on."""
UNFINISHED_HAND = "unfinished"
"""What the grounds of the last event call that: what happened next is a question, whatever the event."""
ODD = 16.0
"""Something has happened that no move describes: no event is more certain than this, less what is odd about its explanation."""
USUAL_PLACE = 9.0
"""What the place of a discard costs within two centimetres of its slot."""
LINGERING = 5.0
"""No event since then is more certain than this while a tile lies there that no move explains."""
LINGERING_MS = 3000
STAYS_MS = 4000
"""A tile that has lain in full sight for so long has not just fallen: it was laid, or was left lying."""
STAYS_FOR_GOOD_MS = 5000
"""After so long such a tile weighs as one that no play explains; a second before that its violations are looked for."""
STAYS = 32.0
"""Such a tile has no explanation, though nothing that could explain it is hidden or still to come."""
VIOLATION = 9.5
"""Somebody violates the rules at this turn (some 0.004 a hand and kind)."""
LEFT_LYING = 4.0
"""What was laid by a violation still lies there: people put it right (assumed: all but 1 in 50)."""
MOVED_ON = 6.0
"""When a tile that was discarded by a violation is taken back, another one of its kind is laid elsewhere at that moment (assumed:
1 in 400)."""
SECOND_LAID_FIRST = 12.0
"""Of two discards of a turn the surplus one was seen to lie there before the other one: the first one is the discard of that turn."""
FOR_GOOD_MS = 20_000
"""After so long what was to be put back, or taken up again, is left as it is."""
DREW_WRONGLY = 8.0
"""A tile was drawn that was not to be drawn, and was put back, or a drawn tile was put back (0.02 a hand)."""
OUT_OF_TURN = 1.4
"""Beside that: it was the tile of a seat whose turn it was not (0.005 a hand)."""
BACK_UNEXPLAINED = 20.0
"""A tile was put into a gate, which the path cannot have lost."""
DREW_BEFORE_DISCARD = 12.0
"""The order of a draw and the discard before it is the other way round than the camera saw."""
PUBLISH = 9.0
"""Least margin of an event that is published (``DecoderLimits``)."""
ASK = 6.0
"""Least margin of an event about which no question is asked once the hand is over: by its own odds such an event is wrong once in 400
times. Most hands have none whose margin is less than ``PUBLISH``."""
MOST = 25.0
"""A path so much worse than the best one is dropped."""
LEAST_KIND = -14.0
"""A kind that the camera holds for less likely is not considered."""

_MAT_MM2 = 730.0**2
_RIVER_BOX_MM2 = 200.0 * 190.0
Spread = tuple[tuple[float, float], ...]
"""Shares of people's ways with their standard deviations in mm."""
RIVER: Spread = ((0.86, 6.0), (0.11, 18.0), (0.03, 45.0))
"""A discard about its slot (6 of 55 more than 10 mm off, 1 more than 30 mm)."""
MELD: Spread = ((0.65, 8.0), (0.30, 25.0), (0.05, 70.0))
"""A meld's tile about its slot (0.3 of melds more than 20 mm off)."""
SHARED: Spread = ((0.95, 6.0), (0.05, 25.0))
PUSHED: Spread = ((0.5, 10.0), (0.4, 35.0), (0.1, 90.0))
"""A tile about where it lay before it was moved."""
PUSHED_TOGETHER: Spread = ((0.9, 4.0), (0.1, 12.0))
"""A tile of a river that was pushed as a whole about where it then would lie."""
WRONG_PLACE = 0.01
"""Share of discards in the wrong row or column of the own river."""
ON_ANOTHERS_RIVER = 4e-4
"""Share of discards on another's river (0.02 a hand)."""
ANYWHERE = 4e-4
"""Share of discards anywhere on the mat (assumed)."""
_OTHERS = 3
_HAND_ALONG_MM, _HAND_AWAY_MM, _HAND_EDGE_MM = 210.0, 45.0, 15.0


def about(distance_mm: float, spread: Spread, elsewhere: float = 0.0) -> float:
    """The cost of a place so far from where it is expected; ``elsewhere`` is a further density per mm²."""
    square = distance_mm * distance_mm
    density = sum(share / (2 * math.pi * sd * sd) * math.exp(-square / (2 * sd * sd)) for share, sd in spread)
    return -math.log(density + elsewhere + 1e-12)


def in_river(distance_mm: float, *, own: bool, anothers: bool) -> float:
    """The cost of a discard's place; ``own``: it lies in its own river, if perhaps in another row or column; ``anothers``: in another's."""
    share = (WRONG_PLACE if own else 0.0) + (ON_ANOTHERS_RIVER / _OTHERS if anothers else 0.0)
    return about(distance_mm, RIVER, share / _RIVER_BOX_MM2 + ANYWHERE / _MAT_MM2)


def in_shown_hand(along_mm: float, from_row_mm: float) -> float:
    """The cost of a shown tile's place: anywhere in one or two rows before its seat."""
    outside = max(0.0, abs(along_mm) - _HAND_ALONG_MM), max(0.0, abs(from_row_mm) - _HAND_AWAY_MM)
    area = 4 * _HAND_ALONG_MM * _HAND_AWAY_MM
    return math.log(area) + sum((side / _HAND_EDGE_MM) ** 2 / 2 for side in outside)
