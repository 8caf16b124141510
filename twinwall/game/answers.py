"""Checks a referee's answer (``against_rules``), which names a tile that the camera cannot read, against the rules. The table and the
referee's page use the same check. It looks at face-up tiles only, not at what a seat holds."""

from collections.abc import Iterator

from twinwall.game.play import Phase, PlayState, melds_of_claim
from twinwall.game.play_events import Claim, Claimed, KongDeclared, Meld, MeldType, TileDiscarded
from twinwall.game.rule_set import Illegal, RuleSet
from twinwall.game.tiles import COPIES, SEATS, Seat, Tile

NO_MELD = "no-meld"
"""The seat can claim no meld with this tile."""
_MELDS = (Claim.PUNG, Claim.KONG, Claim.CHOW)


def against_rules(rules: RuleSet, play: PlayState, tile: Tile, *, seat: Seat, in_river: bool, fourth_of: int | None) -> Illegal | None:
    """Why the rules forbid what an answer says; None when they allow it or the answer alone does not decide.

    - seat: whose river, melds or hand has the tile.
    - in_river: the tile is in a river, so it was discarded.
    - fourth_of: index of the meld that the tile makes a kong, while a discard is awaited; the number of melds means a concealed kong.
    """
    if in_river:
        return rules.illegal(play, TileDiscarded(play.turn, tile))
    if play.phase in (Phase.CLAIMS, Phase.DRAW):
        return _no_meld(rules, play, seat, tile)
    if fourth_of is None or play.phase is not Phase.DISCARD or fourth_of > len(play.seat(play.turn).melds):
        return None
    return rules.illegal(play, KongDeclared(play.turn, kong_with(play, fourth_of, tile)))


def kong_with(play: PlayState, group: int, tile: Tile) -> Meld:
    """The kong that a face-up fourth tile shows: added to this meld of the seat in turn, or concealed, beside its melds."""
    melds = play.seat(play.turn).melds
    if group == len(melds):
        return Meld(MeldType.CONCEALED_KONG, (tile,) * COPIES, None)
    return Meld(MeldType.ADDED_KONG, (*melds[group].tiles, tile), None)


def _no_meld(rules: RuleSet, play: PlayState, seat: Seat, tile: Tile) -> Illegal | None:
    """Why the tile cannot be in any meld that the seat may claim now; None when it can."""
    if any(rules.illegal(play, Claimed(seat, meld)) is None for meld in _melds_with(play, seat, tile)):
        return None
    return Illegal(NO_MELD, f"{seat.value} can claim no discard with it")


def _melds_with(play: PlayState, seat: Seat, tile: Tile) -> Iterator[Meld]:
    """Every meld of the tile with another seat's last discard."""
    for source in SEATS:
        river = play.seat(source).river
        if source is not seat and river:
            melds = (meld for claim in _MELDS for meld in melds_of_claim(claim, river[-1].tile, source))
            yield from (meld for meld in melds if tile in meld.tiles)
