"""Encrypted seeds: they open with their passphrase alone, and any change of the file is noticed. And files of earlier versions."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.custody.hall import COMMITMENTS, EVENT, SEEDS, STARTED, VAULT
from twinwall.custody.release import AllowKey
from twinwall.custody.seed_file import COST, Cost, read_seed, write_seed
from twinwall.custody.table_rules import RevokeKey, WithdrawTable
from twinwall.custody.vault_files import Orders
from twinwall.custody.vault_home import VaultHome
from twinwall.custody.vault_ledger import VaultLedger
from twinwall.game.deals import SEED_SIZE, Seed
from twinwall.game.documents import DocumentError

SEED = Seed(bytes(range(SEED_SIZE)))
PASSPHRASE = "correct horse battery staple"
CHEAP = Cost(memory_kib=64, passes=1, lanes=1)
CONTENT = write_seed(SEED, "server", PASSPHRASE, salt=b"s" * 16, nonce=b"n" * 12, cost=CHEAP)


def test_a_seed_opens_with_its_passphrase() -> None:
    assert read_seed(CONTENT, PASSPHRASE) == ("server", SEED)


def test_the_file_names_its_form_and_holds_no_seed_in_the_clear() -> None:
    written = json.loads(CONTENT)
    assert written["format"] == "twinwall-seed-file-1"
    assert written["commitment"] == "81260ae3c0efb8155a4b06f62ca534698f586b6ade77ad5902a6c6b29c8389ed"
    assert SEED.content.hex()[:32] not in CONTENT.decode()


def test_what_is_written_by_default_costs_what_the_documents_say() -> None:
    assert (COST.memory_kib, COST.passes, COST.lanes) == (256 * 1024, 3, 4)


def test_another_passphrase_does_not_open_it() -> None:
    with pytest.raises(DocumentError, match="'server' does not open: the passphrase is another"):
        read_seed(CONTENT, PASSPHRASE + ".")


def test_a_passphrase_is_the_same_however_the_keyboard_composes_its_letters() -> None:
    content = write_seed(SEED, "server", "vierzehn h\u00fcte", salt=b"s" * 16, nonce=b"n" * 12, cost=CHEAP)
    assert read_seed(content, "vierzehn hu\u0308te") == ("server", SEED)


def test_a_short_passphrase_is_refused() -> None:
    with pytest.raises(DocumentError, match="has 11 characters"):
        write_seed(SEED, "server", "elevencharas"[:11], salt=b"s" * 16, nonce=b"n" * 12, cost=CHEAP)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda file: file | {"holder": "witness"}, "was changed"),
        (lambda file: file | {"commitment": "00" * 32}, "was changed"),
        (lambda file: file | {"kdf": file["kdf"] | {"passes": 2}}, "was changed"),
        (lambda file: file | {"sealed": "00" * 96}, "was changed"),
        (lambda file: file | {"sealed": "00" * 95}, "sealed"),
        (lambda file: file | {"format": "twinwall-seed-file-2"}, "twinwall-seed-file-1"),
        (lambda file: file | {"cipher": "none"}, "chacha20-poly1305"),
        (lambda file: file | {"hint": "four words"}, "'hint'"),
        (lambda file: file | {"kdf": file["kdf"] | {"name": "scrypt"}}, "argon2id"),
        (lambda file: file | {"kdf": file["kdf"] | {"memory_kib": 1 << 30}}, "memory_kib"),
        (lambda file: {key: file[key] for key in file if key != "salt"}, "'salt'"),
    ],
)
def test_a_file_that_was_changed_is_refused_by_name(change: Callable[[dict[str, object]], dict[str, object]], named: str) -> None:
    with pytest.raises(DocumentError, match=named):
        read_seed(json.dumps(change(json.loads(CONTENT))).encode(), PASSPHRASE)


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
