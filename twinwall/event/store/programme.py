"""The programme of an event: what is played and how it is compared; the heading of its store.

Event, plan and start are fixed once a store is begun. The rest can be corrected later, and the groups of later sessions come from the
directors' changes (``managed_programme``); each version stays in the store. With its programme a store can be checked, compared and
exported without a settings file.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Annotated

from msgspec import Meta, Struct

from twinwall.event.event_standings import SHARE_PATTERN, StandingRules
from twinwall.event.field import EventField, Group, SessionGroups
from twinwall.event.hands import HandSummary
from twinwall.event.imp_scale import ImpScale, parse_scale, provisional_scale
from twinwall.event.management.changes import SessionSeated
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.movements.seating import MovementError
from twinwall.event.natural_order import natural
from twinwall.event.points import Points
from twinwall.event.results import EntrantKind
from twinwall.game.deals import Plan, Start, StartedPlan
from twinwall.game.deals.encoding import Sha256
from twinwall.game.documents import DocumentError, canonical_json, parse_object
from twinwall.game.typed_json import Number, Text, plain, read_as
from twinwall.values import frozen
from twinwall.wire.messages.file_signature import SignerLine, trusted_signers

_Share = Annotated[str, Meta(pattern=SHARE_PATTERN)]
_SessionNumber = Annotated[str, Meta(pattern=r"^[1-9][0-9]{0,2}\Z")]


@frozen
class Programme:
    """One event: its name as in the topics, its ``field``, and the plan with its start (``custody``; None for a rehearsal, in which nothing
    is ever released). ``scale_text``: the IMP scale's file; empty for the provisional one that ships with the program; ``scale_signature``
    is its signature file, or empty; ``scale_signers`` are people whose signature makes a scale official in this event: lines ``NAME KEY``.
    ``points``: what the standings add up, and ``rules``: how. ``withdrawn``: entrants who left the event, with the first deal that they do
    not play; they keep what they have. ``held_sessions``: sessions with results that the director holds back, although their deals are
    released. ``unranked``: substitutes or phantom teams: others are compared with them, and they are in no ranking."""

    event: str
    field: EventField
    custody: StartedPlan | None = None
    scale_text: str = ""
    points: Points = Points.IMP
    scale_signature: str = ""
    scale_signers: tuple[str, ...] = ()
    rules: StandingRules = dataclasses.field(default_factory=StandingRules)
    withdrawn: Mapping[str, int] = dataclasses.field(default_factory=dict)
    held_sessions: tuple[int, ...] = ()
    unranked: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a plan of another event and an unreadable scale."""
        if self.custody is not None and self.custody.plan.event != self.event:
            raise DocumentError(
                f"the plan is of the event {self.custody.plan.event!r}, the tables play {self.event!r}: give the right plan"
            )
        self.scale  # noqa: B018  # reading it raises

    @property
    def scale(self) -> ImpScale:
        return self.scale_for(self.trusted_signers)

    def session_of(self, n: int, hands: Iterable[HandSummary] = ()) -> int:
        """The session of a deal: by the plan, or by its hands; 1 if neither tells."""
        if self.custody is not None and n <= len(self.custody.plan.deals):
            return self.custody.plan.deal(n).session
        return min((hand.session for hand in hands), default=1)

    @property
    def trusted_signers(self) -> dict[str, bytes]:
        return trusted_signers(self.scale_signers)

    def scale_for(self, trusted: Mapping[str, bytes]) -> ImpScale:
        """The scale for a reader who trusts these people; raises DocumentError."""
        if not self.scale_text:
            return provisional_scale()
        return parse_scale(self.scale_text.encode(), "the scale", self.scale_signature.encode() or None, trusted)

    @property
    def document(self) -> bytes:
        """The stored form: canonical JSON, one line."""
        rules, custody = self.rules, self.custody
        document = _ProgrammeDocument(
            self.event,
            self.field.kind,
            self.field.groups,
            self.scale_text,
            self.points,
            None if custody is None else custody.plan.canonical.decode(),
            None if custody is None else custody.start.root,
            None if custody is None else custody.start.public,
            self.scale_signature,
            self.scale_signers,
            self.field.sessions,
            "1" if rules.carry_over == 1 else str(rules.carry_over),
            {str(number): str(weight) for number, weight in rules.weights.items()},
            dict(self.withdrawn),
            self.held_sessions,
            self.unranked,
        )
        return canonical_json(plain(document))

    @classmethod
    def from_document(cls, document: bytes) -> "Programme":
        """Read a stored programme; raises DocumentError."""
        try:
            return _read(document)
        except (DocumentError, MovementError) as error:
            raise DocumentError(f"the store's programme cannot be read: {error}") from None

    def following(self, stored: "Programme") -> "Programme":
        """This programme as the next version after ``stored``: sessions that the settings do not name, and a start in the vaults, stay as
        stored."""
        going_on = self if self.custody is not None or self.event != stored.event else dataclasses.replace(self, custody=stored.custody)
        if self._names_sessions or not stored._names_sessions:
            return going_on
        return dataclasses.replace(
            going_on,
            field=stored.field,
            points=stored.points,
            rules=stored.rules,
            withdrawn=stored.withdrawn,
            held_sessions=stored.held_sessions,
            unranked=stored.unranked,
        )

    @property
    def _names_sessions(self) -> bool:
        stated = self.field.sessions or self.withdrawn or self.held_sessions or self.unranked
        return bool(stated) or self.rules != StandingRules()

    def check_continues(self, stored: "Programme") -> None:
        """Raise DocumentError if this is not the event of the store. Plan and start may come later, once."""
        if self.event != stored.event:
            raise DocumentError(f"the store is of the event {stored.event!r}, not of {self.event!r}: name another store file")
        if stored.custody is not None and self.custody != stored.custody:
            raise DocumentError(
                f"the store of {self.event!r} was begun with {_named(stored.custody)}, not with {_named(self.custody)}: "
                "an event has one start; name the first one, or another store file"
            )


class _ProgrammeDocument(Struct, forbid_unknown_fields=True, omit_defaults=True, tag_field="format", tag="twinwall-programme-1"):
    event: Text
    kind: EntrantKind
    groups: tuple[Group, ...]
    scale: str
    points: Points = Points.IMP
    plan: str | None = None
    root: Sha256 | None = None
    public: str | None = None
    scale_signature: str = ""
    scale_signers: tuple[SignerLine, ...] = ()
    sessions: tuple[SessionGroups, ...] = ()
    carry_over: _Share = "1"
    weights: dict[_SessionNumber, _Share] = {}
    withdrawn: dict[Text, Number] = {}
    held_sessions: tuple[Number, ...] = ()
    unranked: tuple[Text, ...] = ()


def _named(custody: StartedPlan | None) -> str:
    return "no start" if custody is None else f"the start {custody.start.words}"


def _read(document: bytes) -> Programme:
    read = read_as(parse_object(document, "the programme"), _ProgrammeDocument)
    custody = None
    if read.plan is not None:
        if read.public is None or read.root is None:
            raise DocumentError("it has a plan without a public value: it was begun by an earlier version, which reads it")
        plan = Plan.from_bytes(read.plan.encode())
        custody = StartedPlan(plan, Start(plan.digest, read.root, read.public))
    return Programme(
        read.event,
        EventField(read.kind, read.groups, read.sessions),
        custody,
        read.scale,
        read.points,
        read.scale_signature,
        read.scale_signers,
        StandingRules(Fraction(read.carry_over), {int(number): Fraction(weight) for number, weight in read.weights.items()}),
        read.withdrawn,
        read.held_sessions,
        read.unranked,
    )


def managed_programme(programme: Programme, event: ManagedEvent) -> Programme:
    """The programme with the directors' description and seated sessions; unchanged without a description."""
    described = event.description
    if described is None:
        return programme
    sessions = tuple(
        SessionGroups(session, session_groups(seating), {} if event.is_team_event else dict(event.stood_in.get(session, {})))
        for session, seating in sorted(event.seatings.items())
    )
    return dataclasses.replace(
        programme,
        field=EventField(EntrantKind(described.kind), (), sessions),
        points=Points(described.points),
        rules=StandingRules(Fraction(described.carry_over), {n: Fraction(weight) for n, weight in enumerate(described.weights, 1)}),
        withdrawn={entrant: _first_deal(programme, session, described.hands) for entrant, session in event.withdrawn.items()},
        held_sessions=tuple(sorted(event.held)),
        unranked=tuple(sorted(event.unranked, key=natural)),
    )


def session_groups(seating: SessionSeated) -> tuple[Group, ...]:
    return tuple(Group(group.name, tuple(at.table for at in group.tables), group.teams) for group in seating.groups)


def _first_deal(programme: Programme, session: int, hands: int) -> int:
    """The first deal of a session; deals count through the sessions."""
    if programme.custody is not None:
        planned = [deal.n for deal in programme.custody.plan.deals if deal.session >= session]
        return min(planned, default=len(programme.custody.plan.deals) + 1)
    return (session - 1) * hands + 1
