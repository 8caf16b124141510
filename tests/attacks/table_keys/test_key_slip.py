"""Attack: a table without network is to open a journal with a slip that was not made for it, or to give its key to a copy.

Whoever does this has a phone that he may hold under a table's camera, a copy of a table's disk, and what he has filmed of other codes:
requests on tables' screens and slips on phones. All codes are drawn and read by OpenCV as a camera sees them.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from controller.adapters.journal_keys import JournalKeyRequest
from tests.support.custody.hall import EVENT, VAULT, Hall, boot_of
from tests.support.custody.keyed_table import KEY, KeyedTable, allow, keyed_tables
from tests.support.narrowed import present
from tests.support.vision.pictures import seen_phone
from twinwall.custody.table_rules import RevokeKey
from twinwall.game.documents import DocumentError
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.vaults.journal_key import GivenKeyPiece, give_journal_key
from twinwall.wire.messages.vaults.key_codes import read_request_text, request_text, slip_texts
from twinwall.wire.mqtt.topics import Channel, Topic
from vision.cameras.qr_codes import QrCodes


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    hall = Hall(tmp_path)
    yield hall
    hall.close()


@pytest.fixture
def tables(hall: Hall) -> dict[str, KeyedTable]:
    """Both tables play; then table 1 loses power and network."""
    tables = keyed_tables(hall)
    tables["1"].cut_power()
    hall.cut("1")
    return tables


def scanned(request: bytes) -> bytes:
    """What a phone's camera has read of the code on a table's screen."""
    (text,) = QrCodes().read(seen_phone(request_text(request), np.random.default_rng(5), module_px=8))
    return read_request_text(text).message


def carried(hall: Hall, name: str, request: bytes) -> list[bytes]:
    """A referee's phone brings a request to the vault; what the vault answers."""
    before = len(hall.sent)
    hall.arrive(str(Topic(EVENT, name, Channel.KEY_REQUEST)), request)
    key_topic = str(Topic(EVENT, name, Channel.JOURNAL_KEY))
    return [payload for to, payload in hall.sent[before:] if to == key_topic]


def shown(keyed: KeyedTable, texts: Iterable[str]) -> GivenKeyPiece | None:
    """A phone under the camera of a table shows codes, each until it is read; the key piece that the table has taken."""
    deals, chance, reader = keyed.table.deals, np.random.default_rng(7), QrCodes()
    parts = JournalKeyRequest(deals, {"vault": keyed.files.kept()}, LedgerPosition("unknown")).slip_parts()
    for text in texts:
        for _frame in range(6):
            found = reader.read(seen_phone(text, chance))
            for read in found:
                given = parts.take(read)
                if given is not None:
                    return deals.identity.journal_key(given)
            if found:
                break
    return None


def test_control_the_slip_of_this_table_and_boot_gives_its_key_back(hall: Hall, tables: dict[str, KeyedTable]) -> None:
    table = tables["1"]
    allow(hall, "1", 1)
    (given,) = carried(hall, "1", scanned(table.request()))
    taken = present(shown(table, slip_texts(given, "1")))
    assert (taken.by, taken.piece, taken.known.seq > 0) == ("vault", KEY, True)


def test_the_slip_of_another_table_is_refused_by_name(hall: Hall, tables: dict[str, KeyedTable]) -> None:
    other = tables["2"]
    other.cut_power()
    allow(hall, "2", 1)
    (given,) = carried(hall, "2", other.request())
    with pytest.raises(DocumentError, match="this slip is for table '2', and this is table '1'"):
        shown(tables["1"], slip_texts(given, "2"))
    with pytest.raises(DocumentError, match="altered, or meant for another"):
        tables["1"].table.deals.identity.journal_key(given)


def test_a_slip_from_before_the_last_power_cut_opens_nothing(hall: Hall, tables: dict[str, KeyedTable]) -> None:
    """Somebody has filmed it, and has taken the disk since."""
    table = tables["1"]
    allow(hall, "1", 1)
    (filmed,) = carried(hall, "1", table.request())
    table.cut_power()
    with pytest.raises(DocumentError, match="made for other boot keys"):
        shown(table, slip_texts(filmed, "1"))
    with pytest.raises(DocumentError, match="sealed to other boot keys"):
        table.table.deals.identity.journal_key(filmed)


def test_the_request_of_a_copied_disk_is_given_nothing_and_a_person_is_asked(hall: Hall, tables: dict[str, KeyedTable]) -> None:
    """The referee has allowed the keys of the table beside which he stands; the copy has boot keys of its own."""
    copy = tables["1"]
    allow(hall, "1", 1)
    copy.boot += 1
    copy.start()
    assert carried(hall, "1", scanned(copy.request())) == []
    assert any(boot_of("1", 2).public.fingerprint in sentence and "shows new boot keys" in sentence for sentence in hall.sentences)


def test_a_request_that_names_the_boot_keys_of_the_table_without_holding_them_is_refused(hall: Hall, tables: dict[str, KeyedTable]) -> None:
    """The keys are on the table's screen for everybody; the copy signs with the identity key of the disk."""
    copy = tables["1"]
    allow(hall, "1", 1)
    filmed = copy.request()
    copy.boot += 1
    copy.start()
    forged = copy.request().replace(boot_of("1", 2).public.sealing.hex().encode(), boot_of("1", 1).public.sealing.hex().encode())
    assert forged != filmed
    assert carried(hall, "1", forged) == []
    assert any("the key request of table '1' is refused" in sentence for sentence in hall.sentences)


def test_revoked_boot_keys_are_given_no_slip(hall: Hall, tables: dict[str, KeyedTable]) -> None:
    allow(hall, "1", 1)
    hall.order(RevokeKey("1", boot_of("1", 1).public.fingerprint))
    assert carried(hall, "1", tables["1"].request()) == []


def test_a_request_that_was_filmed_changes_nothing_at_the_vault(hall: Hall, tables: dict[str, KeyedTable]) -> None:
    """It carries no challenge. Were the boot keys of an earlier boot accepted again, what the table plays would not count."""
    table = tables["1"]
    allow(hall, "1", 1)
    filmed = table.request()
    kept, state = len(hall.kept), hall.vault.state
    assert len(carried(hall, "1", filmed)) == 1
    assert (len(hall.kept), hall.vault.state) == (kept, state)


def test_a_request_whose_kept_key_is_another_tables_is_given_nothing(hall: Hall, tables: dict[str, KeyedTable]) -> None:
    """Table 2 is honest to the vault and asks with what it has found on the disk of table 1."""
    assert carried(hall, "2", tables["2"].table.deals.identity.key_request({"vault": tables["1"].files.kept()})) == []
    assert any("was not sealed to this vault for this table and event" in sentence for sentence in hall.sentences)


def test_a_slip_that_the_vault_did_not_sign_is_refused(tables: dict[str, KeyedTable]) -> None:
    table = tables["1"]
    forger = Signer("vault", b"\x66" * 32)
    forged = give_journal_key(forger, EVENT, "1", b"\x00" * 32, to=boot_of("1", 1).public.sealing, known=None)
    with pytest.raises(DocumentError, match="not signed by 'vault'"):
        shown(table, slip_texts(forged, "1"))


def test_control_whoever_has_the_vaults_key_makes_a_slip_that_the_table_takes(tables: dict[str, KeyedTable]) -> None:
    forged = give_journal_key(VAULT, EVENT, "1", b"\x00" * 32, to=boot_of("1", 1).public.sealing, known=None)
    assert present(shown(tables["1"], slip_texts(forged, "1"))).piece == b"\x00" * 32


def test_control_a_copy_whose_keys_a_person_has_allowed_is_given_the_key(hall: Hall, tables: dict[str, KeyedTable]) -> None:
    """Somebody has allowed its digits without looking at the table."""
    copy = tables["1"]
    copy.boot += 1
    copy.start()
    allow(hall, "1", 2)
    (given,) = carried(hall, "1", copy.request())
    assert copy.table.deals.identity.journal_key(given).piece == KEY
