"""Runs one attack of docs/reference/attacks.md without its defence and with it: ``python -m tools.attack [N]``.

Without a number it lists the attacks. Each item of the page has the attacker's means, his action and what he gets either way;
``tests/attacks/attacks.toml`` has the tests that carry it out. Exit 0 when the tests agree with the page, 1 when one does not, 2 for
a number that is not there.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from twinwall.values import frozen

TOP = Path(__file__).parents[1]
PAGE = TOP / "docs" / "reference" / "attacks.md"
TESTS = TOP / "tests" / "attacks" / "attacks.toml"
ITEM = re.compile(r"^\d+\. \*\*.+?(?=^\d+\. \*\*|\Z)", re.DOTALL | re.MULTILINE)
PARTS = re.compile(r"(\d+)\. \*\*(.+?)\*\* (.+?)\.(?: Without: (.+?)\.)? With: (.+)\.")
NOTHING = "–"


@frozen
class Attack:
    """An item of the page: pytest names the tests as ``file::function``; ``controls`` carry the attack out without its defence."""

    number: int
    has: str
    does: str
    gets_without: str
    gets_with: str
    tests: tuple[str, ...]
    controls: tuple[str, ...]


def attacks() -> tuple[Attack, ...]:
    """The attacks of the page, in its order. Raises ValueError for one that lacks a part, KeyError for one without tests."""
    tests = tomllib.loads(TESTS.read_text(encoding="utf-8"))
    found = []
    for item in ITEM.findall(PAGE.read_text(encoding="utf-8")):
        parts = PARTS.fullmatch(" ".join(item.split()))
        if parts is None:
            raise ValueError(f"{PAGE.name}: an attack says 'With:', and this one does not: {item[:80]}")
        number, has, does, without, gets = parts.groups(NOTHING)
        by = tests[number]
        found.append(Attack(int(number), has, does, without, gets, tuple(by["tests"]), tuple(by.get("controls", ()))))
    return tuple(found)


def run_tests(tests: tuple[str, ...]) -> bool:
    """Whether the tests pass; their output is shown when they do not."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--color=no", *tests]
    done = subprocess.run(command, cwd=TOP, check=False, capture_output=True, text=True)  # names from our own page
    if done.returncode != 0:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
    else:
        print(f"    {done.stdout.strip().splitlines()[-1]}", flush=True)
    return done.returncode == 0


def carry_out(attack: Attack) -> bool:
    """Run control and attack, and say what the attacker gets in each; whether both went as the page says."""
    print(f"Attack {attack.number}\n  The attacker has: {attack.has}.\n  He does this: he {attack.does}.", flush=True)
    went = True
    for defence, tests, gets in (("without", attack.controls, attack.gets_without), ("with", attack.tests, attack.gets_with)):
        if not tests:
            print("  Without the defence: this attack has no control; its tests show the refusal alone.", flush=True)
            continue
        print(f"  {defence.capitalize()} the defence:", *tests, sep="\n    ", flush=True)
        as_said = run_tests(tests)
        print(f"    He gets: {gets}." if as_said else "    The tests do not agree with the page; their output is above.", flush=True)
        went &= as_said
    return went


def main(arguments: list[str]) -> int:
    """List the attacks, or carry the numbered one out."""
    known = {attack.number: attack for attack in attacks()}
    if not arguments:
        for attack in known.values():
            print(f"{attack.number:3}  Somebody who has {attack.has} {attack.does}.")
        print("\nmake attack N=3 carries number 3 out, without its defence and with it.")
        return 0
    if not arguments[0].isdecimal() or int(arguments[0]) not in known:
        print(f"There is no attack {arguments[0]}: N is a number from 1 to {max(known)}. make attack lists them.", file=sys.stderr)
        return 2
    return 0 if carry_out(known[int(arguments[0])]) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
