"""Random hands in every form: ``.venv/bin/python -m benchmarks.forms [--rules NAME …] [--hands N] [--first N] [--json]``.

Each hand of each rule set is written in every form and read again where the form is read. Forms that keep the play must give it
back; of the others the run counts in how many hands something was left out, and names it. Hands go by their number, so a run with
``--first`` goes on where another ended. Exit 1 where a form lost what it must keep; each such hand is named by its number.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass, field

from tests.support.event.form_laws import as_in_an_event, through
from tests.support.game.random_hands import HAND_BY_NUMBER
from twinwall.event.forms.registry import FORMS
from twinwall.game.record import HandRecord


@dataclass(slots=True)
class FormCount:
    """What became of the hands in one form."""

    hands: int = 0
    whole: int = 0
    """Hands that came back with every field and event."""
    left_out: dict[str, int] = field(default_factory=dict)
    """How many hands lost what."""
    broken: dict[int, str] = field(default_factory=dict)
    """By the number of the hand, what it lost and must not lose."""

    def take(self, number: int, form_name: str, record: HandRecord) -> None:
        """Count a hand."""
        self.hands += 1
        try:
            result = through(form_name, record)
        except (ValueError, AssertionError, LookupError) as error:
            self.broken[number] = f"{type(error).__name__}: {error}"
            return
        self.whole += not result.left_out
        for what in {each.partition(" (")[0] for each in result.left_out}:
            self.left_out[what] = self.left_out.get(what, 0) + 1
        if result.broken:
            self.broken[number] = "; ".join(result.broken)


def run(rules: str, numbers: range) -> dict[str, object]:
    """The hands of a rule set with these numbers in every form."""
    counts = {name: FormCount() for name in FORMS}
    began = time.process_time()
    for number in numbers:
        record = as_in_an_event(HAND_BY_NUMBER[rules](number).record(), number)
        for name, count in counts.items():
            count.take(number, name, record)
    return {
        "first": numbers.start,
        "hands": len(numbers),
        "processor_s": round(time.process_time() - began, 1),
        "forms": {name: asdict(count) for name, count in counts.items()},
    }


def main() -> int:
    """Print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", action="append", choices=tuple(HAND_BY_NUMBER), help="only this rule set; once for each")
    parser.add_argument("--hands", type=int, default=100, help="hands of each rule set (100)")
    parser.add_argument("--first", type=int, default=0, help="number of the first hand (0)")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    arguments = parser.parse_args()
    numbers = range(arguments.first, arguments.first + arguments.hands)
    found = {rules: run(rules, numbers) for rules in arguments.rules or HAND_BY_NUMBER}
    print(json.dumps(found, ensure_ascii=False, indent=1) if arguments.json else _lines(found))
    return int(any(form["broken"] for of in found.values() for form in _forms(of).values()))


def _forms(of: dict[str, object]) -> dict[str, dict[str, object]]:
    forms = of["forms"]
    assert isinstance(forms, dict)
    return forms


def _lines(found: dict[str, dict[str, object]]) -> str:
    lines = []
    for rules, of in found.items():
        lines.append(f"{rules}: {of['hands']} hands from number {of['first']}, {of['processor_s']} s of processor time")
        for name, form in _forms(of).items():
            lines.append(f"  {name}: {form['whole']} came back whole; left out {form['left_out']}; broken {form['broken']}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
