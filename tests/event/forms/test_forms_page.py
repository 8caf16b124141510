"""The page of forms says what the forms say of themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from twinwall.event.forms.registry import FORMS

PAGE = " ".join((Path(__file__).parents[3] / "docs/reference/forms.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize("name", FORMS)
def test_the_page_says_of_a_form_what_it_keeps_and_loses_and_who_read_it(name: str) -> None:
    form = FORMS[name]
    assert f"## {form.title} " in PAGE
    assert f"`--format {name}`" in PAGE
    for said in (form.keeps, form.loses, form.tried):
        assert said in PAGE
