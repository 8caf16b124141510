"""Violations after one that is in doubt: its tiles may be a meld, so nobody is accused of what lies where another meld belongs."""

from dataclasses import replace

import pytest

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.margins.violation_margins import found_violations
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.signals import GateEdge, Grounds
from controller.recorder.tracks import TrackList
from controller.recorder.violations import PathViolation, ViolationKind
from twinwall.game.play_events import TileDiscarded
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat, Tile
from vision.mat_observation import MatObservation, ObservedTile

RULES = rule_set("sichuan")
TRACKS = TrackList()
for seen_ms, laid in ((9750, ()), (10_000, range(4)), (10_250, range(4))):
    TRACKS.see(MatObservation(seen_ms, tuple(ObservedTile(40.0 * at, 120.0, 0.0, shares={Tile.M1: 0.995}, sure=True) for at in laid)))
TABLE = TableContext(RULES, Seat.EAST, MatPlaces(all_seats(0)), TRACKS, None, gates=True, now_ms=30_000)
CLAIM = PathViolation(ViolationKind.FALSE_CLAIM, Seat.SOUTH, "", 10_000, (1, 2, 3))
LAID = PathViolation(ViolationKind.DISCARDED_TWICE, Seat.SOUTH, "", 20_000, (4, 5))
OTHERS = PathViolation(ViolationKind.DISCARDED_TWICE, Seat.WEST, "", 20_000, (4, 5))
DREW = PathViolation(ViolationKind.DREW_TWICE, Seat.SOUTH, "", 20_000)


@pytest.mark.parametrize(
    ("doubt", "later", "told", "margin"),
    [
        pytest.param(4.0, LAID, False, costs.LINGERING, id="the earlier one is in doubt"),
        pytest.param(12.0, LAID, False, costs.ODD, id="the earlier one is certain"),
        pytest.param(4.0, LAID, True, costs.ODD, id="the earlier one has been told"),
        pytest.param(4.0, OTHERS, False, costs.ODD, id="the tiles are of another seat"),
        pytest.param(4.0, DREW, False, costs.ODD, id="the gates tell of the later one"),
    ],
)
def test_tiles_laid_after_a_doubted_violation_of_their_seat_are_asked_about(
    doubt: float, later: PathViolation, told: bool, margin: float
) -> None:
    path = Hypothesis(RULES.start(), None, violations=(CLAIM, later))
    found = found_violations(TABLE, [path], [0.0], {CLAIM.mark: doubt}, (), reported={CLAIM.mark} if told else set())
    assert [each.margin for each in found] == [doubt, margin]


@pytest.mark.parametrize(
    ("discard_ms", "margin"),
    [
        pytest.param(9700, costs.ODD, id="their place was seen bare since"),
        pytest.param(9900, costs.LINGERING, id="they may have lain below something"),
    ],
)
def test_nobody_is_accused_of_a_claim_with_tiles_that_may_have_lain_there_before_the_last_discard(discard_ms: int, margin: float) -> None:
    discarded = TileDiscarded(Seat.EAST, Tile.M9)
    path = Hypothesis(RULES.start(), None, violations=(CLAIM,), events=(discarded,), grounds=(Grounds(discard_ms, (), ()),))
    assert [each.margin for each in found_violations(TABLE, [path], [0.0], {}, ())] == [margin]


def told_among(since: str, at_ms: int) -> list[float]:
    """The margin of a draw that was put back, where a tile or a draw of this time has no explanation."""
    tracks = TrackList()
    for seen_ms in (at_ms, at_ms + 250):
        tracks.see(MatObservation(seen_ms, (ObservedTile(0.0, 120.0, 0.0, shares={Tile.M1: 0.995}, sure=True),)))
    table = replace(TABLE, tracks=tracks)
    loose, edges = (frozenset(tracks.all), ()) if since == "tile" else (frozenset[int](), (GateEdge(at_ms, 0),))
    path = Hypothesis(RULES.start(), None, violations=(DREW,), loose=loose, edges=edges)
    return [each.margin for each in found_violations(table, [path], [0.0], {}, ())]


@pytest.mark.parametrize("since", ["tile", "draw"])
def test_nobody_is_accused_while_what_came_after_the_act_has_no_explanation(since: str) -> None:
    assert told_among(since, DREW.at_ms + 2000) == [costs.LINGERING]
    assert told_among(since, DREW.at_ms - 2000) == [costs.ODD]
    assert told_among(since, TABLE.now_ms - costs.LINGERING_MS + 250) == [costs.ODD]
