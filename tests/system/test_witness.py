"""The second seed holder's vault is killed in a session and started again: each slip still has both holders' keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.harness import DemoRun, of_type
from twinwall.game.deals import Plan, Slip, Start, StartedPlan, verify_slip

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def test_a_session_goes_on_after_the_witness_was_killed_and_both_vaults_put_out_the_same_slips(tmp_path: Path) -> None:
    with DemoRun(tmp_path / "demo", "--tables", "1", "--hands", "2") as demo:
        demo.wait(lambda events: bool(of_type(events, "hand-started")))
        demo.kill("vault-witness")
        demo.wait(lambda events: bool(of_type(events, "hand-closed")))
        demo.kill("vault-witness")
        report = demo.report()
    assert report["recoveries"] == 2
    assert report["reads"]["wrong"] == 0
    folder = demo.folder
    started = StartedPlan(Plan.from_bytes((folder / "plan.json").read_bytes()), Start.from_bytes((folder / "start.json").read_bytes()))
    assert started.plan.holders == ("server", "witness")
    slips = [(folder / "released" / f"slip-{n:04d}.json").read_bytes() for n in (1, 2)]
    made = [verify_slip(started, Slip.from_json(slip)) for slip in slips]
    assert [deal.digest.hex() for deal in made] == [deal["digest"] for deal in report["deals"]]
    assert slips[0] == (folder / "released-witness" / "slip-0001.json").read_bytes()
