"""Seals and statements: only one table's key opens a deal, and only the table says where it stands."""

from dataclasses import replace

import pytest

from twinwall.game.documents import DocumentError
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootSecrets, sign_twice
from twinwall.wire.messages.sealing import Recipient, SealedDealError, SealingKey, fingerprint, read_sealed, seal_deal, unseal, vault_names
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.statement import Statement, read_statement

VAULT = Signer("vault", b"\x03" * 32)
TRUSTED = {"vault": VAULT.public}
ONE, TWO = SealingKey(b"\x11" * 32), SealingKey(b"\x12" * 32)
TO_ONE = Recipient("Autumn", "1", b"\xaa" * 32)
OPENING = b"what opens deal 7"
SEALED = seal_deal(VAULT, TO_ONE, 7, OPENING, ONE.public)
BOOT = BootSecrets(ONE, Signer("1", b"\x08" * 32))
STATEMENT = Statement.of(BOOT.public, "cd" * 16, LedgerPosition("j1", 12, "ab" * 32), (7, 8), counter=99)
TABLE = Signer("1", b"\x05" * 32)


def reason_of(payload: bytes, recipient: Recipient = TO_ONE, key: SealingKey = ONE) -> str:
    """Why it does not open."""
    with pytest.raises(SealedDealError) as refused:
        unseal(read_sealed(payload, recipient, TRUSTED), recipient, key)
    return refused.value.reason


def test_what_is_sealed_to_a_table_opens_there() -> None:
    sealed = read_sealed(SEALED, TO_ONE, TRUSTED)
    assert (sealed.n, unseal(sealed, TO_ONE, ONE)) == (7, OPENING)


def test_a_sealed_deal_cannot_be_read_on_the_way() -> None:
    assert OPENING not in SEALED
    assert OPENING.hex().encode() not in SEALED


def test_a_foreign_table_cannot_open_it_even_if_it_passes_for_the_one_it_is_meant_for() -> None:
    assert reason_of(SEALED, key=TWO) == "seal"
    forged = read_sealed(seal_deal(VAULT, TO_ONE, 7, OPENING, ONE.public), TO_ONE, TRUSTED)
    with pytest.raises(SealedDealError, match="made for another table"):
        unseal(replace(forged, to=TWO.public), TO_ONE, TWO)


@pytest.mark.parametrize("other", [replace(TO_ONE, event="Spring"), replace(TO_ONE, table="2")], ids=["another event", "another table"])
def test_a_sealed_deal_of_another_event_or_table_is_refused_by_its_signature(other: Recipient) -> None:
    assert reason_of(SEALED, recipient=other) == "signature"


def test_the_seal_itself_is_bound_to_number_and_root() -> None:
    sealed = read_sealed(SEALED, TO_ONE, TRUSTED)
    for moved, recipient in ((replace(sealed, n=8), TO_ONE), (sealed, replace(TO_ONE, root=b"\xbb" * 32))):
        with pytest.raises(SealedDealError):
            unseal(moved, recipient, ONE)


def test_an_altered_sealed_deal_is_refused_by_its_signature() -> None:
    assert reason_of(SEALED.replace(b'"n":7', b'"n":8')) == "signature"


def test_one_that_somebody_else_made_is_refused() -> None:
    assert reason_of(seal_deal(Signer("vault", b"\x04" * 32), TO_ONE, 7, OPENING, ONE.public)) == "signature"


@pytest.mark.parametrize(
    "document",
    [
        {"format": "twinwall-sealed-deal-9", "n": 7, "to": "11" * 32, "sealed": ""},
        {"format": "twinwall-sealed-deal-2", "n": 7, "to": "11" * 31, "sealed": ""},
        {"format": "twinwall-sealed-deal-2", "n": 7, "to": "11" * 32, "sealed": "xy"},
        {"format": "twinwall-sealed-deal-2", "n": 7, "to": "11" * 32, "sealed": "", "tile": "5m"},
        {"format": "twinwall-sealed-deal-2", "n": 0, "to": "11" * 32, "sealed": ""},
    ],
)
def test_another_form_is_refused_even_when_the_vault_signed_it(document: dict[str, object]) -> None:
    assert reason_of(VAULT.sign("twinwall-sealed-deal-2", "Autumn", "1", document)) == "format"


def test_bytes_that_are_no_document_are_refused() -> None:
    assert reason_of(b"\xff") == "format"


def test_a_fingerprint_is_sixteen_digits_to_be_read_out() -> None:
    assert [len(part) for part in fingerprint(ONE.public).split(" ")] == [4, 4, 4, 4]
    assert fingerprint(ONE.public) != fingerprint(TWO.public)


def test_a_statement_reads_back() -> None:
    payload = sign_twice(TABLE, BOOT.signer, STATEMENT, "Autumn", "1")
    assert read_statement(payload, "Autumn", "1", {"1": TABLE.public}) == STATEMENT


@pytest.mark.parametrize(
    ("signer", "table", "named"),
    [
        (Signer("1", b"\x06" * 32), "1", "not signed by '1'"),
        (TABLE, "2", "'2'"),
        (Signer("2", b"\x06" * 32), "1", "signed by '2'"),
    ],
)
def test_a_statement_in_another_tables_name_is_refused(signer: Signer, table: str, named: str) -> None:
    payload = sign_twice(signer, BOOT.signer, STATEMENT, "Autumn", "1")
    with pytest.raises(DocumentError, match=named):
        read_statement(payload, "Autumn", table, {"1": TABLE.public, "2": Signer("2", b"\x06" * 32).public})


DOCUMENT: dict[str, object] = {
    "format": "twinwall-statement-4",
    "to": "vault",
    "sealing_key": BOOT.public.sealing.hex(),
    "signing_key": BOOT.public.signing.hex(),
    "challenge": "cd" * 16,
    "journal": "j",
    "seq": 1,
    "digest": "ab" * 32,
    "holds": [],
    "counter": 1,
    "journal_key": "",
}


def signed_twice(document: dict[str, object]) -> bytes:
    boot = BOOT.signer.signature("twinwall-statement-4-boot", "Autumn", "1", document)
    return TABLE.sign("twinwall-statement-4", "Autumn", "1", {**document, "boot": boot})


def test_the_statement_of_the_reference_is_read() -> None:
    assert read_statement(signed_twice(DOCUMENT), "Autumn", "1", {"1": TABLE.public}).counter == 1


@pytest.mark.parametrize(
    "change",
    [
        {"counter": -1},
        {"holds": ["7"]},
        {"seq": True},
        {"tile": "5m"},
        {"format": "x"},
        {"to": ""},
        {"sealing_key": "ab"},
        {"challenge": "AB" * 16},
        {"challenge": "ab"},
        {"journal_key": "AB"},
        {"journal_key": "ab" * 300},
    ],
)
def test_another_statement_is_refused_even_when_the_table_signed_it(change: dict[str, object]) -> None:
    with pytest.raises(DocumentError):
        read_statement(signed_twice(DOCUMENT | change), "Autumn", "1", {"1": TABLE.public})


@pytest.mark.parametrize("changed", ["sealing_key", "signing_key", "challenge"])
def test_a_statement_whose_boot_signature_is_over_another_key_or_challenge_is_refused(changed: str) -> None:
    """The identity key signs what the boot key has not: this is what a copy of the disk can make of what it has heard."""
    boot = BOOT.signer.signature("twinwall-statement-4-boot", "Autumn", "1", DOCUMENT)
    other = {**DOCUMENT, changed: "ee" * (len(str(DOCUMENT[changed])) // 2), "boot": boot}
    with pytest.raises(DocumentError, match="without a signature under them"):
        read_statement(TABLE.sign("twinwall-statement-4", "Autumn", "1", other), "Autumn", "1", {"1": TABLE.public})


def test_each_holders_vault_has_a_name_of_its_own_that_a_topic_and_a_certificate_can_hold() -> None:
    assert vault_names(["server", "witness", "club Süd/2.1"]) == {
        "server": "vault",
        "witness": "vault-witness",
        "club Süd/2.1": "vault-club%20S%C3%BCd%2F2%2E1",
    }
