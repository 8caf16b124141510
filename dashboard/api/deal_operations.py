"""Operations on the event's deals before play: made and committed in the vaults, then the start by a public value."""

from __future__ import annotations

from typing import Annotated, TypeVar

import msgspec
from msgspec import Struct

from dashboard.api.operations import DIRECTORS, EVERYBODY, ApiHall, ApiRequest, Declared, Nothing, Operation, offer
from dashboard.api.problems import ProblemError, ProblemKind
from dashboard.custody.hall_vault import VaultStep
from dashboard.i18n.words import Words
from dashboard.pages.events.deal_routes import LONGEST_SOURCE, DealMaker, DealsProblem, fix_public, make_event_deals, refused_order
from twinwall.event.deal_state import AskedDeals, DealState, MadeDeals, NoDeals, StartedEvent, tile_readings
from twinwall.event.drawn_tiles import TableTiles
from twinwall.wire.canonical_json import Count

_Order = TypeVar("_Order")
_STATES = {NoDeals: "none", AskedDeals: "asked", MadeDeals: "made", StartedEvent: "started"}


class HolderAnswer(Struct, frozen=True):
    """A holder's vault: how far it is with what it was ordered, and why it has refused."""

    holder: str
    step: VaultStep
    sentence: str


class CustodyAnswer(Struct, frozen=True):
    """How far the deals are.

    Attributes:
        state: none, asked (the vaults make them), made (committed; the public value is missing), or started.
        source: where the public value comes from, by the plan.
        root: of the commitments, in hex; empty before.
        start_code: the words of the start; empty before.
        public: the public value; empty before.
        readings: what the tables' cameras have read of the tiles drawn for the public value; each has all tables in the hall's order.
        vaults: for directors.
    """

    state: str
    source: str
    root: str
    start_code: str
    public: str
    readings: tuple[tuple[TableTiles, ...], ...]
    vaults: tuple[HolderAnswer, ...]


class DealsOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """Make the deals: where the public value will come from, such as ``tiles: 32``, and the passphrase for the seeds.

    The passphrase goes to the vaults, sealed; it is kept nowhere.
    """

    source: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_SOURCE)]
    passphrase: str


class StartOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """The public value, written as the plan's source says; it is fixed for good.

    With ``readings``, the number of readings that were known when the value was composed, it is refused where there are others by now.
    """

    public: Annotated[str, msgspec.Meta(min_length=1)]
    readings: Count | None = None


class UnlockOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """The passphrase for vaults that were started and wait for it."""

    passphrase: Annotated[str, msgspec.Meta(min_length=1)]


def read_custody(asked: ApiRequest[Nothing, Nothing]) -> CustodyAnswer:
    """How far the deals are."""
    deals, started = asked.hall.deals, asked.hall.policy.scope(asked.viewer).started()
    state: DealState = NoDeals() if deals is None else deals.state
    progress = () if deals is None or not asked.token.scope.directs else deals.progress
    return CustodyAnswer(
        "started" if started is not None else _STATES[type(state)],
        "" if isinstance(state, NoDeals) else state.plan.public,
        state.commitments.root.hex() if isinstance(state, MadeDeals | StartedEvent) else "",
        "" if started is None else started.start.words,
        "" if started is None else started.start.public,
        tuple(each.tables for each in tile_readings(state)),
        tuple(HolderAnswer(each.holder, each.step, each.sentence) for each in progress),
    )


def make_deals(asked: ApiRequest[Nothing, DealsOrder]) -> CustodyAnswer:
    """Let the vaults make the deals; the answer says how far they are, and readCustody how far they come."""
    deals, order = _vaults(asked.hall, asked.words), asked.body
    name = asked.hall.desk.hall.programme.event
    problem = make_event_deals(deals, name, asked.desk().event, source=order.source, passphrase=order.passphrase, by=asked.viewer.name)
    return _after(asked, problem)


def read_tiles(asked: ApiRequest[Nothing, Nothing]) -> CustodyAnswer:
    """Let the tables' cameras read the tiles drawn for the public value; the last of ``readings`` is this one."""
    deals = _vaults(asked.hall, asked.words)
    return _after(asked, refused_order(asked.hall.draw.read(deals, asked.viewer.name)))


def fix_start(asked: ApiRequest[Nothing, StartOrder]) -> CustodyAnswer:
    """Fix the public value for good."""
    deals = _vaults(asked.hall, asked.words)
    order = asked.body
    return _after(asked, fix_public(deals, order.public, asked.viewer.name, order.readings))


def unlock_vaults(asked: ApiRequest[Nothing, UnlockOrder]) -> CustodyAnswer:
    """Give the passphrase to each vault that waits for it."""
    _vaults(asked.hall, asked.words).unlock(asked.body.passphrase)
    return _after(asked, None)


def _vaults(hall: ApiHall, words: Words) -> DealMaker:
    if hall.deals is None:
        raise ProblemError(ProblemKind.REFUSED, words("deals.problem.vault"), reason="vault")
    return hall.deals


def _after(asked: ApiRequest[Nothing, _Order], problem: DealsProblem | None) -> CustodyAnswer:
    if problem is not None:
        said = " ".join(filter(None, (asked.words(problem.key, **problem.values), problem.sentence)))
        raise ProblemError(ProblemKind.REFUSED, said, reason=problem.key.rpartition(".")[2])
    return read_custody(asked.bare)


_REFUSED = (ProblemKind.REFUSED,)
_CUSTODY = "/custody"
OPERATIONS: tuple[Operation, ...] = (
    offer(
        Declared("readCustody", "GET", _CUSTODY, "Read how far the deals are.", EVERYBODY), Nothing, Nothing, CustodyAnswer, read_custody
    ),
    offer(
        Declared("makeDeals", "POST", f"{_CUSTODY}/deals", "Make and commit the deals.", DIRECTORS, _REFUSED, secret=True),
        Nothing,
        DealsOrder,
        CustodyAnswer,
        make_deals,
    ),
    offer(
        Declared("readTiles", "POST", f"{_CUSTODY}/tiles", "Let the tables' cameras read the drawn tiles.", DIRECTORS, _REFUSED),
        Nothing,
        Nothing,
        CustodyAnswer,
        read_tiles,
    ),
    offer(
        Declared("fixStart", "POST", f"{_CUSTODY}/start", "Fix the public value for good.", DIRECTORS, _REFUSED),
        Nothing,
        StartOrder,
        CustodyAnswer,
        fix_start,
    ),
    offer(
        Declared("unlockVaults", "POST", f"{_CUSTODY}/unlocked", "Give vaults their passphrase.", DIRECTORS, _REFUSED, secret=True),
        Nothing,
        UnlockOrder,
        CustodyAnswer,
        unlock_vaults,
    ),
)
