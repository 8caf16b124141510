"""Two seed holders, each with a vault of his own: both are needed, either may be gone for a while, and a wrong one is named."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.state.messages import PartFound, PartLost
from controller.state.table_state import BROKER
from tests.custody.test_vault import take_steps
from tests.support.custody.hall import DUE, EVENT, NAMES, ONE, PUBLIC, TWO, Hall, HeldEvent, PlayedTable, boot_of, play
from tests.support.tiers import examples
from twinwall.custody.key_shares import KeyShares
from twinwall.custody.release import AllowKey
from twinwall.game.deals import DealError, Seed, Share, Slip, Start, StartedPlan, commit, make_share, verify_slip
from twinwall.game.deals.encoding import Sha256
from twinwall.game.documents import canonical_json
from twinwall.wire.events.trouble_events import VAULT_OF
from twinwall.wire.messages.signing import Recipient, seal_deal
from twinwall.wire.mqtt.topics import Channel, Topic

pytestmark = pytest.mark.slow
OTHER_SEED = Seed(b"\x55" * 80)
FOREIGN = make_share(TWO.plan, "witness", OTHER_SEED, 1, TWO.commitments)


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    hall = Hall(tmp_path, event=TWO).with_tables()
    yield hall
    hall.close()


def released(hall: Hall) -> dict[int, str]:
    return {n: verify_slip(TWO.started, Slip.from_json(slip)).digest.hex() for n, slip in hall.slips.items()}


@pytest.mark.parametrize("alone", TWO.holders)
def test_neither_vault_gives_alone_what_opens_a_deal(tmp_path: Path, alone: str) -> None:
    hall = Hall(tmp_path, event=TWO)
    hall.off = set(TWO.holders) - {alone}
    hall.with_tables()
    hall.settle()
    assert not any(table.open_next() for table in hall.tables.values())
    hall.off.clear()
    hall.settle()
    assert all(table.open_next() for table in hall.tables.values())
    hall.close()


@pytest.mark.parametrize("holder", TWO.holders)
def test_while_a_holder_is_gone_the_tables_play_the_deals_that_they_have_and_go_on_when_he_is_back(hall: Hall, holder: str) -> None:
    hall.open_all()
    hall.off = {holder}
    hall.finish_all()
    assert [play(hall, name, 5) for name in NAMES] == [1, 1], "deal 2 was there; deal 3 needs both"
    for _ in range(4):
        hall.settle()
    assert hall.slips == {}, "a slip needs both holders too"
    assert all(PartLost(f"{VAULT_OF}{holder}") in table.posted for table in hall.tables.values())
    hall.off.clear()
    hall.kill_vault(holder)
    hall.settle()
    assert all(PartFound(f"{VAULT_OF}{holder}") in table.posted for table in hall.tables.values())
    assert sorted(hall.slips) == [1, 2]
    for _ in DUE[2:]:
        assert [play(hall, name) for name in NAMES] == [1, 1]
    assert released(hall) == TWO.digests
    assert all(table.played == TWO.digests for table in hall.tables.values())


def test_the_table_says_which_holder_is_missing_and_that_nothing_is_lost(hall: Hall, caplog: pytest.LogCaptureFixture) -> None:
    hall.off = {"witness"}
    for _ in range(4):
        hall.settle()
    assert caplog.text.count("the vault of 'witness' is not heard: the table plays on with what it holds (deal 1); nothing is lost") == 2


def test_challenges_that_a_broker_repeats_do_not_hide_that_a_vault_is_gone(hall: Hall) -> None:
    hall.settle()
    hall.settle()
    topic, table = str(Topic(EVENT, "1", Channel.CHALLENGE)), hall.tables["1"]
    recorded = [payload for to, payload in hall.sent if to == topic]
    hall.off = {"witness"}
    for _ in range(4):
        hall.settle()
        assert not any(table.deals.hear_challenge(payload) for payload in recorded)
    assert [message for message in table.posted if isinstance(message, PartLost)] == [PartLost(f"{VAULT_OF}witness")]


def test_while_the_broker_is_away_no_vault_is_said_to_be_missing(hall: Hall) -> None:
    hall.cut("1")
    for _ in range(4):
        hall.settle()
    hall.mend("1")
    hall.settle()
    assert [message for message in hall.tables["1"].posted if isinstance(message, PartLost)] == [PartLost(BROKER)]


@pytest.mark.nightly
@settings(max_examples=examples(8))
@given(st.lists(st.sampled_from(["1", "2", "off server", "off witness", "on", "kill server", "kill witness", "settle"]), max_size=15))
def test_whichever_vault_is_gone_or_killed_no_table_is_ahead_and_nothing_is_lost(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    hall = Hall(tmp_path_factory.mktemp("hall"), event=TWO).with_tables()
    take_steps(hall, steps)
    hall.off.clear()
    for _ in DUE:
        hall.settle()
        hall.play_all()
    hall.settle()
    assert released(hall) == TWO.digests
    hall.close()


def test_a_table_whose_keys_one_holders_person_alone_has_allowed_opens_nothing(tmp_path: Path) -> None:
    hall = Hall(tmp_path, event=TWO, enrolled=()).with_tables()
    allowed = AllowKey("1", boot_of("1").public.fingerprint)
    hall.do(hall.vaults["server"].order(allowed))
    hall.settle()
    assert not hall.tables["1"].open_next()
    assert any("(vault of 'witness') table '1' shows its first boot keys" in sentence for sentence in hall.sentences)
    hall.do(hall.vaults["witness"].order(allowed))
    hall.settle()
    assert hall.tables["1"].open_next()
    hall.close()


def sealed(table: PlayedTable, share: Share, by: str) -> bytes:
    bound = Recipient(EVENT, table.name, TWO.root)
    return seal_deal(TWO.signers[by], bound, 1, canonical_json(share.to_json()), table.boot_keys.sealing)


@pytest.mark.parametrize(
    ("share", "reason", "named"),
    [
        (FOREIGN, "key", "the key of 'witness' is not the one committed"),
        (HeldEvent("server", "witness", "club").shares["witness"].share(1), "path", "does not have 2 commitments"),
        (TWO.shares["server"].share(1), "format", "is the share of 'server' of deal 1"),
        (TWO.shares["witness"].share(2), "format", "is the share of 'witness' of deal 2"),
        (replace(TWO.shares["witness"].share(1), path=(Sha256(32),) * 3), "path", "does not lead to the root of the event's start"),
    ],
    ids=["another seed", "another plan", "another holder", "another deal", "another start"],
)
def test_a_wrong_share_is_refused_by_its_holder_and_the_true_one_opens_the_deal(
    tmp_path: Path, share: Share, reason: str, named: str
) -> None:
    table = PlayedTable("1", tmp_path, event=TWO)
    table.open_next()
    table.deals.take(sealed(table, TWO.shares["server"].share(1), "server"))
    table.deals.take(sealed(table, share, "witness"))
    assert not table.open_next()
    (bad,) = table.bad
    assert bad.reason == reason
    assert bad.sentence.startswith("Deal 1 from the vault of 'witness' must not be played: ")
    assert named in bad.sentence
    table.deals.take(sealed(table, TWO.shares["witness"].share(1), "witness"))
    assert table.open_next()
    table.close()


def test_a_share_under_another_holders_signature_is_refused(tmp_path: Path) -> None:
    """Whoever rules one vault's machine speaks for that holder alone."""
    table = PlayedTable("1", tmp_path, event=TWO)
    table.open_next()
    table.deals.take(sealed(table, TWO.shares["witness"].share(1), "server"))
    table.deals.take(sealed(table, TWO.shares["server"].share(1), "server"))
    assert not table.open_next()
    assert [bad.reason for bad in table.bad] == ["format"]
    table.close()


def test_a_share_that_is_told_to_be_released_counts_only_when_it_is_the_committed_one(hall: Hall) -> None:
    hall.open_all()
    hall.off = {"witness"}
    hall.finish_all()
    topic = next(topic for topic in hall.vault.subscriptions if topic.endswith("/shares"))
    for payload in (b"no share", canonical_json(FOREIGN.to_json())):
        hall.arrive(topic, payload)
    assert hall.slips == {}
    assert sum("is none of this event's" in sentence for sentence in hall.sentences) == 2
    hall.arrive(topic, canonical_json(TWO.shares["witness"].share(1).to_json()))
    assert sorted(hall.slips) == [1]


def test_a_vault_that_was_killed_tells_a_slip_again_without_the_other_holder(hall: Hall) -> None:
    hall.play_all()
    hall.off = {"witness"}
    hall.kill_vault("server")
    before = len(hall.sent)
    for _ in range(2):
        hall.settle()
    assert any(topic.endswith("/slips") for topic, _ in hall.sent[before:])


def other_start() -> StartedPlan:
    return StartedPlan(TWO.plan, Start(TWO.plan.digest, commit(TWO.plan, TWO.seeds | {"witness": OTHER_SEED}).root, PUBLIC))


@pytest.mark.parametrize(
    ("opened", "said"),
    [
        (lambda: KeyShares.open(TWO.started, "witness", OTHER_SEED, TWO.commitments), "the seed of the holder 'witness' is not the one"),
        (lambda: KeyShares.open(TWO.started, "witness", TWO.seeds["witness"]), "name the published commitments"),
        (lambda: KeyShares.open(TWO.started, "server", TWO.seeds["server"], ONE.commitments), r"the event's start .* fixed"),
        (lambda: KeyShares.open(other_start(), "witness", TWO.seeds["witness"], TWO.commitments), r"the event's start .* fixed"),
        (lambda: KeyShares.open(TWO.started, "club", OTHER_SEED, TWO.commitments), "'club', who is no holder of the plan"),
    ],
    ids=["another seed", "no commitments", "another plan's commitments", "another start", "no holder"],
)
def test_a_vault_with_a_wrong_seed_plan_or_start_names_it_before_anything_is_given(opened: Callable[[], KeyShares], said: str) -> None:
    with pytest.raises(DealError, match=said):
        opened()
