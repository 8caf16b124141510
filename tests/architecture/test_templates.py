"""Templates name fields that exist: a missing one is an error in every environment, and no empty text."""

import ast

import pytest
from jinja2 import StrictUndefined, UndefinedError

from tests.support.dashboard.hall import Hall
from tools.house import TOP


def test_a_page_that_names_a_field_which_is_missing_fails() -> None:
    with pytest.raises(UndefinedError, match="'tiles'"):
        Hall().app.jinja_env.from_string("{{ meld.tiles }}").render(meld={})
    assert Hall().app.jinja_env.undefined is StrictUndefined


def test_so_does_every_environment_that_is_made_apart() -> None:
    made = []
    for folder in ("centre", "cli", "controller", "dashboard", "tableside", "tools", "twinwall"):
        for path in sorted((TOP / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if "Environment(" in text:
                calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
                made += [(path.name, call) for call in calls if ast.unparse(call.func).endswith("Environment")]
    assert len(made) == 2
    for name, call in made:
        assert any(word.arg == "undefined" and ast.unparse(word.value) == "StrictUndefined" for word in call.keywords), name
