"""Orders of the server to a vault and its answers: good for one vault, one start of it, and one time. Codes of a journal's key."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.tiers import examples
from twinwall.game.documents import DocumentError, canonical_json, parse_object
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootSecrets, sign_twice
from twinwall.wire.messages.signing import VAULT, SignatureError, Signer, sign_document, vault_sealing_key
from twinwall.wire.messages.vaults import vault_orders
from twinwall.wire.messages.vaults.journal_key import KeyRequest, give_journal_key, read_key_request
from twinwall.wire.messages.vaults.key_codes import CHUNK, SlipParts, read_request_text, request_text, slip_texts
from twinwall.wire.mqtt.access import SERVER_USER, VAULT_USER, Access, may_use_topic, rights, table_user
from twinwall.wire.mqtt.topics import is_vault_answer, vault_answers_topic, vault_orders_topic

SERVER, ANOTHER = Signer("server", b"\x01" * 32), Signer("server", b"\x02" * 32)
MINE, OTHER = Signer(VAULT, b"\x03" * 32), Signer(VAULT, b"\x04" * 32)
BOOT, DIGEST = "0a" * 16, "ab" * 32
ORDERS: list[vault_orders.AnyOrder] = [
    vault_orders.MakeDeals("the plan\n", "0b0c"),
    vault_orders.FixStart("the commitments\n", "the start\n"),
    vault_orders.BeginSession(
        DIGEST, 2, (vault_orders.SessionTable("1", DIGEST), vault_orders.SessionTable("2", DIGEST)), (("1", "2"),), 3
    ),
    vault_orders.UnlockSeed("0b0c"),
]
ANSWERS: list[vault_orders.AnyAnswer] = [
    vault_orders.VaultStanding(BOOT, DIGEST, "server"),
    vault_orders.VaultStanding(BOOT, DIGEST, "server", "Autumn", DIGEST, DIGEST, 2, locked=True),
    vault_orders.DealsMade(7, DIGEST, "server", DIGEST, (DIGEST, DIGEST)),
    vault_orders.StartStored(7, DIGEST),
    vault_orders.SessionBegun(7, 2),
    vault_orders.SeedUnlocked(7),
    vault_orders.OrderRefused(7, vault_orders.VaultRefusal.WRONG_PASSPHRASE, "the passphrase is another"),
]


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
def test_an_order_reads_back_at_the_vault_for_which_the_server_signed_it(order: vault_orders.AnyOrder) -> None:
    payload = sign_document(SERVER, vault_orders.VaultOrder(BOOT, 7, order), table=MINE.public.hex())
    assert vault_orders.read_order(payload, MINE.public, SERVER.public) == vault_orders.VaultOrder(BOOT, 7, order)


@pytest.mark.parametrize(("vault", "server"), [(OTHER, SERVER), (MINE, ANOTHER)])
def test_an_order_to_another_vault_or_of_another_server_is_refused(vault: Signer, server: Signer) -> None:
    payload = sign_document(SERVER, vault_orders.VaultOrder(BOOT, 7, ORDERS[0]), table=MINE.public.hex())
    with pytest.raises(SignatureError, match="not signed for this vault"):
        vault_orders.read_order(payload, vault.public, server.public)


def test_an_order_that_was_altered_or_has_an_unknown_part_is_refused() -> None:
    payload = sign_document(SERVER, vault_orders.VaultOrder(BOOT, 7, ORDERS[2]), table=MINE.public.hex())
    with pytest.raises(SignatureError):
        vault_orders.read_order(payload.replace(b'"spread":3', b'"spread":9'), MINE.public, SERVER.public)
    unknown = parse_object(payload)
    signed = SERVER.sign("twinwall-vault-order-1", "", MINE.public.hex(), {"format": unknown["format"], "everything": True})
    with pytest.raises(DocumentError):
        vault_orders.read_order(signed, MINE.public, SERVER.public)


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: type(answer).__name__)
def test_an_answer_reads_back_with_the_account_that_signed_it(answer: vault_orders.AnyAnswer) -> None:
    payload = sign_document(MINE, vault_orders.VaultAnswer(9, answer))
    assert vault_orders.read_answer(payload, {VAULT: MINE.public}) == (VAULT, vault_orders.VaultAnswer(9, answer))
    with pytest.raises(SignatureError):
        vault_orders.read_answer(payload, {VAULT: OTHER.public})
    assert canonical_json(parse_object(payload)) == payload


@given(st.text(alphabet=st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=60))
def test_a_sealed_passphrase_opens_at_one_start_of_one_vault_and_does_not_tell_its_length(passphrase: str) -> None:
    key = vault_sealing_key(MINE)
    sealed = vault_orders.seal_passphrase(passphrase, key.public, MINE.public, BOOT)
    assert vault_orders.open_passphrase(sealed, key, MINE.public, BOOT) == passphrase
    assert vault_orders.open_passphrase(sealed, key, MINE.public, "0b" * 16) is None
    assert vault_orders.open_passphrase(sealed, vault_sealing_key(OTHER), OTHER.public, BOOT) is None
    assert len(sealed) == len(vault_orders.seal_passphrase("x", key.public, MINE.public, BOOT))


def test_only_the_server_gives_a_vault_orders_and_only_that_vault_hears_and_answers_them() -> None:
    users = (SERVER_USER, VAULT_USER, "vault-witness", table_user("1"))
    granted = rights("Autumn", ["1"], ("vault", "vault-witness"))
    orders, answers = vault_orders_topic("vault-witness"), vault_answers_topic("vault-witness")
    assert [user for user in users if may_use_topic(granted, user, Access.WRITE, orders)] == [SERVER_USER]
    assert [user for user in users if may_use_topic(granted, user, Access.READ, orders)] == ["vault-witness"]
    assert [user for user in users if may_use_topic(granted, user, Access.WRITE, answers)] == ["vault-witness"]
    assert [user for user in users if may_use_topic(granted, user, Access.READ, answers)] == [SERVER_USER]
    assert is_vault_answer(answers)
    assert not is_vault_answer(orders)


EVENT = "Autumn / Herbst"
IDENTITY = Signer("2", b"i" * 32)
VAULTS = tuple(Signer(name, name.encode().ljust(32, b"v")) for name in ("vault", "vault-witness"))
TRUSTED = {"2": IDENTITY.public}


def boot_of(number: int) -> BootSecrets:
    return BootSecrets.from_bytes("2", bytes([number]) * 64)


def request_of(boot: BootSecrets, *vaults: str) -> bytes:
    return sign_twice(IDENTITY, boot.signer, KeyRequest.of(boot.public, dict.fromkeys(vaults, "ab" * 80)), EVENT, "2")


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
    forged = sign_twice(IDENTITY, boot_of(2).signer, KeyRequest.of(boot_of(1).public, {"vault": "ab" * 80}), EVENT, "2")
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
    assert SlipParts("2", boot_of(1).sealing.public).take(text) is None
