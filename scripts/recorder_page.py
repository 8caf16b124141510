"""Page of the recorder's film strips: eight disturbances, with what the decoder held for true at each picture and what it asked.

``python -m scripts.pictures recorder`` films them and writes the part of the page between its two comment lines.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

from controller.recorder.signals import Question
from scripts.recorder_film import Film, Filming, Shot, Thought, keep
from twinwall.game.play_events import Claimed, PlayEvent, TileDiscarded
from twinwall.game.tiles import Seat
from twinwall.simulator.disturbances.kinds import Disturbance
from vision.model.classifier import Classifier

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "explanation" / "recording" / "recorder-film.md"
_BEGIN, _END = "<!-- films: python -m scripts.pictures recorder -->\n", "\n<!-- end -->"
_HAND = ("mcr-duplicate", 300)
SHOTS = (
    Shot(Disturbance.DISCARD_FAR_OFF, *_HAND, 34, 34, "A discard far from its slot", "East lays a discard 30 to 60 mm off."),
    Shot(Disturbance.ARM_STAYS, *_HAND, 33, 34, "An arm over the river", "Somebody leans over the slots while East discards."),
    Shot(Disturbance.DISCARD_OVERLAPPING, *_HAND, 31, 31, "A discard on the edge of another", "North lays a discard on its last one."),
    Shot(Disturbance.DISCARD_FACE_DOWN, *_HAND, 28, 28, "A discard face down", "West lays a discard on its face and turns it up."),
    Shot(Disturbance.RIVER_MOVED, *_HAND, 39, 40, "A river is pushed", "Somebody pushes a river aside before West discards."),
    Shot(Disturbance.HAND_TILES_DROPPED, *_HAND, 39, 40, "Tiles fall from a hand", "West drops a tile face up, picks it up, and discards."),
    Shot(Disturbance.CLAIMED_TILE_LATE, *_HAND, 47, 47, "A claimed tile taken late", "South presses, and takes the tile 3 to 8 s later."),
    Shot(Disturbance.DISCARD_ON_OTHER_RIVER, *_HAND, 37, 37, "A discard in another's river", "South lays a discard in another's river."),
)
_SEATS = {Seat.EAST: "East", Seat.SOUTH: "South", Seat.WEST: "West", Seat.NORTH: "North"}


def film_all() -> None:
    """Film every shot, keep its strip, and write the page."""
    classifier, films = Classifier(), []
    for shot in SHOTS:
        films.append(Filming(shot, classifier).film())
        keep(films[-1], DOCS / "pictures" / "recorder")
    text = PAGE.read_text(encoding="utf-8")
    pattern = re.compile(re.escape(_BEGIN) + ".*?" + re.escape(_END), re.DOTALL)
    if pattern.search(text) is None:
        raise ValueError(f"{PAGE} has no place for the films: it needs the lines {_BEGIN!r} and {_END!r}")
    PAGE.write_text(pattern.sub(lambda _: _BEGIN + "\n\n".join(section(film) for film in films) + _END, text), encoding="utf-8")


def section(film: Film) -> str:
    """One film as text."""
    shot = film.shot
    picture = f"![{shot.title}: before, in doubt, and at the end](../../pictures/recorder/{shot.kind.value}.jpg)"
    rows = ["| picture | held for true | the next best path | margin |", "|---|---|---|---|", *_rows(film)]
    asked = [_asked(question, film) for question in film.questions] or ["Nothing was asked."]
    recorded = "The whole hand was recorded as it was played." if film.recorded else "The hand was recorded otherwise than it was played."
    return "\n\n".join((f"## {shot.title}", shot.words, picture, "\n".join(rows), *asked, recorded))


def _rows(film: Film) -> Iterator[str]:
    names = ("before", "in doubt", "at the end")
    for name, thought in zip(names, film.thoughts, strict=True):
        after = f"{(thought.at_ms - film.disturbed_ms) / 1000:+.2f} s"
        told = film.published is not None and thought.at_ms >= film.published.published_ms
        yield f"| {name}, {after}{', published' if told else ''} | {_held(thought)} | {_rival(thought)} | {_margin(thought)} |"


def _held(thought: Thought) -> str:
    return "not decided yet" if thought.event is None else in_words(thought.event)


def _rival(thought: Thought) -> str:
    if thought.event is None:
        return "–"
    if thought.by_kind:
        return "the same with another kind"
    return "without that event" if thought.rival is None else in_words(thought.rival)


def _margin(thought: Thought) -> str:
    if thought.event is None:
        return "–"
    odds = float(f"{math.exp(thought.margin):.1g}")
    return f"{thought.margin:.1f} nats ({odds:,.0f} to 1)"


def _asked(question: Question, film: Film) -> str:
    held = in_words(question.paths[0])
    right = "right" if question.paths[0] == film.truth or question.number != film.shot.about else "wrong"
    return f"When the hand was over the referee was asked about event {question.number}: *{held}?* It was {right}."


def in_words(event: PlayEvent | None) -> str:
    """An event as the page says it."""
    match event:
        case TileDiscarded(seat, tile):
            return f"{_SEATS[seat]} discards {tile.text}"
        case Claimed(seat, meld):
            return f"{_SEATS[seat]} claims a {meld.type.value} of {' '.join(tile.text for tile in meld.tiles)}"
        case None:
            return "another course of play"
        case _:
            return type(event).__name__
