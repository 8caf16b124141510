"""Sessions of several tables: once calm, and once with every process killed, and a feeder and a table's network cable pulled.

Players are deterministic, so each hand is compared with the one that their strategies play in memory from the same walls.
``make test`` plays one short hand at one table, whose feeder is unplugged and whose table, broker, vault and dashboard are killed; what
must hold of any session is asked of that one. ``make nightly`` plays three hands at four tables, once calm and once stormy; the tables
make a group that is compared in IMP.
"""

import contextlib
import io
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from cli import main
from simulator.players.hand_in_memory import play_in_memory
from tests.support.commands import readable
from tests.support.demo.harness import SHORT_HAND, VIEWERS, DemoRun, Onlookers, Served, of_type, processes_with
from tests.support.leak_scanner import find_leaks, played, released_walls, scan
from tests.support.tiers import TIER, Tier
from tests.support.wire.tls import Cable
from tests.system.rivers import wait_for_page
from twinwall.event.hands import summaries
from twinwall.event.store.store_rows import read_store
from twinwall.game.deals import Plan, Slip, Start, StartedPlan, verify_slip
from twinwall.game.record import HandRecord
from twinwall.wire.ledger import UnknownEvent, parse, verify_chain

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

WHOLE = TIER is Tier.NIGHTLY
HANDS_ALONE = 2
"""Hands that a table plays to their end while its network cable is out."""
HANDS = HANDS_ALONE + 1 if WHOLE else 1
TABLES = ("1", "2", "3", "4") if WHOLE else ("1",)
SEED = 55 if WHOLE else SHORT_HAND
"""With 55 hands are short at four tables too: where most seeds have about 50 discards a hand, it has 30."""
LEAST_RECOVERIES = 10 if WHOLE else 4
LEAST_PIECES = 100 if WHOLE else 20
"""Of what is served while a deal is sealed."""


@dataclass(frozen=True)
class Session:
    """A session that has ended, with its report."""

    demo: DemoRun
    report: dict[str, Any]
    tables: tuple[str, ...]


@dataclass(frozen=True)
class Storm(Session):
    """A session in which things happened."""

    page_was_right: bool
    """Whether table 1's page came to show everything by itself after broker and dashboard were killed."""
    alone: list[dict[str, Any]]
    """The events of table 2 at the moment when its network came back."""
    served: list[Served]
    """What people with browsers were served meanwhile."""


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """Four tables, and nothing happens to them."""
    folder = tmp_path_factory.mktemp("calm session") / "demo"
    with DemoRun(folder, "--tables", str(len(TABLES)), "--hands", str(HANDS), seed=SEED) as demo:
        yield Session(demo, demo.report(), TABLES)


@pytest.fixture(scope="module")
def stormy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storm]:
    """The same deals, while processes are killed and lines are cut."""
    folder = tmp_path_factory.mktemp("stormy session") / "demo"
    with DemoRun(folder, "--tables", str(len(TABLES)), "--hands", str(HANDS), seed=SEED) as demo:
        demo.wait(bool)
        with Onlookers(demo, TABLES, HANDS) as onlookers, Cable(broker_port(demo)) as cable:
            page_was_right, alone = storm_at_four_tables(demo, onlookers, cable) if WHOLE else storm_at_one_table(demo, onlookers)
            report = demo.report()
        yield Storm(demo, report, TABLES, page_was_right, alone, onlookers.served)


def storm_at_one_table(demo: DemoRun, onlookers: Onlookers) -> tuple[bool, list[dict[str, Any]]]:
    """The vault is killed and the feeder unplugged in the build, the others are killed in play; table 1 has a network all the time."""
    demo.wait(lambda events: any(event["placed"] >= 40 for event in of_type(events, "building")))
    demo.kill("vault")
    unplug_for_a_while(demo)
    demo.wait(lambda events: len(of_type(events, "tile-discarded")) >= 3)
    demo.kill("broker")
    restart_table(demo, "1")
    demo.replace("dashboard")
    with demo.held():
        page_was_right = wait_for_page(demo)
        wait_until_shown(demo, onlookers)
    return page_was_right, []


def storm_at_four_tables(demo: DemoRun, onlookers: Onlookers, cable: Cable) -> tuple[bool, list[dict[str, Any]]]:
    """Every part is killed at some moment, table 1 loses its feeder, and table 2 has no network for a while."""
    interrupt_the_build(demo)
    through(demo, "2", cable)
    demo.wait(lambda events: len(of_type(events, "deal-opened")) >= 2, table="2")
    cable.pull()
    demo.wait(lambda events: len(of_type(events, "tile-discarded")) >= 6, table="3")
    demo.kill("vault-witness")
    demo.kill("broker")
    demo.kill("table", "3")
    demo.wait(lambda events: len(of_type(events, "tile-discarded")) >= 14, table="4")
    demo.kill("cameras")
    demo.kill("dashboard")
    page_was_right = wait_for_page(demo)
    demo.wait(lambda events: len(of_type(events, "hand-closed")) >= 1, table="4")
    demo.kill("vault")
    demo.kill("vault-witness")
    demo.kill("players")
    demo.wait(lambda events: len(of_type(events, "hand-closed")) >= HANDS_ALONE, table="2")
    alone = demo.events("2")
    cable.plug()
    demo.wait(lambda events: len(of_type(events, "hand-started")) >= HANDS, table="4")
    restart_table(demo, "4")
    with demo.held():
        wait_until_shown(demo, onlookers)
        demo.kill("dashboard")
    return page_was_right, alone


def restart_table(demo: DemoRun, table: str) -> None:
    """Kill a table's controller in play; return when the next one has told the ledger that it has started."""
    starts = len(of_type(demo.events(table), "controller-started"))
    demo.kill("table", table)
    demo.wait(lambda events: len(of_type(events, "controller-started")) > starts, table=table)


def wait_until_shown(demo: DemoRun, onlookers: Onlookers) -> None:
    """Wait for the first release, and until somebody has looked at every page since."""
    demo.wait(lambda _events: bool(read_store(demo.folder / "event.sqlite").slips))
    rounds = onlookers.rounds
    demo.wait(lambda _events: onlookers.rounds > rounds + len(VIEWERS))  # one of them has begun a whole round since


@pytest.fixture(params=["calm", "stormy"] if WHOLE else ["stormy"])
def session(request: pytest.FixtureRequest) -> Session:
    ended: Session = request.getfixturevalue(request.param)
    return ended


def interrupt_the_build(demo: DemoRun) -> None:
    """Kill table 1's controller and the vault while the first wall is built, and pull the plug of its feeder for a while."""
    demo.wait(lambda events: any(event["placed"] >= 40 for event in of_type(events, "building")))
    demo.kill("table", "1")
    demo.kill("vault")
    unplug_for_a_while(demo)


def unplug_for_a_while(demo: DemoRun) -> None:
    """Pull the plug of table 1's feeder in the second half of the build, and put it back when the table has missed it."""
    demo.wait(lambda events: any(event["placed"] >= 72 for event in of_type(events, "building")))
    demo.world("unplug")
    demo.wait(lambda events: any(event["what"] == "feeder" for event in of_type(events, "link-lost")))
    demo.world("plug")


def broker_port(demo: DemoRun) -> int:
    found = re.search(r'url = "mqtt://127\.0\.0\.1:(\d+)"', demo.settings("table").read_text())
    assert found is not None
    return int(found[1])


def through(demo: DemoRun, table: str, cable: Cable) -> None:
    """Put the cable between a table and the broker: its settings are changed, and it is killed and comes back with them."""
    settings, port = demo.settings("table", table), broker_port(demo)
    settings.write_text(settings.read_text().replace(f"mqtt://127.0.0.1:{port}", f"mqtt://127.0.0.1:{cable.port}"))
    demo.kill("table", table)


def twinwall(*words: str) -> str:
    """What the front door answers."""
    said = io.BytesIO()
    with contextlib.redirect_stdout(io.TextIOWrapper(said, write_through=True)):
        assert main(words) == 0
        return said.getvalue().decode()


def records_of(session: Session) -> list[HandRecord]:
    """Every hand of a session, as the event's store exports it."""
    exported = twinwall("export", "--format", "json", str(session.demo.folder / "event.sqlite"))
    return [HandRecord.from_json(json.dumps(record)) for record in json.loads(exported)]


def test_every_hand_of_a_session_is_the_one_that_the_players_play_in_memory(session: Session) -> None:
    """Nothing was lost, doubled or read wrongly on the way from the pins to the store, whatever was killed and whichever line was cut."""
    records = records_of(session)
    assert {(record.table, record.hand) for record in records} == {
        (table, hand) for table in session.tables for hand in range(1, HANDS + 1)
    }
    for record in records:
        assert record.walls is not None
        rehearsed = play_in_memory(record.table, record.walls, record.hand, SEED)
        assert record.events[:-1] == rehearsed.events, (record.table, record.hand)
    assert session.report["reads"]["wrong"] == 0


def test_every_process_that_was_killed_was_started_again(stormy: Storm) -> None:
    assert stormy.report["recoveries"] >= LEAST_RECOVERIES


def test_all_tables_play_the_same_deals_from_camera_frames(session: Session) -> None:
    report = session.report
    assert report["reads"]["gate"] >= 136 * len(session.tables) * HANDS
    assert report["reads"]["discard"] > 10 * len(session.tables) * HANDS
    for number, deal in enumerate(report["deals"]):
        hands = [table["hands"][number] for table in report["tables"]]
        assert {hand["digest"] for hand in hands} == {deal["digest"]}
        assert all(sum(hand["scores"].values()) == 0 for hand in hands)


@pytest.mark.nightly
def test_the_session_ends_in_imp_that_part_the_teams(calm: Session) -> None:
    assert len(calm.report["imp"]) == 4
    assert any(team["imp"] for team in calm.report["imp"])


@pytest.mark.nightly
def test_a_session_in_which_every_part_was_killed_ends_with_the_same_imp(calm: Session, stormy: Storm) -> None:
    assert stormy.report["imp"] == calm.report["imp"]


def test_no_process_is_left_behind_by_a_session(session: Session) -> None:
    assert processes_with(str(session.demo.folder)) == []


def test_every_ledger_is_an_unbroken_chain_after_the_kills(stormy: Storm) -> None:
    for table in TABLES:
        for name in ("events.jsonl", "public.jsonl"):
            ledger = stormy.demo.table(table) / "ledger" / name
            assert verify_chain(ledger.read_bytes().splitlines(keepends=True)) is None


def test_every_line_of_a_public_ledger_has_the_fields_of_its_type_and_no_others(stormy: Storm) -> None:
    for table in TABLES:
        ledger = stormy.demo.table(table) / "ledger" / "events.jsonl"
        events = [parse(line) for line in ledger.read_bytes().splitlines(keepends=True)]
        assert not [event.why for event in events if isinstance(event, UnknownEvent)]
        drawn = [event for event in events if event.type == "tile-drawn"]
        assert drawn
        assert not [event for event in drawn if "tile" in event.fields]


def test_the_page_is_right_by_itself_after_broker_and_dashboard_were_killed(stormy: Storm) -> None:
    assert stormy.page_was_right


@pytest.mark.nightly
def test_a_table_without_network_plays_the_deal_that_it_has_and_the_next_and_says_that_it_is_alone(stormy: Storm) -> None:
    """In ``make test`` test_vault.py and test_over_brokers.py of tests/custody ask it."""
    assert [event for event in of_type(stormy.alone, "link-lost") if event["what"] == "broker"]
    assert len(of_type(stormy.alone, "hand-closed")) == HANDS_ALONE
    assert len(of_type(stormy.alone, "deal-opened")) == 2, "the third deal is not on the table's disk"


def test_nobody_is_served_what_is_sealed_just_then(stormy: Storm) -> None:
    """Neither a wall nor, to those who stand at no table, any play of a deal that some table has still to finish."""
    folder = stormy.demo.folder
    walls = list(enumerate(released_walls(folder / "plan.json", folder / "start.json", folder / "released"), 1))
    assert len(walls) == HANDS
    ledgers = [stormy.demo.table(table) / "ledger" / "events.jsonl" for table in TABLES]
    lines = [line for ledger in ledgers for line in ledger.read_bytes().splitlines(keepends=True)]
    plays = [(hand.n, replace(played(hand), scores=())) for hand in summaries(map(parse, lines))]
    sealed_pieces = 0
    for piece in set(stormy.served):
        sealed = [secret for n, secret in walls if n not in piece.released]
        if piece.viewer == "spectator":
            sealed += [secret for n, secret in plays if n not in piece.released]
        sealed_pieces += bool(sealed)
        assert not find_leaks(piece.content, sealed), (piece.viewer, piece.address)
    assert sealed_pieces > LEAST_PIECES
    assert any(find_leaks(piece.content, [secret for _, secret in plays]) for piece in stormy.served), "after the release the play is shown"


def test_no_log_and_no_public_line_holds_eight_concealed_tiles(stormy: Storm) -> None:
    folder = stormy.demo.folder
    walls = released_walls(folder / "plan.json", folder / "start.json", folder / "released")
    assert not scan(folder / "logs", walls)
    for table in TABLES:
        ledger = stormy.demo.table(table) / "ledger"
        assert not scan(ledger, walls, ["session-*.json"]), "nor journal and ledgers, but for the records of released deals"
    assert scan(folder / "released", walls), "the search finds what is there"


def test_every_record_replays_from_the_front_door(session: Session, tmp_path: Path) -> None:
    records = tmp_path / "records.json"
    records.write_text(twinwall("export", "--format", "json", str(session.demo.folder / "event.sqlite")))
    twinwall("replay", str(records))
    twinwall("replay", session.report["tables"][0]["hands"][0]["record"])


def test_both_seed_holders_put_out_the_same_slips_of_the_deals_that_were_played(session: Session) -> None:
    folder = session.demo.folder
    started = StartedPlan(Plan.from_bytes((folder / "plan.json").read_bytes()), Start.from_bytes((folder / "start.json").read_bytes()))
    assert started.plan.holders == ("server", "witness")
    slips = [(folder / "released" / f"slip-{n:04d}.json").read_bytes() for n in range(1, HANDS + 1)]
    made = [verify_slip(started, Slip.from_json(slip)) for slip in slips]
    assert [deal.digest.hex() for deal in made] == [deal["digest"] for deal in session.report["deals"]]
    of_witness = folder / "released-witness"
    assert all((of_witness / f"slip-{n:04d}.json").read_bytes() == slip for n, slip in enumerate(slips, 1) if n < HANDS)


def test_released_deals_are_verified_from_the_front_door(session: Session) -> None:
    slips = sorted(str(path) for path in (session.demo.folder / "released").glob("slip-*.json"))
    assert len(slips) == HANDS
    twinwall("deals", "verify", str(session.demo.folder / "plan.json"), "--start", str(session.demo.folder / "start.json"), *slips)


@pytest.mark.nightly
def test_the_store_exports_what_compares_to_the_same_imp(calm: Session, tmp_path: Path) -> None:
    results = tmp_path / "results.csv"
    results.write_text(twinwall("export", "--format", "csv", str(calm.demo.folder / "event.sqlite")))
    (group,) = json.loads(twinwall("compare", str(results), "--team", "--json"))["groups"]
    assert {entry["entrant"]: int(entry["imp"]) for entry in group["ranking"]} == {team["team"]: team["imp"] for team in calm.report["imp"]}


# The commands of the documents do what these say: they are run in their order, in a folder where a reader would stand. What a reader has
# to fill in is filled in; NOT_RUN names each command that is not run and why.

DOCS = Path(__file__).parents[2] / "docs"
PAGES = tuple(
    page.relative_to(DOCS).as_posix()
    for folder in ("tutorial", "how-to")
    for page in sorted((DOCS / folder).rglob("*.md"))
    if re.search(r"^ *(\$ )?(\.venv/bin/)?twinwall ", page.read_text(encoding="utf-8"), re.MULTILINE)
)
NOT_RUN = {
    "demo": "the fixture runs it",
    "hall serve": "runs until it is ended; tests/system/test_paper_evening.py",
    "table phones": "a server; tests/phones",
    "centre": "needs the servers of a centre; centre/tests",
    "admin upgrade": "replaces this program; tests/cli",
    "feeder bring-up": "asks a person at a terminal; tests/cli/feeder",
    "feeder check": "needs a feeder; tests/firmware_bridge",
    "feeder test-deal": "needs a table; tests/building",
    "admin pack": "needs a table; tests/cli",
    "tiles calibrate": "needs cameras; tests/cli",
    "tiles selftest": "needs cameras; tests/cli",
    "tiles enrol": "needs a table; tests/cli",
    "record table.mp4": "needs a video; tests/cli/rules/test_record_video.py",
    "table continue": "needs a vault in play; tests/system/test_replaced_controller.py",
    "vault allow": "needs a vault in play; tests/system/test_replaced_controller.py",
    "vault status": "needs a vault that runs; tests/system/test_replaced_controller.py",
    "vault sheets": "needs paper tables; tests/custody/test_building_sheets.py",
    "results check postgresql": "needs PostgreSQL; tests/event/store",
    "results backup postgresql": "needs PostgreSQL; tests/event/store",
    "results backup events": "needs PostgreSQL; tests/event/store",
    "hall certificates --settings dashboard.toml --out certificates --gateway": "needs a hall with a gateway; centre/tests",
    "hall mosquitto --settings dashboard.toml --certificates certificates --listen 192.168.1.10 --out /etc/twinwall --gateway": "likewise",
    "deals verify plan.json --start start.json slip-0007.json --sheet": "needs a sheet; tests/cli/event",
}
"""What a command begins with → why it is not run here, or which tests run it."""
if not WHOLE:
    NOT_RUN["results compare results.csv"] = "needs two tables: make nightly"
BEGIN_WITH_NOTHING = ("how-to/centre.md", "how-to/release.md", "how-to/table/bring-up.md", "how-to/vault.md")
"""Pages whose reader stands in an empty folder; the others begin where an event was played."""
FOLDERS = re.compile("FOLDER|/etc/twinwall")
EXAMPLE_CODE = "HA20-BQCJ-JM0H-7XVW-1TYE-6CVT-N4BK-0HHB"
CODE = re.compile(r"start of the event is (\S+)")


def commands(page: str) -> Iterator[list[str]]:
    """The words of each ``twinwall`` command in the fenced blocks of a page, without the program's name."""
    text = (DOCS / page).read_text(encoding="utf-8").replace("\\\n", " ")
    for block in re.findall(r"^ *```\w*\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            command = re.match(r" *(?:\$ )?(?:\.venv/bin/)?twinwall (.*)", line)
            if command:
                yield shlex.split(command[1], comments=True)


def is_not_run(words: list[str]) -> bool:
    """Whether the table above names the command."""
    return " ".join(words).startswith(tuple(NOT_RUN))


@pytest.fixture
def evening(page: str, stormy: Storm, tmp_path: Path) -> Path:
    """An empty folder, or what a demo leaves under the names that the pages use."""
    folder = tmp_path / "evening"
    if page in BEGIN_WITH_NOTHING:
        folder.mkdir()
        return folder
    shutil.copytree(stormy.demo.folder, folder, ignore=shutil.ignore_patterns("panel*"))
    (folder / "events" / "0001").mkdir(parents=True)
    for name in ("club-evening.sqlite", "events/0001/event.sqlite"):
        shutil.copy(folder / "event.sqlite", folder / name)
    return folder


def run(words: list[str], folder: Path) -> None:
    """Run a command where a reader of the documents stands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        if words[:2] in (["vault", "seed"], ["vault", "commit"]):
            words = [*words, "--passphrase-fd", str(readable("correct horse battery\n"))]
        assert main(words) == 0, f"twinwall {shlex.join(words)}"


@pytest.mark.parametrize("page", [page for page in PAGES if not all(map(is_not_run, commands(page)))])
def test_the_commands_of_a_page_run_in_their_order(page: str, evening: Path, stormy: Storm) -> None:
    code = CODE.search(stormy.demo.errors())
    assert code is not None
    filled = {"FOLDER": str(evening), EXAMPLE_CODE: code[1], "/etc/twinwall": str(evening), "read.eep": "table-07.eep"}
    for words in sorted(commands(page), key=lambda words: words[0] == "verify"):
        if not is_not_run(words):
            run([filled.get(word) or FOLDERS.sub(str(evening), word) for word in words], evening)


def test_each_command_that_is_not_run_is_in_a_document() -> None:
    written = [" ".join(words) for page in PAGES for words in commands(page)]
    assert [begin for begin in NOT_RUN if not any(words.startswith(begin) for words in written)] == []
