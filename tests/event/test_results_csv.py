"""Results from a CSV file: refusals by line number, and every bad line is named; and the command that compares it."""

import csv
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.commands import Twinwall
from tests.support.event.ledgers import SCORES, csv_lines, player_results, team_results
from twinwall.event import results_csv
from twinwall.event.imp_scale import provisional_scale
from twinwall.event.results import Basis, EntrantKind
from twinwall.event.results_csv import RefusedResultsError, read_results, write_results
from twinwall.game.rules import rule_set
from twinwall.wire.names import cleaned, name_key

GOOD = csv_lines(team_results())
"""Line 1 is the header, lines 2 to 5 are table 1, and so on to line 17."""
EXAMPLE = [score for of_table in SCORES for score in of_table]


def refusals(lines: Sequence[str], kind: EntrantKind = EntrantKind.TEAM, zero_sum: bool = True) -> list[tuple[int, str]]:
    """Every refusal as (line, reason)."""
    with pytest.raises(RefusedResultsError) as refused:
        read_results("\n".join(lines).encode(), kind, zero_sum)
    return refused.value.refusals


def changed(line: int, text: str) -> list[str]:
    """The good file with one line, counted from 1, replaced."""
    return [*GOOD[: line - 1], text, *GOOD[line:]]


def test_one_name_in_two_forms_and_numbers_as_people_type_them_are_one_player_and_plain_numbers() -> None:
    lines = [line.replace(",A", ",Société").replace("-", "\u2212") for line in csv_lines(team_results(1))]
    lines += [line.replace(",A", ",Socie\u0301te\u0301").replace("2,", "２,", 1) for line in csv_lines(team_results(2))[1:]]
    lines += [line.replace(",A", ",ＳＯＣＩÉＴÉ\u200b") for line in csv_lines(team_results(3))[1:]]
    expected = [replace(each, entrant="Société") if each.entrant == "A" else each for n in (1, 2, 3) for each in team_results(n)]
    assert list(read_results("\n".join(lines).encode(), EntrantKind.TEAM, zero_sum=True)) == expected


@given(columns=st.permutations(["deal", "table", "seat", "score", "team"]))
def test_columns_may_stand_in_any_order(columns: list[str]) -> None:
    order = [GOOD[0].split(",").index(name) for name in columns]
    lines = [",".join(line.split(",")[index] for index in order) for line in GOOD]
    assert list(read_results("\n".join(lines).encode(), EntrantKind.TEAM, zero_sum=True)) == team_results()


def test_a_byte_order_mark_spaces_quotes_empty_lines_and_windows_line_ends_do_no_harm() -> None:
    lines = [GOOD[0], "", '1, 1 ,"E",+75,A', *GOOD[2:], ",,,,", ""]
    assert list(read_results("\r\n".join(lines).encode("utf-8-sig"), EntrantKind.TEAM, zero_sum=True)) == team_results()


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("deal,table,seat,score", "'team' is missing"),
        ("deal,table,seat,score,team,colour", "'colour' is not known"),
        ("deal,table,seat,score,player", "'player' belongs to another comparison"),
        ("deal,table,seat,score,team,score", "'score' is there 2 times"),
        ("deal;table;seat;score;team", "with a comma between them"),
        ("Deal,table,seat,score,team", "'Deal' is not known"),
    ],
)
def test_a_header_is_refused_by_the_column_that_is_wrong(header: str, said: str) -> None:
    found = refusals([header, *GOOD[1:]])
    assert {line for line, _ in found} == {1}
    assert any(said in reason for _, reason in found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,2,E,-8.5,D", "'-8.5' is not a whole number"),
        ("1,2,E,-⑧,D", "is not a whole number"),
        ("1,2,E,1e3,D", "'1e3' is not a whole number"),
        ("1,2,E,,D", "'' is not a whole number"),
        ("0,2,E,-8,D", "the deal '0'"),
        ("one,2,E,-8,D", "the deal 'one'"),
        ("1,2,East,-8,D", "the seat 'East' is not one of E S W N"),
        ("1,,E,-8,D", "the table is empty"),
        ("1,2,E,-8,", "the team is empty"),
        ("1,2,E,-8,D\x1b[2J", "cannot be printed"),
        ("1,2,E,-8", "has 4 cells, the header has 5"),
        ("1,2,E,-8,D,x", "has 6 cells, the header has 5"),
    ],
)
def test_a_bad_cell_is_refused_by_its_line(text: str, said: str) -> None:
    line, reason = refusals(changed(6, text))[0]
    assert line == 6
    assert said in reason


def test_all_that_is_wrong_is_said_at_once() -> None:
    lines = csv_lines(team_results(1) + team_results(2) + team_results(3))
    lines[1] = "1,1,E,many,A"  # line 2
    lines[5] = "1,2,X,-8,"  # line 6, two reasons
    lines[18] = "2,1,S,-24,B"  # line 19: table 1 of deal 2, lines 18 to 21
    del lines[48]  # line 49: North of table 4 of deal 3
    assert refusals(lines) == [
        (2, "the score 'many' is not a whole number such as 75 or -25"),
        (6, "the seat 'X' is not one of E S W N"),
        (6, "the team is empty"),
        (18, "the four scores of table 1 of deal 2 in group 1 sum to 1, not to 0 (lines 18 to 21)"),
        (46, "table 4 of deal 3 in group 1 has no result for seat N (lines 46 to 48)"),
    ]


def test_a_table_need_not_sum_to_zero_where_the_rules_do_not_say_so() -> None:
    assert len(read_results("\n".join(changed(6, "1,2,E,-9,D")).encode(), EntrantKind.TEAM, zero_sum=False)) == 16


@pytest.mark.parametrize(
    ("options", "zero_sum"),
    [
        ({}, True),
        ({"several_winners": "each-minus-others"}, True),
        ({"several_winners": "each-full"}, False),
        ({"self_draw": "rounded"}, False),
    ],
)
def test_the_options_of_duplicate_mcr_decide_whether_tables_sum_to_zero(options: dict[str, object], zero_sum: bool) -> None:
    assert rule_set("mcr-duplicate", options).zero_sum is zero_sum


OF_PLAYERS = csv_lines(player_results(), "player")
OTHER_TEAM = csv_lines(team_results(1)) + [line.replace(",B", ",Berlin") for line in csv_lines(team_results(2))[1:]]
REFUSED: dict[str, tuple[Sequence[str], list[tuple[int, str]]]] = {
    "a header alone": (GOOD[:1], [(1, "there are no results below the header")]),
    "a seat typed wrong": (
        changed(7, "1,2,E,48,A"),
        [
            (6, "table 2 of deal 1 in group 1 has no result for seat S (lines 6 to 9)"),
            (7, "table 2 of deal 1 in group 1 has two results for seat E (lines 6, 7)"),
        ],
    ),
    "a team twice in a wind": (
        [line.replace("1,2,S,48,A", "1,2,S,48,D").replace("1,2,E,-8,D", "1,2,E,-8,A") for line in GOOD],
        [
            (2, "team A does not hold each seat once in deal 1 in group 1, but E E W N (lines 2, 6, 12, 17)"),
            (5, "team D does not hold each seat once in deal 1 in group 1, but N S S W (lines 5, 7, 11, 16)"),
        ],
    ),
    "a team twice at a table": (
        [line.replace("1,2,S,48,A", "1,2,S,48,D").replace("1,3,S,-8,D", "1,3,S,-8,A") for line in GOOD],
        [
            (2, "team A does not sit once at each table in deal 1 in group 1 (lines 2, 11, 12, 17)"),
            (5, "team D does not sit once at each table in deal 1 in group 1 (lines 5, 6, 7, 16)"),
        ],
    ),
    "a missing table": (GOOD[:13], [(2, "deal 1 in group 1 was played at 3 of the 4 tables of a group of teams (lines 2 to 13)")]),
    "a fifth team": (
        changed(17, "1,4,N,-8,Tokyo"),
        [(2, "deal 1 in group 1 was played by 5 teams (A, B, C, D, Tokyo) instead of 4 (lines 2 to 17)")],
    ),
    "a quote that never closes, by the line where it opens": (changed(6, '1,2,E,-8,"D'), [(6, "is not CSV: unexpected end of data")]),
    "a team that was not in its group before": (
        OTHER_TEAM,
        [(19, "Berlin plays deal 2 in group 1, but did not play deal 1 there (lines 19, 24, 29, 30)")],
    ),
    "a player twice": ([line.replace("2W", "1N") for line in OF_PLAYERS], [(8, "1N plays deal 1 twice (lines 5, 8)")]),
    "a single table": (
        OF_PLAYERS[:5],
        [(2, "deal 1 in group 1 was played at table 1 alone: there is nothing to compare with (lines 2 to 5)")],
    ),
}


@pytest.mark.parametrize(("lines", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_compared_is_refused_with_its_lines(lines: Sequence[str], said: list[tuple[int, str]]) -> None:
    assert refusals(lines, EntrantKind.INDIVIDUAL if "player" in lines[0] else EntrantKind.TEAM) == said


def test_groups_are_told_apart_by_their_column_and_a_team_plays_in_one() -> None:
    lines = [f"{line},{'group' if not index else '甲'}" for index, line in enumerate(GOOD)]
    assert {result.group for result in read_results("\n".join(lines).encode(), EntrantKind.TEAM, zero_sum=True)} == {"甲"}
    both = lines + [f"{line},乙" for line in GOOD[1:]]
    assert (18, "A plays deal 1 in group 甲 and in group 乙 (lines 2, 18)") in refusals(both)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        *((empty, "line 1: the column 'deal' is missing") for empty in (b"", b"\n\n")),
        (GOOD[0].encode() + b"\n1,1,E,75,\xff\n", "line 2: is not UTF-8"),
    ],
)
def test_an_empty_file_and_bytes_that_are_not_utf_8_are_refused_by_their_line(content: bytes, said: str) -> None:
    with pytest.raises(RefusedResultsError, match=said):
        read_results(content, EntrantKind.TEAM, zero_sum=True)


@given(position=st.integers(0, 15), by=st.integers(-50, 50).filter(bool))
def test_no_single_wrong_score_goes_unnoticed(position: int, by: int) -> None:
    scores = [score + by if index == position else score for index, score in enumerate(EXAMPLE)]
    found = refusals(csv_lines(team_results(scores=[scores[4 * table : 4 * table + 4] for table in range(4)])))
    assert [line for line, _ in found] == [2 + 4 * (position // 4)]
    assert f"sum to {by}" in found[0][1]


@given(content=st.binary(max_size=60) | st.text(alphabet='1,ESWNA-\n"\r\x00é', max_size=60).map(lambda text: f"{GOOD[0]}\n{text}".encode()))
def test_any_bytes_are_read_or_refused_by_line(content: bytes) -> None:
    try:
        read_results(content, EntrantKind.TEAM, zero_sum=True)
    except RefusedResultsError as refused:
        assert refused.refusals


NAMES = st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=6).map(cleaned).filter(bool)


@given(
    teams=st.lists(NAMES, min_size=4, max_size=4, unique_by=name_key),
    groups=st.lists(NAMES, min_size=1, max_size=2, unique_by=name_key),
    ruled=st.dictionaries(st.integers(0, 15), st.tuples(st.sampled_from(Basis), st.integers(0, 20))),
)
def test_what_is_written_is_read_again(teams: list[str], groups: list[str], ruled: dict[int, tuple[Basis, int]]) -> None:
    results = [
        replace(result, entrant=f"{group} {teams['ABCD'.index(result.entrant)]}")
        for group in groups
        for result in team_results(group=group)
    ]
    for position, (basis, penalty) in ruled.items():
        table = position // 4
        results[4 * table : 4 * table + 4] = [replace(result, basis=basis) for result in results[4 * table : 4 * table + 4]]
        results[position] = replace(results[position], penalty=penalty)
    assert read_results(write_results(results, EntrantKind.TEAM), EntrantKind.TEAM, zero_sum=True) == tuple(results)


@pytest.mark.parametrize("name", ["=1+1", "+1", "-2+3", "@SUM(A1)", "＝1", "'=1+1", "'tis", '=HYPERLINK("//x","y")', "a=b"])
def test_no_name_is_a_formula_in_a_spreadsheet_and_each_comes_back(name: str) -> None:
    results = [replace(each, entrant=name) if each.entrant == "A" else each for each in team_results()]
    results = [replace(each, table=f"@{each.table}", group="=g") for each in results]
    written = write_results(results, EntrantKind.TEAM)
    cells = {cell for row in csv.reader(written.decode().splitlines()) for cell in row if not re.fullmatch(r"-?\d+", cell)}
    assert not [cell for cell in cells if cell[0] in "=+-@＝＋－＠\t\r"]
    assert read_results(written, EntrantKind.TEAM, zero_sum=True) == tuple(results)


def test_control_written_as_they_are_names_are_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results_csv, "_safe", lambda cell: cell)
    written = write_results([replace(each, entrant="=1+1") for each in team_results()], EntrantKind.TEAM)
    assert b",=1+1" in written


def test_columns_that_say_nothing_are_not_written() -> None:
    assert write_results(team_results(), EntrantKind.TEAM).decode().splitlines() == GOOD


def written(folder: Path, lines: Sequence[str]) -> Path:
    path = folder / "results.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def results(tmp_path: Path) -> Path:
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
