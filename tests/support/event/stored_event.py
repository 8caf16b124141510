"""An event in custody for the tests: plan, slips, programme, and four tables that play its deals with the worked example's scores."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tests.support.event.ledgers import SCORES, TABLES, TEAMS, session
from tests.support.event.ledgers import events as events_of
from tests.support.wire.streams import START, Line
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import StoreAddress
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.deals import SEED_SIZE, Seed, Slip, Start, StartedPlan, commit, make_slip, plan_sessions
from twinwall.game.documents import canonical_json
from twinwall.wire.ledger import PublicEvent
from twinwall.wire.messages.signing import Signer

EVENT = "Autumn / Herbst"
DEALS = (1, 2, 3)
PLAN = plan_sessions(EVENT, "mcr-duplicate", sessions=1, hands=len(DEALS), holders=["server"], public="noon")
SEEDS = {"server": Seed(bytes(range(SEED_SIZE)))}
COMMITMENTS = commit(PLAN, SEEDS)
TEAM_FIELD = field_of(EntrantKind.TEAM, TABLES, TEAMS)
STARTED = StartedPlan(PLAN, Start(PLAN.digest, COMMITMENTS.root, "2026-11-20 12:00 UTC"))
PROGRAMME = Programme(EVENT, TEAM_FIELD, STARTED)


@cache
def slip(n: int) -> Slip:
    return make_slip(PLAN, SEEDS, n, STARTED.start.public, COMMITMENTS)


def slip_bytes(n: int) -> bytes:
    return canonical_json(slip(n).to_json())


def check(n: int) -> str:
    return slip(n).check.hex()


def script(table: str, deals: Sequence[int] = DEALS) -> list[Line]:
    """A table's deals, with the checks of the plan's own."""
    return session(dict.fromkeys(deals, SCORES[TABLES.index(table)]), table, check=check)


@cache
def stream(table: str) -> tuple[PublicEvent, ...]:
    """A table's ledger of all deals."""
    return tuple(events_of(script(table), table))


def until_closed(table: str, n: int) -> tuple[PublicEvent, ...]:
    """A table's ledger up to the end of a deal."""
    whole = stream(table)
    last = next(index for index, event in enumerate(whole) if event.type == "hand-closed" and event.fields["n"] == n)
    return whole[: last + 1]


def open_desk(place: StoreAddress, programme: Programme = PROGRAMME, signer: Signer | None = None) -> StoreWriter:
    """A desk on a store, or on the one of a folder."""
    address = place / "event.sqlite" if isinstance(place, Path) and place.is_dir() else place
    return StoreWriter(address, programme, START, signer)
