"""Page of the figures: ``python -m benchmarks.figures`` writes docs/reference/figures.md from figures.toml, which holds the newest value of
each figure; its history holds the older ones."""

from datetime import date
from itertools import groupby
from pathlib import Path

import msgspec
from msgspec import Struct

DATA = Path(__file__).with_suffix(".toml")
PAGE = DATA.parent.parent / "docs" / "reference" / "figures.md"
HEAD = """# Figures

What was measured, by which command, beside the goal. `python -m benchmarks.figures` writes this
page from `benchmarks/figures.toml`, which has dates and commits. Enter the newest value there; Git
keeps older ones. Commands of `benchmarks` and `tools` follow `python -m`; most print JSON with
`--json`.

All on two cores of a virtual machine with Debian 12; compare with the goal, in brackets. Where
`FOLDER`, `PHOTOS`, `FILE`, `NAME` or `N` stands in a command, put your own.
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
    return msgspec.toml.decode(DATA.read_bytes(), type=dict[str, list[Figure]])


def page() -> str:
    lines = [HEAD]
    for part, rows in figures().items():
        lines.append(f"## {part}\n")
        for command, measured in groupby(rows, lambda row: row.command):
            lines += [
                f"`{command.removesuffix(' --json').removeprefix('python -m ')}`\n",
                *(f"- {row.what}: {row.value}{f' [{row.goal}]' if row.goal != '–' else ''}" for row in measured),
                "",
            ]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
