"""Seals and statements: only one table's key opens a deal, and only the table says where it stands."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from twinwall.game.documents import DocumentError, canonical_json
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootSecrets, Statement, read_statement, sign_twice
from twinwall.wire.messages.commands import open_command
from twinwall.wire.messages.signing import (
    Counter,
    Recipient,
    Repeats,
    SealedDealError,
    SealingKey,
    SignatureError,
    Signer,
    fingerprint,
    open_signed,
    read_sealed,
    read_signer,
    seal_deal,
    unseal,
    vault_names,
    write_signing_key,
)

VAULT = Signer("vault", b"\x03" * 32)
TRUSTED = {"vault": VAULT.public}
ONE, TWO = SealingKey(b"\x11" * 32), SealingKey(b"\x12" * 32)
TO_ONE = Recipient("Autumn", "1", b"\xaa" * 32)
OPENING = b"what opens deal 7"
SEALED = seal_deal(VAULT, TO_ONE, 7, OPENING, ONE.public)
BOOT = BootSecrets(ONE, Signer("1", b"\x08" * 32))
STATEMENT = Statement.of(BOOT.public, "cd" * 16, LedgerPosition("j1", 12, "ab" * 32), (7, 8), counter=99)
TABLE = Signer("1", b"\x05" * 32)


def test_what_is_sealed_to_a_table_opens_there() -> None:
    sealed = read_sealed(SEALED, TO_ONE, TRUSTED)
    assert (sealed.n, unseal(sealed, TO_ONE, ONE)) == (7, OPENING)


def test_a_sealed_deal_cannot_be_read_on_the_way() -> None:
    assert OPENING not in SEALED
    assert OPENING.hex().encode() not in SEALED


def test_a_foreign_table_cannot_open_it_even_if_it_passes_for_the_one_it_is_meant_for() -> None:
    forged = replace(read_sealed(SEALED, TO_ONE, TRUSTED), to=TWO.public)
    with pytest.raises(SealedDealError, match="made for another table"):
        unseal(forged, TO_ONE, TWO)


def test_the_seal_itself_is_bound_to_number_and_root() -> None:
    sealed = read_sealed(SEALED, TO_ONE, TRUSTED)
    for moved, recipient in ((replace(sealed, n=8), TO_ONE), (sealed, replace(TO_ONE, root=b"\xbb" * 32))):
        with pytest.raises(SealedDealError):
            unseal(moved, recipient, ONE)


def signed_deal(**changes: object) -> bytes:
    """A sealed deal of another form, which the vault has signed all the same."""
    document = {"format": "twinwall-sealed-deal-2", "n": 7, "to": "11" * 32, "sealed": "", **changes}
    return VAULT.sign("twinwall-sealed-deal-2", "Autumn", "1", document)


@pytest.mark.parametrize(
    ("payload", "recipient", "key", "reason"),
    [
        pytest.param(SEALED, TO_ONE, TWO, "seal", id="opened by another table"),
        pytest.param(SEALED, replace(TO_ONE, event="Spring"), ONE, "signature", id="of another event"),
        pytest.param(SEALED, replace(TO_ONE, table="2"), ONE, "signature", id="of another table"),
        pytest.param(SEALED.replace(b'"n":7', b'"n":8'), TO_ONE, ONE, "signature", id="altered"),
        pytest.param(
            seal_deal(Signer("vault", b"\x04" * 32), TO_ONE, 7, OPENING, ONE.public), TO_ONE, ONE, "signature", id="made by another"
        ),
        pytest.param(b"\xff", TO_ONE, ONE, "format", id="no document"),
        pytest.param(signed_deal(format="twinwall-sealed-deal-9"), TO_ONE, ONE, "format", id="of another format"),
        pytest.param(signed_deal(to="11" * 31), TO_ONE, ONE, "format", id="to a short key"),
        pytest.param(signed_deal(sealed="xy"), TO_ONE, ONE, "format", id="not in hex"),
        pytest.param(signed_deal(tile="5m"), TO_ONE, ONE, "format", id="with a tile beside"),
        pytest.param(signed_deal(n=0), TO_ONE, ONE, "format", id="of no deal"),
    ],
)
def test_another_sealed_deal_is_refused_with_its_reason(payload: bytes, recipient: Recipient, key: SealingKey, reason: str) -> None:
    with pytest.raises(SealedDealError) as refused:
        unseal(read_sealed(payload, recipient, TRUSTED), recipient, key)
    assert refused.value.reason == reason


def test_a_fingerprint_is_sixteen_digits_to_be_read_out() -> None:
    assert [len(part) for part in fingerprint(ONE.public).split(" ")] == [4, 4, 4, 4]
    assert fingerprint(ONE.public) != fingerprint(TWO.public)


@pytest.mark.parametrize(
    ("signer", "table", "named"),
    [(Signer("1", b"\x06" * 32), "1", "not signed by '1'"), (TABLE, "2", "'2'"), (Signer("2", b"\x06" * 32), "1", "signed by '2'")],
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


SERVER, OTHER = Signer("server", b"\x01" * 32), Signer("server", b"\x02" * 32)
SIGNERS = {"server": SERVER.public}
SIGNED = SERVER.sign("greeting-1", "Autumn", "1", {"words": "good morning"})


def test_what_was_signed_reads_back_without_its_signature() -> None:
    assert open_signed("greeting-1", "Autumn", "1", SIGNED, SIGNERS) == {"by": "server", "words": "good morning"}


@pytest.mark.parametrize(
    ("purpose", "event", "table"), [("greeting-2", "Autumn", "1"), ("greeting-1", "Spring", "1"), ("greeting-1", "Autumn", "2")]
)
def test_a_signature_means_nothing_for_another_purpose_event_or_table(purpose: str, event: str, table: str) -> None:
    with pytest.raises(SignatureError, match="meant for another"):
        open_signed(purpose, event, table, SIGNED, SIGNERS)


A_LETTER = next(place for place in range(SIGNED.index(b'"signature":"') + 13, len(SIGNED)) if chr(SIGNED[place]) in "abcdef")


@given(st.integers(0, len(SIGNED) - 1), st.integers(1, 255))
@example(A_LETTER, 0x20)
def test_no_byte_of_a_signed_document_can_be_changed(place: int, change: int) -> None:
    altered = SIGNED[:place] + bytes([SIGNED[place] ^ change]) + SIGNED[place + 1 :]
    with pytest.raises(DocumentError):
        open_signed("greeting-1", "Autumn", "1", altered, SIGNERS)


@pytest.mark.parametrize(
    ("trusted", "said"),
    [
        ({"server": OTHER.public}, "not signed by 'server'"),
        ({"vault": SERVER.public}, r"signed by 'server', who is not trusted here \(trusted: vault\)"),
    ],
)
def test_another_key_under_the_same_name_or_a_name_that_is_not_trusted_is_refused(trusted: dict[str, bytes], said: str) -> None:
    with pytest.raises(SignatureError, match=said):
        open_signed("greeting-1", "Autumn", "1", SIGNED, trusted)


@pytest.mark.parametrize("payload", [b"", b"[]", b"{}\n", b'{"by":"server"}\n', b'{"by":"server","signature":7}\n', b'{"by": "server"}\n'])
def test_what_carries_no_signature_is_refused(payload: bytes) -> None:
    with pytest.raises(DocumentError):
        open_signed("greeting-1", "Autumn", "1", payload, SIGNERS)


def test_a_key_file_is_private_or_refused_reads_back_unshown_and_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "table.key"
    write_signing_key(path, b"\x07" * 32)
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_signer("1", path) == Signer("1", b"\x07" * 32)
    assert "\\x07" not in repr(read_signer("1", path))
    with pytest.raises(FileExistsError):
        write_signing_key(path, b"\x08" * 32)
    path.chmod(0o640)
    with pytest.raises(DocumentError, match="chmod 600"):
        read_signer("1", path)


@pytest.mark.parametrize("content", ["", "07" * 32, "twinwall-signing-key-1 07", f"twinwall-signing-key-1 {'XY' * 32}"])
def test_a_file_that_holds_no_key_is_refused_with_what_to_do(tmp_path: Path, content: str) -> None:
    path = tmp_path / "table.key"
    path.write_text(content)
    with pytest.raises(DocumentError, match=r"table\.key .* twinwall vault key"):
        read_signer("1", path)


def test_counters_rise_even_when_the_clock_stands_or_goes_back() -> None:
    times = iter([1000, 1000, 400, 2000])
    counter = Counter(lambda: next(times))
    assert [counter.next() for _ in range(4)] == [1000, 1001, 1002, 2000]


def test_a_kept_counter_rises_though_the_clock_was_set_back_and_one_that_is_no_number_is_refused_by_name(tmp_path: Path) -> None:
    before = Counter(lambda: 9_000_000, tmp_path / "counter")
    given = [before.next() for _ in range(3)]
    assert Counter(lambda: 5, tmp_path / "counter").next() > max(given)
    (tmp_path / "counter").write_text("many\n")
    with pytest.raises(DocumentError, match="counter must hold one number"):
        Counter(lambda: 5, tmp_path / "counter")


def test_a_counter_counts_once_for_each_signer() -> None:
    repeats = Repeats()
    heard = [("server", 5), ("server", 5), ("server", 4), ("vault", 4), ("server", 6)]
    assert [repeats.is_new(by, counter) for by, counter in heard] == [True, False, False, True, True]


@pytest.mark.parametrize(
    ("document", "named"),
    [
        ({"type": "reboot", "id": "a", "counter": 1}, "reboot"),
        ({"type": "resend", "journal": "j", "from": 1, "to": 2, "counter": 1}, "id"),
        ({"type": "resend", "journal": "j", "from": 1, "to": 2, "id": "a", "counter": -1}, "counter"),
        ({"type": "resend", "journal": "j", "from": 1, "to": 2, "id": "a", "counter": 1, "now": 1}, "now"),
    ],
)
def test_another_signed_command_is_refused_by_name(document: dict[str, object], named: str) -> None:
    with pytest.raises(DocumentError, match=named):
        open_command(SERVER.sign("twinwall-command-1", "Autumn", "1", document), "Autumn", "1", SIGNERS)


def test_a_command_without_a_signature_is_refused_where_commands_are_signed() -> None:
    with pytest.raises(DocumentError, match="not trusted"):
        open_command(canonical_json({"type": "resend", "journal": "j", "from": 1, "to": 2}), "Autumn", "1", SIGNERS)
