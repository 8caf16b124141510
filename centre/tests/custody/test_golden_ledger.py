"""The ledger of the centre's vault as versions 3 and 4 have written it: it is read, and written again it is the same to the last byte."""

from pathlib import Path

from centre.custody.field_ledger import FIELD_LEDGER
from centre.tests.support.field_halls import centre_signer
from tests.support.custody.hall import EVENT
from twinwall.custody.vault_ledger import VaultLedger

GOLDEN = Path(__file__).parent / "golden"


def test_every_kind_of_entry_is_read_and_written_the_same(tmp_path: Path) -> None:
    again, signer = VaultLedger(tmp_path, EVENT, centre_signer("server"), FIELD_LEDGER), centre_signer("server")
    for entry in VaultLedger(GOLDEN, EVENT, signer, FIELD_LEDGER).read():
        again.keep(entry)
    assert [(tmp_path / name).read_bytes() == (GOLDEN / name).read_bytes() for name in ("field", "field.head")] == [True, True]
