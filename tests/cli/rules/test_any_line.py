"""``twinwall rules score`` answers any line: a win, no win with its reason, or one sentence about the error."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.tiers import examples
from twinwall.game.documents import DocumentError
from twinwall.game.rule_set import NoWin, Win
from twinwall.game.rules import rule_set_names
from twinwall.game.score_json import judge
from twinwall.game.tiles import SEATS

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
        outcome = judge(line, name, {})
    except DocumentError as error:
        assert str(error).strip()
        assert "\n" not in str(error)
        return
    match outcome:
        case Win(payments=payments):
            assert set(payments) == set(SEATS)
        case NoWin(reason=reason):
            assert reason in REASONS
