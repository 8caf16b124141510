"""Costs in nats of ways of playing and of a tile's place for each meaning; times, distances and counts of people.

A cost is minus the logarithm of a rate per occasion. The rates are assumed (players.md of the design); only their order is known, so all
moves and estimates take their costs from this one scale. Places are densities per mm², so meanings of one tile compare with one another.
"""

import math
from enum import StrEnum

OFTEN = 0.5
"""A key was pressed; a missing tile is covered; a tile waits for a hidden discard, or for the rest of a shown hand."""
COMMON = 1.3
"""1 in 4: a call by voice, a winning tile among the others, a tile moved, a wrong draw that is also out of turn."""
SOMETIMES = 3.0
"""1 in 20: a key without effect, a claimed tile not taken yet, a claim that does not stand, a draw that waits, a tile of a kong, meld or
shown hand that is not seen yet, a tile picked up again."""
SELDOM = 5.0
"""1 in 150: a wrong key, a discard claimed before any frame saw it or seen late, the first tile of a meld or hand alone, a tile shown
early, a violation not put right."""
RARE = 8.5
"""1 in 5,000: a violation, a broken duty, a false win, a win not taken, a draw without a turn, a tile on the mat before its draw, a win
called by voice with nothing laid where draws are not sensed, a shown tile never seen, a tile of a meld or river gone."""
AGAINST_SIGHT = 12.0
"""Frames or gates show something else: a discard that no frame saw though play continued (0.001 of tiles stay hidden), a draw before the
discard that precedes it, an unexplained tile where its seat must discard, a tile of a river gone for good, a river pushed."""
UNEXPLAINED = 22.5
"""No move explains a tile on the mat or one put into a gate: it fell from a hand and is picked up soon (0.03 a hand)."""
STAYS = 32.0
"""An unexplained tile stays though nothing that could explain it is hidden or still to come; or the hand ends before the rules end it."""

WAITING = 4.0
"""A tile rests where it will mean something (river, meld, shown hand) but is not explained yet; or, where draws are sensed, a win was
called by voice with nothing laid: about one discard in 60 is won on."""
ODD = 16.0
"""Something may have happened that no move describes: the most margin of any event, less what is odd about its explanation."""
LINGERING = 5.0
"""Most margin of the events since a tile has been unexplained."""
PUBLISH = 9.0
"""Least margin of an event that is published (``DecoderLimits``)."""
ASK = 6.0
"""Least margin of an event about which nothing is asked after the hand: by its own odds it is wrong once in 400 times. Most hands have no
event below ``PUBLISH``."""
MOST = 25.0
"""A path this much worse than the best one is dropped."""
LEAST_KIND = -14.0
"""Least log-likelihood of a kind that is considered for a tile."""
USUAL_PLACE = 9.0
"""Cost of a discard's place within two centimetres of its slot."""
OFF_ITS_SLOT = AGAINST_SIGHT
"""Cost of the place of a discard some 35 mm off its slot."""
HAND_PLACE = 13.5
"""Most that a place costs in one or two rows before a seat; also for discards and melds laid by a violation."""
REACH = 16.0
"""A tile whose place costs more than this cannot have the meaning."""

DELAY_MS = 700
"""A discard may be seen this long before the edge of its draw: both are delayed."""
MOMENT_MS = 1000
"""Tiles that appear within this time were moved together; a question shows the frame this long before its event."""
AT_ONCE_MS = 2000
"""Tiles that appear within this time were laid together, as a meld or a hand."""
LINGERING_MS = 3000
"""Others may still join what has waited no longer than this."""
STAYS_MS = 4000
"""A tile in full sight for this long has not just fallen: it was laid or left there."""
STAYS_FOR_GOOD_MS = STAYS_MS + MOMENT_MS
"""After this time such a tile costs as much as one that no play explains; violations are searched before."""
ONE_ACT_MS = 10_000
"""What a seat does within this time is one act and one question."""
FOR_GOOD_MS = 20_000
"""A tile that was to be put back or picked up again stays after this time."""

NEAR_MM = 60.0
"""A tile further than this from its place is not there yet or not any more; a river is pushed no further."""
ASIDE_MM = 14.0
"""A tile this near a place is at that place: about half its own length."""
SEVERAL = 2
"""Tiles that a seat lays of its own for a pung or chow; tiles moved together; draws that wait for something hidden."""
TRIED = 4
"""Most tiles, kinds or ways tried, the likeliest first."""
FEW = 5
"""Most items tried in every order."""
WHOLE_MELD = 3
"""Tiles that make a meld; fewer tiles of a river are not pushed as a whole."""
A_HAND = 4
"""This many tiles before a seat are a shown hand."""
TURNS = 3
"""Discards of a seat that may wait behind a hidden one."""
TWO_TURNS = 6
"""Events of two turns: for each the end of the claims, a draw and a discard."""


class CostReason(StrEnum):
    """Names, in the grounds of an event, of costs that margins look for."""

    CLAIMED_NOT_TAKEN = "not taken yet"
    DUTY_BROKEN = "breaks a duty"
    DRAWN_UNSEEN = "drawn unseen"
    """Unknown: was the tile that was added to a pung drawn in that turn?"""
    LATE = "seen late"
    """The path guessed the discard before a frame saw it."""
    LAY_BEFORE_DRAW = "lay there before the draw"
    NEVER_SEEN = "never seen"
    """No frame saw the discard: its kind is a question."""
    NOT_SEEN_TURNED = "not seen turned up"
    """The turning of a shared tile is a question."""
    NOTHING_LAID = "nothing laid"
    NOT_WON = "the hand does not win"
    UNFINISHED = "unfinished"
    """What happened next is a question."""
    WIN_NOT_TAKEN = "a win let pass"
    WITHOUT_TURN = "draw without a turn"
    """Play may have continued without the path, so each later event may have another number."""


Spread = tuple[tuple[float, float], ...]
"""Shares of people's placements, each with its standard deviation in mm."""
LAID: Spread = ((0.86, 6.0), (0.11, 18.0), (0.03, 45.0))
"""A discard or shared tile about its slot, or a tile of a pushed river about its new place (of 55, 6 more than 10 mm off, 1 more than
30)."""
ASTRAY: Spread = ((0.65, 8.0), (0.30, 25.0), (0.05, 70.0))
"""A tile of a meld about its slot (0.3 of melds more than 20 mm off), or a moved tile about its former place."""
_IN_OWN_RIVER, _ON_ANOTHERS, _ANYWHERE = 2.6e-7, 3.5e-9, 7.5e-10
"""Share of discards per mm²: in the wrong row or column of their own river (1 in 100), on another river or anywhere (1 in 2,500 each)."""
_HAND_ALONG_MM, _HAND_AWAY_MM, _HAND_EDGE_MM = 210.0, 45.0, 15.0


def about(distance_mm: float, spread: Spread, elsewhere: float = 0.0) -> float:
    """Return the cost of a place this far from where it is expected; ``elsewhere`` is a further density per mm²."""
    square = distance_mm * distance_mm
    density = sum(share / (2 * math.pi * sd * sd) * math.exp(-square / (2 * sd * sd)) for share, sd in spread)
    return -math.log(density + elsewhere + 1e-12)


def in_river(distance_mm: float, *, own: bool, anothers: bool) -> float:
    """Return the cost of a discard's place; ``own``: it is in its own river, in any row and column; ``anothers``: in another seat's."""
    return about(distance_mm, LAID, _ANYWHERE + own * _IN_OWN_RIVER + anothers * _ON_ANOTHERS)


def in_shown_hand(along_mm: float, from_row_mm: float) -> float:
    """Return the cost of a shown tile's place: anywhere in one or two rows before its seat."""
    outside = max(0.0, abs(along_mm) - _HAND_ALONG_MM), max(0.0, abs(from_row_mm) - _HAND_AWAY_MM)
    area = 4 * _HAND_ALONG_MM * _HAND_AWAY_MM
    return math.log(area) + sum((side / _HAND_EDGE_MM) ** 2 / 2 for side in outside)
