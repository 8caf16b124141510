"""The vault with real seals and tables, without a network: what it gives, to whom, and its answers to false statements."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.state.sides import OpenDeal
from tests.support.custody.hall import EVENT, IDENTITIES, KEEPER, NAMES, ROOT, SEEDS, STARTED, VAULT, Hall, PlayedTable, deal_topic, play
from tests.support.narrowed import of_type
from twinwall.custody.key_shares import KeyShares, session_deals
from twinwall.custody.table_rules import RevokeKey
from twinwall.game.deals import DealError, Seed
from twinwall.game.documents import canonical_json, parse_object
from twinwall.wire.events.wall_events import DealOpened
from twinwall.wire.ledger import LedgerPosition, envelope, next_position
from twinwall.wire.messages.boot_keys import Head, LedgerKind
from twinwall.wire.messages.signing import Recipient, Signer, read_sealed, sign_document, unseal
from twinwall.wire.mqtt.topics import Channel, Topic


def openings(hall: Hall) -> dict[tuple[str, int], set[bytes]]:
    """What every sealed deal that was sent opens to, by table and number."""
    found: dict[tuple[str, int], set[bytes]] = {}
    for name, table in hall.tables.items():
        recipient = Recipient(EVENT, name, ROOT)
        for topic, payload in hall.sent:
            if topic == deal_topic(name):
                sealed = read_sealed(payload, recipient, {"vault": VAULT.public})
                found.setdefault((name, sealed.n), set()).add(unseal(sealed, recipient, table.boot_secrets.sealing))
    return found


def test_a_head_that_was_signed_ahead_finishes_nothing_once_its_key_is_revoked(hall: Hall) -> None:
    table = hall.tables["1"]
    table.open_next()
    hall.run()
    forged = envelope("1", table.head, table.now(), "hand-closed", {"n": 1})
    ahead = next_position(table.head, forged)
    head = Head(ahead.journal, ahead.seq, ahead.digest, LedgerKind.EVENTS)
    hall.arrive(str(Topic(EVENT, "1", Channel.HEAD)), sign_document(table.boot_secrets.signer, head, EVENT, "1"))
    hall.order(RevokeKey("1", table.boot_keys.fingerprint))
    hall.arrive(str(Topic(EVENT, "1", Channel.EVENTS)), forged)
    standing = hall.vault.state.members["1"]
    assert (1 in standing.started, 1 in standing.finished) == (True, False)


def test_a_table_cut_off_for_two_hands_plays_them_and_the_others_wait_for_it_only_then(hall: Hall) -> None:
    play(hall, "1")
    play(hall, "2")
    hall.open_all()
    hall.cut("2")
    hall.tables["2"].finish()
    assert play(hall, "2", 5) == 1, "deal 2 was open and deal 3 had been given: two hands without a network"
    assert hall.tables["2"].closed == (1, 2, 3)
    hall.tables["1"].finish()
    hall.run()
    assert play(hall, "1", 5) == 1, "deal 3 had been given, deal 4 waits for table 2"
    hall.mend("2")
    hall.settle()
    assert set(hall.slips) == {1, 2, 3}
    assert [play(hall, name, 5) for name in NAMES] == [2, 2]
    assert all("its boot keys are" in sentence for sentence in hall.sentences), "nothing was wrong at any time"


def take_steps(hall: Hall, steps: Sequence[str]) -> None:
    """Let these things happen: a table plays, a cable is cut or in again, a vault is killed, gone or back, and time goes by. None of them
    brings a table ahead or a slip out too early."""
    for step in steps:
        match step.split():
            case ["cut", name]:
                hall.cut(name)
            case ["mend", name]:
                hall.mend(name)
            case ["kill", holder]:
                hall.kill_vault(holder)
            case ["off", holder]:
                hall.off = {holder}
            case ["on"]:
                hall.off.clear()
            case ["settle"]:
                hall.settle()
            case [name]:
                play(hall, name)
        ahead = [len(hall.tables[name].closed) + (hall.tables[name].present is not None) for name in NAMES]
        assert abs(ahead[0] - ahead[1]) <= 2, "nobody has started a deal more than one beyond what the other plays"
        assert all(n in table.closed for n in hall.slips for table in hall.tables.values())


@pytest.mark.slow
@given(st.lists(st.sampled_from(["1", "2", "cut 1", "cut 2", "mend 1", "mend 2", "kill server", "settle"]), max_size=25))
def test_a_table_is_given_the_same_deal_again_whatever_failed(tmp_path_factory: pytest.TempPathFactory, steps: list[str]) -> None:
    hall = Hall(tmp_path_factory.mktemp("hall")).with_tables()
    take_steps(hall, steps)
    given_openings = openings(hall)
    hall.close()
    assert all(contents == {canonical_json(KEEPER.share(n).to_json())} for (_, n), contents in given_openings.items())


def test_a_statement_that_the_table_did_not_sign_gives_nothing_to_its_key(tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    hall.add(PlayedTable("1", tmp_path, boot=5, identity=Signer("1", b"\x99" * 32))).close()
    assert [topic for topic, _ in hall.sent] == [str(Topic(EVENT, "1", Channel.NOTICE))], "nothing was given, and the server hears of it"
    assert any("not signed by '1'" in sentence for sentence in hall.sentences)


def test_an_old_statement_played_again_has_no_effect(tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    table = hall.add(PlayedTable("1", tmp_path))
    hall.settle()
    early = table.deals.statement("vault", LedgerPosition("j1"))
    table.beat()
    hall.run()
    before = hall.status(), len(hall.sent)
    hall.arrive(str(Topic(EVENT, "1", Channel.CUSTODY)), early)
    assert (hall.status(), len(hall.sent)) == before
    hall.close()


def test_a_statement_from_before_the_vault_was_started_again_is_answered_by_a_challenge_alone(tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    table = hall.add(PlayedTable("1", tmp_path))
    hall.settle()
    early = table.deals.statement("vault", LedgerPosition("j1"))
    hall.kill_vault()
    before = hall.status()
    hall.arrive(str(Topic(EVENT, "1", Channel.CUSTODY)), early)
    assert hall.status() == before
    assert hall.sent[-1][0] == str(Topic(EVENT, "1", Channel.CHALLENGE))
    hall.close()


def test_released_slips_are_told_again_for_those_who_were_not_there(hall: Hall) -> None:
    hall.play_all()
    told = [payload for topic, payload in hall.sent if topic.endswith("/slips")]
    hall.now_s += 100.0
    hall.tick()
    assert [payload for topic, payload in hall.sent if topic.endswith("/slips")] == 2 * told
    assert parse_object(told[0])["n"] == 1


def test_a_vault_that_is_shown_shows_no_seed() -> None:
    assert SEEDS["server"].content.hex() not in repr(KEEPER)
    assert repr(SEEDS["server"].content) not in repr(KEEPER)
    assert IDENTITIES["1"].secret.hex() not in repr(IDENTITIES["1"])


def test_a_session_that_is_not_planned_is_refused() -> None:
    with pytest.raises(DealError, match="no session 2"):
        session_deals(KEEPER.plan, 2)


def test_a_wall_that_is_only_being_built_does_not_count_as_begun(hall: Hall) -> None:
    """A table may build the next wall while it plays: that gives it no further deal."""
    table = hall.tables["1"]
    table.open_next()
    hall.run()
    opened = of_type(OpenDeal, table.deals.after((1,)))
    table.write(DealOpened(opened.n, opened.session, opened.hand, opened.rules, opened.check, opened.walls, opened.digest))
    hall.settle()
    assert {n for name, n in openings(hall) if name == "1"} == {1, 2}
    assert all("its boot keys are" in sentence for sentence in hall.sentences)


def test_an_altered_sealed_deal_is_refused_by_name_and_the_true_one_is_played_afterwards(tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    table = hall.add(PlayedTable("1", tmp_path / "1"))
    hall.cut("1")
    true = next(payload for topic, payload in hall.sent if topic == deal_topic("1"))
    fresh = PlayedTable("1", tmp_path / "again", boot=0)
    assert not fresh.open_next()
    altered = true.replace(b'"sealed":"', b'"sealed":"00')
    fresh.publisher.message(deal_topic("1"), altered)
    fresh.publisher.message(deal_topic("1"), altered)
    assert not fresh.open_next()
    assert [(bad.n, bad.reason) for bad in fresh.bad] == [(1, "signature")]
    fresh.publisher.message(deal_topic("1"), true)
    assert fresh.open_next()
    for each in (table, fresh):
        each.close()


def test_the_wrong_seed_is_noticed_before_anything_is_given() -> None:
    with pytest.raises(DealError, match=r"the event's start .* fixed"):
        KeyShares.open(STARTED, "server", Seed(b"\x01" * 80))
