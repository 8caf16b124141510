"""The law of forms: what a record has after it was written and read again, and which forms must give its whole play back."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from cli.forms.text_forms import came_back, lost_events, lost_fields
from twinwall.event.forms.registry import FORMS
from twinwall.event.forms.sheet import MoveType, ReleasedHand
from twinwall.game.record import HandRecord
from twinwall.game.tiles import SEATS, Seat, place_of, seat_at

PLAY_COMES_BACK = {"pmn": ("mcr-duplicate", "seigo", "sichuan", "yangzhou"), "ijcai": ("mcr-duplicate",), "botzone": ("mcr-duplicate",)}
"""By form, the rule sets whose every event comes back."""
_TILES = "the undrawn tiles, and the order in which hands were dealt"
_NAMED_AS = {"n": "number of the deal", "hand": "hand of the round", _TILES: "tiles"}
"""What a form's list of losses calls a field that it does not call by its name."""

_BY_DESIGN = "what the form's losses name"


@dataclass(frozen=True, slots=True)
class FormResult:
    """What a form did with a record: what it left out, and what it should not have left out."""

    left_out: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


def as_in_an_event(record: HandRecord, number: int) -> HandRecord:
    """The record with the names and numbers that one of an event has, so that a form which loses them is found out."""
    players = dict(zip(SEATS, ("李娜", "Müller", "鈴木", f"{number}"), strict=True))
    return replace(record, event=f"Cup {number}", session=2 + number % 3, n=2 + number % 60, table=f"{number % 7}B", players=players)


def through(form_name: str, released: ReleasedHand) -> FormResult:
    """Write a hand in a form and read it again, where the form is read."""
    form, record = FORMS[form_name], released.record
    text = form.writer(released, {})
    if form.read is None:
        return FormResult((_BY_DESIGN,), tuple(_WRITTEN_ALONE[form_name](released, text)))
    after = came_back(form, record, text)
    events, fields = tuple(lost_events(record, after)), tuple(lost_fields(record, after))
    broken: list[str] = []
    if record.rules in PLAY_COMES_BACK[form_name]:
        broken += events
        broken += () if after.scores == record.scores else ("the scores",)
    if form_name == "pmn":
        broken += fields
    if form_name == "botzone" and record.rules in PLAY_COMES_BACK[form_name] and after.walls != record.walls:
        broken.append("the walls")
    names = [field.partition(" (")[0] for field in fields]
    broken += [f"{name}, which its losses do not name" for name in names if _NAMED_AS.get(name, name) not in form.loses]
    return FormResult((*events, *names), tuple(broken))


_MJAI_MOVES = {
    MoveType.DRAW: "tsumo",
    MoveType.DISCARD: "dahai",
    MoveType.CHOW: "chi",
    MoveType.PUNG: "pon",
    MoveType.KONG: "daiminkan",
    MoveType.ADDED_KONG: "kakan",
    MoveType.CONCEALED_KONG: "ankan",
}


def _mjai_lacks(released: ReleasedHand, text: str) -> list[str]:
    """What is wrong with the moves of an mjai text: each but a win must stand in it, in order, with its seat and tile."""
    lines = [json.loads(line) for line in text.splitlines()]
    written = [
        (each["type"], each["actor"], each.get("pai", each.get("consumed", "?")[0])) for each in lines if each["type"] in _MJAI_TYPES
    ]
    moves = [move for move in released.sheet.moves if move.type in _MJAI_MOVES]
    played = [(_MJAI_MOVES[move.type], place_of(move.seat, released.record.hand), move.tile.text) for move in moves]
    return [] if written == played else ["the moves"]


_MJAI_TYPES = frozenset(_MJAI_MOVES.values())


def _tenhou6_lacks(released: ReleasedHand, text: str) -> list[str]:
    """What is wrong with the rows of a tenhou text: each draw and claim, and each discard and kong, must stand in its seat's."""
    (rows,) = json.loads(text)["log"]
    taken, given = Counter[Seat](), Counter[Seat]()
    for move in released.sheet.moves:
        taken[move.seat] += move.type in (MoveType.DRAW, MoveType.CHOW, MoveType.PUNG, MoveType.KONG)
        given[move.seat] += move.type in (MoveType.DISCARD, MoveType.KONG, MoveType.ADDED_KONG, MoveType.CONCEALED_KONG)
    expected = [(taken[seat], given[seat]) for seat in (seat_at(place, released.record.hand) for place in range(len(SEATS)))]
    return [] if [(len(rows[5 + 3 * place]), len(rows[6 + 3 * place])) for place in range(len(SEATS))] == expected else ["the moves"]


_WRITTEN_ALONE: Mapping[str, Callable[[ReleasedHand, str], list[str]]] = {"mjai": _mjai_lacks, "tenhou6": _tenhou6_lacks}
"""By form that is not read, what checks its text."""
