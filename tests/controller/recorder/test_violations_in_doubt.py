"""Violations after one that is in doubt: its tiles may be a meld, so nobody is accused of what lies where another meld belongs."""

from __future__ import annotations

import pytest

from controller.recorder import costs
from controller.recorder.hypothesis import Hypothesis, TableContext
from controller.recorder.margins.violation_margins import found_violations
from controller.recorder.places import MatPlaces, all_seats
from controller.recorder.tracks import TrackList
from controller.recorder.violations import PathViolation, ViolationKind
from twinwall.game.rules import rule_set
from twinwall.game.tiles import Seat

RULES = rule_set("sichuan")
TABLE = TableContext(RULES, Seat.EAST, MatPlaces(all_seats(0)), TrackList(), None, gates=True, now_ms=30_000)
CLAIM = PathViolation(ViolationKind.FALSE_CLAIM, Seat.SOUTH, "", 10_000, (1, 2, 3))
OPEN = PathViolation(ViolationKind.EXPOSED_TILES, Seat.SOUTH, "", 20_000, (4, 5))
OTHERS = PathViolation(ViolationKind.EXPOSED_TILES, Seat.WEST, "", 20_000, (4, 5))
DREW = PathViolation(ViolationKind.DREW_TWICE, Seat.SOUTH, "", 20_000)


@pytest.mark.parametrize(
    ("doubt", "later", "told", "margin"),
    [
        pytest.param(4.0, OPEN, False, costs.LINGERING, id="the earlier one is in doubt"),
        pytest.param(12.0, OPEN, False, costs.ODD, id="the earlier one is certain"),
        pytest.param(4.0, OPEN, True, costs.ODD, id="the earlier one has been told"),
        pytest.param(4.0, OTHERS, False, costs.ODD, id="the tiles are of another seat"),
        pytest.param(4.0, DREW, False, costs.ODD, id="the gates tell of the later one"),
    ],
)
def test_tiles_laid_after_a_doubted_violation_of_their_seat_are_asked_about(
    doubt: float, later: PathViolation, told: bool, margin: float
) -> None:
    path = Hypothesis(RULES.start(), None, violations=(CLAIM, later))
    found = found_violations(TABLE, [path], [0.0], {CLAIM.mark: doubt}, (), told={CLAIM.mark} if told else set())
    assert [each.margin for each in found] == [doubt, margin]
