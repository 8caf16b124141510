"""Commands on a store: export, check and rebuild."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli import main
from tests.support.dashboard.printed import text_of
from tests.support.dashboard.staff import new_staff
from tests.support.event.example import TEAMS
from tests.support.event.ledgers import TABLES, closing, events, preparing, starting
from tests.support.event.stored_event import EVENT, PLAN, STARTED, open_desk, script, slip, slip_bytes, stream, until_closed
from tests.support.wire.brokers import free_port
from tests.support.wire.streams import START, Line
from twinwall.event.store.store_reading import read_store
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


def ledgers(folder: Path) -> list[str]:
    """Each table's ledger as a file, and the words that name them."""
    words: list[str] = []
    for table in TABLES:
        file = folder / f"events-{table}.jsonl"
        file.write_bytes(b"".join(event.line for event in stream(table)))
        words += ["--ledger", str(file)]
    return words


def said(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    document: dict[str, object] = json.loads(capsys.readouterr().out)
    return document


def test_an_export_compared_gives_what_the_store_compares(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(store), "--json"]) == 0
    from_store = said(capsys)
    assert main(["export", str(store), "--format", "csv", "--out", str(tmp_path / "results.csv")]) == 0
    assert main(["compare", str(tmp_path / "results.csv"), "--team", "--json"]) == 0
    assert said(capsys) == from_store
    lines = (tmp_path / "results.csv").read_text().splitlines()
    assert lines[:2] == ["deal,table,seat,score,team", "1,1,E,75,A"]
    assert len(lines) == 1 + 16 * len(RELEASED)


def test_what_a_referee_ruled_leaves_with_the_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    penalty = {"type": "penalty-ruled", "seat": "S", "offence": "false-win", "imp": 4, "points": 0}
    ruled: dict[str, object] = {"n": 1, "by": "A. Referee", "texts": {"en": "so it is"}}
    scripts = {table: script(table, (1,)) for table in TABLES}
    scripts["2"].append(("ruling", {**ruled, "ruling": "a", "effects": [{"type": "result-excluded"}]}))
    scripts["3"].append(("ruling", {**ruled, "ruling": "b", "effects": [penalty]}))
    desk = open_desk(tmp_path)
    for table, lines in scripts.items():
        desk.take(events(lines, table))
    desk.slip(slip_bytes(1), START)
    desk.close()
    assert main(["compare", str(desk.address), "--json"]) == 0
    from_store = said(capsys)
    assert main(["export", str(desk.address), "--format", "csv", "--out", str(tmp_path / "results.csv")]) == 0
    assert (tmp_path / "results.csv").read_text().startswith("deal,table,seat,score,team,basis,penalty\n")
    assert main(["compare", str(tmp_path / "results.csv"), "--team", "--json"]) == 0
    assert said(capsys) == from_store


def test_a_deal_that_is_not_released_does_not_leave(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("csv", "json"):
        assert main(["export", str(store), "--format", form, "--deal", "3"]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("twinwall: deal 3 is not released: until every table has finished it")
    assert main(["export", str(store), "--format", "json"]) == 0
    assert {record["n"] for record in json.loads(capsys.readouterr().out)} == set(RELEASED)


def test_records_hold_what_was_played_and_the_walls_and_give_the_same_results(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(store), "--format", "json", "--deal", "1"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert [(record["table"], record["scores"]["E"]) for record in records] == [("1", 75), ("2", -8), ("3", -16), ("4", -8)]
    assert all("walls" in record and record["events"][-1]["type"] == "hand-ended" for record in records)
    files = [tmp_path / f"{record['table']}.json" for record in records]
    for file, record in zip(files, records, strict=True):
        file.write_text(json.dumps(record))
    words = [word for team in TEAMS for word in ("--team", team)]
    assert main(["export", *map(str, files), "--format", "csv", *words]) == 0
    of_records = capsys.readouterr().out
    assert main(["export", str(store), "--format", "csv", "--deal", "1"]) == 0
    assert capsys.readouterr().out == of_records


def test_replays_are_a_file_for_each_released_deal_that_needs_no_other(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(store), "--format", "html"]) == 2
    assert "name a folder, such as --out html/" in capsys.readouterr().err
    (tmp_path / "replays").mkdir()
    assert main(["export", str(store), "--format", "html", "--language", "ja", "--out", str(tmp_path / "replays")]) == 0
    files = sorted((tmp_path / "replays").iterdir())
    assert [file.name for file in files] == ["replay-0001-1.html", "replay-0002-1.html"]
    assert all(len(file.read_bytes()) <= 400 * 1024 and '<html lang="ja">' in file.read_text() for file in files)
    assert re.findall(r'(?:src|href)="[^#]', files[0].read_text()) == []
    assert main(["export", str(store), "--format", "html", "--deal", "3"]) == 1
    assert "deal 3 is not released" in capsys.readouterr().err


def test_a_replay_of_records_has_what_the_replay_of_their_store_has(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(store), "--format", "html", "--deal", "1"]) == 0
    of_store = capsys.readouterr().out
    assert main(["export", str(store), "--format", "json", "--deal", "1", "--out", str(tmp_path / "records.json")]) == 0
    assert main(["export", str(tmp_path / "records.json"), "--format", "html"]) == 0
    assert capsys.readouterr().out == of_store


@pytest.mark.nightly
def test_hand_records_on_paper_are_a_page_for_each_deal_of_a_session(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(store), "--format", "pdf", "--session", "1", "--out", str(tmp_path / "deals.pdf")]) == 0
    text = text_of((tmp_path / "deals.pdf").read_bytes())
    assert ["Deal 1" in text, "Deal 2" in text, "Deal 3" in text] == [True, True, False]
    assert main(["export", str(store), "--format", "pdf", "--session", "2"]) == 1
    assert "no deal of session 2 is released" in capsys.readouterr().err
    assert main(["export", str(store), "--format", "json", "--deal", "1", "--out", str(tmp_path / "records.json")]) == 0
    assert main(["export", str(tmp_path / "records.json"), "--format", "pdf"]) == 2
    assert "a pdf is made from an event's store" in capsys.readouterr().err


def test_a_record_without_walls_does_not_leave(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(store), "--format", "json", "--deal", "1"]) == 0
    record = json.loads(capsys.readouterr().out)[0]
    del record["walls"], record["digest"]
    (tmp_path / "record.json").write_text(json.dumps(record))
    assert main(["export", str(tmp_path / "record.json"), "--format", "json"]) == 1
    assert "deal 1 is not released (the record has no walls yet)" in capsys.readouterr().err


def test_compare_keeps_a_store_to_its_kind_and_asks_for_that_of_a_file_with_neither_column(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(store), "--individual"]) == 2
    assert "is of a team event" in capsys.readouterr().err
    (tmp_path / "results.csv").write_text("deal,table,seat,score\n")
    assert main(["compare", str(tmp_path / "results.csv")]) == 2
    assert "say --team or --individual" in capsys.readouterr().err


def test_a_store_is_checked_against_the_ledgers(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ledgers(tmp_path)
    assert main(["results", "check", str(store), "--json", *words]) == 1
    document = said(capsys)
    assert (document["journals"], document["slips"], document["ledgers"]) == (4, 2, 4)
    assert document["lines"] == sum(len(stream(table)) for table in TABLES)
    problems = document["problems"]
    assert isinstance(problems, list)
    assert all("does not replay" in problem for problem in problems), "made-up hands are not the deal's, and nothing else is wrong"
    file = tmp_path / "events-2.jsonl"
    changed = file.read_bytes().replace(b'"tile":"1m"', b'"tile":"2m"', 1)
    number = 1 + changed[: changed.index(b'"2m"')].count(b"\n")
    file.write_bytes(changed)
    assert main(["results", "check", str(store), *words]) == 1
    assert f"events-2.jsonl, line {number}: the store has another line" in capsys.readouterr().out


def test_a_store_of_hands_that_the_walls_allow_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk = open_desk(tmp_path)
    lines = [*preparing(1, slip(1).check.hex()), *starting(1), *drawn_out(1), *closing(1, (0, 0, 0, 0))]
    desk.take(events(lines))
    desk.slip(slip_bytes(1), START)
    desk.close()
    assert main(["results", "check", str(desk.address)]) == 0
    assert capsys.readouterr().out.endswith("all of it holds\n")
    hands = tmp_path / "hands.json"
    assert main(["export", str(desk.address), "--format", "json", "--out", str(hands)]) == 0
    assert main(["replay", str(hands), "--json"]) == 0
    assert [replayed["holds"] for replayed in json.loads(capsys.readouterr().out)] == [True]
    hands.write_text(hands.read_text().replace('"E": 0', '"E": 8'))
    assert main(["replay", str(hands)]) == 1


def test_a_record_that_is_not_what_the_tables_ledger_has_is_shown_after_it(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hands = tmp_path / "hands.json"
    assert main(["export", str(store), "--format", "json", "--deal", "1", "--out", str(hands)]) == 0
    hands.write_text(hands.read_text().replace('"E": 75', '"E": 76'))
    assert main(["replay", str(hands), str(store), "--json"]) == 1
    out, err = capsys.readouterr()
    assert err.startswith(f"twinwall: deal 1 (E1) at table 1: scores differs: {store} (the tables' ledgers) has E 75")
    told = [(each["n"], each["table"], each["source"]) for each in json.loads(out)]
    assert told[:2] == [(1, "1", str(store)), (1, "1", str(hands))]
    assert len(told) == 4 * len(RELEASED) + 1


def drawn_out(n: int) -> Iterator[Line]:
    """A hand in which everybody discards what was drawn, until nothing can be drawn any more."""
    rules, walls = rule_set("mcr-duplicate"), verify_slip(STARTED, slip(n)).walls
    state, draws = rules.start(), {seat: iter(wall.draws) for seat, wall in walls.items()}
    while (seat := rules.permissions(state).draw) is not None:
        for event in (TileDrawn(seat), TileDiscarded(seat, next(draws[seat])), ClaimsPassed()):
            state = rules.apply(state, event)
            fields = to_json(event)
            yield str(fields.pop("type")), fields


def test_what_of_a_ledger_has_not_reached_the_store_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk = open_desk(tmp_path)
    desk.take(until_closed("1", 1))
    desk.close()
    ledgers(tmp_path)
    assert main(["results", "check", str(desk.address), "--ledger", str(tmp_path / "events-1.jsonl")]) == 0
    first, last = len(until_closed("1", 1)) + 1, len(stream("1"))
    assert f"events-1.jsonl: lines {first} to {last} have not reached the store" in capsys.readouterr().err
    assert main(["results", "check", str(desk.address), "--ledger", str(tmp_path / "events-2.jsonl"), "--json"]) == 0
    assert said(capsys)["notes"] == [f"{tmp_path}/events-2.jsonl: lines 1 to {len(stream('2'))} have not reached the store"]


def test_a_store_that_has_more_than_the_ledger_is_told(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short = tmp_path / "events.jsonl"
    short.write_bytes(b"".join(event.line for event in until_closed("1", 1)))
    assert main(["results", "check", str(store), "--ledger", str(short)]) == 1
    assert f"ends at line {len(until_closed('1', 1))}, the store goes on to line {len(stream('1'))}" in capsys.readouterr().out


def test_a_changed_byte_of_a_store_is_named(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect(store) as connection:
        connection.execute("DROP TRIGGER lines_update")
        changed = "UPDATE lines SET line = CAST(replace(CAST(line AS TEXT), '1m', '2m') AS BLOB) WHERE seq = 12 AND journal_id = 2"
        connection.execute(changed)
    connection.close()
    assert main(["results", "check", str(store)]) == 1
    assert "table 2, journal 'j', line 12: it is not the line that was stored" in capsys.readouterr().out
    assert main(["export", str(store), "--format", "csv"]) == 2


def test_a_dashboard_does_not_start_on_a_changed_store(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = dashboard_settings(tmp_path)
    with sqlite3.connect(store) as connection:
        connection.execute("DROP TRIGGER lines_update")
        connection.execute("UPDATE lines SET line = x'00' WHERE seq = 12 AND journal_id = 2")
    connection.close()
    assert main(["dashboard", "--settings", str(settings)]) == 2
    said = capsys.readouterr().err
    assert "the store is damaged (table 2, journal 'j', line 12: " in said
    assert said.count("\n") == 1


def test_a_store_is_made_again_from_the_ledgers(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    slips = tmp_path / "slips"
    slips.mkdir()
    words = ledgers(tmp_path)
    for n in RELEASED:
        (slips / f"{n}.json").write_bytes(slip_bytes(n))
        words += ["--slip", str(slips / f"{n}.json")]
    again, settings = tmp_path / "again.sqlite", dashboard_settings(tmp_path)
    assert main(["results", "rebuild", str(again), "--settings", str(settings), *words]) == 0
    one, other = read_store(store), read_store(again)
    assert (one.journals, one.programme, [slip.slip for slip in one.slips]) == (
        other.journals,
        other.programme,
        [slip.slip for slip in other.slips],
    )
    assert main(["results", "rebuild", str(again), "--settings", str(settings), *words]) == 2
    assert "exists" in capsys.readouterr().err


def dashboard_settings(folder: Path) -> Path:
    """Settings of this event."""
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


def test_a_store_is_copied_while_it_is_written_and_the_copy_goes_on_as_the_store(tmp_path: Path) -> None:
    desk = open_desk(tmp_path)
    for table in TABLES[:2]:
        desk.take(stream(table))
    copy = tmp_path / "copy.sqlite"
    assert main(["results", "backup", str(desk.address), str(copy)]) == 0
    assert copy.stat().st_mode & 0o077 == 0
    desk.take(stream(TABLES[2]))
    desk.close()
    (tmp_path / "restored").mkdir()
    restored = copy.rename(tmp_path / "restored" / "event.sqlite")
    again = open_desk(restored.parent)
    assert sorted(again.found) == sorted(TABLES[:2])
    again.take(stream(TABLES[2]))
    assert main(["results", "check", str(restored)]) == 0
    again.close()


def test_a_copy_is_never_written_over_a_file(store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = tmp_path / "there.sqlite"
    there.write_text("mine")
    assert main(["results", "backup", str(store), str(there)]) == 2
    assert "name a file that is not there" in capsys.readouterr().err
    assert there.read_text() == "mine"
    assert main(["results", "backup", str(tmp_path / "none.sqlite"), str(tmp_path / "copy.sqlite")]) == 2
    assert not (tmp_path / "copy.sqlite").exists()
