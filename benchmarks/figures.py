"""Page of the figures: ``python -m benchmarks.figures`` writes docs/reference/figures.md from figures.toml.

The data has the newest value of each figure; older ones are in the history of the file.
"""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from pathlib import Path

import msgspec
from msgspec import Struct

DATA = Path(__file__).with_suffix(".toml")
PAGE = DATA.parent.parent / "docs" / "reference" / "figures.md"
HEAD = """# Figures

What was measured, by which command, beside the goal. `python -m benchmarks.figures` writes this
page from `benchmarks/figures.toml`, which also names commits. Enter the newest value there; Git
keeps older ones.

All on two cores of a virtual machine with Debian 12. Machines differ: compare with the goal. *Same*
is the command of the row above. Where `FOLDER`, `PHOTOS`, `FILE`, `NAME` or `N` stands in a
command, put your own.
"""


class Figure(Struct, frozen=True, forbid_unknown_fields=True):
    """The newest value of one figure."""

    what: str
    command: str
    value: str
    date: date
    goal: str = "–"
    commit: str = ""


def figures() -> dict[str, list[Figure]]:
    """The figures of each part of the page."""
    return msgspec.toml.decode(DATA.read_bytes(), type=dict[str, list[Figure]])


def page() -> str:
    """The page as the data has it."""
    lines = [HEAD]
    for part, rows in figures().items():
        commands = [f"`{rows[0].command}`", *("same" if a.command == b.command else f"`{b.command}`" for a, b in pairwise(rows))]
        lines += [f"## {part}\n", "| what | command | value | goal | date |", "|---|---|---|---|---|"]
        lines += [
            f"| {row.what} | {command} | {row.value} | {row.goal} | {row.date} |" for row, command in zip(rows, commands, strict=True)
        ]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
