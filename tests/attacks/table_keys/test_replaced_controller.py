"""Attack 46: somebody starts a controller on an empty disk in a table's name, or brings the lost one back, to end a hand that is played."""

from pathlib import Path

import pytest

from tests.support.custody.hall import EVENT, NAMES, SERVER, Hall, PlayedTable, play, replacement, second_deal_at_table_2
from twinwall.custody.release import AllowKey
from twinwall.wire.messages.signing import Signer, sign_document
from twinwall.wire.messages.staff_orders import ReplacementOrder


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    """Table 2 plays deal 2 when its controller is lost."""
    return second_deal_at_table_2(tmp_path)


def start_another(hall: Hall, order: bytes | None) -> PlayedTable:
    """Another controller of table 2, whose boot keys a person has allowed."""
    another = PlayedTable("2", hall.folder / "another", boot=1, journal="j2", lost=order)
    hall.order(AllowKey("2", another.boot_keys.fingerprint))
    hall.add(another)
    hall.settle()
    return another


def order_of(table: PlayedTable, **changes: object) -> bytes:
    """An order of the server that says something else than its copy of the table's ledger."""
    head = table.head
    said = {"event": EVENT, "journal": head.journal, "seq": head.seq, "digest": head.digest, "finished": (1,), "n": 2}
    order = ReplacementOrder(**{**said, "reason": "a test", "ordered": "Abe", "confirmed": "Ota", **changes})  # type: ignore[arg-type]  # named above
    return sign_document(SERVER, order, EVENT, table.name)


def test_control_by_the_order_of_two_persons_the_hand_is_over_and_the_new_controller_plays_the_next_deal(hall: Hall) -> None:
    """The vault is started again between all steps."""
    start_another(hall, replacement(hall.tables["2"]))
    assert list(hall.slips) == [1, 2], "the annulled hand is over for everybody"
    hall.kill_vault()
    hall.settle()
    assert [play(hall, name) for name in NAMES] == [1, 1]
    assert list(hall.slips) == [1, 2, 3]
    hall.kill_vault()
    hall.settle()
    assert [play(hall, name) for name in NAMES] == [1, 1]


def test_without_the_staffs_order_a_new_journal_under_allowed_keys_ends_nothing(hall: Hall) -> None:
    another = start_another(hall, None)
    for n in (1, 2):
        another.claim(n)
    hall.settle()
    assert list(hall.slips) == [1]
    assert any("order on the table's page that another takes its place" in sentence for sentence in hall.sentences)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param({"confirmed": ""}, "another account has to confirm it", id="one person"),
        pytest.param({"confirmed": "ABE"}, "another account has to confirm it", id="one person twice"),
        pytest.param({"n": 0, "finished": (1, 2), "confirmed": ""}, "an order of two persons", id="a hand that is played said to be over"),
        pytest.param({"n": 0, "confirmed": ""}, "an order of two persons", id="or never begun"),
        pytest.param(
            {"finished": (), "n": 2}, "has finished deal 1, which the order to replace its controller does not name", id="a deal too few"
        ),
        pytest.param({"journal": "another"}, "goes on for 'another'", id="another journal"),
        pytest.param({"digest": "ab" * 32}, "and not for the table's journal", id="a fork"),
    ],
)
def test_an_order_that_two_persons_did_not_give_for_what_the_table_had_reached_ends_nothing(
    hall: Hall, changes: dict[str, object], said: str
) -> None:
    start_another(hall, order_of(hall.tables["2"], **changes))
    assert list(hall.slips) == [1]
    assert any(said in sentence for sentence in hall.sentences), hall.sentences


def test_an_order_that_the_server_has_not_signed_ends_nothing(hall: Hall) -> None:
    order = ReplacementOrder(EVENT, "j1", 1, "ab" * 32, (1,), 2, "a test", "Abe", "Ota")
    start_another(hall, sign_document(Signer("server", b"\x0b" * 32), order, EVENT, "2"))
    assert list(hall.slips) == [1]
    assert any("not signed by 'server'" in sentence for sentence in hall.sentences)


def test_the_lost_controller_that_comes_back_with_its_keys_is_refused_and_named_also_after_a_restart_of_the_vault(hall: Hall) -> None:
    lost = hall.tables["2"]
    another = start_another(hall, replacement(lost))
    given = [message for message in hall.sent if message[0].endswith("/2/deal")]
    for _ in range(2):
        hall.add(lost)
        lost.beat()
        hall.settle()
        assert any("which were revoked: it is given nothing" in sentence for sentence in hall.sentences)
        hall.kill_vault()
        hall.sentences.clear()
    hall.order(AllowKey("2", lost.boot_keys.fingerprint))
    lost.finish()
    hall.settle()
    assert list(hall.slips) == [1, 2]
    assert [message for message in hall.sent if message[0].endswith("/2/deal") and message not in given] == []
    hall.add(another)
    hall.settle()
    assert [play(hall, name) for name in NAMES] == [1, 1], "the new controller goes on"


def test_a_vault_that_was_away_learns_from_the_order_what_the_lost_disk_cannot_tell(tmp_path: Path) -> None:
    """Table 2 finished deal 1 and began deal 2 while no vault ran, and its disk is gone."""
    hall = Hall(tmp_path)
    for name in NAMES:
        hall.add(PlayedTable(name, tmp_path / name))
        hall.tables[name].open_next()
    hall.run()
    hall.off.add("server")
    for name in NAMES:
        hall.tables[name].finish()
        hall.tables[name].open_next()
    hall.run()
    hall.off.clear()
    order = replacement(hall.tables["2"])
    hall.tables["2"].close()
    start_another(hall, order)
    assert list(hall.slips) == [1]
    assert play(hall, "1") == 1
    assert list(hall.slips) == [1, 2]
