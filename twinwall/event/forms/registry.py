"""The forms of other programs by name: how each is written and read, and what it loses.

``docs/reference/forms.md`` also says what each keeps, and which programs of other authors have read it. A new form is a module with
``write``, and ``read`` if it can be read, and an entry here.
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
    suffix: str
    writer: Writer
    read: Reader | None
    rules: tuple[str, ...]
    """The rule sets for which it was made; other programs may not read hands of others."""
    loses: str
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


_NOT_BOTZONE = "players, event, session, hand of the round, number of the deal, table, rule set and options, check, rulings, riichi"
_NOT_RIICHI = "session, number of the deal, table, rule set and options, check, rulings, payments other than for wins, the undrawn tiles"
_NOT_PMN = "rulings; the date, unless it is given along or comes from a store"
_MCR = ("mcr-duplicate",)
PMN = HandForm("pmn", ".pmn", pmn.write, pmn.read, _MCR, _NOT_PMN, ("", "\n", ""))
IJCAI = HandForm("ijcai", ".txt", ijcai.write, ijcai.read, _MCR, f"{_NOT_BOTZONE}, the undrawn tiles", ("", "\n", ""), botzone.RULES)
BOTZONE = HandForm("botzone", ".json", botzone.write, botzone.read, _MCR, f"{_NOT_BOTZONE}, shared tiles", ("[", ",", "]\n"), botzone.RULES)
MJAI = HandForm("mjai", ".mjson", mjai.write, None, (), f"event, {_NOT_RIICHI}, fans")
TENHOU6 = HandForm("tenhou6", ".json", tenhou6.write, None, (), f"{_NOT_RIICHI}, the order of claims among the seats", None)
FORMS = {form.name: form for form in (PMN, IJCAI, BOTZONE, MJAI, TENHOU6)}
READABLE = {name: form for name, form in FORMS.items() if form.read is not None}
