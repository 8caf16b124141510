"""The forms by name. A new form is a module with ``write`` and, where it is read too, ``read``, and an entry here.

What a form loses of a hand is found by reading it back.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from twinwall.event.forms import botzone, ijcai, mjai, pmn, tenhou6
from twinwall.event.forms.following import record_of
from twinwall.event.forms.sheet import HandForm
from twinwall.event.record_versions import differing_fields, field_text, without_order
from twinwall.game.play_json import to_json
from twinwall.game.record import HandRecord

_TILES = ("walls", "rest", "digest")


def came_back(form: HandForm, record: HandRecord, text: str) -> HandRecord:
    """What a form gives back of a record that it has written; its reader knows the rules and their options."""
    sheet = next(form.sheets(text))
    return record_of(replace(sheet, rules=sheet.rules or record.rules, options=sheet.options or record.options), lenient=True).record


def lost_fields(before: HandRecord, after: HandRecord) -> tuple[str, ...]:
    """What a record that came back lacks or has otherwise beside its play; empty where it is the same."""
    found = [f"{name} ({field_text(before, name)})" for name in differing_fields(before, after) if name not in _TILES]
    if (before.walls, before.rest) != (after.walls, after.rest):
        found.append("the undrawn tiles, and the order in which hands were dealt")
    return tuple(found)


def lost_events(before: HandRecord, after: HandRecord) -> Iterator[str]:
    """The events that did not come back, by name and number.

    In which order the tiles of a shown hand or of a chow lay is no difference: no form holds it.
    """
    went, came = [*map(without_order, before.events)], [*map(without_order, after.events)]
    if went == came:
        return
    kept = Counter(map(repr, came))
    lost: dict[str, list[int]] = {}
    for number, event in enumerate(went, 1):
        written = repr(event)
        if kept[written]:
            kept[written] -= 1
        else:
            lost.setdefault(str(to_json(event)["type"]), []).append(number)
    for name, numbers in lost.items():
        yield f"{name} (event {', '.join(map(str, numbers))})"
    if not lost:
        yield "the order of events"


PMN = HandForm(
    name="pmn",
    title="PMN, Portable Mahjong Notation",
    suffix=".pmn",
    writer=pmn.write,
    read=pmn.read,
    rules=("mcr-duplicate",),
    keeps="players, event, board, prevalent wind, starting hands, every draw, discard, claim, kong and win, scores, fans; in tags of "
    "our own also session, hand, table, rule set with its options, check, riichi, from whom a tile was claimed that "
    "others have discarded since, and whole walls in their order",
    loses="rulings; the date, unless it is given along or comes from a store",
    tried="python-majiang 0.0.1 (PyPI): hands of `mcr-duplicate` that were won without a kong, with a date and without double quotes "
    "in names",
    together=("", "\n", ""),
)

_NOT_BOTZONE = "players, event, session, hand of the round, number of the deal, table, rule set and options, check, rulings, riichi"

IJCAI = HandForm(
    name="ijcai",
    title="IJCAI text",
    suffix=".txt",
    writer=ijcai.write,
    read=ijcai.read,
    rules=("mcr-duplicate",),
    keeps="prevalent wind, starting hands in their order, every draw, discard, claim, kong and win, fans, scores, and a name of the hand",
    loses=f"{_NOT_BOTZONE}, the undrawn tiles",
    tried="no program from a package registry was found; read by the description that goes with the competition's data, and its excerpt",
    together=("", "\n", ""),
    options=botzone.RULES,
)

BOTZONE = HandForm(
    name="botzone",
    title="Botzone log",
    suffix=".json",
    writer=botzone.write,
    read=botzone.read,
    rules=("mcr-duplicate",),
    keeps="prevalent wind, whole walls in their order, every draw, discard, claim, kong and win, fans, scores",
    loses=f"{_NOT_BOTZONE}, shared tiles",
    tried="no program from a package registry was found; written by the published judge's source, and not tried with Botzone itself",
    together=("[", ",", "]\n"),
    options=botzone.RULES,
)

_NOT_RIICHI = "session, number of the deal, table, rule set and options, check, rulings, payments other than for wins, the undrawn tiles"

_RIICHI_PLAY = "starting hands, every draw, discard, claim, kong, riichi and win, dora indicators and those below"

MJAI = HandForm(
    name="mjai",
    title="mjai",
    suffix=".mjson",
    writer=mjai.write,
    read=None,
    rules=(),
    keeps=f"players, prevalent wind, dealer, {_RIICHI_PLAY}",
    loses=f"event, {_NOT_RIICHI}, fans",
    tried="riichienv 0.4.11 (PyPI): hands of every rule set, each move as it was played",
)

TENHOU6 = HandForm(
    name="tenhou6",
    title="tenhou.net/6",
    suffix=".json",
    writer=tenhou6.write,
    read=None,
    rules=(),
    keeps=f"players, event, hand, {_RIICHI_PLAY}, fans, fu, points",
    loses=f"{_NOT_RIICHI}, the order of claims among the seats",
    tried="no program that reads it was found on PyPI or npm; written as the converter of 電脳麻将 (@kobalab/tenhou-url-log 1.0.3, npm) "
    "writes it, whose rules for melds a test repeats",
    together=None,
)

FORMS = {form.name: form for form in (PMN, IJCAI, BOTZONE, MJAI, TENHOU6)}
READABLE = {name: form for name, form in FORMS.items() if form.read is not None}
