"""Files of a vault as versions 1 to 4 have written them: each is read, and written again it is the same to the last byte."""

from __future__ import annotations

from pathlib import Path

from tests.support.custody.hall import COMMITMENTS, EVENT, SEEDS, STARTED, VAULT
from twinwall.custody.release import AllowKey
from twinwall.custody.seed_file import read_seed
from twinwall.custody.table_rules import RevokeKey, WithdrawTable
from twinwall.custody.vault_files import Orders
from twinwall.custody.vault_home import VaultHome
from twinwall.custody.vault_ledger import VaultLedger

GOLDEN = Path(__file__).parent / "golden"
FINGERPRINT = "1f3a 90c2 77e0 5b1d"


def test_every_kind_of_entry_of_the_ledger_is_read_and_written_the_same(tmp_path: Path) -> None:
    again = VaultLedger(tmp_path, EVENT, VAULT)
    for entry in VaultLedger(GOLDEN, EVENT, VAULT).read():
        again.keep(entry)
    assert [(tmp_path / name).read_bytes() == (GOLDEN / name).read_bytes() for name in ("ledger", "ledger.head")] == [True, True]


def test_a_persons_orders_are_read_with_what_was_taken_of_them(tmp_path: Path) -> None:
    assert Orders(GOLDEN, EVENT, VAULT).new() == [AllowKey("1", FINGERPRINT), RevokeKey("1", FINGERPRINT)]
    again = Orders(tmp_path, EVENT, VAULT)
    for order in (AllowKey("1", FINGERPRINT), WithdrawTable("2"), RevokeKey("1", FINGERPRINT)):
        again.give(order)
    assert (tmp_path / "orders").read_bytes() == (GOLDEN / "orders").read_bytes()


def test_the_event_of_a_vault_that_takes_orders_is_read_with_its_start_and_its_seed() -> None:
    present = VaultHome(GOLDEN, VAULT).present
    assert present is not None
    assert (present.committed.started, present.committed.commitments) == (STARTED, COMMITMENTS)
    assert read_seed(present.seed_file.read_bytes(), "four quiet random words") == ("server", SEEDS["server"])
