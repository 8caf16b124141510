"""Attack 32: one person withdraws a table during play, so that the deal which it still plays is released."""

from dataclasses import replace
from pathlib import Path

import pytest

import cli
from config import load, write
from config.services import VaultSettings
from dashboard.access.staff_file import StaffOrder
from dashboard.access.staff_schema import Role
from tests.support.custody.hall import PLAN, VAULT
from tests.support.custody.vault_settings import settings_file
from tests.support.dashboard.example import SELF_DRAWN, building, closed_hand, play
from tests.support.dashboard.hall import OTHER, SERVER, Hall, as_other, staffed_hall
from tests.support.dashboard.staff import NAME, PASSWORD, form_token
from tests.support.wire.streams import START
from twinwall.custody import release
from twinwall.custody.table_rules import CustodyPlan, WithdrawTable, decide
from twinwall.custody.vault_files import Orders, VaultLedger, of_last_session
from twinwall.game.documents import DocumentError
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootKeys
from twinwall.wire.messages.signing import Signer, sign_document
from twinwall.wire.messages.staff_orders import WithdrawalOrder, read_withdrawal

LINE = LedgerPosition("j", 7, "ab" * 32)
PAGE, ORDER = "/table/1/withdraw", "/table/1/withdrawal.json"


def press(hall: Hall) -> str:
    """Press the page's button, if there is one; the page afterwards."""
    if 'name="n"' in hall.client.get(PAGE).text:
        hall.submit(PAGE, {"n": "1"})
    return hall.client.get(PAGE).text


def test_one_person_presses_again_and_again_and_gets_no_order() -> None:
    hall = staffed_hall(Role.REFEREE)
    assert "another person must confirm" in press(hall)
    hall.submit(PAGE, {"n": "1"})
    press(hall)
    assert hall.client.get(ORDER).status_code == 404
    assert [(step.by, step.ordered) for step in hall.desk.withdrawals] == [(NAME, "")]


def test_control_a_second_account_confirms_and_both_stand_in_the_signed_order_and_in_the_records() -> None:
    hall = staffed_hall(Role.REFEREE)
    press(hall)
    as_other(hall)
    assert f"{NAME} has ordered it" in hall.client.get(PAGE).text
    assert "confirmed for deal 1" in press(hall)
    order = read_withdrawal(hall.client.get(ORDER).data, PLAN.event, "1", SERVER.public)
    assert (order.n, order.ordered, order.confirmed) == (1, NAME, OTHER)
    assert [(step.by, step.ordered) for step in hall.desk.withdrawals] == [(NAME, ""), (OTHER, NAME)]


def test_a_confirmation_that_comes_late_is_a_new_order() -> None:
    hall = staffed_hall(Role.DIRECTOR)
    press(hall)
    hall.seconds = 601
    as_other(hall)
    assert "another person must confirm" in press(hall)
    assert hall.client.get(ORDER).status_code == 404


def test_a_withdrawn_account_confirms_and_rules_nothing_from_a_tab_that_is_still_open() -> None:
    hall = staffed_hall(Role.REFEREE)
    press(hall)
    as_other(hall)
    token = form_token(hall.client.get(PAGE).text)
    hall.staff.revoke(OTHER, StaffOrder(0))
    assert hall.submit(PAGE, {"n": "1"}).status_code == 401
    ruling = {"token": token, "form": "1" * 16, "n": "1", "choice": "warning", "seat": "W"}
    assert hall.client.post("/table/1/rule", data=ruling).status_code == 401
    assert [step.by for step in hall.desk.withdrawals] == [NAME]
    assert hall.desk.rulings == []


def test_a_director_invites_a_second_account_for_himself_and_neither_orders_nor_confirms_with_it_for_a_day() -> None:
    hall = staffed_hall(Role.REFEREE)
    now = int(START.timestamp())
    hall.staff.accept(hall.staff.invite("Second", {Role.REFEREE}, now + 60, StaffOrder(now, NAME)), PASSWORD, now)
    director, hall.client = hall.client, hall.new_client()
    hall.log_in("Second")
    assert "24 hours" in press(hall)
    hall.submit(PAGE, {"n": "1"})
    assert hall.desk.withdrawals == []
    hall.client = director
    assert "Second" not in press(hall)
    hall.client = hall.new_client()
    hall.log_in("Second")
    hall.submit(PAGE, {"n": "1"})
    assert [step.by for step in hall.desk.withdrawals] == [NAME]
    assert hall.client.get(ORDER).status_code == 404


def test_control_an_account_of_the_day_before_confirms() -> None:
    hall = staffed_hall(Role.REFEREE)
    before = int(START.timestamp()) - 86_400
    hall.staff.accept(hall.staff.invite("Second", {Role.REFEREE}, before + 60, StaffOrder(before, NAME)), PASSWORD, before)
    press(hall)
    hall.client = hall.new_client()
    hall.log_in("Second")
    assert "confirmed for deal 1" in press(hall)


def test_where_nobody_else_may_confirm_the_page_says_what_to_do() -> None:
    assert "Invite a second person" in press(staffed_hall())
    assert "Invite a second person" in press(staffed_hall(Role.SCORER))


def test_an_order_for_a_deal_that_is_over_is_none_and_a_table_between_deals_needs_none() -> None:
    hall = staffed_hall(Role.REFEREE)
    press(hall)
    hall.feed(closed_hand("1"))
    hall.release(1)
    assert hall.client.get(ORDER).status_code == 404


def test_an_order_that_was_signed_is_not_said_to_count_no_more_when_its_deal_is_over() -> None:
    hall = staffed_hall(Role.REFEREE)
    press(hall)
    as_other(hall)
    press(hall)
    hall.feed(closed_hand("1"))
    page = hall.client.get(PAGE).text
    assert f"has gone on since {NAME} ordered this" not in page
    assert f"What {NAME} ordered was signed at" in page
    assert "If the vault has taken the order, there is nothing to do." in page


def test_the_page_says_which_deal_the_table_has_gone_on_to_after_an_order() -> None:
    hall = staffed_hall(Role.REFEREE)
    press(hall)
    hall.feed([*closed_hand("1"), *building(2), *[*play(SELF_DRAWN, 2)][:30]])
    page = hall.client.get(PAGE).text
    assert f"has gone on since {NAME} ordered this" in page
    assert "The table plays deal 2." in page.split("has gone on since")[0]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Settings of a vault at which table 2 plays deal 1."""
    settings = settings_file(tmp_path)
    read = load(settings, VaultSettings)
    write(settings, replace(read, vault=replace(read.vault, server_key=SERVER.public.hex())))
    VaultLedger(tmp_path / "kept", PLAN.event, VAULT).keep(release.DealStarted("2", 1, LINE))
    return settings


def withdraw(settings: Path, *more: str) -> int:
    return cli.main(["vault", "withdraw", "2", *more, "--settings", str(settings)])


def orders(settings: Path) -> list[object]:
    kept = Orders(settings.parent / "kept", PLAN.event, VAULT, SERVER.public)
    new: list[object] = [*kept.new()]
    kept.taken()
    return new


def signed(folder: Path, order: WithdrawalOrder, signer: Signer = SERVER, table: str = "2") -> str:
    (folder / "order.json").write_bytes(sign_document(signer, order, PLAN.event, table))
    return str(folder / "order.json")


def test_the_vault_takes_no_withdrawal_of_one_person_during_play(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert withdraw(vault) == 1
    assert "its withdrawal takes two persons" in capsys.readouterr().err
    assert orders(vault) == []


def test_control_the_vault_takes_the_order_of_two_persons_and_after_play_that_of_one(vault: Path, tmp_path: Path) -> None:
    assert withdraw(vault, "--order", signed(tmp_path, WithdrawalOrder(1, NAME, OTHER))) == 0
    assert orders(vault) == [WithdrawTable("2", (NAME, OTHER), 1)]
    VaultLedger(tmp_path / "kept", PLAN.event, VAULT).keep(release.DealFinished("2", 1, LINE))
    assert withdraw(vault) == 0
    assert orders(vault) == [WithdrawTable("2")]


def test_a_table_that_one_person_withdraws_between_deals_is_waited_for_on_the_deal_it_was_given(tmp_path: Path) -> None:
    """The share of deal 2 was given when deal 1 began. The vault is started again between all steps."""
    custody = CustodyPlan((1, 2), (("1",), ("2",)))
    ledger = VaultLedger(tmp_path / "kept", PLAN.event, VAULT)
    for table in ("1", "2"):
        ledger.keep(release.KeyAccepted.of(table, BootKeys(table.encode() * 32, b"s" * 32)))
        for done in (release.DealStarted(table, 1, LINE), release.DealFinished(table, 1, LINE)):
            ledger.keep(done)
    withdrawn = decide(custody, noted(tmp_path / "kept", custody), WithdrawTable("2"))
    assert withdrawn == (release.MemberWithdrawn("2", (2,)),)
    ledger.keep(withdrawn[0])
    ledger.keep(release.DealStarted("2", 2, LINE))
    for played in (release.DealStarted("1", 2, LINE), release.DealFinished("1", 2, LINE)):
        ledger.keep(played)
    assert release.SlipReleased(2) not in release.due_events(custody, noted(tmp_path / "kept", custody))
    assert isinstance(decide(custody, noted(tmp_path / "kept", custody), WithdrawTable("2")), release.CustodyRefusal)
    ledger.keep(release.DealFinished("2", 2, LINE))
    assert release.SlipReleased(2) in release.due_events(custody, noted(tmp_path / "kept", custody))


def noted(folder: Path, custody: CustodyPlan) -> release.CustodyState:
    state = release.beginning(custody)
    for entry in of_last_session(VaultLedger(folder, PLAN.event, VAULT).read()):
        state = release.apply(state, entry)
    return state


def test_the_command_says_which_deal_waits_for_a_table_that_one_person_withdraws(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    VaultLedger(vault.parent / "kept", PLAN.event, VAULT).keep(release.DealFinished("2", 1, LINE))
    assert withdraw(vault) == 0
    assert "deal 2" in capsys.readouterr().err


def test_a_refused_withdrawal_is_not_acted_on_again_by_a_vault_that_starts_between_deals(vault: Path, tmp_path: Path) -> None:
    assert withdraw(vault, "--order", signed(tmp_path, WithdrawalOrder(1, NAME, OTHER))) == 0
    assert orders(vault) == [WithdrawTable("2", (NAME, OTHER), 1)]
    assert orders(vault) == []


def test_an_order_that_cannot_be_read_does_not_become_the_withdrawal_of_one_person(vault: Path, tmp_path: Path) -> None:
    given = Orders(tmp_path / "kept", PLAN.event, VAULT, SERVER.public)
    forged = sign_document(Signer("server", b"\x0b" * 32), WithdrawalOrder(1, NAME, OTHER), PLAN.event, "2")
    given.give(WithdrawTable("2", (NAME, OTHER), 1), forged)
    given.give(release.AllowKey("2", "1f3a 90c2 77e0 5b1d"))
    unread, allowed = orders(vault)
    assert isinstance(unread, str)
    assert "table '2'" in unread
    assert allowed == release.AllowKey("2", "1f3a 90c2 77e0 5b1d")


def test_an_order_for_another_deal_is_refused(vault: Path, tmp_path: Path) -> None:
    assert withdraw(vault, "--order", signed(tmp_path, WithdrawalOrder(2, NAME, OTHER))) == 1
    VaultLedger(tmp_path / "kept", PLAN.event, VAULT).keep(release.DealFinished("2", 1, LINE))
    assert withdraw(vault, "--order", signed(tmp_path, WithdrawalOrder(1, NAME, OTHER))) == 1, "nor does it withdraw between deals"
    assert orders(vault) == []


@pytest.mark.parametrize(
    ("order", "signer", "table"),
    [
        (WithdrawalOrder(1, NAME, NAME.upper()), SERVER, "2"),
        (WithdrawalOrder(1, "Jos\u00e9", "Jose\u0301"), SERVER, "2"),
        (WithdrawalOrder(1, "Anna", "Anna "), SERVER, "2"),
        (WithdrawalOrder(1, NAME, OTHER), Signer("server", b"\x0b" * 32), "2"),
        (WithdrawalOrder(1, NAME, OTHER), SERVER, "1"),
    ],
    ids=["one person twice", "one name composed and decomposed", "one name and a blank", "another key", "another table"],
)
def test_an_order_that_two_accounts_did_not_make_for_this_table_is_refused(
    vault: Path, tmp_path: Path, order: WithdrawalOrder, signer: Signer, table: str
) -> None:
    file = signed(tmp_path, order, signer, table)
    assert withdraw(vault, "--order", file) == 2
    assert orders(vault) == []
    with pytest.raises(DocumentError):
        read_withdrawal(Path(file).read_bytes(), PLAN.event, "2", SERVER.public)
