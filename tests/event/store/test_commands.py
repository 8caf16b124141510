"""Commands on a store: export, check and rebuild."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import Twinwall
from tests.support.dashboard.printed import text_of
from tests.support.dashboard.staff import new_staff
from tests.support.event.databases import change_line
from tests.support.event.ledgers import TABLES, TEAMS, closing, events, preparing, starting
from tests.support.event.stored_event import EVENT, PLAN, STARTED, open_desk, slip, slip_bytes, stream, until_closed
from tests.support.wire.brokers import free_port
from tests.support.wire.streams import START, Line
from twinwall.event.store.store_rows import read_store
from twinwall.game.deals import verify_slip
from twinwall.game.play_events import ClaimsPassed, TileDiscarded, TileDrawn
from twinwall.game.play_json import to_json
from twinwall.game.rules import rule_set

pytestmark = pytest.mark.slow
RELEASED = (1, 2)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Three deals at four tables, two of them released."""
    desk = open_desk(tmp_path)
    for table in TABLES:
        desk.take(stream(table))
    for n in RELEASED:
        desk.slip(slip_bytes(n), stream("1")[-1].at)
    desk.close()
    return tmp_path / "event.sqlite"


@pytest.fixture
def records(store: Path, tmp_path: Path, twinwall: Twinwall) -> Path:
    file = tmp_path / "records.json"
    twinwall("export", store, "--format", "json", "--deal", "1", "--out", file)
    return file


def ledgers(folder: Path) -> list[str]:
    """Each table's ledger as a file, and the words that name them."""
    words: list[str] = []
    for table in TABLES:
        file = folder / f"events-{table}.jsonl"
        file.write_bytes(b"".join(event.line for event in stream(table)))
        words += ["--ledger", str(file)]
    return words


def csv_of(twinwall: Twinwall, store: object, folder: Path) -> list[str]:
    """The exported results of a store: they compare as the store does."""
    results = folder / "results.csv"
    twinwall("export", store, "--format", "csv", "--out", results)
    assert twinwall("compare", results, "--team", "--json").out == twinwall("compare", store, "--json").out
    return results.read_text().splitlines()


def test_an_export_compared_gives_what_the_store_compares(store: Path, tmp_path: Path, twinwall: Twinwall) -> None:
    lines = csv_of(twinwall, store, tmp_path)
    assert lines[:2] == ["deal,table,seat,score,team", "1,1,E,75,A"]
    assert len(lines) == 1 + 16 * len(RELEASED)


def test_a_deal_that_is_not_released_does_not_leave(store: Path, tmp_path: Path, twinwall: Twinwall) -> None:
    (tmp_path / "replays").mkdir()
    for form in ("csv", "json", "html"):
        said = twinwall("export", store, "--format", form, "--deal", "3", "--out", tmp_path / "replays" / form, code=1)
        assert said.out == ""
        assert said.err.startswith("twinwall: deal 3 is not released: until every table has finished it")
    assert not list((tmp_path / "replays").iterdir())
    assert {record["n"] for record in json.loads(twinwall("export", store, "--format", "json").out)} == set(RELEASED)


def test_records_hold_what_was_played_and_the_walls_and_give_the_same_results(
    store: Path, records: Path, tmp_path: Path, twinwall: Twinwall
) -> None:
    of_deal = json.loads(records.read_text())
    assert [(record["table"], record["scores"]["E"]) for record in of_deal] == [("1", 75), ("2", -8), ("3", -16), ("4", -8)]
    assert all("walls" in record and record["events"][-1]["type"] == "hand-ended" for record in of_deal)
    files = [tmp_path / f"{record['table']}.json" for record in of_deal]
    for file, record in zip(files, of_deal, strict=True):
        file.write_text(json.dumps(record))
    of_records = twinwall("export", *files, "--format", "csv", *(word for team in TEAMS for word in ("--team", team))).out
    assert of_records == twinwall("export", store, "--format", "csv", "--deal", "1").out


def test_replays_are_a_file_for_each_released_deal_that_needs_no_other_and_records_give_the_same(
    store: Path, records: Path, tmp_path: Path, twinwall: Twinwall
) -> None:
    assert "name a folder, such as --out html/" in twinwall("export", store, "--format", "html", code=2).err
    (tmp_path / "replays").mkdir()
    twinwall("export", store, "--format", "html", "--language", "ja", "--out", tmp_path / "replays")
    files = sorted((tmp_path / "replays").iterdir())
    assert [file.name for file in files] == ["replay-0001-1.html", "replay-0002-1.html"]
    assert all(len(file.read_bytes()) <= 400 * 1024 and '<html lang="ja">' in file.read_text() for file in files)
    assert re.findall(r'(?:src|href)="[^#]', files[0].read_text()) == []
    assert twinwall("export", records, "--format", "html").out == twinwall("export", store, "--format", "html", "--deal", "1").out


@pytest.mark.nightly
def test_hand_records_on_paper_are_a_page_for_each_deal_of_a_session(
    store: Path, records: Path, tmp_path: Path, twinwall: Twinwall
) -> None:
    twinwall("export", store, "--format", "pdf", "--session", "1", "--out", tmp_path / "deals.pdf")
    text = text_of((tmp_path / "deals.pdf").read_bytes())
    assert ["Deal 1" in text, "Deal 2" in text, "Deal 3" in text] == [True, True, False]
    assert "no deal of session 2 is released" in twinwall("export", store, "--format", "pdf", "--session", "2", code=1).err
    assert "a pdf is made from an event's store" in twinwall("export", records, "--format", "pdf", code=2).err


def test_a_record_without_walls_does_not_leave(records: Path, twinwall: Twinwall) -> None:
    record = json.loads(records.read_text())[0]
    del record["walls"], record["digest"]
    records.write_text(json.dumps(record))
    assert "deal 1 is not released (the record has no walls yet)" in twinwall("export", records, "--format", "json", code=1).err


def test_compare_keeps_a_store_to_its_kind_and_asks_for_that_of_a_file_with_neither_column(
    store: Path, tmp_path: Path, twinwall: Twinwall
) -> None:
    assert "is of a team event" in twinwall("compare", store, "--individual", code=2).err
    (tmp_path / "results.csv").write_text("deal,table,seat,score\n")
    assert "say --team or --individual" in twinwall("compare", tmp_path / "results.csv", code=2).err


def test_a_store_is_checked_against_the_ledgers(store: Path, tmp_path: Path, twinwall: Twinwall) -> None:
    words = ledgers(tmp_path)
    document = json.loads(twinwall("results", "check", store, "--json", *words, code=1).out)
    assert (document["journals"], document["slips"], document["ledgers"]) == (4, 2, 4)
    assert document["lines"] == sum(len(stream(table)) for table in TABLES)
    assert all("does not replay" in problem for problem in document["problems"]), "made-up hands are not the deal's"
    file = tmp_path / "events-2.jsonl"
    changed = file.read_bytes().replace(b'"tile":"1m"', b'"tile":"2m"', 1)
    number = 1 + changed[: changed.index(b'"2m"')].count(b"\n")
    file.write_bytes(changed)
    short = tmp_path / "short.jsonl"
    short.write_bytes(b"".join(event.line for event in until_closed("1", 1)))
    said = twinwall("results", "check", store, *words, "--ledger", short, code=1).out
    assert f"events-2.jsonl, line {number}: the store has another line" in said
    assert f"ends at line {len(until_closed('1', 1))}, the store goes on to line {len(stream('1'))}" in said


def test_a_store_of_hands_that_the_walls_allow_holds(tmp_path: Path, twinwall: Twinwall) -> None:
    desk = open_desk(tmp_path)
    desk.take(events([*preparing(1, slip(1).check.hex()), *starting(1), *drawn_out(1), *closing(1, (0, 0, 0, 0))]))
    desk.slip(slip_bytes(1), START)
    desk.close()
    assert twinwall("results", "check", desk.address).out.endswith("all of it holds\n")
    hands = tmp_path / "hands.json"
    twinwall("export", desk.address, "--format", "json", "--out", hands)
    assert [replayed["holds"] for replayed in json.loads(twinwall("replay", hands, "--json").out)] == [True]
    hands.write_text(hands.read_text().replace('"E": 0', '"E": 8'))
    twinwall("replay", hands, code=1)


def test_a_record_that_is_not_what_the_tables_ledger_has_is_shown_after_it(store: Path, records: Path, twinwall: Twinwall) -> None:
    records.write_text(records.read_text().replace('"E": 75', '"E": 76'))
    out, err = twinwall("replay", records, store, "--json", code=1)
    assert err.startswith(f"twinwall: deal 1 (E1) at table 1: scores differs: {store} (the tables' ledgers) has E 75")
    shown = [(each["n"], each["table"], each["source"]) for each in json.loads(out)]
    assert shown[:2] == [(1, "1", str(store)), (1, "1", str(records))]
    assert len(shown) == 4 * len(RELEASED) + 1


def drawn_out(n: int) -> Iterator[Line]:
    """A hand in which everybody discards what was drawn, until nothing can be drawn any more."""
    rules, walls = rule_set("mcr-duplicate"), verify_slip(STARTED, slip(n)).walls
    state, draws = rules.start(), {seat: iter(wall.draws) for seat, wall in walls.items()}
    while (seat := rules.permissions(state).draw) is not None:
        for event in (TileDrawn(seat), TileDiscarded(seat, next(draws[seat])), ClaimsPassed()):
            state = rules.apply(state, event)
            fields = to_json(event)
            yield str(fields.pop("type")), fields


def test_what_of_a_ledger_has_not_reached_the_store_is_noted(tmp_path: Path, twinwall: Twinwall) -> None:
    desk = open_desk(tmp_path)
    desk.take(until_closed("1", 1))
    desk.close()
    ledgers(tmp_path)
    for table, first in (("1", len(until_closed("1", 1)) + 1), ("2", 1)):
        file = tmp_path / f"events-{table}.jsonl"
        note = f"{file}: lines {first} to {len(stream(table))} have not reached the store"
        assert note in twinwall("results", "check", desk.address, "--ledger", file).err
        assert json.loads(twinwall("results", "check", desk.address, "--ledger", file, "--json").out)["notes"] == [note]


def test_a_changed_byte_of_a_store_is_named_and_no_dashboard_starts_on_it(store: Path, tmp_path: Path, twinwall: Twinwall) -> None:
    settings = dashboard_settings(tmp_path)
    change_line(store)
    place = "table 1, journal 'j', line 12: "
    assert f"{place}it is not the line that was stored" in twinwall("results", "check", store, code=1).out
    twinwall("export", store, "--format", "csv", code=2)
    err = twinwall("dashboard", "--settings", settings, code=2).err
    assert f"the store is damaged ({place}" in err
    assert err.count("\n") == 1


def test_a_store_is_made_again_from_the_ledgers(store: Path, tmp_path: Path, twinwall: Twinwall) -> None:
    words = ledgers(tmp_path)
    for n in RELEASED:
        (tmp_path / f"{n}.json").write_bytes(slip_bytes(n))
        words += ["--slip", str(tmp_path / f"{n}.json")]
    again, settings = tmp_path / "again.sqlite", dashboard_settings(tmp_path)
    twinwall("results", "rebuild", again, "--settings", settings, *words)
    one, other = ((found.journals, found.programme, [each.slip for each in found.slips]) for found in map(read_store, (store, again)))
    assert one == other
    assert "exists" in twinwall("results", "rebuild", again, "--settings", settings, *words, code=2).err


def dashboard_settings(folder: Path) -> Path:
    (folder / "plan.json").write_bytes(PLAN.canonical)
    (folder / "start.json").write_bytes(STARTED.start.canonical)
    new_staff(folder / "staff.sqlite").close()
    file = folder / "dashboard.toml"
    file.write_text(
        f"""
[event]
name = "{EVENT}"
tables = ["1", "2", "3", "4"]
store = "event.sqlite"
plan = "plan.json"
start = "start.json"
vault_key = "{"0" * 64}"
kind = "team"
teams = ["A", "B", "C", "D"]
[mqtt]
url = "mqtt://127.0.0.1:1"
user = "server"
[dashboard]
port = {free_port()}
staff = "staff.sqlite"
secret_file = "secret"
"""
    )
    return file


def test_a_store_is_copied_while_it_is_written_and_the_copy_goes_on_as_the_store(tmp_path: Path, twinwall: Twinwall) -> None:
    desk = open_desk(tmp_path)
    for table in TABLES[:2]:
        desk.take(stream(table))
    copy = tmp_path / "copy.sqlite"
    twinwall("results", "backup", desk.address, copy)
    assert copy.stat().st_mode & 0o077 == 0
    desk.take(stream(TABLES[2]))
    desk.close()
    (tmp_path / "restored").mkdir()
    restored = copy.rename(tmp_path / "restored" / "event.sqlite")
    again = open_desk(restored.parent)
    assert sorted(again.found) == sorted(TABLES[:2])
    again.take(stream(TABLES[2]))
    twinwall("results", "check", restored)
    again.close()


def test_a_copy_is_never_written_over_a_file(store: Path, tmp_path: Path, twinwall: Twinwall) -> None:
    there = tmp_path / "there.sqlite"
    there.write_text("mine")
    assert "name a file that is not there" in twinwall("results", "backup", store, there, code=2).err
    assert there.read_text() == "mine"
    twinwall("results", "backup", tmp_path / "none.sqlite", tmp_path / "copy.sqlite", code=2)
    assert not (tmp_path / "copy.sqlite").exists()
