"""What a rule set says of a hand, with options where a test names some."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from twinwall.game.rule_set import NoWin, Win, WinningHand
from twinwall.game.rules import rule_set


@dataclass(frozen=True)
class Judge:
    """A rule set, and its options where a test names none."""

    rules: str
    options: Mapping[str, object] = field(default_factory=dict)

    def won(self, hand: WinningHand, **options: object) -> Win:
        """The win."""
        outcome = rule_set(self.rules, options or self.options).score(hand)
        assert isinstance(outcome, Win), outcome
        return outcome

    def refused(self, hand: WinningHand, **options: object) -> str:
        """Why it does not win."""
        outcome = rule_set(self.rules, options or self.options).score(hand)
        assert isinstance(outcome, NoWin), outcome
        return outcome.reason

    def counts(self, hand: WinningHand, **options: object) -> dict[str, int]:
        """The ids of its fans with how often each counts."""
        return {fan.id: fan.count for fan in self.won(hand, **options).fans}
