"""The centre's vault and two venues' vaults as processes over real brokers: killed, cut off, and no deal early, lost or different."""

import signal
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from centre.deploy.gateway_conf import CentreEnd
from centre.deploy.venue_account import VenueAccount
from centre.store.centre_reading import CentreReader
from centre.tests.support.field_processes import LEAST_DEAL_S, ClearCentre, FieldOfProcesses, FieldVenue, RabbitCentre, running_field
from centre.tests.support.rabbit_rig import needs
from tests.support.custody.hall import EVENT, HANDS, HeldEvent
from tests.support.custody.wired import WiredTable, all_finish
from tests.support.wire.brokers import MOSQUITTO
from tools.rehearsal.programs import ProgramError
from twinwall.custody.release import DealGiven, SlipReleased, VenueProgressed
from twinwall.custody.vault_files import StoredEntry
from twinwall.event.store.databases.port import PostgresAddress
from twinwall.game.deals import FieldTerms, ReleaseRule, SessionTimes, Slip, verify_slip, write_instant
from twinwall.game.documents import read_time

ALL = list(range(1, HANDS + 1))
SLEW_S = 1.0
"""The ledger has the times of a clock that is set; the vault counts by one that is not."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not MOSQUITTO.exists(), reason=f"{MOSQUITTO} is not installed (apt-get install mosquitto)"),
]
RABBITMQ = [
    pytest.mark.nightly,
    pytest.mark.timeout(900),
    needs("rabbitmq-server"),
]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short name: the path of a gateway's Unix socket has 107 characters at most."""
    with tempfile.TemporaryDirectory(prefix="twinwall-") as made:
        yield Path(made)


@pytest.fixture(params=["mosquitto", pytest.param("rabbitmq", marks=RABBITMQ)])
def centre(request: pytest.FixtureRequest, folder: Path) -> Iterator[ClearCentre | RabbitCentre]:
    of_centre = folder / "centre"
    running = ClearCentre(of_centre) if request.param == "mosquitto" else RabbitCentre(of_centre, "Kyoto", "Haus 7.1")
    yield running
    running.close()


@pytest.fixture
def event() -> HeldEvent:
    """An event whose session has opened an hour ago."""
    opened = write_instant(datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(hours=1))
    return HeldEvent("server", terms=FieldTerms(ReleaseRule.ALL_FINISHED, (SessionTimes(1, opened),)))


@pytest.fixture
def field(
    centre: ClearCentre | RabbitCentre, event: HeldEvent, postgres_store: PostgresAddress, folder: Path
) -> Iterator[FieldOfProcesses]:
    with running_field(folder, centre, event, postgres_store, {"Kyoto": ("1", "2"), "Haus 7.1": ("1",)}) as field:
        yield field


def given(kept: list[StoredEntry], venue: FieldVenue) -> list[int]:
    """The deals that a venue has been given, each once."""
    return list(dict.fromkeys(each.n for each in kept if isinstance(each, DealGiven) and each.name == venue.name))


def hold(field: FieldOfProcesses, tables: list[WiredTable], n: int) -> None:
    field.wait(lambda: all(n in each.table.deals.holds for each in tables), f"deal {n} has come")


def begin(field: FieldOfProcesses, tables: list[WiredTable], n: int) -> None:
    """Play a deal that the tables hold."""
    hold(field, tables, n)
    assert all(each.table.open_next() for each in tables)
    assert [each.table.present.n for each in tables if each.table.present is not None] == [n] * len(tables)


def assert_nothing_was_early(kept: list[StoredEntry], venues: list[str]) -> None:
    """By the signed ledger: a deal was given once a table there had begun the one before and the least time had passed, and its slip was
    released once all had finished it."""
    last_new: dict[str, DealGiven] = {}
    begun, finished = defaultdict[str, set[int]](set), defaultdict[str, set[int]](set)
    for each in kept:
        match each:
            case VenueProgressed(venue, more_begun, more_finished):
                begun[venue] |= more_begun
                finished[venue] |= more_finished
            case DealGiven(venue, n):
                assert n == 1 or n - 1 in begun[venue], f"deal {n} at {venue}"
                last = last_new.setdefault(venue, each)
                if n > last.n:
                    assert read_time(each.at) - read_time(last.at) > timedelta(seconds=LEAST_DEAL_S - SLEW_S), f"deal {n} at {venue}"
                    last_new[venue] = each
            case SlipReleased(n):
                assert all(n in finished[venue] for venue in venues), f"the slip of deal {n}"
            case _:
                pass


@pytest.mark.nightly
def test_a_session_with_killed_vaults_and_a_venue_that_was_cut_off_ends_as_it_would_have(
    field: FieldOfProcesses, event: HeldEvent, postgres_store: PostgresAddress
) -> None:
    kyoto, haus = field.venues
    field.vault.start()
    for each in field.venues:
        each.start()
    field.wait(lambda: field.vault.log.count("that nobody has allowed") == 2, "both keys wait for a person")
    assert field.kept == []
    for each in field.venues:
        field.allow(each)
    begin(field, kyoto.tables, 1)
    hold(field, kyoto.tables, 2)
    assert (given(field.kept, kyoto), given(field.kept, haus)) == ([1, 2], [1])

    assert field.vault.stop(signal.SIGKILL) == -signal.SIGKILL
    all_finish(kyoto.tables)
    begin(field, kyoto.tables, 2)
    begin(field, haus.tables, 1)
    field.vault.start()
    hold(field, kyoto.tables, 3)
    hold(field, haus.tables, 2)
    assert field.vault.released == []
    all_finish(haus.tables)
    field.wait(lambda: len(kyoto.slips) == len(haus.slips) == 1, "slip 1 is at both venues")
    begin(field, haus.tables, 2)
    hold(field, haus.tables, 3)

    assert kyoto.vault.stop(signal.SIGKILL) == -signal.SIGKILL
    all_finish(kyoto.tables)
    begin(field, kyoto.tables, 3)
    kyoto.start_vault()
    field.wait(lambda: kyoto.shown in field.vault.log, "the new key waits for a person")
    assert given(field.kept, kyoto) == [1, 2, 3]
    field.allow(kyoto)
    hold(field, kyoto.tables, 4)

    haus.cable.pull()
    all_finish(haus.tables)
    begin(field, haus.tables, 3)
    all_finish(haus.tables)
    assert not haus.tables[0].table.open_next(), "it was given no more"
    all_finish(kyoto.tables)
    begin(field, kyoto.tables, 4)
    hold(field, kyoto.tables, 5)
    assert len(field.vault.released) == 1
    haus.cable.plug()
    field.wait(lambda: len(haus.slips) == 3, "what it finished meanwhile is heard")
    all_finish(kyoto.tables)
    for venue, deals in ((haus, (4, 5)), (kyoto, (5,))):
        for n in deals:
            begin(field, venue.tables, n)
            all_finish(venue.tables)
    field.wait(lambda: len(kyoto.slips) == len(haus.slips) == HANDS, "all slips are at both venues")

    assert [each.table.played for each in field.tables] == [event.digests] * len(field.tables)
    assert not any(each.table.bad for each in field.tables)
    assert kyoto.slips == haus.slips == {path.read_bytes() for path in field.vault.released}
    for slip in kyoto.slips:
        verify_slip(event.started, Slip.from_json(slip))
    kept = field.kept
    assert_nothing_was_early(kept, [each.name for each in field.venues])
    assert [given(kept, each) for each in field.venues] == [ALL, ALL]
    field.wait(lambda: stored(postgres_store) == ALL, "the centre's store has every slip")
    assert "Traceback" not in field.vault.log + kyoto.vault.log + haus.vault.log


class CentreOfOne(ClearCentre):
    """It has an account for one venue alone."""

    def gateway_end(self, account: VenueAccount, port: int) -> CentreEnd:
        if account.venue != "Kyoto":
            raise ProgramError(f"{account.venue} has no account")
        return super().gateway_end(account, port)


def test_the_brokers_of_a_venue_end_where_another_venue_cannot_start(event: HeldEvent, folder: Path) -> None:
    centre = CentreOfOne(folder / "centre")
    try:
        with (
            pytest.raises(ProgramError, match="Sendai has no account"),
            running_field(folder, centre, event, PostgresAddress("postgresql://nowhere"), {"Kyoto": ("1",), "Sendai": ("1",)}),
        ):
            pass
    finally:
        centre.close()
    assert not [command for command in commands() if str(folder) in command]


def commands() -> Iterator[str]:
    """Of each process of this machine."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            yield path.read_text(errors="replace")


def stored(address: PostgresAddress) -> list[int]:
    """The deals whose slips the centre's store has."""
    reader = CentreReader(address, EVENT)
    try:
        return reader.released()
    finally:
        reader.close()
