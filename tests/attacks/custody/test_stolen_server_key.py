"""Attack: somebody has the key of the hall's server, and orders the vaults what he likes.

He may ask, and the vaults answer; what was committed and started stays, no seed leaves its machine, and a table is given deals only under
boot keys that a person has allowed.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.custody.test_one_holder import reached
from tests.support.custody.hall import PlayedTable
from tests.support.custody.ordered import (
    PASSPHRASE,
    OrderedEvent,
    OrderedVaults,
    part_of,
    plan_of,
    play_one,
    refusal,
    session_order,
    start_order,
)
from twinwall.custody.release import AllowKey
from twinwall.custody.server_orders import SEED
from twinwall.custody.vault_home import read_seed
from twinwall.game.deals import SEED_SIZE, CommitmentPart, Seed, commit_part
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.vaults.vault_orders import BeginSession, SessionBegun, SessionTable, StartStored

PLAN = plan_of("server", "witness")


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[OrderedVaults]:
    hall = OrderedVaults(tmp_path / "vaults", "server", "witness")
    yield hall
    for table in hall.tables.values():
        table.close()


def parts(hall: OrderedVaults) -> list[CommitmentPart]:
    return [part_of(hall.make(holder, PLAN)) for holder in hall.holders]


def test_a_start_with_another_public_value_is_refused_once_there_is_one(hall: OrderedVaults) -> None:
    committed = parts(hall)
    first = start_order(PLAN, committed, "drawn in the room")
    assert all(isinstance(hall.order(holder, first), StartStored) for holder in hall.holders)
    other = start_order(PLAN, committed, "chosen by the thief")
    assert [refusal(hall.order(holder, other)) for holder in hall.holders] == ["other-start"] * 2
    hall.kill("server")
    assert refusal(hall.order("server", other)) == "other-start"
    assert any("'drawn in the room', and keeps it" in sentence for sentence in hall.sentences)


def test_a_start_in_which_a_holders_commitments_were_exchanged_is_refused_by_that_holder(hall: OrderedVaults) -> None:
    """With a seed of his own in the place of one holder's the thief would know half of every key."""
    server, _witness = parts(hall)
    own = commit_part(PLAN, "witness", Seed(bytes(80)))
    order = start_order(PLAN, [server, own])
    assert refusal(hall.order("witness", order)) == "other-commitments"
    assert isinstance(hall.order("server", order), StartStored), "the server's vault cannot know the other holder's seed"
    assert refusal(hall.order("server", start_order(PLAN, [server, own], "again"))) == "other-start", "no table starts: one vault has none"


def test_control_without_a_start_the_first_value_that_comes_is_kept(hall: OrderedVaults) -> None:
    order = start_order(PLAN, parts(hall), "chosen by the thief")
    assert all(isinstance(hall.order(holder, order), StartStored) for holder in hall.holders)


def test_a_plan_swapped_after_the_commitments_gets_no_start_and_after_the_start_no_deals(hall: OrderedVaults) -> None:
    committed = parts(hall)
    swapped = plan_of("server", "witness", sessions=3)
    mine = [commit_part(swapped, part.holder, Seed(bytes(80))) for part in committed]
    assert [refusal(hall.order(holder, start_order(swapped, mine))) for holder in hall.holders] == ["other-plan"] * 2
    hall.started(PLAN)
    assert [refusal(hall.make(holder, swapped)) for holder in hall.holders] == ["started"] * 2


def test_control_before_the_start_another_plan_makes_other_commitments_that_everybody_can_compare(hall: OrderedVaults) -> None:
    before = {part.seed for part in parts(hall)}
    swapped = plan_of("server", "witness", sessions=3)
    after = {part_of(hall.make(holder, swapped)).seed for holder in hall.holders}
    assert not before & after


def test_nothing_that_the_vaults_send_has_a_seed_or_a_key_of_a_deal_that_is_not_released(hall: OrderedVaults, tmp_path: Path) -> None:
    started = hall.started(PLAN)
    hall.add_table("1", started, tmp_path / "1")
    for holder in hall.holders:
        hall.order(holder, session_order(started, "1"))
    assert play_one(hall, "1")
    sent, committed = b"\n".join(payload for _, payload in hall.sent), {part_of(hall.make(each, PLAN)).seed for each in hall.holders}
    for holder, vault in hall.vaults.items():
        seeds = {found for found in reached(vault, {}) if len(found) == SEED_SIZE and Seed(found).commitment in committed}
        assert len(seeds) == 1, "the vault itself has its seed in memory"
        seed = Seed(seeds.pop())
        secrets = [seed.content, *(seed.key(PLAN.digest, holder, n) for n in range(2, 11))]
        assert not [secret for secret in secrets if secret in sent or secret.hex().encode() in sent]
        assert seed.key(PLAN.digest, holder, 1).hex().encode() in sent, "deal 1 is released"


def his_table(hall: OrderedVaults, started: OrderedEvent, folder: Path) -> tuple[PlayedTable, BeginSession]:
    """A machine of the thief that calls itself table 1, and a session in which table 1 signs under his identity key."""
    identity = Signer("1", b"\x55" * 32)
    table = PlayedTable("1", folder, identity=identity, event=started)
    return table, BeginSession(started.start.code.hex(), 1, (SessionTable("1", identity.public.hex()),), (("1",),))


def test_a_machine_of_his_in_a_session_of_his_is_given_no_deal_before_a_person_has_allowed_its_boot_keys(
    hall: OrderedVaults, tmp_path: Path
) -> None:
    table, order = his_table(hall, OrderedEvent(hall.started(PLAN), hall.signers), tmp_path / "his")
    hall.join(table)
    assert all(isinstance(hall.order(holder, order), SessionBegun) for holder in hall.holders)
    hall.settle()
    assert not table.open_next()
    assert any(table.boot_keys.fingerprint in sentence and "go to the table" in sentence for sentence in hall.sentences)


def test_control_a_person_who_allows_them_unseen_gives_him_the_deal(hall: OrderedVaults, tmp_path: Path) -> None:
    table, order = his_table(hall, OrderedEvent(hall.started(PLAN), hall.signers), tmp_path / "his")
    hall.join(table)
    for holder in hall.holders:
        hall.order(holder, order)
    hall.at_every_vault(PLAN, AllowKey("1", table.boot_keys.fingerprint))
    hall.settle()
    assert table.open_next()


def test_a_friends_table_alone_in_a_session_burns_its_deals_for_the_others_and_tells_them_of_none_that_they_play(
    hall: OrderedVaults, tmp_path: Path
) -> None:
    """The slips of deals that it has played alone are out; no vault gives those deals to other tables afterwards."""
    started = hall.started(PLAN)
    for name in ("1", "2"):
        hall.add_table(name, started, tmp_path / name)
    for holder in hall.holders:
        hall.order(holder, session_order(started, "1"))
    assert play_one(hall, "1")
    assert len(hall.slips) == 1
    everybody = session_order(started, "1", "2")
    assert [refusal(hall.order(holder, everybody)) for holder in hall.holders] == ["session-played"] * 2
    hall.settle()
    assert not hall.tables["2"].open_next()


def test_while_a_table_plays_he_moves_no_session(hall: OrderedVaults, tmp_path: Path) -> None:
    started = hall.started(PLAN)
    hall.add_table("1", started, tmp_path / "1")
    for holder in hall.holders:
        hall.order(holder, session_order(started, "1"))
    hall.settle()
    assert hall.tables["1"].open_next()
    hall.run()
    assert [refusal(hall.order(holder, session_order(started, "2", session=2))) for holder in hall.holders] == ["in-play"] * 2
    assert refusal(hall.make("server", plan_of("server", "witness", event="another"))) == "in-play"
    hall.kill("server")
    assert refusal(hall.make("server", plan_of("server", "witness", event="another"))) == "in-play", "by what it has noted"


def test_with_the_passphrase_from_the_dashboard_and_a_copy_of_the_disk_he_opens_no_seed_whose_passphrase_was_given_at_the_vault(
    tmp_path: Path,
) -> None:
    OrderedVaults(tmp_path, "server", here="a passphrase typed here").make("server", plan_of("server"), PASSPHRASE)
    with pytest.raises(DocumentError, match="the passphrase is another"):
        read_seed(seed_on_disk(tmp_path), PASSPHRASE)


def test_control_with_the_passphrase_from_the_dashboard_and_a_copy_of_the_disk_he_opens_the_seed(tmp_path: Path) -> None:
    part = part_of(OrderedVaults(tmp_path, "server").make("server", plan_of("server"), PASSPHRASE))
    holder, seed = read_seed(seed_on_disk(tmp_path), PASSPHRASE)
    assert commit_part(plan_of("server"), holder, seed) == part


def seed_on_disk(folder: Path) -> bytes:
    return next(folder.glob(f"**/{SEED}")).read_bytes()
