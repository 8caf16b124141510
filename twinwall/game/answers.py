"""What the rules say against an answer: a referee names a tile that the camera cannot read.

The table and the referee's page judge an answer by ``against_rules``, so that the page refuses what the table would refuse. What lies open
decides alone: whether a seat has the tile is not asked here.
"""

from collections.abc import Iterator

from twinwall.game.melds import melds_of_claim
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import Claim, Claimed, KongDeclared, Meld, MeldType, TileDiscarded
from twinwall.game.rule_set import Illegal, RuleSet
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile

NO_MELD = "no-meld"
"""A seat can claim no meld that has this tile."""
_MELDS = (Claim.PUNG, Claim.KONG, Claim.CHOW)


def against_rules(rules: RuleSet, play: PlayState, tile: Tile, *, seat: Seat, in_river: bool, fourth_of: int | None) -> Illegal | None:
    """Why the rules do not allow what an answer says has happened; None when they do, and where an answer alone says nothing.

    Args:
        rules: those of the hand.
        play: its state.
        tile: the answer.
        seat: whose river, melds or hand it lies in.
        in_river: whether the tile lies in a river: then it was discarded.
        fourth_of: the meld, from 0, of which it is the fourth tile: while a discard is awaited, a kong was made with it.
    """
    if in_river:
        return rules.illegal(play, TileDiscarded(play.turn, tile))
    if play.phase in (Phase.CLAIMS, Phase.DRAW):
        return _no_meld(rules, play, seat, tile)
    if fourth_of is None or play.phase is not Phase.DISCARD or fourth_of > len(play.seat(play.turn).melds):
        return None
    return rules.illegal(play, KongDeclared(play.turn, kong_with(play, fourth_of, tile)))


def kong_with(play: PlayState, group: int, tile: Tile) -> Meld:
    """The kong that a face-up fourth tile tells of: added to a meld of the seat whose turn it is, or a concealed one beside its melds."""
    melds = play.seat(play.turn).melds
    if group == len(melds):
        return Meld(MeldType.CONCEALED_KONG, (tile,) * COPIES, None)
    return Meld(MeldType.ADDED_KONG, (*melds[group].tiles, tile), None)


def _no_meld(rules: RuleSet, play: PlayState, seat: Seat, tile: Tile) -> Illegal | None:
    """Why a tile lies in no meld that the seat may claim now, whichever it has called; None where it may."""
    if any(rules.illegal(play, Claimed(seat, meld)) is None for meld in _melds_with(play, seat, tile)):
        return None
    return Illegal(NO_MELD, f"{seat.value} can claim no discard with it")


def _melds_with(play: PlayState, seat: Seat, tile: Tile) -> Iterator[Meld]:
    """Every meld with a tile and another seat's last discard."""
    for source in SEATS:
        river = play.seat(source).river
        if source is not seat and river:
            melds = (meld for claim in _MELDS for meld in melds_of_claim(claim, river[-1].tile, source))
            yield from (meld for meld in melds if tile in meld.tiles)
