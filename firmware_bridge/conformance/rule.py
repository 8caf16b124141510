"""A rule of the conformance suite: its name, what it says, where PROTOCOL.md says it, and the function that tries it."""

import inspect
from collections.abc import Callable

from firmware_bridge.conformance.bench import Bench
from twinwall.values import frozen

Trial = Callable[[Bench], str | None]
"""Tries the rule on a machine at rest; returns what was measured, if anything; raises Broken or NotTriedError."""


@frozen
class Rule:
    """One thing that every machine must do."""

    name: str
    says: str
    """The rule in a sentence."""
    tried: str
    """What is done to see whether it is kept."""
    section: str
    """The heading of PROTOCOL.md under which it stands."""
    trial: Trial
    hands: bool
    """It needs somebody at the machine."""
    slow: bool
    """It takes minutes."""

    @property
    def where(self) -> str:
        """Where the rule is written."""
        return f'PROTOCOL.md, "{self.section}"'


def rule(section: str, *, hands: bool = False, slow: bool = False) -> Callable[[Trial], Rule]:
    """Make a rule of a function: its name, the first paragraph of its docstring, and the second one after "Tried: "."""

    def make(trial: Trial) -> Rule:
        says, _, tried = (inspect.getdoc(trial) or "").partition("\n\n")
        if not tried.startswith("Tried: "):
            raise ValueError(f"{trial.__name__}: the docstring's second paragraph must begin with 'Tried: '")
        return Rule(
            trial.__name__.replace("_", "-"),
            " ".join(says.split()),
            " ".join(tried.removeprefix("Tried: ").split()),
            section,
            trial,
            hands,
            slow,
        )

    return make
