"""Draws the state diagrams of the documents from the transition tables: ``python -m tools.diagrams``.

A diagram stands in its document as mermaid text between two comment lines, the first of which names it.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from controller.state.transitions import PLAY_TRANSITIONS, WALL_TRANSITIONS
from firmware_bridge.link.transitions import TRANSITIONS

TOP = Path(__file__).resolve().parent.parent
TABLE = TOP / "docs" / "explanation" / "table.md"
PROTOCOL = TOP / "firmware_bridge" / "PROTOCOL.md"
Stage = TypeVar("Stage", bound=StrEnum)
Step = TypeVar("Step", bound=StrEnum)


def diagram(transitions: Mapping[tuple[Stage, Step], Stage]) -> str:
    """A transition table as a mermaid state diagram; steps that lead the same way share an arrow."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for (stage, step), after in transitions.items():
        arrows.setdefault((stage.value, after.value), []).append(step.value)
    begins = next(iter(transitions))[0].value
    lines = ["stateDiagram-v2", f"    [*] --> {begins}"]
    lines += [f"    {before} --> {after}: {'<br>'.join(steps)}" for (before, after), steps in arrows.items()]
    return "\n".join(("```mermaid", *lines, "```"))


DIAGRAMS: Mapping[str, tuple[Path, str]] = {
    "stages of a wall": (TABLE, diagram(WALL_TRANSITIONS)),
    "stages of a hand": (TABLE, diagram(PLAY_TRANSITIONS)),
    "states of the link": (PROTOCOL, diagram(TRANSITIONS)),
}


def drawn(name: str) -> str:
    """The document of a diagram with the diagram as it is now."""
    document, text = DIAGRAMS[name]
    begin, end = f"<!-- {name}: python -m tools.diagrams -->\n", "\n<!-- end -->"
    pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    written = document.read_text(encoding="utf-8")
    if pattern.search(written) is None:
        raise ValueError(f"{document} has no place for the diagram {name!r}")
    return pattern.sub(lambda _: begin + text + end, written)


def main() -> None:
    """Draw all."""
    for name, (document, _) in DIAGRAMS.items():
        document.write_text(drawn(name), encoding="utf-8")


if __name__ == "__main__":
    main()
