"""``twinwall results compare`` from the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.commands import Twinwall
from tests.support.event.example import csv_lines, player_results, team_results
from twinwall.event.scale import provisional_scale


def written(folder: Path, lines: Sequence[str]) -> Path:
    path = folder / "results.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """The worked example as a file of teams."""
    return written(tmp_path, csv_lines(team_results()))


def test_the_worked_example_in_json_and_for_people_and_a_file_says_by_its_column_what_is_compared(
    results: Path, twinwall: Twinwall
) -> None:
    out, err = twinwall("compare", results, "--team", "--json")
    document = json.loads(out)
    assert err == ""
    assert document["scale"]["digest"] == provisional_scale().digest
    ranking = [(line["entrant"], line["imp"], line["rank"]) for line in document["groups"][0]["ranking"]]
    assert ranking == [("A", 16, 1), ("C", 0, 2), ("B", -10, 3), ("D", -14, 4)]
    report = twinwall("compare", results, "--team").out
    assert twinwall("compare", results).out == report
    assert all(words in report for words in ("provisional", provisional_scale().digest, "E +10.75, S +15.75, W -24.25, N -2.25"))
    assert "sum  +107  IMP +16  A" in report
    assert "official" not in report


def test_players_are_compared_with_exact_differences(tmp_path: Path, twinwall: Twinwall) -> None:
    out = twinwall("compare", written(tmp_path, csv_lines(player_results()[4:], "player")), "--individual").out
    assert "datum E -32/3" in out
    assert "table 2 E    -8  difference    +8/3  IMP  +1  2E" in out


def test_bad_lines_are_all_named_on_standard_error_and_nothing_is_printed(results: Path, twinwall: Twinwall) -> None:
    lines = results.read_text().splitlines()
    lines[4] = "1,1,N,-24,D"
    lines[8] = "1,2,N,eight,C"
    results.write_text("\n".join(lines))
    out, err = twinwall("compare", results, "--team", "--json", code=2)
    assert out == ""
    assert [line.partition(f"{results}: ")[2].partition(":")[0] for line in err.splitlines()] == ["line 2", "line 9"]


def test_a_name_that_played_fewer_deals_is_pointed_out(tmp_path: Path, twinwall: Twinwall) -> None:
    second = [line.replace("1E", "9E") for line in csv_lines(player_results(2), "player")[1:]]
    path = written(tmp_path, [*csv_lines(player_results(1), "player"), *second])
    err = twinwall("compare", path, "--individual", "--json").err.splitlines()
    assert sorted(err) == [f"twinwall: note: {name} has played 1 of the 2 deals of group 1" for name in ("1E", "9E")]


def adjusted(tmp_path: Path, north: int) -> Path:
    """The worked example with a second deal, in which a referee has adjusted table 2."""
    header, *lines = csv_lines([*player_results(1), *player_results(2)], "player")
    played = [f"{line},played" for line in lines if not line.startswith("2,2,")]
    ruled = [f"2,2,{seat},{score},2{seat},adjusted" for seat, score in zip("ESWN", (24, -8, -8, north), strict=True)]
    return written(tmp_path, [f"{header},basis", *played, *ruled])


@pytest.mark.parametrize("form", [[], ["--json"], ["--points", "rank"]])
def test_adjusted_scores_that_do_not_add_up_are_compared_and_pointed_out(tmp_path: Path, twinwall: Twinwall, form: list[str]) -> None:
    out, err = twinwall("compare", adjusted(tmp_path, north=-7), *form)
    assert "2N" in out
    said = "the adjusted scores of table 2 of deal 2 in group 1 sum to 1, not to 0: they are compared as they stand"
    assert err == f"twinwall: note: {said}\n"


def rounded(tmp_path: Path) -> Path:
    """Options under which a self-draw has no sum."""
    options = tmp_path / "options.toml"
    options.write_text('self_draw = "rounded"\n')
    return options


def test_adjusted_scores_that_add_up_and_those_of_rules_without_a_sum_are_not(tmp_path: Path, twinwall: Twinwall) -> None:
    assert twinwall("compare", adjusted(tmp_path, north=-8)).err == ""
    assert twinwall("compare", adjusted(tmp_path, north=-7), "--options", rounded(tmp_path)).err == ""


def test_results_of_rules_whose_options_give_no_sum_are_read_with_these_options(tmp_path: Path, twinwall: Twinwall) -> None:
    results = written(tmp_path, csv_lines(player_results(scores=((41, -14, -14, -14), (-8, 48, -32, -8))), "player"))
    assert "sum to -1, not to 0" in twinwall("compare", results, code=2).err
    assert "1E" in twinwall("compare", results, "--options", rounded(tmp_path)).out


def test_another_scale_can_be_given(results: Path, tmp_path: Path, twinwall: Twinwall) -> None:
    scale = tmp_path / "scale.toml"
    scale.write_text('format = "twinwall-scale-1"\nname = "flat"\nstatus = "provisional"\nsource = "a test"\nbounds = [100]\n')
    document = json.loads(twinwall("compare", results, "--team", "--scale", scale, "--json").out)
    assert document["scale"]["name"] == "flat"
    assert [entry["imp"] for entry in document["groups"][0]["deals"][0]["entries"]] == [1, 0, 0, 0]


@pytest.mark.parametrize(
    "words",
    [
        ["RESULTS", "--team", "--individual"],
        ["RESULTS", "--team", "--rules", "poker"],
        ["RESULTS", "--team", "--options", "none.toml"],
        ["RESULTS", "--team", "--scale", "nowhere.toml"],
        ["RESULTS", "--team", "--scale", "RESULTS"],
        ["RESULTS", "--individual"],
        ["none.csv", "--team"],
    ],
)
def test_what_cannot_be_done_is_wrong_use(results: Path, words: list[str], twinwall: Twinwall) -> None:
    out, err = twinwall("compare", *(results if word == "RESULTS" else word for word in words), code=2)
    assert out == ""
    assert err
