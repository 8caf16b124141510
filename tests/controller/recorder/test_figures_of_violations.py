"""What the benchmark of violations holds for laid, and until when."""

import pytest

from benchmarks import recorder
from benchmarks.played_tables.hand_on_table import HandOnTable
from benchmarks.played_tables.violations import CommittedViolation, ViolationAct, violated_hand
from benchmarks.recorder_violations import laid_tiles, lying_since
from simulator.disturbances.draws import Disturbances
from simulator.disturbances.kinds import Disturbance
from tests.support.recorder.played_hands import played

STAYS_MS = 6000
LAID = {
    ViolationAct.DISCARDED_OUT_OF_TURN: (1,),
    ViolationAct.DISCARDED_TWICE: (1,),
    ViolationAct.EXPOSED_TILES: (1, 2),
    ViolationAct.FALSE_CLAIM: (2, 3),
    ViolationAct.FALSE_WIN: (2, 5, 8, 11, 14),
}


def violated(number: int, act: ViolationAct) -> tuple[HandOnTable, tuple[CommittedViolation, ...]]:
    """A hand in which nobody disturbs and people violate in one way."""
    people = Disturbances(1, scales=dict.fromkeys(Disturbance, 0.0))
    only = {kind: float(kind is act) for kind in ViolationAct}
    return violated_hand(played("mcr-duplicate", number).to_play, people, 8, scales=only)


@pytest.mark.parametrize("act", LAID)
def test_an_act_lays_as_many_tiles_as_it_is_about_and_they_lie_there_for_six_seconds(act: ViolationAct) -> None:
    at_table, committed = next(found for number in range(8) if (found := violated(number, act))[1])
    lying = list(lying_since(at_table))
    for each in committed:
        laid = laid_tiles(lying, each.at_ms)
        assert len(laid) in LAID[act]
        assert all(STAYS_MS <= tile.until_ms - each.at_ms < 3 * STAYS_MS for tile in laid)


def test_where_nothing_is_laid_soon_that_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing came to lie on the mat soon after 3000 ms"):
        laid_tiles([(0, frozenset()), (9000, frozenset())], 3000)


@pytest.mark.parametrize("option", ["--hands", "--frames-per-s", "--processes"])
@pytest.mark.parametrize("count", ["0", "-1"])
def test_none_or_fewer_are_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str, count: str) -> None:
    monkeypatch.setattr("sys.argv", ["benchmarks.recorder", "--json", option, count])
    with pytest.raises(SystemExit) as ended:
        recorder.main()
    assert ended.value.code == 2
    assert f"{option} {count}: one or more" in capsys.readouterr().err
