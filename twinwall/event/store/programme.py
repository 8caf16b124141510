"""The programme of an event: what is played, how it is compared; the heading of its store.

Event, plan and start are fixed once a store is begun. Groups, teams and scale may be corrected later; each version that was used
stays in the store. With its programme a store can be checked, compared and exported without a settings file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct

from twinwall.event.field import EventField, FieldError, Group
from twinwall.event.movements.seating import MovementError
from twinwall.event.points import Points
from twinwall.event.results import EntrantKind
from twinwall.event.scale import Scale, ScaleError, parse_scale, provisional_scale
from twinwall.game.deals import Plan, Start, StartedPlan
from twinwall.game.deals.encoding import DIGEST_SIZE
from twinwall.game.documents import DocumentError, canonical_json, hex_of, parse_object
from twinwall.wire.canonical_json import Text
from twinwall.wire.messages.file_signature import SignerLine, trusted_signers
from twinwall.wire.typed_json import read_as

FORMAT = "twinwall-programme-1"
_W = TypeVar("_W", EntrantKind, Points)


class ProgrammeError(ValueError):
    """A programme that cannot be followed, or is another event's; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Programme:
    """One event.

    Attributes:
        event: its name, as in the topics.
        field: the groups of tables, and how they are compared.
        custody: the plan with its start; None for a rehearsal without, in which nothing is ever released.
        scale_text: the IMP scale's file; empty for the provisional one that ships with the program.
        scale_signature: the scale's signature file; empty where it has none.
        scale_signers: whose signature makes a scale official in this event: lines ``NAME KEY``.
        points: what the standings add up.
    """

    event: str
    field: EventField
    custody: StartedPlan | None = None
    scale_text: str = ""
    points: Points = Points.IMP
    scale_signature: str = ""
    scale_signers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a plan of another event and a scale that cannot be read."""
        if self.custody is not None and self.custody.plan.event != self.event:
            raise ProgrammeError(
                f"the plan is of the event {self.custody.plan.event!r}, the tables play {self.event!r}: give the right plan"
            )
        try:
            self.scale  # noqa: B018  # reading it raises
        except ScaleError as error:
            raise ProgrammeError(str(error)) from None

    @property
    def scale(self) -> Scale:
        """What makes IMP of differences."""
        return self.scale_for(self.trusted_signers)

    @property
    def trusted_signers(self) -> dict[str, bytes]:
        """Name and public key of the people who may sign the scale."""
        return trusted_signers(self.scale_signers)

    def scale_for(self, trusted: Mapping[str, bytes]) -> Scale:
        """The scale to a reader who trusts these people; raises ScaleError."""
        if not self.scale_text:
            return provisional_scale()
        return parse_scale(self.scale_text.encode(), "the scale", self.scale_signature.encode() or None, trusted)

    @property
    def document(self) -> bytes:
        """The programme as it is stored: canonical JSON, one line."""
        custody = {} if self.custody is None else _custody_document(self.custody)
        groups = [msgspec.to_builtins(group) for group in self.field.groups]
        kind, scale = self.field.kind.value, self.scale_text
        points = {} if self.points is Points.IMP else {"points": self.points.value}
        signed = {"scale_signature": self.scale_signature, "scale_signers": list(self.scale_signers)}
        beside = {**points, **{key: value for key, value in signed.items() if value}, **custody}
        return canonical_json({"format": FORMAT, "event": self.event, "kind": kind, "groups": groups, "scale": scale, **beside})

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
                f"the store of {self.event!r} was begun with {_named(stored.custody)}, not with {_named(self.custody)}: "
                "an event has one start; name the first one, or another store file"
            )


class _ProgrammeDocument(Struct, forbid_unknown_fields=True):
    format: Literal["twinwall-programme-1"]
    event: Text
    kind: str
    groups: list[Group]
    scale: str
    points: str = Points.IMP.value
    plan: str | None = None
    root: str | None = None
    public: str | None = None
    scale_signature: str = ""
    scale_signers: tuple[SignerLine, ...] = ()


def _custody_document(custody: StartedPlan) -> dict[str, str]:
    return {"plan": custody.plan.canonical.decode(), "root": custody.start.root.hex(), "public": custody.start.public}


def _named(custody: StartedPlan | None) -> str:
    return "no start" if custody is None else f"the start {custody.start.words}"


def _read(document: bytes) -> Programme:
    read = read_as(parse_object(document, "the programme"), _ProgrammeDocument)
    custody = None
    if read.plan is not None:
        if read.public is None:
            raise DocumentError("it has a plan without a public value: it was begun by an earlier version, which reads it")
        plan, root = Plan.from_bytes(read.plan.encode()), hex_of(read.root, "'root' of the programme", DIGEST_SIZE)
        custody = StartedPlan(plan, Start(plan.digest, root, read.public))
    kind, points = _word(EntrantKind, read.kind, "kind"), _word(Points, read.points, "points")
    field = EventField(kind, tuple(read.groups))
    return Programme(read.event, field, custody, read.scale, points, read.scale_signature, read.scale_signers)


def _word(words: type[_W], text: str, key: str) -> _W:
    allowed = [word.value for word in words]
    if text not in allowed:
        raise DocumentError(f"{key!r} of the programme must be one of {', '.join(allowed)}, not {text!r}")
    return words(text)
