"""A table that has joined a hall: what it tells the hall, which assignment it goes on with, and which tiles it reads by order."""

import queue
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

import pytest

from controller.adapters.hall_member import HallMember, TileOrders
from controller.ledger.assignment_folder import AssignmentFolder
from controller.state.sides import Playing, PlayStage
from controller.state.table_state import TableState
from tests.support.patience import PATIENCE_S
from tests.support.wire.assignments import EVENT, HALL_SERVER, IDENTITY, an_assignment
from tests.support.wire.link import FakeLink
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.assignment import Assignment, HallStage, JoinedTable, read_joined_table
from twinwall.wire.messages.signing import Signer, sign_document
from twinwall.wire.messages.tile_reading import TileOrder, TileReading, write_tile_reading

NOW = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
TOPIC = "twinwall-hall/1/assignment"


class FakeTable:
    """A table that plays; it leaves when it is told to."""

    def __init__(self, state: TableState) -> None:
        self.state = state
        self.leaving = False

    def leave_between_hands(self) -> None:
        self.leaving = True


def heartbeats(link: FakeLink) -> list[JoinedTable]:
    assert {topic for topic, _ in link.sent} <= {"twinwall-hall/1/waiting"}
    return [read_joined_table(payload, "1") for _, payload in link.sent]


NewMember = Callable[[], HallMember]


@pytest.fixture
def new_member(tmp_path: Path) -> NewMember:
    """A member over the same folder each time, as after a restart."""

    def new() -> HallMember:
        kept = AssignmentFolder(tmp_path, "1", HALL_SERVER.public)
        return HallMember(IDENTITY, HALL_SERVER.public, "0.1.0", lambda: ("feeder",), kept, now=lambda: NOW)

    return new


def give(member: HallMember, assignment: Assignment, by: Signer = HALL_SERVER) -> None:
    member.message(TOPIC, sign_document(by, assignment, table="1"))


def started(new_member: NewMember, n: int = 1) -> HallMember:
    """A member that has taken assignment ``n`` and goes on with it."""
    member = new_member()
    give(member, an_assignment(n))
    member.next()
    return member


def test_a_table_without_an_assignment_says_that_it_waits_and_what_it_lacks(new_member: NewMember) -> None:
    heartbeat = new_member().heartbeat()
    assert (heartbeat.stage, heartbeat.number, heartbeat.lacks) == (HallStage.WAITING, 0, ("feeder",))
    assert (heartbeat.identity_key, heartbeat.version, heartbeat.at) == (IDENTITY.public.hex(), "0.1.0", NOW)


def test_an_assignment_is_played_and_kept_for_the_next_start(new_member: NewMember) -> None:
    member = new_member()
    give(member, an_assignment(1))
    assert member.next() == an_assignment(1)
    again = new_member()
    assert again.next() == an_assignment(1)
    assert (again.heartbeat().stage, again.heartbeat().number, again.heartbeat().event) == (HallStage.STARTING, 1, EVENT)


def test_the_table_that_plays_leaves_between_hands_when_another_assignment_comes(new_member: NewMember) -> None:
    member, table = started(new_member), FakeTable(TableState(playing=Playing(PlayStage.PLAYING)))
    member.plays(table)
    give(member, an_assignment(2, players=("11", "12", "13", "99")))
    assert table.leaving
    heartbeat = member.heartbeat()
    assert (heartbeat.number, heartbeat.between_hands) == (2, True)
    assert member.next() == an_assignment(2, players=("11", "12", "13", "99"))
    assert not member.heartbeat().between_hands


def test_an_assignment_that_comes_while_the_table_starts_is_not_lost(new_member: NewMember) -> None:
    member, table = started(new_member), FakeTable(TableState())
    give(member, an_assignment(2, players=("11", "12", "13", "99")))
    member.plays(table)
    assert table.leaving


def test_a_table_that_asks_for_its_journals_key_gives_up_for_another_event_alone(new_member: NewMember) -> None:
    member, stopped = started(new_member), list[str]()
    with member.asking_key(lambda: stopped.append("stopped")):
        give(member, an_assignment(2, players=("11", "12", "13", "99")))
        assert stopped == []
        give(member, an_assignment(3, event="Other"))
        assert stopped == ["stopped"]
    assert member.next() == an_assignment(3, event="Other")
    give(member, an_assignment(4, event="A third"))
    assert "still starts with" in member.heartbeat().refused


def test_a_table_that_was_stopped_before_it_asks_for_its_journals_key_does_not_wait_for_it(new_member: NewMember) -> None:
    member, stopped = new_member(), list[str]()
    member.stop()
    with member.asking_key(lambda: stopped.append("stopped")):
        assert stopped == ["stopped"]


def test_an_assignment_that_was_not_gone_over_to_is_asked_for_again_after_a_kill(new_member: NewMember) -> None:
    member = started(new_member)
    member.plays(FakeTable(TableState(playing=Playing(PlayStage.PLAYING))))
    give(member, an_assignment(2, players=("11", "12", "13", "99")))
    assert new_member().heartbeat().number == 1, "the server sends 2 again"


@pytest.mark.parametrize(
    ("assignment", "by", "said"),
    [
        (an_assignment(1, session=2), HALL_SERVER, "assignment 1 is older than 2"),
        (an_assignment(3), Signer("server", bytes(32)), "not signed by 'server'"),
        (an_assignment(3, rules="riichi"), HALL_SERVER, "'riichi' is not known"),
    ],
)
def test_why_an_assignment_is_refused_stands_in_the_heartbeat(new_member: NewMember, assignment: Assignment, by: Signer, said: str) -> None:
    member, link = started(new_member, 2), FakeLink()
    member.start(link)
    give(member, assignment, by)
    assert said in heartbeats(link)[-1].refused
    member.stop()


def test_a_refused_assignment_that_comes_again_is_not_answered_again_at_once(new_member: NewMember) -> None:
    """The server sends it again at each heartbeat: an answer to each would never end."""
    member, link = new_member(), FakeLink()
    member.start(link)
    give(member, an_assignment(3, rules="riichi"))
    told = len(link.sent)
    give(member, an_assignment(3, rules="riichi"))
    assert len(link.sent) == told
    member.stop()


def test_a_table_that_cannot_play_its_assignment_says_why_and_takes_another(new_member: NewMember) -> None:
    member = started(new_member)
    member.cannot_play("the journal is damaged")
    assert member.heartbeat().refused == "the journal is damaged"
    give(member, an_assignment(2, event="Another evening"))
    assert member.next() == an_assignment(2, event="Another evening")
    assert member.heartbeat().refused == ""


def test_each_event_keeps_its_first_start_when_the_table_comes_back_to_it(new_member: NewMember) -> None:
    member = new_member()
    for assignment in (an_assignment(1), an_assignment(2, event="Another evening")):
        give(member, assignment)
        member.next()
        member.plays(FakeTable(TableState()))
    give(member, an_assignment(3, public="another value"))
    assert "an event has one start" in member.heartbeat().refused


def test_a_kept_assignment_that_nobody_signed_is_no_assignment(new_member: NewMember, tmp_path: Path) -> None:
    (tmp_path / "assignment.json").write_bytes(sign_document(Signer("server", bytes(32)), an_assignment(1), table="1"))
    with pytest.raises(DocumentError, match="put a good copy back"):
        new_member()


def test_a_member_that_is_stopped_waits_no_longer(new_member: NewMember) -> None:
    member, found = new_member(), []
    waiting = Thread(target=lambda: found.append(member.next()))
    waiting.start()
    member.stop()
    waiting.join()
    assert found == [None]


def test_no_heartbeat_follows_one_that_the_broker_has_not_taken(new_member: NewMember) -> None:
    member, link = new_member(), FakeLink()
    member.start(link)
    member.stop()
    member.connected()
    member.beat_again()
    assert len(heartbeats(link)) == 1
    member.published(1)
    member.beat_again()
    assert len(heartbeats(link)) == 2
    member.disconnected("cable")
    member.connected()
    assert len(heartbeats(link)) == 3


TABLE = Signer("1", b"\x07" * 32)
ORDER = TileOrder("Autumn", "ab" * 32, 5_000)
PLAYS = "a hand lies here"


@pytest.mark.parametrize(
    ("hindrances", "answer"),
    [
        (("", ""), TileReading(ORDER, "5p 3s")),
        ((PLAYS,), TileReading(ORDER, refused=PLAYS)),
        (("", PLAYS), TileReading(ORDER, refused=PLAYS)),
    ],
    ids=["free", "hand before", "hand while it reads"],
)
def test_no_tile_is_told_once_a_hand_may_lie_there(tmp_path: Path, hindrances: tuple[str, ...], answer: TileReading) -> None:
    said, published = iter(hindrances), queue.Queue[bytes]()
    kept = AssignmentFolder(tmp_path, "1", HALL_SERVER.public)
    orders = TileOrders(
        TABLE, HALL_SERVER.public, kept, hindrance=lambda: next(said), read=lambda order: TileReading(order, "5p 3s"), publish=published.put
    )
    orders.take(sign_document(HALL_SERVER, ORDER, table="1"))
    assert published.get(timeout=PATIENCE_S) == write_tile_reading(TABLE, answer)
