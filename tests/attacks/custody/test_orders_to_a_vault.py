"""Attack: somebody between server and vault gives orders: of his own, of another vault, or ones that he has recorded."""

from pathlib import Path

import pytest

from tests.support.custody.ordered import SERVER, OrderedVaults, part_of, plan_of, refusal, session_order, start_order
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.vaults.vault_orders import DealsMade, MakeDeals, SeedUnlocked, SessionBegun, UnlockSeed

THIEF = Signer("server", b"\x66" * 32)
"""Somebody who signs as the server, with a key of his own."""


@pytest.fixture
def hall(tmp_path: Path) -> OrderedVaults:
    return OrderedVaults(tmp_path, "server", "witness")


def test_an_order_that_the_server_has_not_signed_for_this_vault_has_no_effect(hall: OrderedVaults) -> None:
    order = MakeDeals(plan_of("server", "witness").canonical.decode(), hall.sealed("server"))
    assert hall.bring("server", hall.payload("server", order, signer=THIEF)) is None
    assert hall.bring("witness", hall.payload("server", order)) is None
    assert hall.bring("server", hall.payload("server", order).replace(b"mcr-duplicate", b"mcr-duplicatf")) is None
    assert [hall.standing(holder).plan for holder in hall.holders] == ["", ""]
    assert len([sentence for sentence in hall.sentences if "not signed for this vault" in sentence]) == 2, "each vault says it once"


def test_control_the_same_order_under_the_servers_key_is_carried_out(hall: OrderedVaults) -> None:
    order = MakeDeals(plan_of("server", "witness").canonical.decode(), hall.sealed("server"))
    assert isinstance(hall.bring("server", hall.payload("server", order, signer=SERVER)), DealsMade)


def test_a_recorded_order_is_not_carried_out_again_neither_now_nor_after_the_vaults_next_start(hall: OrderedVaults) -> None:
    started = hall.started(plan_of("server", "witness"))
    first, second = session_order(started, "1", "2"), session_order(started, "1", session=2)
    recorded = hall.payload("server", first)
    assert isinstance(hall.bring("server", recorded), SessionBegun)
    assert isinstance(hall.order("server", second), SessionBegun)
    assert hall.bring("server", recorded) is None
    assert hall.standing("server").session == 2
    unlocking = hall.payload("server", UnlockSeed(hall.sealed("server")))
    hall.kill("server")
    assert hall.bring("server", unlocking) is None
    assert hall.bring("server", recorded) is None
    assert (hall.standing("server").session, hall.standing("server").locked) == (2, True)


def test_a_recorded_passphrase_does_not_open_the_seed_after_the_vaults_next_start(hall: OrderedVaults) -> None:
    """Whoever has the server's key too puts the sealed passphrase into an order of his own."""
    hall.make("server", plan_of("server", "witness"))
    recorded = hall.sealed("server")
    hall.kill("server")
    assert refusal(hall.order("server", UnlockSeed(recorded))) == "no-passphrase"
    assert hall.standing("server").locked


def test_control_the_passphrase_sealed_for_the_present_start_opens_it(hall: OrderedVaults) -> None:
    hall.make("server", plan_of("server", "witness"))
    hall.kill("server")
    assert isinstance(hall.order("server", UnlockSeed(hall.sealed("server"))), SeedUnlocked)


def test_an_answer_that_was_recorded_tells_another_dashboard_no_other_commitment(hall: OrderedVaults) -> None:
    """The answer names the order's counter, and the part names plan and holder; another part is not in a start that a vault keeps."""
    plan = plan_of("server", "witness")
    old = part_of(hall.make("server", plan))
    hall.make("server", plan_of("server", "witness", sessions=3))
    new, witness = part_of(hall.make("server", plan)), part_of(hall.make("witness", plan))
    assert new.seed != old.seed
    assert refusal(hall.order("server", start_order(plan, [old, witness]))) == "other-commitments"
