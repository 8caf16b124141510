"""Numbers as people type them, and patterns of forms, which hold to the very end of a text."""

import ast
from pathlib import Path

import msgspec
import pytest

from twinwall.event.event_standings import SHARE_PATTERN
from twinwall.game.typed_json import Digest, HexText
from twinwall.wire.names import whole_number
from twinwall.wire.release_manifest import FileName


@pytest.mark.parametrize(
    ("typed", "number"),
    [(" 12", 12), ("１２", 12), ("१२", 12), ("＋３", 3), ("\N{MINUS SIGN}3", -3), ("²", None), ("①", None), ("1½", None), ("Ⅳ", None)],
)
def test_digits_of_any_script_are_a_number_and_raised_or_circled_ones_are_none(typed: str, number: int | None) -> None:
    assert whole_number(typed) == number


TOP = Path(__file__).parents[2]
BY_NAME = {"SHARE_PATTERN": SHARE_PATTERN}
"""Patterns that forms name. One without ``^`` holds to no end: it asks for a character anywhere."""
ROOMS = ("twinwall", "controller", "dashboard", "config", "vision", "firmware_bridge", "centre", "cli", "simulator", "tableside")


def meta_patterns() -> list[tuple[str, str]]:
    """Where a form's ``Meta`` names a pattern, and how the pattern's code ends."""
    found = []
    for path in (path for room in ROOMS for path in sorted((TOP / room).rglob("*.py"))):
        source = path.read_bytes()
        for call in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)) if b"Meta(" in source else ():
            if ast.unparse(call.func).split(".")[-1] == "Meta":
                patterns = [ast.unparse(named.value) for named in call.keywords if named.arg == "pattern"]
                found += [(f"{path.relative_to(TOP)}:{call.lineno}", code) for code in patterns]
    return found


def test_no_pattern_of_a_form_ends_with_a_dollar_sign() -> None:
    found = meta_patterns()
    assert len(found) >= 13
    whole = [(where, code) for where, code in found if code not in BY_NAME and "^" in code]
    assert [(where, code) for where, code in whole if not code.rstrip("'\"").endswith("\\Z")] == []
    assert all(pattern.endswith("\\Z") for pattern in BY_NAME.values())


@pytest.mark.parametrize(("form", "text"), [(Digest, "ab" * 32), (HexText, "abcd"), (FileName, "twinwall.tar.gz")])
def test_a_text_with_a_line_feed_after_it_is_of_another_form(form: type[str], text: str) -> None:
    assert msgspec.convert(text, form) == text
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(f"{text}\n", form)
