"""Costs: how unlikely each way of playing is, in nats; how unlikely a tile's place is for each meaning of it; times and counts of people.

A cost is minus the logarithm of a rate per occasion. The rates are assumed (players.md of the design) and known by their order alone, so
all moves and estimates take theirs from one scale. Places are densities per mm², so meanings of one tile compare with one another.
"""

import math
from enum import StrEnum

OFTEN = 0.5
"""A key that was pressed; what is missing lies under something; a tile waits for a hidden discard, or for the rest of a shown hand."""
COMMON = 1.3
"""1 in 4: a call by voice, a winning tile among the others, a tile moved, a wrong draw that is out of turn as well."""
SOMETIMES = 3.0
"""1 in 20: a key without effect, a claimed tile not taken yet, another claim that does not stand, a draw that waits, a tile of a kong, meld
or shown hand that is not seen yet, a tile taken up again."""
SELDOM = 5.0
"""1 in 150: a wrong key, a discard claimed before any frame saw it or seen late, the first tile of a meld or hand alone, a shown tile
early, what a violation laid not put right."""
RARE = 8.5
"""1 in 5,000: a violation, a broken duty, a win called by voice with nothing laid where draws are not sensed, a false win, a win let pass,
a draw without a turn, a tile there before its draw, a shown tile never seen, a tile of a meld or river gone."""
AGAINST_SIGHT = 12.0
"""Frames or gates show something else: a discard that no frame saw though play went on (0.001 of tiles are hidden for good), a draw before
the discard that it follows, a tile still where its seat was to discard, a river gone for good or pushed."""
UNEXPLAINED = 22.5
"""A tile lies there, or was put into a gate, and no move explains it: it has fallen from a hand and is taken up soon (0.03 a hand)."""
STAYS = 32.0
"""Such a tile stays, though nothing that could explain it is hidden or still to come; or the hand ends and the rules would go on."""

WAITING = 4.0
"""A tile lies where it will mean something (a river, a meld, a shown hand) and has not been explained yet; or a win was called by voice
with nothing laid, where draws are sensed: about one discard in 60 is won on."""
ODD = 16.0
"""Something has happened that no move describes: no event is more certain than this, less what is odd about its explanation."""
LINGERING = 5.0
"""No event since then is more certain than this while a tile lies there that no move explains."""
PUBLISH = 9.0
"""Least margin of an event that is published (``DecoderLimits``)."""
ASK = 6.0
"""Least margin of an event about which no question is asked once the hand is over: by its own odds such an event is wrong once in 400
times. Most hands have none whose margin is less than ``PUBLISH``."""
MOST = 25.0
"""A path so much worse than the best one is dropped."""
LEAST_KIND = -14.0
"""A kind that the camera holds for less likely is not considered."""
USUAL_PLACE = 9.0
"""What the place of a discard costs within two centimetres of its slot."""
OFF_ITS_SLOT = AGAINST_SIGHT
"""Most that the place of a discard costs which was laid some 35 mm off its slot."""
HAND_PLACE = 13.5
"""Most that a place costs in one or two rows before a seat, and of a discard or a meld that was not to be laid."""
REACH = 16.0
"""Most that a place costs for a tile to have a meaning there."""

DELAY_MS = 700
"""A discard may be seen so long before the edge of its draw: both have their delays."""
MOMENT_MS = 1000
"""Tiles that come to lie within this time were moved together; a question shows the frame so long before its event."""
AT_ONCE_MS = 2000
"""Tiles that come to lie within this time are laid together, as a meld or a hand."""
LINGERING_MS = 3000
"""What waits for no longer is still to be joined by others."""
STAYS_MS = 4000
"""A tile that has lain in full sight for so long has not just fallen: it was laid, or was left lying."""
STAYS_FOR_GOOD_MS = STAYS_MS + MOMENT_MS
"""After so long such a tile weighs as one that no play explains; before that its violations are looked for."""
ONE_ACT_MS = 10_000
"""What a seat does within this time is one act, and one question."""
FOR_GOOD_MS = 20_000
"""After so long what was to be put back, or taken up again, is left as it is."""

NEAR_MM = 60.0
"""A tile that lies farther from its place does not lie there yet, or any more; a river is pushed no farther."""
ASIDE_MM = 14.0
"""A tile that lies no farther from a place lies there: about as much as half of its own length."""
SEVERAL = 2
"""This many tiles of its own a seat lays for a pung or a chow; this many are moved together; this many draws wait for something hidden."""
TRIED = 4
"""This many tiles, kinds or ways are tried, the likeliest first."""
FEW = 5
"""This many are tried in every order."""
WHOLE_MELD = 3
"""This many tiles lie together as a meld; fewer tiles of a river are not pushed as a whole."""
A_HAND = 4
"""This many tiles before a seat mean that it shows its hand."""
TURNS = 3
"""This many discards of a seat may wait behind one that is hidden."""
TWO_TURNS = 6
"""This many events: for each turn the end of the claims, a draw and a discard."""


class CostReason(StrEnum):
    """What the grounds of an event call a cost that margins ask for."""

    CLAIMED_NOT_TAKEN = "not taken yet"
    DUTY_BROKEN = "breaks a duty"
    DRAWN_UNSEEN = "drawn unseen"
    """Whether a tile that was added to a pung was drawn in that turn is unknown."""
    LATE = "seen late"
    """A discard was guessed before a frame saw it."""
    LAY_BEFORE_DRAW = "lay there before the draw"
    NEVER_SEEN = "never seen"
    """No frame saw a discard: its kind is a question."""
    NOT_SEEN_TURNED = "not seen turned up"
    """That a shared tile was turned up is a question."""
    NOTHING_LAID = "nothing laid"
    NOT_WON = "the hand does not win"
    UNFINISHED = "unfinished"
    """What happened next is a question, whatever the event."""
    WIN_NOT_TAKEN = "a win let pass"
    WITHOUT_TURN = "draw without a turn"
    """Play may have gone on without the path, so each later event may have another number."""


Spread = tuple[tuple[float, float], ...]
"""Shares of people's ways with their standard deviations in mm."""
LAID: Spread = ((0.86, 6.0), (0.11, 18.0), (0.03, 45.0))
"""A discard or a shared tile about its slot, or of a pushed river where it then would lie (6 of 55 more than 10 mm off, 1 more than 30)."""
ASTRAY: Spread = ((0.65, 8.0), (0.30, 25.0), (0.05, 70.0))
"""A meld's tile about its slot (0.3 of melds more than 20 mm off), or a tile about where it lay before it was moved."""
_IN_OWN_RIVER, _ON_ANOTHERS, _ANYWHERE = 2.6e-7, 3.5e-9, 7.5e-10
"""Share of discards per mm² in the wrong row or column of their own river (1 in 100), on another's river or anywhere (1 in 2,500 each)."""
_HAND_ALONG_MM, _HAND_AWAY_MM, _HAND_EDGE_MM = 210.0, 45.0, 15.0


def about(distance_mm: float, spread: Spread, elsewhere: float = 0.0) -> float:
    """The cost of a place so far from where it is expected; ``elsewhere`` is a further density per mm²."""
    square = distance_mm * distance_mm
    density = sum(share / (2 * math.pi * sd * sd) * math.exp(-square / (2 * sd * sd)) for share, sd in spread)
    return -math.log(density + elsewhere + 1e-12)


def in_river(distance_mm: float, *, own: bool, anothers: bool) -> float:
    """The cost of a discard's place; ``own``: it lies in its own river, if perhaps in another row or column; ``anothers``: in another's."""
    return about(distance_mm, LAID, _ANYWHERE + own * _IN_OWN_RIVER + anothers * _ON_ANOTHERS)


def in_shown_hand(along_mm: float, from_row_mm: float) -> float:
    """The cost of a shown tile's place: anywhere in one or two rows before its seat."""
    outside = max(0.0, abs(along_mm) - _HAND_ALONG_MM), max(0.0, abs(from_row_mm) - _HAND_AWAY_MM)
    area = 4 * _HAND_ALONG_MM * _HAND_AWAY_MM
    return math.log(area) + sum((side / _HAND_EDGE_MM) ** 2 / 2 for side in outside)
