"""Orders of the server to a vault and its answers: good for one vault, one start of it, and one time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twinwall.game.documents import DocumentError, canonical_json, parse_object
from twinwall.wire.messages.sealing import VAULT, vault_sealing_key
from twinwall.wire.messages.signing import SignatureError, Signer
from twinwall.wire.messages.vaults.vault_answers import (
    AnyAnswer,
    DealsMade,
    OrderRefused,
    SeedUnlocked,
    SessionBegun,
    StartKept,
    VaultAnswer,
    VaultRefusal,
    VaultStanding,
    read_answer,
    write_answer,
)
from twinwall.wire.messages.vaults.vault_orders import (
    AnyOrder,
    BeginSession,
    FixStart,
    MakeDeals,
    SessionTable,
    UnlockSeed,
    VaultOrder,
    open_passphrase,
    read_order,
    seal_passphrase,
    write_order,
)
from twinwall.wire.mqtt.access import SERVER_USER, VAULT_USER, Access, may, rights, table_user
from twinwall.wire.mqtt.topics import is_vault_answer, vault_answers_topic, vault_orders_topic

SERVER, ANOTHER = Signer("server", b"\x01" * 32), Signer("server", b"\x02" * 32)
MINE, OTHER = Signer(VAULT, b"\x03" * 32), Signer(VAULT, b"\x04" * 32)
BOOT, DIGEST = "0a" * 16, "ab" * 32
ORDERS: list[AnyOrder] = [
    MakeDeals("the plan\n", "0b0c"),
    FixStart("the commitments\n", "the start\n"),
    BeginSession(DIGEST, 2, (SessionTable("1", DIGEST), SessionTable("2", DIGEST)), (("1", "2"),), 3),
    UnlockSeed("0b0c"),
]
ANSWERS: list[AnyAnswer] = [
    VaultStanding(BOOT, DIGEST, "server"),
    VaultStanding(BOOT, DIGEST, "server", "Autumn", DIGEST, DIGEST, 2, locked=True),
    DealsMade(7, DIGEST, "server", DIGEST, (DIGEST, DIGEST)),
    StartKept(7, DIGEST),
    SessionBegun(7, 2),
    SeedUnlocked(7),
    OrderRefused(7, VaultRefusal.WRONG_PASSPHRASE, "the passphrase is another"),
]


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: type(order).__name__)
def test_an_order_reads_back_at_the_vault_for_which_the_server_signed_it(order: AnyOrder) -> None:
    payload = write_order(SERVER, MINE.public, VaultOrder(BOOT, 7, order))
    assert read_order(payload, MINE.public, SERVER.public) == VaultOrder(BOOT, 7, order)


@pytest.mark.parametrize(("vault", "server"), [(OTHER, SERVER), (MINE, ANOTHER)])
def test_an_order_to_another_vault_or_of_another_server_is_refused(vault: Signer, server: Signer) -> None:
    payload = write_order(SERVER, MINE.public, VaultOrder(BOOT, 7, ORDERS[0]))
    with pytest.raises(SignatureError, match="not signed for this vault"):
        read_order(payload, vault.public, server.public)


def test_an_order_that_was_altered_or_has_an_unknown_part_is_refused() -> None:
    payload = write_order(SERVER, MINE.public, VaultOrder(BOOT, 7, ORDERS[2]))
    with pytest.raises(SignatureError):
        read_order(payload.replace(b'"spread":3', b'"spread":9'), MINE.public, SERVER.public)
    unknown = parse_object(payload)
    signed = SERVER.sign("twinwall-vault-order-1", "", MINE.public.hex(), {"format": unknown["format"], "everything": True})
    with pytest.raises(DocumentError):
        read_order(signed, MINE.public, SERVER.public)


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: type(answer).__name__)
def test_an_answer_reads_back_with_the_account_that_signed_it(answer: AnyAnswer) -> None:
    payload = write_answer(MINE, VaultAnswer(9, answer))
    assert read_answer(payload, {VAULT: MINE.public}) == (VAULT, VaultAnswer(9, answer))
    with pytest.raises(SignatureError):
        read_answer(payload, {VAULT: OTHER.public})
    assert canonical_json(parse_object(payload)) == payload


@given(st.text(alphabet=st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=60))
def test_a_sealed_passphrase_opens_at_one_start_of_one_vault_and_does_not_tell_its_length(passphrase: str) -> None:
    key = vault_sealing_key(MINE)
    sealed = seal_passphrase(passphrase, key.public, MINE.public, BOOT)
    assert open_passphrase(sealed, key, MINE.public, BOOT) == passphrase
    assert open_passphrase(sealed, key, MINE.public, "0b" * 16) is None
    assert open_passphrase(sealed, vault_sealing_key(OTHER), OTHER.public, BOOT) is None
    assert len(sealed) == len(seal_passphrase("x", key.public, MINE.public, BOOT))


def test_only_the_server_gives_a_vault_orders_and_only_that_vault_hears_and_answers_them() -> None:
    users = (SERVER_USER, VAULT_USER, "vault-witness", table_user("1"))
    granted = rights("Autumn", ["1"], ("vault", "vault-witness"))
    orders, answers = vault_orders_topic("vault-witness"), vault_answers_topic("vault-witness")
    assert [user for user in users if may(granted, user, Access.WRITE, orders)] == [SERVER_USER]
    assert [user for user in users if may(granted, user, Access.READ, orders)] == ["vault-witness"]
    assert [user for user in users if may(granted, user, Access.WRITE, answers)] == ["vault-witness"]
    assert [user for user in users if may(granted, user, Access.READ, answers)] == [SERVER_USER]
    assert is_vault_answer(answers)
    assert not is_vault_answer(orders)
