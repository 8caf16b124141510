"""How the hall's server makes an event's deals: ordered, committed by every holder, started; then the sessions.

A step is final, and the event's store has it before any vault is ordered. Functions that decide return a step or a problem; ``apply``
returns the state after a step. Vaults' answers lead to further steps. All holders' commitments are combined before the public value may be
given; neither changes afterwards.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from enum import Enum
from typing import assert_never

from twinwall.event.drawn_tiles import TableTiles, TilesRead
from twinwall.game.deals import (
    CommitmentPart,
    Commitments,
    DealError,
    Plan,
    Start,
    StartedPlan,
    check_drawn,
    check_random,
    check_source,
    combine_parts,
    tiles_drawn,
)
from twinwall.game.documents import DocumentError, canonical_json
from twinwall.game.typed_json import Text
from twinwall.values import Shape, frozen
from twinwall.wire.messages.vaults.vault_orders import BeginSession, FixStart, MakeDeals


class DealsAsked(Shape, tag_field="step", tag="deals-asked"):
    """The vaults were ordered to make the deals of this plan (its file's text)."""

    plan: Text


class DealsCommitted(Shape, tag_field="step", tag="deals-committed"):
    """Every holder has committed to his keys; ``commitments`` is the published file's text."""

    commitments: Text


class StartChosen(Shape, tag_field="step", tag="start-chosen"):
    """The public value is fixed; ``start`` is the start file's text."""

    start: Text


class SessionChosen(Shape, tag_field="step", tag="session-chosen"):
    """The vaults were ordered to give a session's deals to these tables."""

    order: BeginSession


MOST_READINGS = 50
"""Most readings of drawn tiles for an event's deals: each is stored for good, and everybody sees their number."""

DealStep = DealsAsked | DealsCommitted | TilesRead | StartChosen | SessionChosen


class DealProblem(Enum):
    """Why a step is refused; the value ends the message key of the page's sentence."""

    EVENT = "event"
    """The plan is for another event."""
    PLAN = "plan"
    HOLDERS = "holders"
    """The plan's holders are not the hall's vaults, in order."""
    STARTED = "started"
    """The public value is fixed, so plan and value stay."""
    PLAYED = "played"
    """Tables have played in this event without deals in custody."""
    NOT_MADE = "not-made"
    PUBLIC = "public"
    """The public value is not written as the plan says."""
    NO_TILES = "no-tiles"
    """The plan names another source of the public value than tiles."""
    NO_TABLES = "no-tables"
    """No table can show tiles."""
    NO_CAMERA = "no-camera"
    """None of the event's tables has a camera that this server asks."""
    OTHER_READING = "other-reading"
    """The tiles were read again in the meantime."""
    MANY_READINGS = "many-readings"
    """``MOST_READINGS`` is reached."""
    TILES_READ = "tiles-read"
    """Tiles were read for these deals: a person who knows the value must not order others."""
    NOT_STARTED = "not-started"
    UNHEARD = "unheard"
    """A vault has not reported its state yet, so no passphrase can be sealed to it."""


@frozen
class RefusedStep:
    """Why nothing was done; the sentence is for logs, and for pages without their own."""

    problem: DealProblem
    sentence: str


@frozen
class NoDeals:
    """No deals are ordered yet."""


@frozen
class AskedDeals:
    """The vaults make deals of this plan; ``parts`` have arrived."""

    plan: Plan
    parts: tuple[CommitmentPart, ...] = ()

    @property
    def order(self) -> MakeDeals:
        """The order to each vault, without a passphrase."""
        return MakeDeals(self.plan.canonical.decode())

    @property
    def done(self) -> frozenset[str]:
        """The holders who have committed."""
        return frozenset(part.holder for part in self.parts)


@frozen
class MadeDeals:
    """All holders have committed.

    ``start`` exists once the public value is fixed; ``done`` are the holders whose vaults store it. ``readings`` are those of the tables'
    cameras, in order.
    """

    plan: Plan
    commitments: Commitments
    start: Start | None = None
    done: frozenset[str] = frozenset()
    readings: tuple[TilesRead, ...] = ()

    @property
    def order(self) -> FixStart | None:
        """The order to each vault; None before the public value is fixed."""
        if self.start is None:
            return None
        return FixStart(canonical_json(self.commitments.to_json()).decode(), self.start.canonical.decode())


@frozen
class StartedEvent:
    """Every vault has stored the start. ``session`` was chosen last; ``done`` are the holders whose vaults give its deals."""

    started: StartedPlan
    commitments: Commitments
    session: BeginSession | None = None
    done: frozenset[str] = frozenset()
    readings: tuple[TilesRead, ...] = ()

    @property
    def plan(self) -> Plan:
        return self.started.plan

    @property
    def order(self) -> BeginSession | None:
        """The order to each vault; None before a session is chosen."""
        return self.session

    @property
    def code(self) -> str:
        return self.started.start.code.hex()


DealState = NoDeals | AskedDeals | MadeDeals | StartedEvent


def ask_deals(state: DealState, plan: Plan, *, event: str, holders: Collection[str]) -> DealsAsked | RefusedStep | None:
    """Order the deals of a plan; None if they are ordered or made already. ``holders`` are those of the hall's vaults."""
    if plan.event != event:
        return RefusedStep(DealProblem.EVENT, f"the plan is of the event {plan.event!r}, this one is {event!r}: give the right plan")
    if plan.holders != tuple(holders):
        wanted = ", ".join(holders)
        return RefusedStep(DealProblem.HOLDERS, f"the plan's holders are {', '.join(plan.holders)}, the hall's vaults are of {wanted}")
    if not isinstance(state, NoDeals) and state.plan == plan:
        return None
    if isinstance(state, StartedEvent) or (isinstance(state, MadeDeals) and state.start is not None):
        return RefusedStep(
            DealProblem.STARTED, f"the public value of {event!r} is fixed: its plan stays; another plan is for another event"
        )
    if any(reading.has_seen for reading in tile_readings(state)):
        return RefusedStep(DealProblem.TILES_READ, "tiles were read for the committed deals: they stay; others are for another event")
    try:
        check_source(plan.public)
    except DealError as error:
        return RefusedStep(DealProblem.PLAN, str(error))
    return DealsAsked(plan.canonical.decode())


def take_part(state: AskedDeals, part: CommitmentPart) -> AskedDeals | DealsCommitted:
    """Add a holder's commitments; with the last, return all of them combined. A part for another plan changes nothing."""
    if part.plan_digest != state.plan.digest or part.holder not in state.plan.holders or len(part.keys) != len(state.plan.deals):
        return state
    parts = (*(known for known in state.parts if known.holder != part.holder), part)
    if {known.holder for known in parts} != set(state.plan.holders):
        return replace(state, parts=parts)
    return DealsCommitted(canonical_json(combine_parts(state.plan, parts).to_json()).decode())


def tile_readings(state: DealState) -> tuple[TilesRead, ...]:
    """The readings of the tables' cameras for the public value, in order."""
    return state.readings if isinstance(state, MadeDeals | StartedEvent) else ()


def with_tiles_to_read(state: DealState) -> MadeDeals | RefusedStep:
    """The deals for which the cameras may read tiles: after all commitments and before the value is fixed."""
    match state:
        case NoDeals() | AskedDeals():
            return RefusedStep(DealProblem.NOT_MADE, "tiles are read after all commitments: let the deals be made first")
        case StartedEvent() | MadeDeals(start=Start()):
            return RefusedStep(DealProblem.STARTED, "the public value is fixed: no tiles are read any more")
        case MadeDeals():
            if not tiles_drawn(state.plan.public):
                return RefusedStep(DealProblem.NO_TILES, f"the plan names {state.plan.public!r} as the source: no tiles are drawn")
            if len(state.readings) >= MOST_READINGS:
                return RefusedStep(DealProblem.MANY_READINGS, f"the tiles were read {MOST_READINGS} times: type them")
            return state
        case _:
            assert_never(state)


def take_tiles(state: DealState, asked: MadeDeals, tables: tuple[TableTiles, ...]) -> TilesRead | RefusedStep:
    """Store a reading for the deals as they were when it was ``asked``; refuse it if another step was taken in the meantime."""
    made = with_tiles_to_read(state)
    if isinstance(made, RefusedStep):
        return made
    if made.commitments.root != asked.commitments.root:
        return RefusedStep(DealProblem.NOT_MADE, "other deals were committed while the tiles were read: draw and read tiles again")
    if len(made.readings) != len(asked.readings):
        return RefusedStep(DealProblem.OTHER_READING, "another reading was kept while these tiles were read: look at it, or read again")
    return TilesRead(made.commitments.root.hex(), tables)


def fix_start(state: DealState, public: str, readings: int | None = None) -> StartChosen | RefusedStep | None:
    """Fix the public value; None if it already is this one. ``readings`` is the number that the person who gives the value has seen."""
    match state:
        case NoDeals() | AskedDeals():
            return RefusedStep(DealProblem.NOT_MADE, "the public value comes after all commitments: let the deals be made first")
        case StartedEvent():
            start = state.started.start
        case MadeDeals():
            if state.start is None:
                if readings not in (None, len(state.readings)):
                    sentence = f"{readings} readings were known, there are {len(state.readings)}: compare the last one"
                    return RefusedStep(DealProblem.OTHER_READING, sentence)
                return _chosen(state, public)
            start = state.start
        case _:
            assert_never(state)
    if start.public == public:
        return None
    return RefusedStep(DealProblem.STARTED, f"the public value is {start.public!r} and stays: {public!r} is another")


def _chosen(state: MadeDeals, public: str) -> StartChosen | RefusedStep:
    try:
        check_drawn(state.plan.public, public)
        check_random(state.plan.public, public)
        return StartChosen(Start(state.plan.digest, state.commitments.root, public).canonical.decode())
    except DealError as error:
        return RefusedStep(DealProblem.PUBLIC, str(error))


def choose_session(state: DealState, order: BeginSession) -> SessionChosen | RefusedStep | None:
    """Choose the next session; None if it is chosen already. Each vault decides whether it may begin."""
    if not isinstance(state, StartedEvent) or order.start != state.code:
        return RefusedStep(DealProblem.NOT_STARTED, "a session begins when the event has its start and every vault keeps it")
    return None if state.session == order else SessionChosen(order)


def apply(state: DealState, step: DealStep) -> DealState:
    """The state after a step; raises DocumentError for a step that does not follow."""
    match step, state:
        case DealsAsked(plan), _:
            return AskedDeals(Plan.from_bytes(plan.encode()))
        case DealsCommitted(commitments), AskedDeals(plan):
            return MadeDeals(plan, Commitments.from_json(commitments))
        case TilesRead(), MadeDeals():
            return replace(state, readings=(*state.readings, step))
        case StartChosen(start), MadeDeals():
            return replace(state, start=Start.from_bytes(start.encode()))
        case SessionChosen(order), StartedEvent():
            return replace(state, session=order, done=frozenset())
        case _:
            raise DocumentError(f"the step {type(step).__name__} does not follow {type(state).__name__}")


def deal_state(steps: Iterable[DealStep], custody: StartedPlan | None) -> DealState:
    """The state after these steps; ``custody`` exists once every vault has stored the start. Raises DocumentError."""
    state: DealState = NoDeals()
    for step in steps:
        if isinstance(step, SessionChosen) and isinstance(state, MadeDeals):
            state = begun(state)
        state = apply(state, step)
    return begun(state) if custody is not None and isinstance(state, MadeDeals) else state


def begun(state: MadeDeals) -> StartedEvent:
    """The event's state once every vault has stored the start; raises DealError without a start."""
    if state.start is None:
        raise DealError("the public value is not fixed: the event has no start")
    return StartedEvent(StartedPlan(state.plan, state.start), state.commitments, readings=state.readings)
