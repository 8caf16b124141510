"""What makes a bad machine of a good one: a change of the firmware's source, or somebody on its line."""

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

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


def source_mutations() -> Iterator[Mutation]:
    """Those of ``mutants.toml``."""
    for mutant in tomllib.loads(Path(__file__).with_name("mutants.toml").read_text(encoding="utf-8"))["mutant"]:
        source = tuple(Replacement(each["file"], each["old"], each["new"]) for each in mutant.get("source", [mutant]))
        yield Mutation(mutant["does"], frozenset(mutant["breaks"].split()), source, slow=mutant.get("slow", False))
