"""Writes the reference page of the suite's rules, which a test compares with them: ``python -m firmware_bridge.conformance.reference``."""

from __future__ import annotations

from pathlib import Path

from firmware_bridge.conformance.rule import Rule
from firmware_bridge.conformance.rules import GROUPS, RULES

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "conformance.md"

_INTRODUCTION = """# What `twinwall feeder check` tries

*Written by `python -m firmware_bridge.conformance.reference` from `firmware_bridge/conformance/rules`; change it there.*

`twinwall feeder check PORT` tries every rule of [TWF/1](../../firmware_bridge/PROTOCOL.md) at a board, an emulator or a simulated
machine, each rule from a machine at rest. A set of tiles must be in the drum. It moves tiles and empties trays and magazines, so no hand
may be played meanwhile; one tile ends in the reject cell.

| option | |
|---|---|
| `--only NAME` | this rule alone; may be given several times |
| `--assisted` | also what needs hands: a sentence asks for each action |
| `--slow` | also what takes more than an hour |
| `--json` | one JSON document: counts, and for each rule its outcome, reason and time |
| `--list` | the rules, without trying them; with `--json` also what each tries, which a run prints too |

Exit 0 when no rule was broken, 1 when one was, 2 when the port cannot be opened. The result says why a rule
was left out.
"""


def page() -> str:
    """The page as Markdown."""
    parts = [_INTRODUCTION, f"\n{len(RULES)} rules; *hands* and *slow* mark those that need `--assisted` and `--slow`.\n"]
    for heading, rules in GROUPS.items():
        parts.append(f"\n## {heading}\n\n")
        parts += [_row(rule) for rule in rules]
    return "".join(parts)


def _row(rule: Rule) -> str:
    marks = "".join(f" *{mark}*" for mark, is_so in (("hands", rule.hands), ("slow", rule.slow)) if is_so)
    return f"- `{rule.name}`{marks}: {rule.says}\n"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
