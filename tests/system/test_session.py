"""A whole session of four tables: once calm, and once with every process killed and a table's cable pulled for two hands."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.leak_scanner import Secret, concealed, find_leaks, played, scan
from tests.support.tiers import TIER, Tier
from tests.system.harness import DemoRun, of_type, processes_in
from tests.system.onlookers import Onlookers, Served
from tests.system.proxy import Cable
from twinwall.cli.event.starts import started_plan
from twinwall.event.hands import summaries
from twinwall.game.deals import Slip, verify_slip
from twinwall.wire.ledger import parse, verify_chain

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

HANDS = 3 if TIER is Tier.NIGHTLY else 2
STORMY_HANDS = 3
"""Two while the cable is out, and one after it."""
TABLES = ("1", "2", "3", "4")
STORMY_TABLES = TABLES if TIER is Tier.NIGHTLY else TABLES[:2]
SEED = 5


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DemoRun, dict[str, Any], list[Served]]]:
    """Four tables, and nothing happens to them but that people look on."""
    folder = tmp_path_factory.mktemp("calm session") / "demo"
    with DemoRun(folder, "--tables", str(len(TABLES)), "--hands", str(HANDS), seed=SEED) as demo:
        demo.wait(bool)
        with Onlookers(demo, TABLES, HANDS) as onlookers:
            demo.wait(lambda events: len(of_type(events, "deal-released")) == HANDS, 240)
        yield demo, demo.report(240), onlookers.served


def scores_of(report: dict[str, Any]) -> dict[tuple[str, int], dict[str, int]]:
    """The scores by table and hand."""
    return {(table["table"], hand["hand"]): hand["scores"] for table in report["tables"] for hand in table["hands"]}


def twinwall(*words: str) -> subprocess.CompletedProcess[str]:
    """The front door, as a user types it."""
    return subprocess.run([sys.executable, "-m", "twinwall.cli", *words], capture_output=True, text=True, timeout=60, check=False)


def test_all_tables_play_the_same_deals_and_nothing_is_read_wrong(calm: tuple[DemoRun, dict[str, Any], list[Served]]) -> None:
    _, report, _ = calm
    assert report["reads"]["wrong"] == 0
    assert set(scores_of(report)) == {(table, hand) for table in TABLES for hand in range(1, HANDS + 1)}
    for number, deal in enumerate(report["deals"]):
        assert {table["hands"][number]["digest"] for table in report["tables"]} == {deal["digest"]}
    assert all(sum(scores.values()) == 0 for scores in scores_of(report).values())


def test_the_session_ends_in_imp_that_part_the_teams(calm: tuple[DemoRun, dict[str, Any], list[Served]]) -> None:
    _, report, _ = calm
    assert len(report["imp"]) == 4
    assert any(team["imp"] for team in report["imp"])


def test_every_record_replays_from_the_front_door(calm: tuple[DemoRun, dict[str, Any], list[Served]], tmp_path: Path) -> None:
    demo, report, _ = calm
    exported = twinwall("export", "--format", "json", str(demo.folder / "event.sqlite"))
    assert exported.returncode == 0, exported.stderr
    records = tmp_path / "records.json"
    records.write_text(exported.stdout)
    assert len(json.loads(exported.stdout)) == len(TABLES) * HANDS
    for file in (str(records), report["tables"][0]["hands"][0]["record"]):
        replayed = twinwall("replay", file)
        assert replayed.returncode == 0, replayed.stderr


def test_no_process_is_left_behind_by_a_session(calm: tuple[DemoRun, dict[str, Any], list[Served]]) -> None:
    demo, _, _ = calm
    assert processes_in(demo.folder) == []


@pytest.fixture(scope="module")
def stormy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DemoRun, dict[str, Any], list[dict[str, Any]]]]:
    """The same deals, while every part is killed at some moment and table 2 has no network for two hands.

    With its report come the events of table 2 at the moment when its network came back.
    """
    folder = tmp_path_factory.mktemp("stormy session") / "demo"
    third, last = STORMY_TABLES[2:] or ("1", "1")
    with DemoRun(folder, "--tables", str(len(STORMY_TABLES)), "--hands", str(STORMY_HANDS), seed=SEED) as demo:
        demo.wait(lambda events: any(event["placed"] >= 40 for event in of_type(events, "building")))
        demo.kill("table", "1")
        demo.kill("vault")
        with Cable(broker_port(demo)) as cable:
            through(demo, "2", cable)
            demo.wait(lambda events: len(of_type(events, "deal-opened")) >= 2, table="2")
            cable.pull()
            demo.wait(lambda events: len(of_type(events, "tile-discarded")) >= 6, table=third)
            demo.kill("broker")
            demo.kill("table", third)
            demo.wait(lambda events: len(of_type(events, "tile-discarded")) >= 14, table=last)
            demo.kill("cameras")
            demo.kill("dashboard")
            demo.wait(lambda events: len(of_type(events, "hand-closed")) >= 1, table=last)
            demo.kill("vault")
            demo.kill("players")
            demo.wait(lambda events: len(of_type(events, "hand-closed")) >= 2, 240, table="2")
            alone = demo.events("2")
            cable.plug()
            demo.wait(lambda events: len(of_type(events, "hand-started")) >= STORMY_HANDS, table=last)
            demo.kill("table", last)
            demo.kill("dashboard")
            yield demo, demo.report(300), alone


def broker_port(demo: DemoRun) -> int:
    """Where the broker listens."""
    found = re.search(r'url = "mqtt://127\.0\.0\.1:(\d+)"', demo.settings("table").read_text())
    assert found is not None
    return int(found[1])


def through(demo: DemoRun, table: str, cable: Cable) -> None:
    """Put the cable between a table and the broker: its settings are changed, and it is killed and comes back with them."""
    settings, port = demo.settings("table", table), broker_port(demo)
    settings.write_text(settings.read_text().replace(f"mqtt://127.0.0.1:{port}", f"mqtt://127.0.0.1:{cable.port}"))
    demo.kill("table", table)


Storm = tuple[DemoRun, dict[str, Any], list[dict[str, Any]]]


def test_a_session_in_which_every_part_was_killed_ends_with_the_same_scores(
    calm: tuple[DemoRun, dict[str, Any], list[Served]], stormy: Storm
) -> None:
    undisturbed = scores_of(calm[1])
    disturbed = {place: scores for place, scores in scores_of(stormy[1]).items() if place in undisturbed}
    assert disturbed == {place: scores for place, scores in undisturbed.items() if place[0] in STORMY_TABLES}
    assert stormy[1]["reads"]["wrong"] == 0
    assert stormy[1]["recoveries"] >= 8


@pytest.mark.nightly
def test_a_session_in_which_every_part_was_killed_ends_with_the_same_imp(
    calm: tuple[DemoRun, dict[str, Any], list[Served]], stormy: Storm
) -> None:
    assert stormy[1]["imp"] == calm[1]["imp"]


def test_every_ledger_is_an_unbroken_chain_after_the_kills(stormy: Storm) -> None:
    demo, _, _ = stormy
    for table in STORMY_TABLES:
        for name in ("events.jsonl", "public.jsonl"):
            ledger = demo.table(table) / "ledger" / name
            assert verify_chain(ledger.read_bytes().splitlines(keepends=True)) is None


def test_a_table_without_network_plays_the_deal_that_it_has_and_the_next_and_says_that_it_is_alone(stormy: Storm) -> None:
    _, _, alone = stormy
    assert [event for event in of_type(alone, "link-lost") if event["what"] == "broker"]
    assert len(of_type(alone, "hand-closed")) == 2
    assert len(of_type(alone, "deal-opened")) == 2, "the third deal is not on the table's disk"


def walls_of(demo: DemoRun) -> dict[int, Secret]:
    """What was concealed in each deal, re-made from the released slips."""
    started = started_plan(demo.folder / "plan.json", demo.folder / "start.json")
    slips = [Slip.from_json(path.read_bytes()) for path in sorted((demo.folder / "released").glob("slip-*.json"))]
    return {slip.n: concealed(slip.n, verify_slip(started, slip).walls, slip) for slip in slips}


def test_nobody_is_served_what_is_sealed_just_then(calm: tuple[DemoRun, dict[str, Any], list[Served]]) -> None:
    """Neither a wall nor, to those who stand at no table, any play of a deal that some table has still to finish."""
    demo, _, served = calm
    walls = walls_of(demo)
    assert set(walls) == set(range(1, HANDS + 1))
    lines = [line for table in TABLES for line in (demo.table(table) / "ledger" / "events.jsonl").read_bytes().splitlines(keepends=True)]
    plays = [(hand.n, replace(played(hand), scores=())) for hand in summaries(map(parse, lines))]
    sealed_pieces = 0
    for piece in set(served):
        sealed = [secret for n, secret in walls.items() if n not in piece.released]
        if piece.viewer == "spectator":
            sealed += [secret for n, secret in plays if n not in piece.released]
        sealed_pieces += bool(sealed)
        assert not find_leaks(piece.content, sealed), (piece.viewer, piece.address)
    assert sealed_pieces > 100
    assert any(find_leaks(piece.content, [secret for _, secret in plays]) for piece in served), "after the release the play is shown"


def test_no_log_and_no_public_line_holds_eight_concealed_tiles(calm: tuple[DemoRun, dict[str, Any], list[Served]]) -> None:
    demo, _, _ = calm
    walls = list(walls_of(demo).values())
    assert not scan(demo.folder / "logs", walls)
    for table in TABLES:
        ledger = demo.table(table) / "ledger"
        assert not scan(ledger, walls, ["table.journal", "session-*.json"]), "nor the ledgers, but for journal and released records"
    assert scan(demo.folder / "released", walls), "the search finds what is there"


def test_released_deals_are_verified_from_the_front_door(calm: tuple[DemoRun, dict[str, Any], list[Served]]) -> None:
    demo, report, _ = calm
    slips = sorted(str(path) for path in (demo.folder / "released").glob("slip-*.json"))
    assert len(slips) == HANDS
    verified = twinwall("deals", "verify", str(demo.folder / "plan.json"), "--root", report["root"], *slips)
    assert verified.returncode == 0, verified.stderr


def test_the_store_exports_what_compares_to_the_same_imp(calm: tuple[DemoRun, dict[str, Any], list[Served]], tmp_path: Path) -> None:
    demo, report, _ = calm
    exported = twinwall("export", "--format", "csv", str(demo.folder / "event.sqlite"))
    assert exported.returncode == 0, exported.stderr
    results = tmp_path / "results.csv"
    results.write_text(exported.stdout)
    compared = twinwall("compare", str(results), "--team", "--json")
    assert compared.returncode == 0, compared.stderr
    (group,) = json.loads(compared.stdout)["groups"]
    assert {entry["entrant"]: int(entry["imp"]) for entry in group["ranking"]} == {team["team"]: team["imp"] for team in report["imp"]}
