"""``twinwall results compare`` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli import main
from tests.support.event.example import csv_lines, player_results, team_results
from twinwall.event.scale import provisional_scale


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """The worked example as a file of teams."""
    path = tmp_path / "results.csv"
    path.write_text("\n".join(csv_lines(team_results())) + "\n")
    return path


def test_the_worked_example_in_json(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(results), "--team", "--json"]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert err == ""
    assert document["scale"]["digest"] == provisional_scale().digest
    assert [(line["entrant"], line["imp"], line["rank"]) for line in document["groups"][0]["ranking"]] == [
        ("A", 16, 1),
        ("C", 0, 2),
        ("B", -10, 3),
        ("D", -14, 4),
    ]


def test_the_report_for_people_shows_the_datum_and_calls_the_scale_provisional(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(results), "--team"]) == 0
    out = capsys.readouterr().out
    assert "provisional" in out
    assert provisional_scale().digest in out
    assert "official" not in out
    assert "E +10.75, S +15.75, W -24.25, N -2.25" in out
    assert "sum  +107  IMP +16  A" in out


def test_players_are_compared_with_exact_differences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "players.csv"
    path.write_text("\n".join(csv_lines(player_results()[4:], "player")))
    assert main(["compare", str(path), "--individual"]) == 0
    out = capsys.readouterr().out
    assert "datum E -32/3" in out
    assert "table 2 E    -8  difference    +8/3  IMP  +1  2E" in out


def test_bad_lines_are_all_named_on_standard_error_and_nothing_is_printed(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = results.read_text().splitlines()
    lines[4] = "1,1,N,-24,D"
    lines[8] = "1,2,N,eight,C"
    results.write_text("\n".join(lines))
    assert main(["compare", str(results), "--team", "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert [line.partition(f"{results}: ")[2].partition(":")[0] for line in err.splitlines()] == ["line 2", "line 9"]


def test_a_name_that_played_fewer_deals_is_pointed_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "players.csv"
    second = [line.replace("1E", "9E") for line in csv_lines(player_results(2), "player")[1:]]
    path.write_text("\n".join([*csv_lines(player_results(1), "player"), *second]))
    assert main(["compare", str(path), "--individual", "--json"]) == 0
    err = capsys.readouterr().err.splitlines()
    assert sorted(err) == [f"twinwall: note: {name} has played 1 of the 2 deals of group 1" for name in ("1E", "9E")]


def test_a_file_says_by_its_column_what_is_compared(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = [(main(["compare", str(results), *words]), capsys.readouterr().out) for words in ([], ["--team"])]
    assert shown[0] == shown[1]


def test_another_scale_can_be_given(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scale = tmp_path / "scale.toml"
    scale.write_text('format = "twinwall-scale-1"\nname = "flat"\nstatus = "provisional"\nsource = "a test"\nbounds = [100]\n')
    assert main(["compare", str(results), "--team", "--scale", str(scale), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["scale"]["name"] == "flat"
    assert [entry["imp"] for entry in document["groups"][0]["deals"][0]["entries"]] == [1, 0, 0, 0]


@pytest.mark.parametrize(
    "words",
    [
        ["--team", "--individual"],
        ["--team", "--rules", "poker"],
        ["--team", "--scale", "nowhere.toml"],
        ["--team", "--scale", "RESULTS"],
        ["--individual"],
    ],
)
def test_what_cannot_be_done_is_wrong_use(results: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(results), *(str(results) if word == "RESULTS" else word for word in words)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err


def test_a_file_that_is_not_there_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(tmp_path / "none.csv"), "--team"]) == 2
    assert "none.csv" in capsys.readouterr().err
