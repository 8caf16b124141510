"""What makes a bad machine of a good one: a change of the firmware's source, or somebody on its line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.support.conformance.machine import Tamperer
from tests.support.firmware.variants import Replacement


@dataclass(frozen=True, slots=True)
class Mutation:
    """A fault: what it does, and the rules that it breaks."""

    does: str
    breaks: frozenset[str]
    source: tuple[Replacement, ...] = ()
    """How the firmware's source differs."""
    line: Callable[[], Tamperer] | None = None
    """Who sits on the line; nobody sees it otherwise, bytes pass as they are."""
    slow: bool = False
    """It shows only in rules that take long."""


def mutant(does: str, breaks: str, file: str, old: str, new: str, *more: Replacement, slow: bool = False) -> Mutation:
    """A firmware whose source differs; ``breaks`` names the rules, with spaces between them."""
    return Mutation(does, frozenset(breaks.split()), (Replacement(file, old, new), *more), slow=slow)
