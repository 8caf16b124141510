"""Attack 5: somebody adds to the vault's ledger that a table has finished the deal that it still plays."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.custody.hall import PLAN, VAULT, Hall
from twinwall.custody.release import DealFinished, DealStarted
from twinwall.custody.vault_files import VaultLedger, of_last_session
from twinwall.game.documents import DocumentError, canonical_json
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.signing import Signer

INVENTED = LedgerPosition("j1", 40, "ab" * 32)
THIEF = Signer("vault", b"\x66" * 32)


@pytest.fixture
def folder(hall: Hall, tmp_path: Path) -> Path:
    """The vault's folder, with its ledger as the session has made it so far."""
    ledger = VaultLedger(tmp_path / "vault", PLAN.event, VAULT)
    for kept in hall.kept:
        ledger.keep(kept)
    return tmp_path / "vault"


def start_again(hall: Hall, folder: Path) -> None:
    hall.kept[:] = of_last_session(VaultLedger(folder, PLAN.event, VAULT).read())
    hall.kill_vault()
    hall.tick()


def lines_of(folder: Path) -> list[bytes]:
    return (folder / "ledger").read_bytes().splitlines(keepends=True)


def finished(n: int = 1) -> dict[str, object]:
    where: dict[str, object] = {"journal": INVENTED.journal, "seq": INVENTED.seq, "digest": INVENTED.digest}
    return {"type": "deal-finished", "table": "2", "n": n, **where}


def signed_by_another(lines: list[bytes]) -> list[bytes]:
    document = {**finished(), "line": len(lines) + 1, "prev": "ab" * 32}
    return [*lines, THIEF.sign("twinwall-vault-ledger-2", PLAN.event, "", document)]


def edited(lines: list[bytes]) -> list[bytes]:
    return [*lines[:-1], lines[-1].replace(b'"deal-started"', b'"deal-finished"').replace(b'"n":2', b'"n":1')]


HARMS: dict[str, tuple[Callable[[list[bytes]], list[bytes]], int]] = {
    "unsigned": (lambda lines: [*lines, canonical_json(finished())], 6),
    "signed by another": (signed_by_another, 6),
    "edited": (edited, 5),
    "left out": (lambda lines: [*lines[:1], *lines[2:]], 2),
    "moved": (lambda lines: [lines[1], lines[0], *lines[2:]], 1),
    "doubled": (lambda lines: [*lines, lines[-1]], 6),
    "cut off": (lambda lines: lines[:-1], 5),
}


@pytest.mark.parametrize(("harm", "number"), HARMS.values(), ids=HARMS)
def test_a_ledger_that_the_vault_did_not_write_is_refused_by_line_number(
    hall: Hall, folder: Path, harm: Callable[[list[bytes]], list[bytes]], number: int
) -> None:
    lines = lines_of(folder)
    assert len(lines) == 5, "two keys, and what has been started and finished"
    (folder / "ledger").write_bytes(b"".join(harm(lines)))
    with pytest.raises(DocumentError, match=f"ledger, line {number}: "):
        start_again(hall, folder)
    assert hall.slips == {}


def test_a_ledger_whose_head_was_removed_is_refused(hall: Hall, folder: Path) -> None:
    (folder / "ledger.head").unlink()
    with pytest.raises(DocumentError, match="is missing: lines may have been cut off"):
        start_again(hall, folder)


def test_what_a_power_cut_leaves_behind_is_read(hall: Hall, folder: Path) -> None:
    """Half a line, or a whole one that the head does not count yet."""
    head = (folder / "ledger.head").read_bytes()
    VaultLedger(folder, PLAN.event, VAULT).keep(DealStarted("1", 2, hall.tables["1"].head))
    (folder / "ledger.head").write_bytes(head)
    with (folder / "ledger").open("ab") as file:
        file.write(b'{"by":"vau')
    assert len(VaultLedger(folder, PLAN.event, VAULT).read()) == 6


def forge(folder: Path, line: LedgerPosition) -> None:
    """With the vault's key: table 2 has finished deal 1, as a line of its ledger says."""
    VaultLedger(folder, PLAN.event, VAULT).keep(DealFinished("2", 1, line))


@pytest.mark.parametrize("line", [INVENTED, LedgerPosition("another", 1, "ab" * 32), LedgerPosition("j1", 1, "ab" * 32)])
def test_progress_that_the_tables_head_contradicts_releases_nothing_even_when_the_vaults_key_signed_it(
    hall: Hall, folder: Path, line: LedgerPosition
) -> None:
    forge(folder, line)
    start_again(hall, folder)
    assert hall.slips == {}, "not before the table has said where it stands"
    hall.settle()
    assert hall.slips == {}
    told = [sentence for sentence in hall.sentences if "whose own ledger ends at line" in sentence or "does not follow line" in sentence]
    assert len(told) == 1


def test_control_with_the_vaults_key_and_a_line_that_the_table_signed_the_deal_is_released(hall: Hall, folder: Path) -> None:
    forge(folder, hall.tables["2"].head)
    start_again(hall, folder)
    hall.settle()
    assert list(hall.slips) == [1]
