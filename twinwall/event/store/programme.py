"""The programme of an event: what is played, how it is compared; the heading of its store.

Event, plan and root are fixed once a store is begun. Groups, teams and scale may be corrected later; each version that was used
stays in the store. With its programme a store can be checked, compared and exported without a settings file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from twinwall.event.field import EventField, FieldError, Group
from twinwall.event.movement import MovementError
from twinwall.event.points import Points
from twinwall.event.results import EntrantKind
from twinwall.event.scale import Scale, ScaleError, parse_scale, provisional_scale
from twinwall.game.deals import Plan
from twinwall.game.deals.encoding import DIGEST_SIZE
from twinwall.game.documents import DocumentError, canonical_json, hex_of, parse_object
from twinwall.wire.canonical_json import Text, read_as

FORMAT = "twinwall-programme-1"
_W = TypeVar("_W", EntrantKind, Points)


class ProgrammeError(ValueError):
    """A programme that cannot be followed, or is another event's; the message says what to do."""


@dataclass(frozen=True, slots=True)
class CommittedPlan:
    """What releases are checked against: the published plan and the published root (raw bytes)."""

    plan: Plan
    root: bytes


@dataclass(frozen=True, slots=True)
class Programme:
    """One event.

    Attributes:
        event: its name, as in the topics.
        field: the groups of tables, and how they are compared.
        custody: plan and root; None for a rehearsal without, in which nothing is ever released.
        scale_text: the IMP scale's file; empty for the provisional one that ships with the program.
        points: what the standings add up.
    """

    event: str
    field: EventField
    custody: CommittedPlan | None = None
    scale_text: str = ""
    points: Points = Points.IMP

    def __post_init__(self) -> None:
        """Refuse a plan of another event and a scale that cannot be read."""
        if self.custody is not None and self.custody.plan.event != self.event:
            raise ProgrammeError(
                f"the plan is of the event {self.custody.plan.event!r}, the tables play {self.event!r}: give the right plan"
            )
        try:
            self._scale()
        except ScaleError as error:
            raise ProgrammeError(str(error)) from None

    @property
    def scale(self) -> Scale:
        """What makes IMP of differences."""
        return self._scale()

    @property
    def document(self) -> bytes:
        """The programme as it is stored: canonical JSON, one line."""
        custody = {} if self.custody is None else {"plan": self.custody.plan.canonical.decode(), "root": self.custody.root.hex()}
        groups = [msgspec.to_builtins(group) for group in self.field.groups]
        kind, scale = self.field.kind.value, self.scale_text
        points = {} if self.points is Points.IMP else {"points": self.points.value}
        return canonical_json({"format": FORMAT, "event": self.event, "kind": kind, "groups": groups, "scale": scale, **points, **custody})

    @classmethod
    def from_document(cls, document: bytes) -> Programme:
        """Read a stored programme; raises ProgrammeError."""
        try:
            return _read(document)
        except (DocumentError, FieldError, MovementError) as error:
            raise ProgrammeError(f"the store's programme cannot be read: {error}") from None

    def check_continues(self, stored: Programme) -> None:
        """Raise ProgrammeError when this is not the event that a store was begun for."""
        if self.event != stored.event:
            raise ProgrammeError(f"the store is of the event {stored.event!r}, not of {self.event!r}: name another store file")
        if self.custody != stored.custody:
            raise ProgrammeError(
                f"the store of {self.event!r} was begun with another plan or root: name another store file, or the first plan"
            )

    def _scale(self) -> Scale:
        return parse_scale(self.scale_text.encode(), "the scale") if self.scale_text else provisional_scale()


class _ProgrammeDocument(Struct, forbid_unknown_fields=True):
    format: Literal["twinwall-programme-1"]
    event: Text
    kind: str
    groups: list[Group]
    scale: str
    points: str = Points.IMP.value
    plan: str | None = None
    root: str | None = None


def _read(document: bytes) -> Programme:
    read = read_as(parse_object(document, "the programme"), _ProgrammeDocument)
    custody = None
    if read.plan is not None:
        custody = CommittedPlan(Plan.from_bytes(read.plan.encode()), hex_of(read.root, "'root' of the programme", DIGEST_SIZE))
    kind, points = _word(EntrantKind, read.kind, "kind"), _word(Points, read.points, "points")
    return Programme(read.event, EventField(kind, tuple(read.groups)), custody, read.scale, points)


def _word(words: type[_W], text: str, key: str) -> _W:
    allowed = [word.value for word in words]
    if text not in allowed:
        raise DocumentError(f"{key!r} of the programme must be one of {', '.join(allowed)}, not {text!r}")
    return words(text)
