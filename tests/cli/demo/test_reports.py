"""What a demo tells: progress in the terminal, what its tables' logs come to, stage times of hands, and a ranking in IMP."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from cli.demo.browser import DemoLogin
from cli.demo.command import mean_stages_s
from cli.demo.people import MOST_TABLES, seat_people
from cli.demo.progress import DemoTableProgress, picture
from cli.demo.report import HandReport, discard_to_event_ms, ranking

PLAY = (
    {"type": "hand-started", "hand": 1},
    {"type": "tile-discarded", "seat": "E", "tile": "5m"},
    {"type": "claimed", "seat": "S", "meld": "pung", "tiles": "5m 5m 5m"},
    {"type": "violation", "sentence": "South discarded 9p, which was not drawn"},
    {"type": "win-declared", "seat": "S"},
    {"type": "hand-ended", "scores": {"E": -8, "S": 77, "W": -8, "N": -61}},
)


def test_no_tile_claim_or_score_of_a_hand_is_shown(tmp_path: Path) -> None:
    ledger = tmp_path / "events.jsonl"
    console = Console(width=200, record=True, file=(tmp_path / "terminal").open("w", encoding="utf-8"))
    with console.file:
        progress = DemoTableProgress("1", ledger)
        for event in PLAY:
            with ledger.open("a", encoding="utf-8") as file:
                file.write(json.dumps(event) + "\n")
            progress.update()
            console.print(picture("http://127.0.0.1:1", DemoLogin("Director", "a password", tmp_path), [progress], 16))
    shown = console.export_text()
    assert "hand 1/16" in shown
    assert "the referee is needed" in shown
    assert not [told for told in ("5m", "9p", "pung", "77", "-61", "wins", "ended") if told in shown]


LINE = "2026-11-24 10:00:00,000 controller.discard_times a discard {} its slot: {} ms from the first frame that shows it to its event"


def log(folder: Path, name: str, *lines: str) -> Path:
    file = folder / name
    file.write_text("\n".join(["2026-11-24 10:00:00,000 root the start of the event is drawn", *lines, "deal 1: 3 frames were observed"]))
    return file


def test_the_times_of_discards_are_those_of_all_tables_in_their_slots_and_off_them_apart(tmp_path: Path) -> None:
    first = log(tmp_path, "1.log", LINE.format("in", 200), LINE.format("in", 220), LINE.format("off", 1900))
    second = log(tmp_path, "2.log", LINE.format("in", 210))
    assert discard_to_event_ms([first, second], 24.0) == {
        "clock": "wall",
        "speed": 24.0,
        "count": 4,
        "p50": 210,
        "p95": 1900,
        "in_slots": {"count": 3, "p50": 210, "p95": 220},
        "off_slots": {"count": 1, "p50": 1900, "p95": 1900},
    }


def test_where_no_discard_was_seen_there_is_no_share(tmp_path: Path) -> None:
    found = discard_to_event_ms([log(tmp_path, "1.log")], 1.0)
    assert (found["count"], found["in_slots"], found["off_slots"]) == (0, {"count": 0}, {"count": 0})


def journal(*events: tuple[int, str, int | None]) -> list[dict[str, object]]:
    """A journal of (second, type, deal)."""
    return [{"type": kind, "at": f"2026-11-20T10:00:{second:02d}.000Z", "n": n} for second, kind, n in events]


def one_hand(wait: int) -> Iterator[tuple[int, str, int | None]]:
    """Deal 2 is built while hand 1 is played, and is ready ``wait`` seconds after hand 1 was closed."""
    yield from ((0, "deal-opened", 1), (5, "wall-ready", 1), (6, "wall-raised", 1), (7, "hand-started", 1), (8, "deal-opened", 2))
    yield from ((20, "payments-computed", None), (22, "hand-closed", 1), (22 + wait, "wall-ready", 2))


def test_the_wall_of_the_next_hand_is_not_that_of_the_present_one_nor_waited_for_where_it_is_ready() -> None:
    assert mean_stages_s([journal(*one_hand(3))]) == {"build": 11.0, "wait": 3.0, "hands": 1.0, "play": 13.0, "settle": 2.0}
    assert mean_stages_s([journal(*one_hand(-4))])["wait"] == 0.0
    assert mean_stages_s([journal((0, "deal-opened", 1))]) == {}, "a stage that never ended"


@pytest.mark.parametrize("tables", range(1, MOST_TABLES + 1))
def test_every_place_of_every_table_has_a_person_of_its_own(tables: int) -> None:
    groups = seat_people(tables)
    names = [name for group in groups for players in group.tables.values() for name in players]
    assert len(set(names)) == len(names) == 4 * tables
    assert [name for group in groups for name in group.tables] == [str(number + 1) for number in range(tables)]


def test_four_tables_are_compared_as_four_teams_and_the_rest_is_not() -> None:
    whole, rest = seat_people(6)
    assert len(whole.teams) == len(whole.tables) == 4
    assert rest.teams == ()
    assert len(rest.tables) == 2


WORKED_EXAMPLE = {
    "1": {"E": 75, "S": -25, "W": -25, "N": -25},
    "2": {"E": -8, "S": 48, "W": -32, "N": -8},
    "3": {"E": -16, "S": -8, "W": -8, "N": 32},
    "4": {"E": -8, "S": 48, "W": -32, "N": -8},
}
"""Aono, "Duplicate-format mahjong", 2015: one deal at four tables."""


def report(scores: dict[str, int], hand: int = 1) -> HandReport:
    return HandReport(hand, "", scores, True, Path("record.json"), True, 0)


def test_the_worked_example_gives_each_team_its_imp() -> None:
    hands = {table: [report(scores)] for table, scores in WORKED_EXAMPLE.items()}
    ranked = ranking(seat_people(4), hands, zero_sum=True)
    assert [entry["imp"] for entry in ranked] == [16, 0, -10, -14]
    assert [entry["rank"] for entry in ranked] == [1, 2, 3, 4]


def test_the_team_moves_with_the_winds_from_hand_to_hand() -> None:
    """East of hand 2 is the person who was South of hand 1: the same scores by seat go to other teams."""
    first = ranking(seat_people(4), {table: [report(scores)] for table, scores in WORKED_EXAMPLE.items()}, zero_sum=True)
    second = ranking(seat_people(4), {table: [report(scores, 2)] for table, scores in WORKED_EXAMPLE.items()}, zero_sum=True)
    assert first[0]["imp"] == second[0]["imp"]
    assert first[0]["team"] != second[0]["team"]


def test_tables_without_teams_have_no_imp() -> None:
    assert ranking(seat_people(1), {"1": [report(WORKED_EXAMPLE["1"])]}, zero_sum=True) == []
