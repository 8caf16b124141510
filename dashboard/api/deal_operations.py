"""Operations on the event's deals before play: the vaults make and commit them, then a public value fixes the start."""

from typing import Annotated

import msgspec

from dashboard.access.api_tokens import TokenScope
from dashboard.actions.deal_orders import LONGEST_SOURCE, fix_public, make_event_deals, refused_order
from dashboard.actions.event_changes import Answer
from dashboard.api.operations import DIRECTORS, EVERYBODY, ApiRequest, OperationList, ProblemKind
from dashboard.custody.deal_making import DealMaking
from dashboard.custody.hall_vault import VaultStep
from twinwall.event.deal_state import AskedDeals, DealState, MadeDeals, NoDeals, StartedEvent, tile_readings
from twinwall.event.drawn_tiles import TableTiles
from twinwall.game.typed_json import Count, Text
from twinwall.values import FrozenStruct, Shape

OPERATIONS = OperationList()
_STATES = {NoDeals: "none", AskedDeals: "asked", MadeDeals: "made", StartedEvent: "started"}


class HolderAnswer(FrozenStruct):
    """A holder's vault: how far it is with its order, and why it has refused."""

    holder: str
    step: VaultStep
    sentence: str


class CustodyAnswer(FrozenStruct):
    """How far the deals are.

    Attributes:
        state: none, asked (the vaults make them), made (committed; the public value is missing), or started.
        source: where the public value comes from, by the plan.
        root: of the commitments, in hex; empty before.
        start_code: the words of the start; empty before.
        public: the public value; empty before.
        readings: the cameras' readings of the tiles drawn for the public value; each has all tables in the hall's order.
        vaults: for directors.
    """

    state: str
    source: str
    root: str
    start_code: str
    public: str
    readings: tuple[tuple[TableTiles, ...], ...]
    vaults: tuple[HolderAnswer, ...]


class DealsOrder(Shape):
    """Order the deals: the source of the public value, such as ``tiles: 32``, and the passphrase for the seeds.

    The passphrase goes to the vaults, sealed; it is stored nowhere.
    """

    source: Annotated[str, msgspec.Meta(min_length=1, max_length=LONGEST_SOURCE)]
    passphrase: str


class StartOrder(Shape):
    """The public value, written as the plan's source says; it is final.

    ``readings`` is the number of readings known when the value was composed; if there are others now, the value is refused.
    """

    public: Text
    readings: Count | None = None


class UnlockOrder(Shape):
    """The passphrase for vaults that were started and wait for it."""

    passphrase: Text


@OPERATIONS.offer("GET", "/custody", EVERYBODY)
def read_custody(asked: ApiRequest) -> CustodyAnswer:
    """Read how far the deals are."""
    deals, started = asked.hall.deals, asked.hall.policy.scope(asked.viewer).started()
    state: DealState = NoDeals() if deals is None else deals.state
    progress = () if deals is None or asked.token.scope is not TokenScope.DIRECTOR else deals.progress
    return CustodyAnswer(
        "started" if started is not None else _STATES[type(state)],
        "" if isinstance(state, NoDeals) else state.plan.public,
        state.commitments.root.hex() if isinstance(state, MadeDeals | StartedEvent) else "",
        "" if started is None else started.start.words,
        "" if started is None else started.start.public,
        tuple(each.tables for each in tile_readings(state)),
        tuple(HolderAnswer(each.holder, each.step, each.sentence) for each in progress),
    )


@OPERATIONS.offer("POST", "/custody/deals", DIRECTORS, ProblemKind.REFUSED, secret=True)
def make_deals(asked: ApiRequest, body: DealsOrder) -> CustodyAnswer:
    """Make and commit the deals.

    The answer says how far the vaults are, and readCustody how far they come.
    """
    deals = _vaults(asked)
    name = asked.hall.desk.hall.programme.event
    problem = make_event_deals(deals, name, asked.desk().event, source=body.source, passphrase=body.passphrase, by=asked.viewer.name)
    return _after(asked, problem)


@OPERATIONS.offer("POST", "/custody/tiles", DIRECTORS, ProblemKind.REFUSED)
def read_tiles(asked: ApiRequest) -> CustodyAnswer:
    """Let the tables' cameras read the drawn tiles.

    The last of ``readings`` is this one.
    """
    return _after(asked, refused_order(asked.hall.draw.read(_vaults(asked), asked.viewer.name)))


@OPERATIONS.offer("POST", "/custody/start", DIRECTORS, ProblemKind.REFUSED)
def fix_start(asked: ApiRequest, body: StartOrder) -> CustodyAnswer:
    """Fix the public value for good."""
    return _after(asked, fix_public(_vaults(asked), body.public, asked.viewer.name, body.readings))


@OPERATIONS.offer("POST", "/custody/unlocked", DIRECTORS, ProblemKind.REFUSED, secret=True)
def unlock_vaults(asked: ApiRequest, body: UnlockOrder) -> CustodyAnswer:
    """Give vaults their passphrase."""
    _vaults(asked).unlock(body.passphrase)
    return read_custody(asked)


def _vaults(asked: ApiRequest) -> DealMaking:
    if asked.hall.deals is None:
        raise asked.problem("deals.problem.vault")
    return asked.hall.deals


def _after(asked: ApiRequest, problem: Answer | None) -> CustodyAnswer:
    if problem is not None:
        raise asked.refused(problem)
    return read_custody(asked)
