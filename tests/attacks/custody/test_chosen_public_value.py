"""Attack: whoever holds the seeds chooses the public value deal by deal, after the commitments were published.

The commitments bind keys and root. The walls also depend on the public value, so an organiser who may pick it tries values until
a deal pleases him. The start of the event fixes one value for all deals.
"""

import json
from pathlib import Path

import pytest

from cli import main
from twinwall.game import deals
from twinwall.game.documents import canonical_json
from twinwall.game.tiles import Seat, Tile

PLAN = deals.plan_sessions("Autumn", "mcr-duplicate", sessions=1, hands=4, holders=["server"], public="tiles drawn in the room")
SEEDS = {"server": deals.Seed(bytes(range(80)))}
COMMITMENTS = deals.commit(PLAN, SEEDS)
FIXED = deals.Start(PLAN.digest, COMMITMENTS.root, "5p 3s E 7m")
"""What the room drew: the event's start."""
TRIED = [f"2026-11-20 12:{minute:02} UTC" for minute in range(40)]
DRAGONS = frozenset({Tile.RED, Tile.GREEN, Tile.WHITE})
DEALS = tuple(deal.n for deal in PLAN.deals)


def dragons_of_east(n: int, public: str) -> int:
    """What the organiser wants many of: dragons in the hand that East takes."""
    return sum(tile in DRAGONS for tile in deals.make_deal(PLAN, SEEDS, n, public, COMMITMENTS.root).walls[Seat.EAST].hand)


def chosen_slip(n: int) -> deals.Slip:
    """The slip of a deal under the value that pleases the organiser most, which is not the one that was fixed."""
    return deals.make_slip(PLAN, SEEDS, n, max(TRIED, key=lambda public: dragons_of_east(n, public)), COMMITMENTS)


@pytest.fixture(scope="module")
def chosen() -> tuple[deals.Slip, ...]:
    return tuple(chosen_slip(n) for n in DEALS)


def test_control_without_a_start_every_chosen_deal_is_proved_by_the_root(chosen: tuple[deals.Slip, ...]) -> None:
    """A reader who knows plan and root alone takes the public value from each slip, and finds nothing wrong."""
    assert len({slip.public for slip in chosen}) > 1
    assert sum(dragons_of_east(slip.n, slip.public) for slip in chosen) > 2 * sum(dragons_of_east(n, FIXED.public) for n in DEALS)
    for slip in chosen:
        said = deals.start_of_slip(PLAN, slip)
        assert said.root == COMMITMENTS.root
        assert deals.verify_slip(deals.StartedPlan(PLAN, said), slip).n == slip.n


def test_with_the_start_every_chosen_deal_is_refused_and_the_values_are_named(chosen: tuple[deals.Slip, ...]) -> None:
    for slip in chosen:
        with pytest.raises(deals.VerificationError, match=f"{slip.public}.*{FIXED.public}"):
            deals.verify_slip(deals.StartedPlan(PLAN, FIXED), slip)


def test_deals_verify_says_no_to_chosen_deals_and_does_not_take_the_root_alone(
    tmp_path: Path, chosen: tuple[deals.Slip, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    plan, slips = tmp_path / "plan.json", [tmp_path / f"slip-{slip.n}.json" for slip in chosen]
    plan.write_bytes(PLAN.canonical)
    for path, slip in zip(slips, chosen, strict=True):
        path.write_bytes(canonical_json(slip.to_json()))
    verify = ["deals", "verify", str(plan), *map(str, slips)]
    assert main([*verify, "--root", COMMITMENTS.root.hex()]) == 2
    assert "any public value fits it" in capsys.readouterr().err
    assert main([*verify, "--start", FIXED.words, "--json"]) == 1
    assert [line["good"] for line in json.loads(capsys.readouterr().out)["checked"]] == [False] * len(chosen)
    assert main([*verify, "--root", COMMITMENTS.root.hex(), "--public", FIXED.public, "--json"]) == 1
    assert {line["part"] for line in json.loads(capsys.readouterr().out)["checked"]} == {"public"}
