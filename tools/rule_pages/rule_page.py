"""The page of a rule set: its fans with an example each, its flags, and how open questions were settled.

A rule set that has a page has a module of its folder's name here, with ``PAGE``; every example is a test.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from twinwall.game.rule_set import WinningHand


@dataclass(frozen=True, slots=True)
class Example:
    """A hand that shows a fan, with what it is worth; ``options`` are those that it needs."""

    hand: WinningHand
    fans: Mapping[str, int]
    """Every fan of the hand by id, and how often it counts."""
    total: int
    options: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class FanRow:
    """One fan as its page shows it; ``worth`` and ``note`` are words for people."""

    id: str
    english: str
    chinese: str
    japanese: str
    worth: str
    note: str
    excludes: tuple[str, ...]
    example: Example


@dataclass(frozen=True, slots=True)
class RulePage:
    """A rule set's page; all texts are Markdown."""

    title: str
    opening: str
    """What the rules are and where they come from."""
    fans: tuple[FanRow, ...]
    request: tuple[tuple[str, str], ...]
    """Request keys and flags of ``score`` that these rules add or give a worth, each with its meaning."""
    readings: str
    """How what the source leaves open was settled: a list, a sentence or two each."""
