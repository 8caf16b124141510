"""``twinwall rules score``: one JSON object a line in, one a line out: a win, no win with its reason, or one sentence about the error."""

import io
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cli
from tests.support.commands import Twinwall
from tests.support.tiers import examples
from twinwall.game.documents import DocumentError
from twinwall.game.rule_set import NoWin, Win
from twinwall.game.rules import rule_set_names
from twinwall.game.score_json import judge_with_note
from twinwall.game.tiles import SEATS

HAND: dict[str, object] = {
    "concealed": "7p 8p 9p 8s 9s 123s 1s 1s",
    "melds": [{"type": "chow", "tiles": "789m", "from": "N"}],
    "winning": "7s",
    "self_drawn": True,
    "seat": "E",
    "round": "E",
    "flags": [],
    "options": {},
}
"""Table 1 of the worked example in Aono, "Duplicate-format mahjong"."""
KONG = {"type": "kong", "tiles": "SSSS", "from": "W"}


def fed(text: str, *words: str) -> tuple[int, str]:
    """Run a command over a text; returns the exit code and what it printed."""
    with pytest.MonkeyPatch.context() as patch:
        printed = io.StringIO()
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        patch.setattr(sys, "stdout", printed)
        return cli.main([*words]), printed.getvalue()


def asked(lines: list[object], *words: str, rules: str = "mcr-duplicate") -> tuple[int, list[dict[str, object]]]:
    """The exit code and the answers to lines (text as it is, anything else as JSON)."""
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    code, printed = fed(text, "score", "--rules", rules, "--json", *words)
    return code, [json.loads(line) for line in printed.splitlines()]


def test_a_winning_hand_is_answered_with_fans_total_and_payments() -> None:
    code, (answer,) = asked([HAND])
    assert code == 0
    assert answer["win"] is True
    assert answer["total"] == 17
    assert answer["payments"] == {"E": 75, "S": -25, "W": -25, "N": -25}
    assert {"id": "mixed-triple-chow", "name": "三色三同顺", "value": 8, "count": 1} in list(answer["fan"])  # type: ignore[call-overload]  # JSON


def test_options_of_the_file_are_overlaid_by_those_of_the_line(tmp_path: Path) -> None:
    (tmp_path / "options.toml").write_text("minimum = 24\n")
    code, answers = asked([HAND, {**HAND, "options": {"minimum": 17}}], "--options", str(tmp_path / "options.toml"))
    assert code == 0
    assert [answer["win"] for answer in answers] == [False, True]


@pytest.mark.parametrize("text", ["minimum = eight", 'minimum = "eight"', "hat = 1"])
def test_a_file_that_holds_no_options_of_the_rules_is_wrong_use(text: str, tmp_path: Path) -> None:
    (tmp_path / "options.toml").write_text(text)
    code, answers = asked([HAND], "--options", str(tmp_path / "options.toml"))
    assert (code, answers) == (2, [])


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("", "is not JSON"),
        ('{"hand": "1m', "if it was cut short, get it again"),
        ({**HAND, "hat": 1}, "'hat'"),
        ({**HAND, "concealed": "7p 8q"}, "'8q'"),
        ({**HAND, "concealed": 13}, "concealed 13: Expected 'str', got 'int'"),
        ({**HAND, "round": "X"}, "round"),
        ({**HAND, "finished": []}, "'finished'"),
        ({**HAND, "winning": "7s 7s"}, "'7s 7s'"),
        ({**HAND, "self_drawn": "yes"}, "'self_drawn'"),
        ({**HAND, "from": "S"}, "'from'"),
        ({**HAND, "self_drawn": False}, "'from'"),
        ({**HAND, "self_drawn": False, "from": "E"}, "its own discard"),
        ({**HAND, "melds": [{**KONG, "type": "quad"}]}, '"quad"'),
        ({**HAND, "melds": [{**KONG, "tiles": "SSS"}]}, "a kong has 4 tiles"),
        ({**HAND, "melds": [{"type": "chow", "tiles": "124m", "from": "N"}]}, "three in a row"),
        ({**HAND, "melds": [{**KONG, "colour": "red"}]}, "'colour'"),
        ({**HAND, "flags": ["hat"]}, "'hat'"),
        ({**HAND, "flags": ["last_discard"]}, "'last_discard'"),
        ({**HAND, "flags": ["kong_replacement"]}, "'kong_replacement'"),
        ({**HAND, "options": {"hat": 1}}, "'hat'"),
    ],
    ids=str,
)
def test_a_line_that_is_no_hand_is_one_sentence_that_names_what_is_wrong(line: object, named: str) -> None:
    code, answers = asked([line, HAND])
    assert code == 2
    assert len(answers) == 2
    assert named in str(answers[0]["error"])
    assert answers[1]["win"] is True


LOW: dict[str, object] = {**HAND, "concealed": "234m 777m CC 34p 678s", "melds": [], "winning": "5p"}
"""Fully concealed and nothing else: 4, so that any fan shows."""
FAR_CHOW = {"type": "chow", "tiles": "123s", "from": "S"}
LEFT_CHOW = {**FAR_CHOW, "from": "N"}


def fans(line: dict[str, object]) -> set[str]:
    _, (answer,) = asked([{**line, "options": {"minimum": 0}}])
    assert isinstance(answer["fan"], list)
    return {fan["id"] for fan in answer["fan"]}


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
    """Every hand also breaks all that come after its reason."""
    winning = "1m" if reason == "impossible-tiles" else "5p"
    hand = {
        **LOW,
        "concealed": concealed,
        "melds": melds,
        "winning": winning,
        "self_drawn": False,
        "from": "S",
        "options": {"minimum": 100},
    }
    _, (answer,) = asked([hand])
    assert (answer["win"], answer["reason"]) == (False, reason)


def test_below_the_minimum_the_answer_still_says_fans_and_total() -> None:
    fan = {"id": "fully-concealed-hand", "name": "不求人", "value": 4, "count": 1}
    assert asked([LOW]) == (0, [{"win": False, "reason": "below-minimum", "total": 4, "fan": [fan]}])


@pytest.mark.parametrize(
    "kong", [{"type": "concealed_kong"}, {"type": "kong", "from": "S"}, {"type": "added_kong", "from": "W"}], ids=lambda kong: kong["type"]
)
def test_a_replacement_is_worth_its_fan_with_a_kong_of_any_type(kong: dict[str, str]) -> None:
    hand = {**LOW, "concealed": "234m CC 34p 678s", "melds": [{**kong, "tiles": "9999m"}], "flags": ["kong_replacement"]}
    assert "out-with-replacement-tile" in fans(hand)


def test_the_round_is_east_where_nothing_is_said_and_an_order_of_melds_changes_nothing() -> None:
    winds: dict[str, object] = {"type": "pung", "tiles": "EEE", "from": "S"}
    line = {**LOW, "concealed": "777m CC 34p", "melds": [{**LEFT_CHOW, "order": 5}, {**winds, "order": 2}]}
    said = {key: value for key, value in line.items() if key != "round"}
    assert "prevalent-wind" in fans(said)
    assert fans(said) == fans({**line, "melds": [LEFT_CHOW, winds]})


@pytest.mark.parametrize(
    "change", [{"end": "next-empty"}, {"kong_when_next_empty": False}, {"several_winners": "each-full"}, {"false_win": "table"}]
)
def test_options_of_play_and_of_several_winners_change_no_single_hand(change: dict[str, object]) -> None:
    assert asked([{**HAND, "options": change}]) == asked([HAND])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "it is empty"),
        ("hat", "expecting value at character 1"),
        ('{"seat": "E"', "expecting ',' delimiter at character 13"),
        ('{"seat": "E", "seat": "E"}', "'seat' is written twice"),
        ('{"turn": ' + "9" * 5000 + "}", "a number has too many digits"),
        ("[" * 100_000, "lists and objects lie too deep in each other"),
        ('{"hat": "' + "x" * 2**20 + '"}', "longer than 1048576 bytes"),
    ],
    ids=["empty", "word", "open", "twice", "digits", "depth", "length"],
)
def test_an_error_names_its_line_and_says_in_plain_words_what_is_wrong_with_the_text(line: str, said: str) -> None:
    code, answers = asked([HAND, line, HAND])
    assert code == 2
    assert [answer.get("win") for answer in answers] == [True, None, True], "a long line is one line"
    error = str(answers[1]["error"])
    assert error.startswith("line 2: the hand is")
    assert said in error
    assert not any(word in error for word in ("set_int_max_str_digits", "recursion"))


@pytest.mark.parametrize(
    ("concealed", "reason", "note"),
    [
        ("7p 8p 9p 8s 9s 7777s 1s", "impossible-tiles", "line 2: 7s is there 5 times, the set has 4"),
        (
            "7p 8p 9p 8s 9s 123s 1s",
            "not-a-win",
            "line 2: there are 9 concealed tiles beside 1 meld, there must be 10 without the winning one",
        ),
    ],
)
def test_the_tile_or_the_count_that_cannot_be_is_named_on_standard_error(
    concealed: str, reason: str, note: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, (_, answer) = asked([HAND, {**HAND, "concealed": concealed}])
    assert answer == {"win": False, "reason": reason, "total": 0, "fan": []}
    assert capsys.readouterr().err == f"{note}\n"


def test_people_get_one_line_for_a_hand(twinwall: Twinwall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{json.dumps(HAND)}\n[]\n".encode())))
    won, wrong = twinwall("score", "--rules", "mcr-duplicate", code=2).out.splitlines()
    assert won.startswith("17: 三色三同顺 8")
    assert won.endswith("E +75  S -25  W -25  N -25")
    assert wrong.startswith("error: ")


SICHUAN: dict[str, object] = {
    "concealed": "123456m 789p 22p 56p",
    "melds": [],
    "winning": "7p",
    "self_drawn": True,
    "seat": "E",
    "round": "E",
}


def test_a_hand_of_sichuan_is_paid_by_those_who_have_not_won_before() -> None:
    code, (answer,) = asked([{**SICHUAN, "finished": ["W"], "options": {"rate": 3, "self_draw_bonus": True, "cap": None}}], rules="sichuan")
    assert code == 0
    assert answer["fan"] == [{"id": "plain-hand", "name": "平胡", "value": 1, "count": 1}]
    assert answer["payments"] == {"E": 12, "S": -6, "W": 0, "N": -6}


def test_the_order_of_melds_tells_which_kong_was_last() -> None:
    melds = [{"type": "kong", "tiles": "3333p", "from": "W", "order": 7}, {"type": "added_kong", "tiles": "9999m", "from": "S", "order": 4}]
    hand = {**SICHUAN, "concealed": "123m 22p 56p", "melds": melds, "flags": ["kong_replacement"]}
    _, (fed, drawn) = asked([hand, {**hand, "melds": [{**melds[0], "order": 1}, melds[1]]}], rules="sichuan")
    assert fed["payments"] == {"E": 8, "S": 0, "W": -8, "N": 0}
    assert drawn["payments"] == {"E": 24, "S": -8, "W": -8, "N": -8}


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ({**SICHUAN, "finished": ["W", "W"]}, "'finished'"),
        ({**SICHUAN, "finished": ["X"]}, "finished"),
        ({**SICHUAN, "finished": ["E"]}, "'finished'"),
        ({**SICHUAN, "finished": ["S", "W", "N"]}, "'finished'"),
        ({**SICHUAN, "self_drawn": False, "from": "S", "finished": ["S"]}, "'finished'"),
        ({**SICHUAN, "options": {"cap": 0}}, "'cap'"),
        ({**SICHUAN, "options": {"not_ready_pays": "most"}}, "'not_ready_pays'"),
        ({**SICHUAN, "flags": ["earthly_hand"]}, "'heavenly_hand'"),
    ],
    ids=str,
)
def test_what_only_sichuan_asks_for_is_refused_by_name(line: object, named: str) -> None:
    code, (answer,) = asked([line], rules="sichuan")
    assert code == 2
    assert named in str(answer["error"])


GOOD = {
    "concealed": "23m 456m 789s 11s",
    "melds": [{"type": "pung", "tiles": "555p", "from": "S"}],
    "winning": "1m",
    "self_drawn": False,
    "from": "W",
    "seat": "E",
    "round": "E",
    "flags": [],
    "options": {},
}
REASONS = {"impossible-tiles", "not-allowed", "not-a-win", "below-minimum"}
TILES = st.lists(st.sampled_from(["1m", "5m", "9p", "2s", "E", "C", "F", "P", "flower", "0m"]), max_size=16).map(" ".join)
MELD = st.fixed_dictionaries(
    {"type": st.sampled_from(["chow", "pung", "kong", "added_kong", "concealed_kong", "pair"]), "tiles": TILES | st.just("555p")},
    optional={"from": st.sampled_from([*"ESWN", "X", None]), "order": st.integers(-1, 3), "more": st.none()},
)
KNOWN = ("last_draw", "last_discard", "kong_replacement", "robbing_kong", "last_of_kind", "after_kong_discard")
OF_SEIGO = ("ippatsu", "double_riichi", "heavenly_hand", "earthly_hand")
FLAGS = st.lists(st.sampled_from([*KNOWN, *OF_SEIGO, "tsumo"]), max_size=3)
SCALARS = st.none() | st.booleans() | st.integers(-2, 20) | st.floats() | st.text(max_size=4)
CHANGES: dict[str, st.SearchStrategy[object]] = {
    "concealed": TILES,
    "melds": st.lists(MELD, max_size=5),
    "winning": TILES,
    "self_drawn": st.booleans(),
    "from": st.sampled_from([*"ESWN", None]),
    "seat": st.sampled_from([*"ESWN"]),
    "round": st.sampled_from([*"ESWN"]),
    "flags": FLAGS,
    "options": st.dictionaries(st.sampled_from(["minimum", "cap", "rate", "values", "stake", "red_fives", "luck"]), SCALARS, max_size=2),
    "turn": st.integers(0, 19),
    "riichi_turn": st.integers(0, 19),
    "dora": TILES,
    "ura": TILES,
    "red": TILES,
    "finished": st.lists(st.sampled_from([*"ESWN"]), max_size=3),
    "luck": SCALARS,
}


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """A good hand with a few things changed, left out, or made into something else altogether."""
    line: dict[str, object] = dict(GOOD)
    for key in draw(st.lists(st.sampled_from(sorted(CHANGES)), max_size=4)):
        if draw(st.integers(0, 9)) == 0:
            line.pop(key, None)
        else:
            line[key] = draw(CHANGES[key] | SCALARS)
    return json.dumps(line).encode()


@pytest.mark.parametrize("name", rule_set_names())
@given(line=lines() | st.binary(max_size=30))
@settings(max_examples=examples(150))
def test_every_line_is_answered(name: str, line: bytes) -> None:
    try:
        outcome, _ = judge_with_note(line, name, {})
    except DocumentError as error:
        assert str(error).strip()
        assert "\n" not in str(error)
        return
    match outcome:
        case Win(payments=payments):
            assert set(payments) == set(SEATS)
        case NoWin(reason=reason):
            assert reason in REASONS
