"""Deals, start and sessions from the server's side: each step once, for good, and through kills of dashboard and vaults."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dashboard.custody.hall_vault import AGAIN_S, SILENT_S, VaultStep
from tests.support.custody.hall import EVENT, PUBLIC_KEYS
from tests.support.custody.ordered import PASSPHRASE, plan_of
from tests.support.dashboard.custody.vaults import HallOfVaults
from twinwall.event.bundle.bundle_files import COMMITMENTS, make_bundle
from twinwall.event.deal_state import AskedDeals, DealProblem, MadeDeals, NoDeals, RefusedStep, StartedEvent
from twinwall.event.store.store_records import read_records
from twinwall.event.store.store_rows import read_store
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.deals import Commitments, Plan
from twinwall.wire.messages.vaults.vault_orders import SessionTable

PUBLIC = "drawn in the room"
TABLES = tuple(SessionTable(name, PUBLIC_KEYS[name].hex()) for name in ("1", "2"))
Halls = Callable[..., HallOfVaults]


@pytest.fixture
def halls(tmp_path: Path) -> Iterator[Halls]:
    made: list[HallOfVaults] = []

    def make(*holders: str, here: str = "") -> HallOfVaults:
        made.append(HallOfVaults(tmp_path, *(holders or ("server", "witness")), here=here))
        made[-1].settle()
        return made[-1]

    yield make
    for each in made:
        each.close()


def problem(refused: RefusedStep | None) -> DealProblem:
    assert isinstance(refused, RefusedStep)
    return refused.problem


def steps(hall: HallOfVaults) -> dict[str, VaultStep]:
    return {holder: each.step for holder, each in hall.progress().items()}


def make(hall: HallOfVaults, plan: Plan | None = None) -> None:
    assert hall.deals.make_deals(plan or plan_of("server", "witness"), PASSPHRASE, "Ann") is None
    hall.settle()


def start(hall: HallOfVaults, by: str = "Ann") -> None:
    make(hall)
    assert hall.deals.fix_start(PUBLIC, by) is None
    hall.settle()


def begin(hall: HallOfVaults) -> None:
    """Begin the first session; the vaults are not yet heard of it."""
    assert hall.deals.begin_session(1, TABLES, [["1", "2"]], "Ann") is None


def made_of(hall: HallOfVaults) -> MadeDeals:
    assert isinstance(hall.deals.state, MadeDeals)
    return hall.deals.state


def started_of(hall: HallOfVaults) -> StartedEvent:
    assert isinstance(hall.deals.state, StartedEvent)
    return hall.deals.state


def writer_of(hall: HallOfVaults) -> StoreWriter:
    assert hall.writer is not None
    return hall.writer


def test_from_nothing_to_a_started_event_and_its_session(halls: Halls) -> None:
    hall = halls()
    assert isinstance(hall.deals.state, NoDeals)
    assert steps(hall) == {"server": VaultStep.READY, "witness": VaultStep.READY}
    make(hall)
    made = made_of(hall)
    assert set(made.commitments.seeds) == {"server", "witness"}
    assert hall.deals.fix_start(PUBLIC, "Ann") is None
    hall.settle()
    started = started_of(hall)
    assert started.started.start.root == made.commitments.root
    assert writer_of(hall).programme.custody == started.started
    begin(hall)
    hall.settle()
    assert steps(hall) == {"server": VaultStep.DONE, "witness": VaultStep.DONE}
    assert hall.vaults.standing("witness").session == 1


@pytest.mark.parametrize("killed", ["dashboard", "server", "witness"])
def test_a_kill_between_any_two_steps_changes_no_seed_and_no_start(halls: Halls, killed: str) -> None:
    hall = halls()

    def kill() -> None:
        if killed == "dashboard":
            hall.restart()
        else:
            hall.vaults.kill(killed)
        hall.settle()
        hall.deals.unlock(PASSPHRASE)
        hall.settle()

    kill()
    assert hall.deals.make_deals(plan_of("server", "witness"), PASSPHRASE, "Ann") is None
    hall.deliver()
    seeds = dict(hall.deals.state.commitments.seeds) if isinstance(hall.deals.state, MadeDeals) else {}
    kill()
    assert dict(made_of(hall).commitments.seeds) == seeds
    assert hall.deals.fix_start(PUBLIC, "Ann") is None
    kill()
    started = started_of(hall)
    begin(hall)
    kill()
    assert steps(hall) == {"server": VaultStep.DONE, "witness": VaultStep.DONE}
    for holder in hall.deals.holders:
        standing = hall.vaults.standing(holder)
        assert (standing.start, standing.session, standing.locked) == (started.code, 1, False)


def test_a_dashboard_that_was_killed_before_an_order_left_sends_it_afterwards(halls: Halls) -> None:
    hall = halls()
    make(hall)
    hall.deals.fix_start(PUBLIC, "Ann")
    hall.ordered.clear()
    hall.restart()
    assert isinstance(hall.deals.state, MadeDeals)
    hall.settle()
    assert isinstance(hall.deals.state, StartedEvent)


def test_a_dashboard_that_was_killed_while_deals_were_made_asks_who_has_made_them_and_needs_the_passphrase_for_the_others(
    halls: Halls,
) -> None:
    hall = halls()
    hall.off = {"witness"}
    make(hall)
    assert isinstance(hall.deals.state, AskedDeals)
    assert hall.deals.state.done == {"server"}
    assert steps(hall)["server"] is VaultStep.DONE
    hall.restart()
    hall.off = set()
    hall.settle()
    assert isinstance(hall.deals.state, AskedDeals)
    assert hall.deals.state.done == {"server"}
    witness = hall.progress()["witness"]
    assert (witness.step, witness.refusal) == (VaultStep.REFUSED, "no-passphrase")
    make(hall)
    assert isinstance(hall.deals.state, MadeDeals)


def test_the_public_value_comes_after_all_commitments_and_stays(halls: Halls) -> None:
    hall = halls()
    assert problem(hall.deals.fix_start(PUBLIC, "Ann")) is DealProblem.NOT_MADE
    hall.off = {"witness"}
    make(hall)
    assert problem(hall.deals.fix_start(PUBLIC, "Ann")) is DealProblem.NOT_MADE
    hall.off = set()
    make(hall)
    assert hall.deals.fix_start(PUBLIC, "Ann") is None
    assert problem(hall.deals.fix_start("another", "Ben")) is DealProblem.STARTED
    hall.settle()
    assert problem(hall.deals.fix_start("another", "Ben")) is DealProblem.STARTED
    assert hall.deals.fix_start(PUBLIC, "Ben") is None
    assert problem(hall.deals.make_deals(plan_of("server", "witness", sessions=3), PASSPHRASE, "Ann")) is DealProblem.STARTED


def test_a_value_that_is_not_written_as_the_plan_says_fixes_nothing(halls: Halls) -> None:
    hall = halls()
    make(hall, plan_of("server", "witness", public="tiles: 8"))
    assert problem(hall.deals.fix_start("5p 3s", "Ann")) is DealProblem.PUBLIC
    assert hall.deals.fix_start("5p 3s E 1m 1m C 9s 2p", "Ann") is None


def test_a_plan_that_cannot_be_followed_here_is_asked_of_no_vault(halls: Halls, monkeypatch: pytest.MonkeyPatch) -> None:
    hall = halls()
    whole = plan_of("server", "witness")
    for plan, why in (
        (plan_of("server", "witness", event="Spring"), DealProblem.EVENT),
        (plan_of("server"), DealProblem.HOLDERS),
        (plan_of("server", "witness", public="tiles: 1"), DealProblem.PLAN),
    ):
        assert problem(hall.deals.make_deals(plan, PASSPHRASE, "Ann")) is why
    assert problem(hall.deals.begin_session(1, TABLES, [["1", "2"]], "Ann")) is DealProblem.NOT_STARTED
    monkeypatch.setattr(writer_of(hall).hall, "lines", 1)
    assert problem(hall.deals.make_deals(whole, PASSPHRASE, "Ann")) is DealProblem.PLAYED
    monkeypatch.undo()
    hall.restart()
    assert problem(hall.deals.make_deals(whole, PASSPHRASE, "Ann")) is DealProblem.UNHEARD, "its passphrase would be asked for again"
    assert isinstance(hall.deals.state, NoDeals)
    assert hall.ordered == []
    hall.settle()
    make(hall)
    assert isinstance(hall.deals.state, MadeDeals)


def test_before_the_public_value_another_plan_may_take_the_place_of_the_first(halls: Halls) -> None:
    hall = halls()
    make(hall)
    make(hall, plan_of("server", "witness", sessions=3))
    assert len(made_of(hall).commitments.keys) == 15
    hall.deals.fix_start(PUBLIC, "Ann")
    hall.settle()
    assert isinstance(hall.deals.state, StartedEvent)


def test_a_passphrase_that_a_vault_refuses_is_told_with_its_sentence_until_another_one_comes(halls: Halls) -> None:
    hall = halls()
    assert hall.deals.make_deals(plan_of("server", "witness"), "short", "Ann") is None
    hall.settle()
    assert {each.refusal for each in hall.deals.progress} == {"short-passphrase"}
    assert "take 12 or more" in hall.progress()["server"].sentence
    make(hall)
    hall.vaults.kill("witness")
    hall.settle()
    assert steps(hall)["witness"] is VaultStep.LOCKED
    hall.deals.unlock("another passphrase")
    hall.settle()
    assert hall.progress()["witness"].refusal == "wrong-passphrase"
    assert steps(hall)["server"] is VaultStep.READY, "it is open, and was asked nothing"
    hall.deals.unlock(PASSPHRASE)
    hall.settle()
    assert steps(hall)["witness"] is VaultStep.READY


def test_a_wrong_passphrase_after_a_restart_is_sent_once_and_the_next_one_opens_the_vault(halls: Halls) -> None:
    hall = halls("server")
    make(hall, plan_of("server"))
    hall.vaults.kill("server")
    hall.restart()
    hall.settle()
    assert [wait.key for wait in hall.deals.waits] == ["waits.vault.locked"]
    hall.deals.unlock("another passphrase")
    hall.deliver()
    said = len(hall.vaults.sentences)
    hall.settle()
    assert hall.vaults.sentences[said:] == [], "a refused order is not sent again"
    server = hall.progress()["server"]
    assert (server.step, server.refusal, server.takes_passphrase) == (VaultStep.REFUSED, "wrong-passphrase", True)
    assert [wait.key for wait in hall.deals.waits] == ["waits.vault.locked"]
    hall.deals.unlock(PASSPHRASE)
    hall.settle()
    assert steps(hall)["server"] is VaultStep.READY
    assert hall.deals.waits == ()


def test_a_vault_that_is_slow_to_refuse_counts_one_try_and_takes_the_passphrase_that_follows(halls: Halls) -> None:
    hall = halls("server")
    make(hall, plan_of("server"))
    hall.vaults.kill("server")
    hall.settle()
    hall.deals.unlock("another passphrase")
    for _ in range(6):
        hall.now_s += AGAIN_S + 1
        hall.deals.tick()
    late = hall.ordered[1:]
    del hall.ordered[1:]
    hall.deliver()
    hall.ordered += late
    hall.deals.unlock(PASSPHRASE)
    hall.deliver()
    hall.settle()
    assert steps(hall)["server"] is VaultStep.READY


def test_a_vault_that_is_not_heard_waits_for_a_person_as_soon_as_deals_are_asked_of_it(halls: Halls) -> None:
    hall = halls("server")
    hall.now_s += SILENT_S + 1
    assert not hall.deals.waits
    hall.settle()
    make(hall, plan_of("server"))
    hall.now_s += SILENT_S + 1
    assert steps(hall) == {"server": VaultStep.SILENT}
    assert [(wait.key, wait.path, wait.names) for wait in hall.deals.waits] == [
        ("waits.vault.silent", "/event/deals", (("holder", "server"),))
    ]


def test_the_passphrase_is_on_no_disk_of_the_dashboard_and_in_no_message(halls: Halls, tmp_path: Path) -> None:
    hall = halls()
    hall.deals.make_deals(plan_of("server", "witness"), PASSPHRASE, "Ann")
    sent = b"".join(payload for _, payload in hall.ordered)
    hall.settle()
    stored = b"".join(path.read_bytes() for path in (tmp_path / "store").iterdir() if path.is_file())
    assert PASSPHRASE.encode() not in sent + stored


def test_each_step_stands_in_the_signed_records_with_who_made_it_and_the_bundle_has_the_commitments(halls: Halls) -> None:
    hall = halls()
    start(hall, "Ben")
    begin(hall)
    records = [record for record in read_records(writer_of(hall)._rows.contents().records) if record.kind == "deals"]
    said = [(record.fields["step"], record.text("staff")) for record in records]
    assert [(step["step"], by) for step, by in said if isinstance(step, dict)] == [
        ("deals-asked", "Ann"),
        ("deals-committed", ""),
        ("start-chosen", "Ben"),
        ("session-chosen", "Ann"),
    ]
    files = make_bundle(read_store(writer_of(hall).address), writer_of(hall).hall)
    assert Commitments.from_json(files[COMMITMENTS]) == started_of(hall).commitments


def test_a_vault_that_gives_the_deals_of_another_event_goes_back_to_the_one_that_is_open(halls: Halls) -> None:
    hall = halls()
    start(hall)
    begin(hall)
    hall.settle()
    hall.vaults.started(plan_of("server", "witness", event="Spring"))
    hall.restart()
    hall.settle()
    assert steps(hall) == {"server": VaultStep.LOCKED, "witness": VaultStep.LOCKED}, "its seeds were put away"
    assert [hall.vaults.standing(holder).event for holder in hall.deals.holders] == [EVENT, EVENT]
    hall.settle()
    hall.deals.unlock(PASSPHRASE)
    hall.settle()
    assert steps(hall) == {"server": VaultStep.DONE, "witness": VaultStep.DONE}
    assert hall.vaults.standing("server").session == 1
