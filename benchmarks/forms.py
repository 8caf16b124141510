"""Random hands in every form: ``.venv/bin/python -m benchmarks.forms [--rules NAME …] [--hands N] [--first N] [--record FILE] [--json]``.

Each hand of each rule set is written in every form, and read again from forms that can be read. Forms that keep the play must return it;
for the others the run counts the hands with omissions, and names these. ``--record`` keeps the counts of every fifty hands in a file, from
which the same command continues. Exit 1 if a form lost what it must keep; each such hand is named by its number.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from benchmarks.support.parts import Run, RunRecord, Series, sources_digest
from tests.support.event.form_laws import as_in_an_event, through
from tests.support.game.random_hands import HAND_BY_NUMBER
from twinwall.event.forms.registry import FORMS
from twinwall.event.forms.sheet import ReleasedHand, released_hand
from twinwall.values import frozen

_TOGETHER = 50


@dataclass(slots=True)
class FormCount:
    """The results of hands in one form."""

    hands: int = 0
    whole: int = 0
    """Hands that came back with every field and event."""
    left_out: dict[str, int] = field(default_factory=dict)
    """Hands that lost something, by what they lost."""
    broken: dict[str, str] = field(default_factory=dict)
    """Losses that must not be, by the number of the hand."""

    def take(self, number: int, form_name: str, hand: ReleasedHand) -> None:
        """Count a hand."""
        self.hands += 1
        try:
            result = through(form_name, hand)
        except (ValueError, AssertionError, LookupError) as error:
            self.broken[str(number)] = f"{type(error).__name__}: {error}"
            return
        self.whole += not result.left_out
        for what in {each.partition(" (")[0] for each in result.left_out}:
            self.left_out[what] = self.left_out.get(what, 0) + 1
        if result.broken:
            self.broken[str(number)] = "; ".join(result.broken)

    def add(self, other: FormCount) -> None:
        """Add another count."""
        self.hands += other.hands
        self.whole += other.whole
        self.broken |= other.broken
        for what, hands in other.left_out.items():
            self.left_out[what] = self.left_out.get(what, 0) + hands


@frozen
class HandsInForms:
    """The results of some hands, by form."""

    forms: dict[str, FormCount]


def in_forms(rules: str, stop: int, first: int) -> HandsInForms:
    """Put up to fifty hands of a rule set, from number ``first`` and below ``stop``, through every form."""
    counts = {name: FormCount() for name in FORMS}
    for number in range(first, min(first + _TOGETHER, stop)):
        hand = released_hand(as_in_an_event(HAND_BY_NUMBER[rules](number).record(), number))
        for name, count in counts.items():
            count.take(number, name, hand)
    return HandsInForms(counts)


def measure(run: Run, rules: str, numbers: range) -> dict[str, object]:
    """Measure the hands of a rule set with these numbers in every form."""
    firsts = range(numbers.start, numbers.stop, _TOGETHER)
    name = f"{rules} {numbers.start} to {numbers.stop}"
    measured = run.measured(Series(name, partial(in_forms, rules, numbers.stop), HandsInForms, firsts, 1))
    counts = {form: FormCount() for form in FORMS}
    for result in measured.results:
        for form, count in result.forms.items():
            counts[form].add(count if isinstance(count, FormCount) else FormCount(**count))  # a file has them as objects
    forms = {form: asdict(count) for form, count in counts.items()}
    return {"first": numbers.start, "hands": len(numbers), "processor_s": round(measured.processor_s, 1), "forms": forms}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", action="append", choices=tuple(HAND_BY_NUMBER), help="only this rule set; once for each")
    parser.add_argument("--hands", type=int, default=100, help="hands of each rule set (100)")
    parser.add_argument("--first", type=int, default=0, help="number of the first hand (0)")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep the counts in a file, from which the same command continues")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    arguments = parser.parse_args()
    numbers = range(arguments.first, arguments.first + arguments.hands)
    record = RunRecord(arguments.record, sources_digest(Path(__file__).parents[1]) if arguments.record else "")
    run = Run(1, float("inf"), record)
    found = {rules: measure(run, rules, numbers) for rules in arguments.rules or HAND_BY_NUMBER}
    print(json.dumps(found, ensure_ascii=False, indent=1) if arguments.json else "\n".join(_lines(found)))
    return int(any(form["broken"] for of in found.values() for form in _forms(of).values()))


def _forms(of: dict[str, object]) -> dict[str, dict[str, object]]:
    forms = of["forms"]
    assert isinstance(forms, dict)
    return forms


def _lines(found: dict[str, dict[str, object]]) -> Iterator[str]:
    for rules, of in found.items():
        yield f"{rules}: {of['hands']} hands from number {of['first']}, {of['processor_s']} s of processor time"
        for name, form in _forms(of).items():
            yield f"  {name}: {form['whole']} of {form['hands']} came back whole; left out {form['left_out']}; broken {form['broken']}"


if __name__ == "__main__":
    sys.exit(main())
