"""No room weighs more than its budget, and no budget is for a room that is gone."""

import io
import tokenize
from pathlib import Path

from tools.house import House, code_tokens, is_mirror, read_budget

NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
ODD = r'''a **= b"\\"; c = 1_0.5e-3j // 0xFF_a if x is not ... else rb'\'' + f"""{a}"\""#""" \
    ; d: int = .5; e = (y := [-1 << 2, 3 >> 4])  # f(g)
é @= ~h -> i != ""'''


def test_no_room_weighs_more_than_its_budget() -> None:
    house = House()
    assert house.over(read_budget()) == []
    assert read_budget().keys() == house.weights.keys()


def test_classes_that_share_three_quarters_of_their_fields_mirror_each_other() -> None:
    one = frozenset("abcd")
    assert is_mirror(one, frozenset("abcx"))
    assert not is_mirror(one, frozenset("abxy"))
    assert not is_mirror(frozenset("ab"), frozenset("ab"))


def test_tokens_are_counted_as_tokenize_counts_them() -> None:
    for text in (ODD, Path(__file__).read_text(encoding="utf-8")):
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        assert code_tokens(text) == sum(token.type not in NO_CODE for token in tokens)
