"""The contract of ``twinwall rules score`` for duplicate MCR, sentence by sentence: reasons in their order, errors, flags, exit codes."""

from __future__ import annotations

import pytest

from tests.cli.rules.test_score_command import HAND, asked

WON: dict[str, object] = {"concealed": "234m 777m CC 34p 678s", "melds": [], "winning": "5p", "self_drawn": True, "seat": "E", "round": "E"}
"""Fully concealed and nothing else: 4, so that any flag shows."""
ON_DISCARD = {**WON, "self_drawn": False, "from": "S"}
KONG = {"type": "concealed_kong", "tiles": "9999m"}
WITH_KONG = {**WON, "concealed": "234m CC 34p 678s", "melds": [KONG]}
FREE = {"minimum": 0}


def answer(line: dict[str, object]) -> dict[str, object]:
    code, (said,) = asked([line])
    assert code == (2 if "error" in said else 0)
    return said


def fans(line: dict[str, object]) -> set[str]:
    said = answer({**line, "options": FREE})["fan"]
    assert isinstance(said, list)
    return {fan["id"] for fan in said}


# Reasons, the first that holds. Every hand below also breaks all that come after its reason.

FAR_CHOW = {"type": "chow", "tiles": "123s", "from": "S"}
LEFT_CHOW = {**FAR_CHOW, "from": "N"}


@pytest.mark.parametrize(
    ("concealed", "melds", "reason"),
    [
        ("11112m", [FAR_CHOW], "impossible-tiles"),
        ("13579m", [FAR_CHOW], "not-allowed"),
        ("13579m", [LEFT_CHOW], "not-a-win"),
        ("13579m 2468p E", [LEFT_CHOW], "not-a-win"),
        ("234m 777m CC 34p", [LEFT_CHOW], "below-minimum"),
    ],
)
def test_the_first_reason_that_holds_is_given(concealed: str, melds: list[object], reason: str) -> None:
    winning = "1m" if reason == "impossible-tiles" else "5p"
    said = answer({**ON_DISCARD, "concealed": concealed, "melds": melds, "winning": winning, "options": {"minimum": 100}})
    assert (said["win"], said["reason"]) == (False, reason)


@pytest.mark.parametrize(
    "line",
    [
        {**WON, "concealed": "1111m 234m 567m 99m C", "winning": "1m"},
        {**WON, "concealed": "123m 456m 1p 99s CC", "melds": [{"type": "pung", "tiles": "111m", "from": "S"}], "winning": "1m"},
        {**WITH_KONG, "concealed": "234m CC 39m 678s", "winning": "9m"},
        {**WON, "concealed": "1m", "melds": [KONG, {"type": "kong", "tiles": "9999m", "from": "S"}], "winning": "1m"},
    ],
)
def test_five_of_a_kind_are_impossible_whether_concealed_in_melds_or_by_the_winning_tile(line: dict[str, object]) -> None:
    assert answer(line) == {"win": False, "reason": "impossible-tiles", "total": 0, "fan": []}


@pytest.mark.parametrize("concealed", ["", "5p", "234m 777m CC 34p 67s", "234m 777m CC 34p 678s 9s", "234m 777m CC 34p 678s 99s"])
def test_a_wrong_count_is_not_a_win_and_never_reaches_the_library(concealed: str) -> None:
    assert answer({**WON, "concealed": concealed})["reason"] == "not-a-win"


def test_a_fifth_meld_is_not_a_win() -> None:
    melds = [{"type": "pung", "tiles": tile * 3, "from": "S"} for tile in "ESWNC"]
    assert answer({**WON, "concealed": "", "melds": melds})["reason"] == "not-a-win"


def test_below_the_minimum_the_answer_still_says_fans_and_total() -> None:
    assert answer(WON) == {
        "win": False,
        "reason": "below-minimum",
        "total": 4,
        "fan": [{"id": "fully-concealed-hand", "name": "不求人", "value": 4, "count": 1}],
    }


@pytest.mark.parametrize("seat", "ESWN")
def test_a_chow_is_allowed_from_the_left_neighbour_only(seat: str) -> None:
    left = "ESWN"["ESWN".index(seat) - 1]
    for source in set("ESWN") - {seat}:
        chow = {"type": "chow", "tiles": "678s", "from": source}
        said = answer({**WON, "seat": seat, "concealed": "234m 777m CC 34p", "melds": [chow], "options": FREE})
        assert said.get("reason") == (None if source == left else "not-allowed")


# What is an error: one sentence, exit code 2.


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"concealed": "1f 234m"}, "'1f'"),
        ({"concealed": "0m 234m"}, "'0m'"),
        ({"winning": "H"}, "'H'"),
        ({"winning": ""}, "winning"),
        ({"concealed": 13}, "concealed 13: Expected 'str', got 'int'"),
        ({"round": "X"}, "round"),
        ({"melds": [{"type": "chow", "tiles": "135m", "from": "N"}]}, "three in a row"),
        ({"melds": [{"type": "chow", "tiles": "8m9m1p", "from": "N"}]}, "three in a row"),
        ({"melds": [{"type": "pung", "tiles": "112m", "from": "N"}]}, "equal tiles"),
        ({"melds": [{"type": "pung", "tiles": "1111m", "from": "N"}]}, "3 tiles, not 4"),
        ({"melds": [{"type": "pung", "tiles": "111m"}]}, "has no source"),
        ({"melds": [{"type": "concealed_kong", "tiles": "1111m", "from": "N"}]}, "has no source"),
        ({"melds": [{"type": "added_kong", "tiles": "1111m", "from": "E"}]}, "its own discard"),
        ({"from": "S"}, "'from'"),
        ({"finished": []}, "'finished'"),
        ({"options": {"minimum": -1}}, "'minimum'"),
        ({"options": {"end": "wall"}}, "'end'"),
        ({"options": {"flowers": True}}, "'flowers'"),
    ],
    ids=str,
)
def test_what_cannot_be_read_is_an_error_that_names_it(change: dict[str, object], named: str) -> None:
    assert named in str(answer({**WON, **change})["error"])


@pytest.mark.parametrize("flag", ["last_draw", "kong_replacement"])
def test_a_flag_of_a_draw_contradicts_a_win_on_a_discard(flag: str) -> None:
    line = {**ON_DISCARD, "concealed": WITH_KONG["concealed"], "melds": [KONG], "flags": [flag]}
    assert f"'{flag}' does not go with a win on a discard" in str(answer(line)["error"])


@pytest.mark.parametrize("flag", ["last_discard", "robbing_kong", "after_kong_discard"])
def test_a_flag_of_a_discard_contradicts_a_self_draw(flag: str) -> None:
    assert f"'{flag}' does not go with a self-draw" in str(answer({**WON, "flags": [flag]})["error"])


def test_a_replacement_needs_a_kong_of_any_type() -> None:
    assert "needs a kong" in str(answer({**WON, "flags": ["kong_replacement"]})["error"])
    for kong in (KONG, {"type": "kong", "tiles": "9999m", "from": "S"}, {"type": "added_kong", "tiles": "9999m", "from": "W"}):
        assert "out-with-replacement-tile" in fans({**WITH_KONG, "melds": [kong], "flags": ["kong_replacement"]})


def test_a_bad_line_spoils_the_exit_code_and_no_other_line() -> None:
    code, answers = asked([HAND, "{", WON, HAND])
    assert code == 2
    assert [said.get("win") for said in answers] == [True, None, False, True]


def test_lines_that_do_not_win_are_no_errors() -> None:
    code, answers = asked([WON, {**WON, "concealed": ""}, {**WON, "winning": "9p"}])
    assert code == 0
    assert [said["win"] for said in answers] == [False, False, False]


# Flags and options of the page.


@pytest.mark.parametrize(
    ("line", "flag", "fan"),
    [
        (WON, "last_draw", "last-tile-draw"),
        (ON_DISCARD, "last_discard", "last-tile-claim"),
        (WITH_KONG, "kong_replacement", "out-with-replacement-tile"),
        (ON_DISCARD, "robbing_kong", "robbing-the-kong"),
        (ON_DISCARD, "last_of_kind", "last-tile"),
        (WON, "last_of_kind", "last-tile"),
    ],
)
def test_a_flag_is_worth_what_the_page_says(line: dict[str, object], flag: str, fan: str) -> None:
    assert fans({**line, "flags": [flag]}) - fans(line) == {fan}


def test_a_discard_after_a_kong_is_worth_nothing() -> None:
    assert answer({**ON_DISCARD, "options": FREE, "flags": ["after_kong_discard"]}) == answer({**ON_DISCARD, "options": FREE})


def test_the_last_of_its_kind_is_worth_nothing_beside_a_robbed_kong() -> None:
    assert fans({**ON_DISCARD, "flags": ["robbing_kong", "last_of_kind"]}) == fans({**ON_DISCARD, "flags": ["robbing_kong"]})


def test_the_round_is_east_where_nothing_is_said_and_an_order_of_melds_changes_nothing() -> None:
    winds: dict[str, object] = {"type": "pung", "tiles": "EEE", "from": "S"}
    line = {**WON, "concealed": "777m CC 34p", "melds": [{**LEFT_CHOW, "order": 5}, {**winds, "order": 2}]}
    said = {key: value for key, value in line.items() if key != "round"}
    assert "prevalent-wind" in fans(said)
    assert fans(said) == fans({**line, "melds": [LEFT_CHOW, winds]})


@pytest.mark.parametrize(
    ("line", "options", "payments"),
    [
        (HAND, {}, {"E": 75, "S": -25, "W": -25, "N": -25}),
        (HAND, {"self_draw": "rounded"}, {"E": 41, "S": -14, "W": -14, "N": -14}),
        ({**ON_DISCARD, "from": "N"}, {"minimum": 2}, {"E": 26, "S": -8, "W": -8, "N": -10}),
        ({**ON_DISCARD, "seat": "W"}, {"minimum": 2}, {"E": -8, "S": -10, "W": 26, "N": -8}),
    ],
)
def test_a_win_names_what_all_four_seats_get(line: dict[str, object], options: dict[str, object], payments: dict[str, int]) -> None:
    assert answer({**line, "options": options})["payments"] == payments


@pytest.mark.parametrize(
    "change", [{"end": "next-empty"}, {"kong_when_next_empty": False}, {"several_winners": "each-full"}, {"false_win": "table"}]
)
def test_options_of_play_and_of_several_winners_change_no_single_hand(change: dict[str, object]) -> None:
    assert answer({**HAND, "options": change}) == answer(HAND)
