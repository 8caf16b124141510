"""Missing tiles: finds which kinds a set lacks, and has them put back without telling where they belong.

A drum that stays empty with places open means that tiles are missing. With a single open place the name of the missing
kind would tell what belongs there, so good places of all seats are emptied first, and kinds are named only when many
places want many kinds. Staff put the tile in and press CONFIRM: through the lid while there is a hand on the table or
a second set beside it (the open well asks players to push in their tiles), otherwise through the well.

A set that had one tile too many of a kind and now lacks another was probably misread: the copies of that kind are
read once more before a tile is called missing.
"""

import hashlib
from collections import Counter

from controller.ledger.journal_events import Events, PositionsDoubted, TilesNamed
from controller.state.faults import MISSING, missing_tiles
from controller.state.making import Build
from controller.state.messages import Decision, Refused
from controller.state.open_deal import HAND_TILES, OpenDeal, Position
from controller.state.playing import PlayStage
from controller.state.table_state import Setup, TableState, busy, issue
from firmware_bridge.messages import Hold, OpenWell
from twinwall.game.tiles import Tile

RECOUNT = "recount"
"""Why the copies of a kind go back to the gate that was counted before: something else is missing now."""


def starved(setup: Setup, state: TableState) -> Decision:
    """The drum has been empty for so long that tiles must be missing."""
    build, deal = state.making.build, state.making.deal
    if deal is None or build.starved is None or build.decoys:
        return Refused("the drum is no longer empty")
    again = tuple(sorted(position for position, tile in build.placed.items() if tile in build.recounted))
    if again:
        return *issue(state, Hold()), PositionsDoubted(again, (), RECOUNT)
    per_place = -(-setup.decoys_before_naming // 4)
    chosen = tuple(position for place in range(4) for position in _decoys(build, deal, place)[:per_place])
    return *issue(state, Hold()), PositionsDoubted(chosen, (), "naming")


def name_missing(setup: Setup, state: TableState, deal: OpenDeal) -> Events:
    """Say what the set lacks, once enough places are open that this tells nothing of any wall."""
    if state.making.build.gates or busy(state) or state.has_fault(MISSING):
        return ()
    whole_set = Counter(deal.wanted(position) for position in deal.positions)
    missing = tuple(sorted((whole_set - _present(state.making.build, deal)).elements()))
    if _well_is_safe(setup, state, deal):
        return TilesNamed(missing), missing_tiles(missing, well=True), *issue(state, OpenWell())
    return TilesNamed(missing), missing_tiles(missing, well=False)


def _well_is_safe(setup: Setup, state: TableState, deal: OpenDeal) -> bool:
    """Whether nothing lies about that players would push into an open well."""
    return state.playing.stage is PlayStage.NONE and setup.plays_only(deal.hand)


def _decoys(build: Build, deal: OpenDeal, place: int) -> list[Position]:
    """Good positions of one place in the order of emptying before a missing kind is named; it depends on the deal's number alone."""
    hand = [position for position in build.placed if position[0] == place and position[1] < HAND_TILES]
    return sorted(hand, key=lambda position: hashlib.sha256(f"{deal.n} {position}".encode()).digest())


def _present(build: Build, deal: OpenDeal) -> Counter[Tile]:
    """Tiles accounted for while the missing ones are named: those in trays and cells, and those emptied for it."""
    emptied = Counter(deal.wanted(position) for position in build.decoys)
    return Counter(build.placed.values()) + Counter(tile for tile in build.bypass.values() if tile is not None) + emptied
