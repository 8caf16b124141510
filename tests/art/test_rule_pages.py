"""Reference pages of the rule sets: equal to what their folders describe, with a picture for every example."""

import re
from xml.etree import ElementTree

import pytest

from tools.rule_pages import FOLDER, examples, files, pages
from twinwall.game.rule_set import Win
from twinwall.game.rules import rule_set, rule_set_names
from twinwall.game.rules.option_form import options_of

NAMES = [name for name in rule_set_names() if (FOLDER / f"{name}.md").exists()]


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """Every page and picture, by its path."""
    return files()


def test_every_page_and_picture_is_up_to_date(made: dict[str, str]) -> None:
    """``python -m tools.rule_pages`` writes them anew."""
    assert [path for path, text in made.items() if (FOLDER / path).read_text(encoding="utf-8") != text] == []


def test_no_picture_is_left_of_what_is_no_more(made: dict[str, str]) -> None:
    own = {path for path in made if path.endswith(".svg")}
    prefixes = tuple(f"{name}-" for name in NAMES)
    kept = {f"pictures/{path.name}" for path in (FOLDER / "pictures").glob("*.svg") if path.name.startswith(prefixes)}
    assert kept == own


@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_worth_what_the_page_says(name: str) -> None:
    for fan in pages()[name].fans:
        example = fan.example
        outcome = rule_set(name, example.options).score(fan.hand)
        assert isinstance(outcome, Win), fan.kind.id
        assert fan.kind.id in example.fans
        assert ({found.id: found.count for found in outcome.fans}, outcome.total) == (dict(example.fans), example.total), fan.kind.id


@pytest.mark.parametrize("name", NAMES)
def test_a_page_names_every_option(name: str, made: dict[str, str]) -> None:
    page = made[f"{name}.md"]
    assert all(f"\n- `{option.name}`, " in page for option in options_of(type(rule_set(name).options)))


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_shows_all_tiles_of_its_hand(name: str, made: dict[str, str]) -> None:
    for fan, *_ in examples(pages()[name]):
        hand = fan.hand
        picture = ElementTree.fromstring(made[f"pictures/{name}-{fan.kind.id}.svg"])
        shown = [use.get("href") for use in picture.iter("{http://www.w3.org/2000/svg}use")]
        assert len(shown) == len(hand.concealed) + 1 + sum(len(meld.tiles) for meld in hand.melds)
        ids = {symbol.get("id") for symbol in picture.iter("{http://www.w3.org/2000/svg}symbol")}
        assert {re.sub("^#", "", href or "") for href in shown} == ids
