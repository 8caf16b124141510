"""Asks a person in the terminal what an enrolment's doubtful tiles are, each drawn in coloured half blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from twinwall.game.tiles import NotationError, Tile, parse_tile
from vision.enrol.gather import Unnamed
from vision.enrol.propose import Proposal
from vision.model.crop import fit_crop

_STEP = 2
"""Each block of this many pixels of a crop make one coloured half block: 24 columns, 16 lines."""
_LEFT_OUT = frozenset({"", "-"})


def settle(questions: Sequence[tuple[Unnamed, Proposal]], ask: Callable[[str], str], say: Callable[[str], None]) -> list[Tile | None]:
    """Each picture's kind as the person answers, None to leave it out; the end of the input leaves out all that remain."""
    answers: list[Tile | None] = []
    for number, (picture, proposal) in enumerate(questions, 1):
        say(half_blocks(picture.image))
        kinds = [candidate.tile for candidate in proposal.candidates]
        choices = ", ".join(f"{place} = {tile.text}" for place, tile in enumerate(kinds, 1))
        question = f"{number} of {len(questions)}, {picture.name}: {choices}, a kind such as 6p, or - to leave it out: "
        try:
            answers.append(_answer(question, kinds, ask, say))
        except EOFError:
            return [*answers, *[None] * (len(questions) - len(answers))]
    return answers


def half_blocks(image: NDArray[np.uint8]) -> str:
    """A picture tight to a tile as lines of coloured half blocks for a terminal of 24-bit colour."""
    small = fit_crop(image)[::_STEP, ::_STEP, ::-1]
    lines = []
    for upper, lower in zip(small[::2], small[1::2], strict=True):
        cells = (f"\x1b[38;2;{a[0]};{a[1]};{a[2]};48;2;{b[0]};{b[1]};{b[2]}m▀" for a, b in zip(upper, lower, strict=True))
        lines.append("".join(cells) + "\x1b[0m")
    return "\n".join(lines)


def _answer(question: str, kinds: Sequence[Tile], ask: Callable[[str], str], say: Callable[[str], None]) -> Tile | None:
    while True:
        text = ask(question).strip()
        if text in _LEFT_OUT:
            return None
        if text.isdecimal() and 1 <= int(text) <= len(kinds):
            return kinds[int(text) - 1]
        try:
            return parse_tile(text)
        except NotationError:
            say(f"{text!r} is none of these, nor a kind")
