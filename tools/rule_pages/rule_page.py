"""The page of a rule set: its fans with an example each, its flags, and how open questions were settled.

A rule set that has a page has a module of its folder's name here, with ``PAGE``, and beside it a file with texts and examples;
every example is a test.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from types import MappingProxyType

from twinwall.game.documents import parse_toml
from twinwall.game.rule_set import WinningHand
from twinwall.game.rules import folder_of, rule_set
from twinwall.game.rules.fan_list import FanKind, fan_list
from twinwall.game.score_json import read_hand
from twinwall.game.typed_json import read_document
from twinwall.values import frozen


@frozen
class Example:
    """A hand that shows a fan, as for ``twinwall rules score``, with what it is worth; ``options`` are those that it needs."""

    hand: Mapping[str, object]
    fans: Mapping[str, int]
    """Every fan of the hand by id, and how often it counts."""
    total: int
    options: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


@frozen
class PageTexts:
    """What a page's file says; all texts are Markdown."""

    title: str
    opening: str
    """What the rules are and where they come from."""
    request: tuple[tuple[str, str], ...]
    """Request keys and flags of ``score`` that these rules add or give a worth, each with its meaning."""
    readings: str
    """How what the source leaves open was settled: a list, a sentence or two each."""
    examples: Mapping[str, Example]
    """By the fan's id."""


@frozen
class FanRow:
    """One fan as its page shows it; ``worth`` and ``note`` are words for people."""

    kind: FanKind
    worth: str
    note: str
    excludes: tuple[str, ...]
    example: Example
    hand: WinningHand


@frozen
class RulePage:
    """A rule set's page."""

    texts: PageTexts
    fans: tuple[FanRow, ...]


def page_of(
    rules: str,
    worth: Callable[[FanKind], str],
    note: Callable[[FanKind], str] = lambda kind: kind.meaning,
    excludes: Callable[[FanKind], tuple[str, ...]] = lambda kind: kind.excludes,
) -> RulePage:
    """The page of a rule set, whose words for each fan are given."""
    file, form = Path(__file__).with_name(f"{folder_of(rules)}.toml"), rule_set(rules).hand_form
    texts = read_document(file.read_bytes(), PageTexts, file.name, parse_toml)

    def row(kind: FanKind) -> FanRow:
        example = texts.examples[kind.id]
        hand = read_hand({"self_drawn": "from" not in example.hand, **example.hand}, form)
        return FanRow(kind, worth(kind), note(kind), excludes(kind), example, hand)

    return RulePage(texts, tuple(map(row, fan_list(rules))))
