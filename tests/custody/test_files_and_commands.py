"""The vault's files and the organiser's commands around them: seeds open with their passphrase alone; files of earlier versions."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from config import write
from controller.adapters.memory_folder import boot_secrets
from tests.support.commands import Twinwall
from tests.support.custody.hall import COMMITMENTS, EVENT, PLAN, SEEDS, STARTED, VAULT, Hall
from tests.support.custody.vault_settings import settings_file
from tests.support.disks import synced
from tests.support.patience import PATIENCE_S
from tools.default_settings import TABLE
from twinwall.custody import vault_files
from twinwall.custody.process_protection import swap_warning
from twinwall.custody.release import AllowKey, DealFinished, DealStarted, KeyAccepted
from twinwall.custody.signed_lines import SignedLines
from twinwall.custody.table_rules import RevokeKey, WithdrawTable
from twinwall.custody.vault_files import HALL_LEDGER, Orders, StoredEntry, VaultLedger, keep_start, publish_slip, sound_slips
from twinwall.custody.vault_home import COST, Cost, VaultHome, read_seed, write_seed
from twinwall.game.deals import SEED_SIZE, Seed
from twinwall.game.documents import DocumentError
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootKeys

PASSPHRASE = "four quiet random words"
LINE = LedgerPosition("j", 7, "ab" * 32)
ENTRIES: list[StoredEntry] = [
    KeyAccepted.of("1", BootKeys(b"\x01" * 32, b"\x03" * 32)),
    DealStarted("1", 4, LINE),
    KeyAccepted.of("2", BootKeys(b"\x02" * 32, b"\x04" * 32)),
    DealFinished("1", 4, LINE),
]


@pytest.mark.parametrize("line", ["1 zz", '{"type":"key-accepted","table":"1","key":"zz"}', "{}"])
def test_a_line_of_the_vaults_files_that_the_vault_did_not_sign_is_named(tmp_path: Path, line: str) -> None:
    VaultLedger(tmp_path, PLAN.event, VAULT).keep(ENTRIES[0])
    with (tmp_path / "ledger").open("a") as file:
        file.write(f"{line}\n")
    (tmp_path / "orders").write_text("allow 1 1f3a 90c2 77e0 5b1d\n")
    with pytest.raises(DocumentError, match="ledger, line 2"):
        VaultLedger(tmp_path, PLAN.event, VAULT).read()
    with pytest.raises(DocumentError, match="orders, line 1"):
        Orders(tmp_path, PLAN.event, VAULT).new()


def test_a_line_of_another_version_is_named_though_the_vault_signed_it(tmp_path: Path) -> None:
    SignedLines(tmp_path / "ledger", HALL_LEDGER.purpose, PLAN.event, VAULT).append({"type": "deal-opened", "table": "1"})
    SignedLines(tmp_path / "orders", vault_files.PURPOSE, PLAN.event, VAULT).append({"order": "open everything"})
    with pytest.raises(DocumentError, match="ledger, line 1: the type 'deal-opened' is not known"):
        VaultLedger(tmp_path, PLAN.event, VAULT).read()
    with pytest.raises(DocumentError, match="'open everything' is no order"):
        Orders(tmp_path, PLAN.event, VAULT).new()


def test_a_tables_keys_are_revoked_by_one_command_and_made_anew_by_another(tmp_path: Path, twinwall: Twinwall) -> None:
    folder, revoke = tmp_path / "kept", ("vault", "revoke", "1", "--settings", settings_file(tmp_path))
    assert "there is nothing to revoke" in twinwall(*revoke, code=1).err
    for entry in ENTRIES:
        VaultLedger(folder, PLAN.event, VAULT).keep(entry)
    twinwall(*revoke)
    first = BootKeys(b"\x01" * 32, b"\x03" * 32).fingerprint
    assert Orders(folder, PLAN.event, VAULT).new() == [RevokeKey("1", first)]
    table = replace(TABLE, custody=replace(TABLE.custody, memory=tmp_path / "memory"))
    write(tmp_path / "table.toml", table)
    renew = ("table", "renew", "--settings", tmp_path / "table.toml")
    twinwall(*renew, code=2)
    (tmp_path / "memory").mkdir()
    before = boot_secrets(tmp_path / "memory", table.table.name, b"\x01" * 64).public
    said = twinwall(*renew)
    after = boot_secrets(tmp_path / "memory", table.table.name, b"\x02" * 64).public
    assert after != before
    assert said.out.strip() == after.fingerprint


def test_orders_are_read_once_by_a_running_vault_and_all_but_withdrawals_again_by_the_next(tmp_path: Path, twinwall: Twinwall) -> None:
    folder = settings_file(tmp_path).parent / "kept"
    running = Orders(folder, PLAN.event, VAULT)
    twinwall("vault", "allow", "1", "1F3A90c2 77e05b1d", "--settings", tmp_path / "vault.toml")
    allowed = AllowKey("1", "1f3a 90c2 77e0 5b1d")
    assert running.new() == [allowed]
    twinwall("vault", "withdraw", "2", "--settings", tmp_path / "vault.toml")
    assert running.new() == [WithdrawTable("2")]
    assert running.new() == []
    assert Orders(folder, PLAN.event, VAULT).new() == [allowed, WithdrawTable("2")], "it lost power before it was carried out"
    running.taken()
    assert Orders(folder, PLAN.event, VAULT).new() == [allowed]


@pytest.mark.parametrize("words", [["allow", "1", "1f3a"], ["allow", "9", "1f3a90c277e05b1d"], ["withdraw", "9"]])
def test_an_order_that_cannot_be_meant_is_wrong_use(tmp_path: Path, twinwall: Twinwall, words: list[str]) -> None:
    twinwall("vault", *words, "--settings", settings_file(tmp_path), code=2)
    assert not (tmp_path / "kept" / "orders").exists()


def test_a_released_slip_stays_as_it_is(tmp_path: Path) -> None:
    path = publish_slip(tmp_path / "released", 3, b"the slip\n")
    assert publish_slip(tmp_path / "released", 3, b"another\n") == path
    assert path.read_bytes() == b"the slip\n"
    assert path.name == "slip-0003.json"


def test_a_slip_is_on_disk_before_its_file_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "slip-0003.json"
    disk = synced(monkeypatch, path.exists)
    publish_slip(tmp_path, 3, b"the slip\n")
    assert (disk, path.read_bytes()) == ([("slip-0003.json.new", False), (tmp_path.name, True)], b"the slip\n")


def test_a_line_of_the_vaults_files_is_on_disk_before_the_head_that_counts_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = SignedLines(tmp_path / "orders", vault_files.PURPOSE, PLAN.event, VAULT)
    disk = synced(monkeypatch, (tmp_path / "orders.head").exists)
    lines.append({"order": "allow"})
    assert disk[:2] == [("orders", False), ("orders.head.new", False)]
    assert (tmp_path / "orders.head").exists()


class OvertakenLines(SignedLines):
    """Lines to which another process appends one each time that they have been read."""

    def _whole(self) -> list[bytes]:
        found = super()._whole()
        SignedLines(self.path, vault_files.PURPOSE, PLAN.event, VAULT).append({"order": "allow"})
        return found


def test_an_order_that_is_given_while_the_vault_reads_is_heard_the_next_time(tmp_path: Path) -> None:
    lines = OvertakenLines(tmp_path / "orders", vault_files.PURPOSE, PLAN.event, VAULT)
    assert [len(lines.new()) for _ in range(3)] == [0, 1, 1]


def test_a_vaults_folder_keeps_the_start_that_it_was_first_used_under(tmp_path: Path) -> None:
    keep_start(tmp_path / "vault", STARTED.start)
    keep_start(tmp_path / "vault", STARTED.start)
    with pytest.raises(DocumentError, match="an event has one start"):
        keep_start(tmp_path / "vault", structs.replace(STARTED.start, public="another"))


def test_a_slip_file_that_a_power_cut_emptied_or_of_another_deal_is_named_and_set_aside_and_the_others_are_kept(
    hall: Hall, tmp_path: Path
) -> None:
    hall.play_all(2)
    released = {n: publish_slip(tmp_path / "released", n, slip) for n, slip in hall.slips.items()}
    slip = released[1].read_bytes()
    for round_, aside in enumerate(("slip-0001.bad", "slip-0001.bad-2"), 1):
        released[1].write_bytes(b"")
        slips, sentences = sound_slips(tmp_path / "released", STARTED)
        assert [kept.n for kept in slips] == [2]
        assert [sentence.split(" is not the slip of deal 1 (")[0] for sentence in sentences] == [str(released[1])]
        assert f"it is set aside as {aside}, and the slip is made again" in sentences[0]
        assert len(list((tmp_path / "released").glob("slip-0001.bad*"))) == round_
        assert publish_slip(tmp_path / "released", 1, slip) == released[1]
    assert [kept.n for kept in sound_slips(tmp_path / "released", STARTED)[0]] == [1, 2]
    released[1].write_bytes(released[2].read_bytes())
    slips, sentences = sound_slips(tmp_path / "released", STARTED)
    assert ([kept.n for kept in slips], len(sentences)) == ([2], 1)
    assert "(it is the slip of deal 2)" in sentences[0]


def test_a_key_is_made_once_and_its_public_key_printed_every_time(tmp_path: Path, twinwall: Twinwall) -> None:
    first, again = (twinwall("vault", "key", tmp_path / "table-1.key").out.strip() for _ in range(2))
    assert (again, len(first)) == (first, 64)


def test_a_seed_is_published_as_its_raw_bytes_and_another_passphrase_opens_nothing(tmp_path: Path, twinwall: Twinwall) -> None:
    """The seed is sealed at a cost that takes no time: at full cost each passphrase takes a second of processor time."""
    seed, out = tmp_path / "server.seed", tmp_path / "commitments.json"
    cheap = Cost(memory_kib=64, passes=1, lanes=1)
    seed.write_bytes(write_seed(SEEDS["server"], "server", PASSPHRASE, salt=b"s" * 16, nonce=b"n" * 12, cost=cheap))
    twinwall("vault", "reveal", seed, "--out", tmp_path / "published", passphrase=PASSPHRASE)
    assert (tmp_path / "published").read_bytes() == SEEDS["server"].content
    (tmp_path / "plan.json").write_bytes(PLAN.canonical)
    twinwall("vault", "commit", tmp_path / "plan.json", "--seed", seed, "--out", out, passphrase="x" * 20, code=2)
    assert not out.exists()


def test_a_passphrase_that_is_too_short_or_missing_writes_nothing(tmp_path: Path, twinwall: Twinwall) -> None:
    for passphrase, said in (("short", "take 12 or more"), ("", "")):
        assert said in twinwall("vault", "seed", "--out", tmp_path / "seed", passphrase=passphrase, code=2).err
    reading, writing = os.pipe()
    os.write(writing, "Schlüsselbund".encode("latin-1"))
    os.close(writing)
    for descriptor in (reading, -1, 2**64):
        said = twinwall("vault", "seed", "--out", tmp_path / "seed", "--passphrase-fd", descriptor, code=2).err
        assert "no open file descriptor with UTF-8 text" in said
    assert not (tmp_path / "seed").exists()


def test_the_vaults_process_can_neither_be_dumped_nor_traced() -> None:
    program = (
        "import ctypes, resource\n"
        "from twinwall.custody.process_protection import keep_out_of_dumps\n"
        "keep_out_of_dumps()\n"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), resource.getrlimit(resource.RLIMIT_CORE))\n"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout
    assert shown == "0 (0, 0)\n"


SWAPS = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/dev/sda2                               partition\t1000\t\t0\t\t-2\n"


@pytest.mark.parametrize(
    ("swaps", "locked", "said"),
    [
        (SWAPS.splitlines(keepends=True)[0], False, None),
        ("", True, None),
        (SWAPS, True, r"swap is on \(/dev/sda2\): this process's pages stay in memory, but keys in a folder in memory"),
        (SWAPS, False, r"swap is on \(/dev/sda2\): this process may not lock its pages \(LimitMEMLOCK=infinity\)"),
    ],
)
def test_swap_is_told_with_what_to_do(swaps: str, said: str | None, *, locked: bool) -> None:
    sentence = swap_warning(swaps, locked=locked)
    assert (sentence is None) if said is None else (sentence is not None and re.match(said, sentence) is not None)


SEED = Seed(bytes(range(SEED_SIZE)))
OF_SEEDS = "correct horse battery staple"
CHEAP = Cost(memory_kib=64, passes=1, lanes=1)
CONTENT = write_seed(SEED, "server", OF_SEEDS, salt=b"s" * 16, nonce=b"n" * 12, cost=CHEAP)


def test_a_seed_opens_with_its_passphrase_however_the_keyboard_composes_its_letters() -> None:
    assert read_seed(CONTENT, OF_SEEDS) == ("server", SEED)
    content = write_seed(SEED, "server", "vierzehn h\u00fcte", salt=b"s" * 16, nonce=b"n" * 12, cost=CHEAP)
    assert read_seed(content, "vierzehn hu\u0308te") == ("server", SEED)


def test_the_file_names_its_form_and_holds_no_seed_in_the_clear() -> None:
    written = json.loads(CONTENT)
    assert written["format"] == "twinwall-seed-file-1"
    assert written["commitment"] == "81260ae3c0efb8155a4b06f62ca534698f586b6ade77ad5902a6c6b29c8389ed"
    assert SEED.content.hex()[:32] not in CONTENT.decode()


def test_what_is_written_by_default_costs_what_the_documents_say() -> None:
    assert (COST.memory_kib, COST.passes, COST.lanes) == (256 * 1024, 3, 4)


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
        read_seed(json.dumps(change(json.loads(CONTENT))).encode(), OF_SEEDS)


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
    assert (present.started, present.commitments) == (STARTED, COMMITMENTS)
    assert read_seed(present.seed_file.read_bytes(), "four quiet random words") == ("server", SEEDS["server"])
