"""The port to a form of another program: how it is written and read, and what it keeps and loses.

``docs/reference/forms.md`` says the same; a test compares the two.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from types import MappingProxyType

from twinwall.event.forms.sheet import HandSheet, ReleasedHand, released_hand
from twinwall.game.record import HandRecord
from twinwall.values import frozen

Writer = Callable[[ReleasedHand, Mapping[str, str]], str]
"""A released hand as text, with what goes along with it by the form's own names (``HandSheet.tags``)."""
Reader = Callable[[str], Iterator[HandSheet]]
"""The hands of a text; raises FormTextError."""


@frozen
class HandForm:
    """A form of text in which hands leave, and come where it has a reader."""

    name: str
    """As commands call it."""
    title: str
    suffix: str
    writer: Writer
    read: Reader | None
    rules: tuple[str, ...]
    """The rule sets that it was made for; other programs may not read hands of the others."""
    keeps: str
    loses: str
    tried: str
    """Which program, that is not ours, has read it."""
    together: tuple[str, str, str] | None = ("", "", "")
    """What stands before, between and after several hands of a file; None where a file holds one hand."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Options of the rules under which its own program plays, where its text names none."""

    def write(self, record: HandRecord, tags: Mapping[str, str] = MappingProxyType({})) -> str:
        """A released record as text; raises ValueError for one without walls, or NoDealError."""
        return self.writer(released_hand(record), tags)

    def sheets(self, text: str) -> Iterator[HandSheet]:
        """The hands of a text; raises FormTextError, and ValueError where the form is not read."""
        if self.read is None:
            raise ValueError(f"{self.name} is written and not read")
        return self.read(text)
