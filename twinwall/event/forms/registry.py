"""The forms of other programs by name: how each is written and read, what it keeps and what it loses.

``docs/reference/forms.md`` says the same; a test compares the two. A new form is a module with ``write``, and ``read`` if it can be read,
and an entry here.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from types import MappingProxyType

from twinwall.event.forms import botzone, ijcai, mjai, pmn, tenhou6
from twinwall.event.forms.sheet import HandSheet, ReleasedHand, released_hand
from twinwall.game.record import HandRecord
from twinwall.values import frozen

Writer = Callable[[ReleasedHand, Mapping[str, str]], str]
"""Writes a released hand, with further values by the form's own names (``HandSheet.tags``)."""
Reader = Callable[[str], Iterator[HandSheet]]
"""Reads the hands of a text; raises FormTextError."""


@frozen
class HandForm:
    """A text form in which hands are written and, with a reader, read."""

    name: str
    """The name in commands."""
    title: str
    suffix: str
    writer: Writer
    read: Reader | None
    rules: tuple[str, ...]
    """The rule sets for which it was made; other programs may not read hands of others."""
    keeps: str
    loses: str
    tried: str
    """Which program of other authors has read it."""
    together: tuple[str, str, str] | None = ("", "", "")
    """Text before, between and after several hands of a file; None if a file has one hand."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Options of the rules when the text names none: those of the form's own program."""

    def write(self, record: HandRecord, tags: Mapping[str, str] = MappingProxyType({})) -> str:
        """Write a released record; raises ValueError for one without walls, or NoDealError."""
        return self.writer(released_hand(record), tags)

    def sheets(self, text: str) -> Iterator[HandSheet]:
        """Read the hands of a text; raises FormTextError, and ValueError for a form that is only written."""
        if self.read is None:
            raise ValueError(f"{self.name} is written and not read")
        return self.read(text)


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
