"""Codes of key requests and key slips: what a phone and a camera carry is the message that was signed, and nothing else passes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.tiers import examples
from twinwall.game.documents import DocumentError
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootSecrets
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.vaults.journal_key import give_journal_key
from twinwall.wire.messages.vaults.key_codes import CHUNK, SlipParts, read_request_text, request_text, slip_texts
from twinwall.wire.messages.vaults.key_request import KeyRequest, read_key_request, write_key_request

EVENT = "Autumn / Herbst"
IDENTITY = Signer("2", b"i" * 32)
VAULTS = tuple(Signer(name, name.encode().ljust(32, b"v")) for name in ("vault", "vault-witness"))
TRUSTED = {"2": IDENTITY.public}


def boot_of(number: int) -> BootSecrets:
    return BootSecrets.from_bytes("2", bytes([number]) * 64)


def request_of(boot: BootSecrets, *vaults: str) -> bytes:
    request = KeyRequest.of(boot.public, dict.fromkeys(vaults, "ab" * 80))
    return write_key_request(IDENTITY, boot.signer, EVENT, "2", request)


def given_to(boot: BootSecrets, table: str = "2", vault: Signer = VAULTS[0], seq: int = 777) -> bytes:
    known = LedgerPosition("0123456789abcdef", seq, "cd" * 32)
    return give_journal_key(vault, EVENT, table, b"p" * 32, to=boot.sealing.public, known=known)


@pytest.mark.parametrize("address", ["", "https://hall.example", "https://hall.example:8443/"])
@pytest.mark.parametrize("vaults", [("vault",), ("vault", "vault-witness")])
def test_a_request_is_read_from_its_code_as_it_was_signed(address: str, vaults: tuple[str, ...]) -> None:
    boot = boot_of(1)
    request = request_of(boot, *vaults)
    text = request_text(request, address)
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:/.-"), "characters for which a QR code has its short form"
    read = read_request_text(text)
    assert (read.table, read.keys, read.message) == ("2", boot.public, request)
    assert set(read_key_request(read.message, EVENT, "2", TRUSTED).kept) == set(vaults)


def test_a_request_that_was_copied_by_hand_is_taken_with_blanks_and_small_letters() -> None:
    text = request_text(request_of(boot_of(1), "vault"))
    spaced = " ".join(text[start : start + 40] for start in range(0, len(text), 40)).lower()
    assert read_request_text(f"  {spaced}\n") == read_request_text(text)


@settings(max_examples=examples(60))
@given(st.text())
def test_any_other_text_is_no_request_and_says_what_to_do(text: str) -> None:
    with pytest.raises(DocumentError, match="scan the code on the table's screen again"):
        read_request_text(text)


def test_a_request_whose_boot_keys_were_exchanged_is_refused_by_its_signatures() -> None:
    request, other = request_of(boot_of(1), "vault"), boot_of(2).public
    changed = request.replace(boot_of(1).public.sealing.hex().encode(), other.sealing.hex().encode())
    with pytest.raises(DocumentError, match="not signed by '2'"):
        read_key_request(changed, EVENT, "2", TRUSTED)


def test_a_request_under_boot_keys_that_its_author_does_not_hold_is_refused() -> None:
    """Whoever has the table's disk signs as the table, and names the boot keys that others have seen."""
    forged = write_key_request(IDENTITY, boot_of(2).signer, EVENT, "2", KeyRequest.of(boot_of(1).public, {"vault": "ab" * 80}))
    with pytest.raises(DocumentError, match="without a signature under them"):
        read_key_request(forged, EVENT, "2", TRUSTED)


def test_a_slip_is_put_together_from_its_codes_in_any_order_and_is_the_message_that_the_vault_signed() -> None:
    boot = boot_of(1)
    given_pieces = [given_to(boot, vault=vault) for vault in VAULTS]
    texts = [text for piece in given_pieces for text in slip_texts(piece, "2")] * 2
    random.Random(1).shuffle(texts)
    parts = SlipParts("2", boot.sealing.public)
    assert sorted(whole for text in texts if (whole := parts.take(text)) is not None) == sorted(given_pieces)


def test_a_slip_of_one_vault_is_four_small_codes() -> None:
    texts = slip_texts(given_to(boot_of(1), seq=999_999), "12")
    assert len(texts) == 4
    assert all(len(text) <= CHUNK + 18 for text in texts)


def test_a_slip_for_another_table_says_so_and_so_does_one_for_boot_keys_of_an_earlier_boot() -> None:
    for texts, sentence in (
        (slip_texts(given_to(boot_of(1), "3"), "3"), "this slip is for table '3', and this is table '2'"),
        (slip_texts(given_to(boot_of(0)), "2"), "made for other boot keys"),
    ):
        parts = SlipParts("2", boot_of(1).sealing.public)
        for text in texts[:-1]:
            assert parts.take(text) is None
        with pytest.raises(DocumentError, match=sentence):
            parts.take(texts[-1])
        assert [parts.take(text) for text in texts] == [None] * 4, "it is said once"


@settings(max_examples=examples(60))
@given(st.text() | st.from_regex(r"TWS/[A-Z2-7]{4}/[0-9]{1,2}/[0-9]{1,2}/[A-Z2-7]{1,9}", fullmatch=True))
def test_any_other_code_before_the_camera_is_left_alone(text: str) -> None:
    parts = SlipParts("2", boot_of(1).sealing.public)
    assert parts.take(text) is None
