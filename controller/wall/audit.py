"""Audit of walls: whether a full wall may be called ready, and which of its tiles are read once more during play.

The count of four finds every single misread, but no swapped pair. Against swaps all looks at all tiles, by both models
where there are two, are weighed together (``vision.wall_audit``). While a hand is played, tiles of the next wall go back to
the reading gate, one position after the other. Positions are drawn from the journal's name alone and never from the tiles,
so the sound of the machine tells nothing about the wall.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import assert_never

from controller.ledger.journal_events import Events, PositionsChecked, PositionsDoubted, TileRead, WallWeighed
from controller.state.faults import contradicting_looks
from controller.state.making import Build
from controller.state.open_deal import OpenDeal, Position
from controller.state.playing import PlayStage
from controller.state.table_state import Setup, TableState, busy
from twinwall.wire.events.wall_events import WallChecked
from vision import wall_audit
from vision.reading import Candidate
from vision.wall_audit import Certain, Fouled, ReadAgain, Unlikely, Verdict, joined_looks, look_of

DOUBTFUL, SAMPLED = "doubtful", "sampled"
"""Why positions go back to the gate: the wall would not be certain with them, or they were drawn."""
_SECONDS = (PlayStage.TAKING, PlayStage.PLAYING)
"""While a hand is at the table no player waits for the next wall; once it is settled players may."""


def weigh(setup: Setup, build: Build, deal: OpenDeal) -> Events:
    """What the looks at a full wall call for: WallWeighed when nothing more, else tiles to be read again, or a person."""
    verdict = weighed(build, deal)
    match verdict:
        case Certain(doubt):
            return (WallWeighed(deal.n, doubt),)
        case ReadAgain(numbers, doubt):
            due = _not_yet(build, deal, numbers)[: _may_be_read(setup, build)]
            return (PositionsDoubted(due, (), DOUBTFUL),) if due else (WallWeighed(deal.n, doubt),)
        case Unlikely(numbers):
            due = _not_yet(build, deal, numbers)[: _may_be_read(setup, build)]
            return (PositionsDoubted(due, (), DOUBTFUL),) if due else (contradicting_looks(),)
        case Fouled(numbers, _):
            due = _not_yet(build, deal, numbers)
            return (PositionsDoubted(due, (), DOUBTFUL),) if due else (contradicting_looks(),)
        case _:
            assert_never(verdict)


def weighed(build: Build, deal: OpenDeal) -> Verdict:
    """The verdict on a wall of which every position is filled."""
    wall = [wall_audit.AuditedPosition(build.placed[position], _looks(build.looks.get(position, ()))) for position in deal.positions]
    return wall_audit.audit(wall, Counter(deal.wanted(position) for position in deal.positions))


def sample(setup: Setup, state: TableState, deal: OpenDeal) -> Events:
    """The next position to be read once more, with what lies on it; empty when enough were, and when somebody could come to wait."""
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
    """What became of the positions that were out to be read once more."""
    return (PositionsChecked(tuple(sorted(build.rereading)), agreed),) if build.rereading else ()


@lru_cache(maxsize=256)
def _looks(reads: tuple[TileRead, ...]) -> Mapping[str, wall_audit.Look]:
    """Every model's look at a tile, from its readings. A wall of which a tile was read again has the other readings as before."""
    if not reads:
        return {}
    first = [look_of((Candidate(read.tile, read.probability), *read.others)) for read in reads if read.tile is not None]
    second = [look_of(read.second) for read in reads if read.second]
    return {"first": joined_looks(first)} | ({"second": joined_looks(second)} if second else {})


def findings(build: Build, deal: OpenDeal) -> Events:
    """What the re-reads of a wall in spare time came to, reported when it leaves the trays; nothing where there were none."""
    return (WallChecked(deal.n, build.sampled, build.differed),) if build.sampled else ()


def _may_be_read(setup: Setup, build: Build) -> int:
    """How many more positions may be read again for doubt."""
    return max(setup.most_doubtful - len(build.reread), 0)


def _not_yet(build: Build, deal: OpenDeal, numbers: tuple[int, ...]) -> tuple[Position, ...]:
    """Those positions that were not read again since the wall was begun."""
    return tuple(deal.positions[number] for number in numbers if deal.positions[number] not in build.reread)
