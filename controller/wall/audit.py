"""Audit of walls and of the set: whether a full wall may be called ready (``audit_full_wall``), and which of its tiles are read once more
during play.

The count of four finds every single misread, but no swapped pair. Against swaps, all looks at all tiles, by both models if there are two,
are weighed together (``vision.wall_audit``). During a hand, tiles of the next wall go back to the reading gate, one position after the
other. Positions are drawn from the journal's name and never from the tiles, so the sound of the machine tells nothing about the wall.

Tiles are missing if the drum stays empty while places are open. The name of a kind that is missing at a single place would tell what
belongs there. So good places of all seats are emptied first, and kinds are named only when many places want many kinds. Staff add the tile
and press CONFIRM: through the lid during a hand or beside a second set (the open well asks players to push in their tiles), else through
the well.

A set that had one tile too many of a kind and now lacks another kind was probably misread: the copies of that kind are read once more
before a tile is called missing.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from controller.ledger.journal_events import Events, PositionsChecked, PositionsDoubted, TileRead, TilesNamed, WallWeighed
from controller.state.faults import MISSING, contradicting_looks, missing_tiles
from controller.state.messages import Decision, Refused
from controller.state.sides import HAND_TILES, Build, OpenDeal, PlayStage, Position
from controller.state.table_state import Setup, TableState, busy, issue
from firmware_bridge.messages import Hold, OpenWell
from twinwall.game.tiles import Tile
from twinwall.wire.events.wall_events import WallChecked, WallRaised
from vision import wall_audit
from vision.reading import Candidate
from vision.wall_audit import Certain, Fouled, ReadAgain, Verdict, joined_looks, look_of

DOUBTFUL, SAMPLED = "doubtful", "sampled"
"""Why positions go back to the gate: the wall would not be certain with them, or they were sampled."""
_SECONDS = (PlayStage.TAKING, PlayStage.PLAYING)
"""Stages in which no player waits for the next wall; after the settlement players may."""


def audit_full_wall(setup: Setup, build: Build, deal: OpenDeal) -> Events:
    """Return WallWeighed if the looks at a full wall suffice; else tiles to be read again, or a call for staff."""
    verdict = verdict_on_wall(build, deal)
    if isinstance(verdict, Certain):
        return (WallWeighed(deal.n, verdict.doubt),)
    due = tuple(deal.positions[number] for number in verdict.positions if deal.positions[number] not in build.reread)
    if not isinstance(verdict, Fouled):  # what does not hold its kind is read again, however many
        due = due[: max(setup.most_doubtful - len(build.reread), 0)]
    if due:
        return (PositionsDoubted(due, (), DOUBTFUL),)
    return (WallWeighed(deal.n, verdict.doubt) if isinstance(verdict, ReadAgain) else contradicting_looks(),)


def verdict_on_wall(build: Build, deal: OpenDeal) -> Verdict:
    filled_as = [build.placed[position] for position in deal.positions]
    looks = [_looks(build.looks.get(position, ())) for position in deal.positions]
    return wall_audit.audit(filled_as, looks, Counter(deal.wanted(position) for position in deal.positions))


def sample(setup: Setup, state: TableState, deal: OpenDeal) -> Events:
    """Return the next position to be read once more, with the tile on it; empty if enough were read, or if players may come to wait."""
    build = state.making.build
    spare = state.playing.stage in _SECONDS and not state.playing.referee and not state.faults
    if not spare or busy(state) or len(build.reread) >= round(setup.re_read_share * len(deal.positions)):
        return ()
    drawn = min(
        (p for p in deal.positions if p not in build.reread),
        key=lambda position: hashlib.sha256(f"{state.journal} {deal.n} {position}".encode()).digest(),
    )
    above = setup.capabilities.covered_by(drawn[1])
    upper = () if above is None or (drawn[0], above) not in build.placed else ((drawn[0], above),)
    return (PositionsDoubted((drawn, *upper), (), SAMPLED),)


def checked(build: Build, *, agreed: bool) -> Events:
    return (PositionsChecked(tuple(sorted(build.rereading)), agreed),) if build.rereading else ()


@lru_cache(maxsize=256)
def _looks(reads: tuple[TileRead, ...]) -> Mapping[str, wall_audit.Look]:
    """Return each model's look at a tile, from its readings. Cached: only tiles read again have new readings."""
    if not reads:
        return {}
    first = [look_of((Candidate(read.tile, read.probability), *read.others)) for read in reads if read.tile is not None]
    second = [look_of(read.second) for read in reads if read.second]
    return {"first": joined_looks(first)} | ({"second": joined_looks(second)} if second else {})


def raised(build: Build, deal: OpenDeal) -> Events:
    """The wall has left the trays; report the results of re-reads in spare time, if there are any."""
    return *((WallChecked(deal.n, build.sampled, build.differed),) if build.sampled else ()), WallRaised(deal.n)


RECOUNT = "recount"
"""Reason to read the copies of a counted kind again: another tile is missing now."""


def starved(setup: Setup, state: TableState) -> Decision:
    """The drum has been empty long enough to prove that tiles are missing."""
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
    """Name what the set lacks, once enough places are open that this tells nothing of any wall."""
    if state.making.build.gates or busy(state) or state.has_fault(MISSING):
        return ()
    whole_set = Counter(deal.wanted(position) for position in deal.positions)
    missing = tuple(sorted((whole_set - _present(state.making.build, deal)).elements()))
    safe = state.playing.stage is PlayStage.NONE and setup.plays_only(deal.hand)  # nothing lies about that players would push in
    return TilesNamed(missing), missing_tiles(missing, well=safe), *(issue(state, OpenWell()) if safe else ())


def _decoys(build: Build, deal: OpenDeal, place: int) -> list[Position]:
    """Return good positions of one place in the order of emptying before a missing kind is named, by the deal's number alone."""
    hand = [position for position in build.placed if position[0] == place and position[1] < HAND_TILES]
    return sorted(hand, key=lambda position: hashlib.sha256(f"{deal.n} {position}".encode()).digest())


def _present(build: Build, deal: OpenDeal) -> Counter[Tile]:
    """Return the tiles known while missing ones are named: in trays and cells, and emptied for it."""
    emptied = Counter(deal.wanted(position) for position in build.decoys)
    return Counter(build.placed.values()) + Counter(tile for tile in build.bypass.values() if tile is not None) + emptied
