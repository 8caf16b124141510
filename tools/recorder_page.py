"""Page of the recorder's film strips: eight disturbances, with what the decoder held for true at each picture and what it asked.

``python -m tools.pictures recorder`` films them and writes the part of the page between its two comment lines.
"""

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap

import msgspec
from msgspec import Struct

from simulator.disturbances.kinds import Disturbance
from tools.recorder_film import Film, FilmedQuestion, Filming, Held, Shot, keep, name_of
from twinwall.game.play_events import Claimed, ClaimsPassed, HandEnded, PlayEvent, SharedTileTurned, TileDiscarded, TileDrawn
from twinwall.game.tiles import Seat
from vision.model.classifier import Classifier

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "explanation" / "recording" / "recorder-film.md"
PICTURES = DOCS / "pictures" / "recorder"
_BEGIN, _END = "<!-- films: python -m tools.pictures recorder -->\n", "\n<!-- end -->"
_HAND = ("mcr-duplicate", 300)
SHOTS = (
    Shot(Disturbance.DISCARD_FAR_OFF, *_HAND, 34, 34, "A discard far from its slot", "East lays a discard 30 to 60 mm off."),
    Shot(Disturbance.DISCARD_OVERLAPPING, *_HAND, 31, 31, "A discard on the edge of another", "North lays a discard on its last one."),
    Shot(Disturbance.DISCARD_FACE_DOWN, *_HAND, 28, 28, "A discard face down", "West lays a discard on its face and turns it up."),
    Shot(Disturbance.RIVER_MOVED, *_HAND, 39, 40, "A river is pushed", "Somebody pushes a river aside before West discards."),
    Shot(Disturbance.CLAIMED_TILE_LATE, *_HAND, 47, 47, "A claimed tile taken late", "South presses, and takes the tile 3 to 8 s later."),
    Shot(Disturbance.DISCARD_ON_OTHER_RIVER, *_HAND, 37, 37, "A discard in another's river", "South lays a discard in another's river."),
    Shot(
        Disturbance.ARM_STAYS,
        "mcr-duplicate",
        8,
        96,
        97,
        "An arm over a discard until the hand is over",
        "East discards below an arm that stays. No frame shows the tile; West wins on the next one.",
        stays=True,
    ),
    Shot(
        Disturbance.ARM_STAYS,
        "seigo",
        761,
        119,
        122,
        "An arm over a shared tile until the hand is over",
        "West wins in riichi, and the shared tile that is to be turned up then lies below an arm.",
        stays=True,
    ),
)
_SEATS = {Seat.EAST: "East", Seat.SOUTH: "South", Seat.WEST: "West", Seat.NORTH: "North"}


class StripRow(Struct):
    """One picture of a strip: when, and the two best paths."""

    picture: str
    best: str
    rival: str
    apart: str
    margin: str


class QuestionRow(Struct):
    """One question as the referee gets it."""

    number: int
    held: str
    truth: str
    margin: float
    x_mm: int
    y_mm: int


class FilmWords(Struct):
    """What a film has shown: the command keeps it beside the pictures, and the page is made from it."""

    name: str
    rows: list[StripRow]
    asked: list[QuestionRow]
    recorded: bool


def film_all(shots: Sequence[Shot] = SHOTS) -> None:
    """Film the shots, keep what they show, and write the page of all."""
    classifier = Classifier()
    for shot in shots:
        film = Filming(shot, classifier).film()
        keep(film, PICTURES)
        content = msgspec.json.format(msgspec.json.encode(words_of(film)), indent=1)
        (PICTURES / f"{name_of(shot)}.json").write_bytes(content + b"\n")
    write_page()


def write_page() -> None:
    """Write the part of the page between its two comment lines from what is kept of the films."""
    text = PAGE.read_text(encoding="utf-8")
    pattern = re.compile(re.escape(_BEGIN) + ".*?" + re.escape(_END), re.DOTALL)
    if pattern.search(text) is None:
        raise ValueError(f"{PAGE} has no place for the films: it needs the lines {_BEGIN!r} and {_END!r}")
    PAGE.write_text(pattern.sub(lambda _: films_part(), text), encoding="utf-8")


def films_part() -> str:
    """The part of the page between its two comment lines, with them."""
    return _BEGIN + "\n\n".join(map(section, SHOTS, kept_films())) + _END


def kept_films() -> list[FilmWords]:
    """What is kept of each film; raises FileNotFoundError where one has not been made."""
    return [msgspec.json.decode((PICTURES / f"{name_of(shot)}.json").read_bytes(), type=FilmWords) for shot in SHOTS]


def words_of(film: Film) -> FilmWords:
    """What the page says of a film."""
    asked = [_asked(one) for one in film.asked]
    return FilmWords(name_of(film.shot), list(_rows(film)), asked, film.recorded)


def section(shot: Shot, film: FilmWords) -> str:
    """One film as text."""
    folder = f"../../pictures/recorder/{film.name}"
    picture = f"![{shot.title}]({folder}.jpg)"
    shown = film.rows[1 : 2 + (film.rows[1].best != film.rows[2].best)]
    said = (f"- {row.picture}: *{row.best}*; next *{row.rival}*, {row.apart} apart; margin {row.margin}" for row in shown)
    rows = [line for words in said for line in wrap(words, 100, subsequent_indent="  ", break_on_hyphens=False)]
    asked = [_question(one, folder) for one in film.asked]
    recorded = [] if film.recorded else ["Without an answer the record differs from the play."]
    return "\n\n".join((f"## {shot.title}", shot.words, picture, "\n".join(rows), *asked, *recorded))


def _rows(film: Film) -> Iterator[StripRow]:
    names = ("before", "in doubt", "at the end")
    for name, thought in zip(names, film.thoughts, strict=True):
        after = f"{(thought.at_ms - film.disturbed_ms) / 1000:+.2f} s"
        told = film.published is not None and thought.at_ms >= film.published.published_ms
        rival, apart = "none is near", "–"
        if thought.rival is not None:
            rival, apart = _held(thought.rival), f"{thought.apart:.1f} nats"
        margin = "–" if thought.margin is None else _margin(thought.margin)
        yield StripRow(f"{name}, {after}{', published' if told else ''}", _held(thought.best), rival, apart, margin)


def _held(held: Held) -> str:
    if held.event is not None:
        return in_words(held.event)
    return f"nothing yet; {held.waits} unexplained" if held.waits else "nothing yet"


def _margin(margin: float) -> str:
    odds = float(f"{math.exp(margin):.1g}")
    return f"{margin:.1f} nats ({odds:,.0f} to 1)"


def _asked(one: FilmedQuestion) -> QuestionRow:
    asked = one.question
    at = round(asked.x_mm), round(asked.y_mm)
    return QuestionRow(asked.number, in_words(asked.paths[0]), in_words(one.truth), asked.margin, *at)


def _question(one: QuestionRow, folder: str) -> str:
    """A question as the referee gets it: its place and the crop; then what was right."""
    where = f"at ({one.x_mm}, {one.y_mm}) mm from the middle of the mat" if one.x_mm or one.y_mm else "which has no place of its own"
    held = f"*{one.held}?* (margin {one.margin:.1f} nats)"
    lines = [f"When the hand was over the referee was asked about event {one.number},\n{where}:\n{held}"]
    lines.append(f"![The place that is asked about]({folder}-{one.number}.jpg)")
    lines.append("That was right." if one.held == one.truth else f"That was wrong: {one.truth}.")
    return "\n\n".join(lines)


def in_words(event: PlayEvent | None) -> str:
    """An event as the page says it."""
    match event:
        case TileDiscarded(seat, tile):
            return f"{_SEATS[seat]} discards {tile.text}"
        case Claimed(seat, meld):
            return f"{_SEATS[seat]} claims a {meld.type.value} of {' '.join(tile.text for tile in meld.tiles)}"
        case SharedTileTurned(place, tile):
            return f"the shared tile {place + 1} is turned up: {tile.text}"
        case HandEnded():
            return "the hand is over"
        case TileDrawn(seat):
            return f"{_SEATS[seat]} draws"
        case ClaimsPassed():
            return "nobody claims"
        case None:
            return "another course of play"
        case _:
            return type(event).__name__
