"""Commands and heartbeats are read strictly."""

from datetime import UTC, datetime

import msgspec
import pytest
from msgspec import structs
from msgspec.structs import replace

from tests.support.wire.assignments import HALL_SERVER, IDENTITY, an_assignment
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.assignment import (
    ASSIGNMENT,
    Assignment,
    HallStage,
    JoinedTable,
    open_assignment,
    read_joined_table,
    write_joined_table,
)
from twinwall.wire.messages.commands import (
    CameraCondition,
    FeederLinkQuality,
    Health,
    MachineCondition,
    read_command,
    read_health,
    write_health,
)
from twinwall.wire.messages.signing import SignatureError, Signer, sign_document
from twinwall.wire.messages.staff_orders import ReplacementOrder, read_replacement

LINE = FeederLinkQuality(2, 7, 3, 1, 0)
MACHINE = MachineCondition("0.1.0", 62, 5200, 61, 4000, (CameraCondition("table-camera", 0, 50, 2),), weak_power=True)
HEALTH = Health("12", "j1", 345, datetime(2026, 11, 20, 10, 2, 3, 123000, tzinfo=UTC), ("feeder",))


def test_a_heartbeat_reads_back() -> None:
    assert read_health(write_health(HEALTH)) == HEALTH
    assert read_health(write_health(replace(HEALTH, feeder_line=LINE))).feeder_line == LINE
    assert read_health(write_health(replace(HEALTH, machine=MACHINE))).machine == MACHINE


@pytest.mark.parametrize(
    ("payload", "named"),
    [
        (b"", "JSON"),
        (b"[]", "object"),
        (b'{"type":"reboot"}', "reboot"),
        (b'{"type":"resend","journal":"j","from":1,"to":2,"now":1}', "now"),
        (b'{"type":"resend","journal":"j","from":0,"to":2}', "0 to 2"),
        (b'{"type":"resend","journal":"j","from":3,"to":2}', "3 to 2"),
        (b'{"type":"resend","journal":"j","from":true,"to":2}', "true"),
        (b'{"type":"resend","journal":"","from":1,"to":2}', "journal"),
        (b'{"type":"seat-taken","place":4,"player":"17"}', "place 4"),
        (b'{"type":"seat-taken","place":1,"player":"Li Na"}', "player"),
        (b'{"type":"seats-swapped","places":[1]}', "places"),
        (b'{"type":"score-confirmed","place":0,"n":0}', "n 0"),
        (b'{"type":"score-confirmed","place":0,"n":1,"payments":[1,2,3]}', "payments"),
        (b'{"type":"referee-called","place":0,"about":"the weather"}', "about"),
        (b'{"type":"referee-called","place":0,"about":"hand-overdue"}', "about"),
        (b'{"type":"resend","journal":"j","from":NaN,"to":2}', "NaN"),
    ],
)
def test_another_command_is_refused_by_name(payload: bytes, named: str) -> None:
    with pytest.raises(DocumentError, match=named):
        read_command(payload)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (b'"v":1', b'"v":2', "version 2"),
        (b'"v":1', b'"v":1,"tile":"5m"', "tile"),
        (b'["feeder"]', b'"feeder"', "links_lost"),
        (b'"seq":345', b'"seq":-1', "seq -1"),
        (b'"losses":0', b'"losses":0,"frames":7', "frames"),
        (b'"losses":0', b'"losses":-1', "losses -1"),
        (b"2026-11-20T", b"2026-11-31T", "RFC3339"),
    ],
)
def test_another_heartbeat_is_refused_by_name(old: bytes, new: bytes, named: str) -> None:
    with pytest.raises(DocumentError, match=named):
        read_health(write_health(replace(HEALTH, feeder_line=LINE)).replace(old, new))


SERVER = Signer("server", b"\x0a" * 32)
ORDER = ReplacementOrder("Autumn", "j1", 7, "ab" * 32, (1, 2), 3, "the disk is lost", "Ann", "Ben")


def read(order: ReplacementOrder, event: str = "Autumn") -> ReplacementOrder:
    return read_replacement(sign_document(SERVER, order, event, "1"), event, "1", SERVER.public)


@pytest.mark.parametrize("order", [ORDER, structs.replace(ORDER, n=0, confirmed="")], ids=["in a hand", "between hands"])
def test_an_order_of_enough_persons_is_read_as_it_was_written(order: ReplacementOrder) -> None:
    assert read(order) == order


@pytest.mark.parametrize("confirmed", ["", "Ann", "ANN", "\uff21nn"])
def test_one_person_replaces_no_controller_during_a_hand(confirmed: str) -> None:
    with pytest.raises(SignatureError, match="deal 3 was in play: another account has to confirm"):
        read(structs.replace(ORDER, confirmed=confirmed))


def test_an_order_of_another_event_is_refused() -> None:
    with pytest.raises(DocumentError, match="is of the event 'Autumn', not of 'Spring'"):
        read(ORDER, "Spring")


OTHER = Signer("server", bytes(32))
HEARTBEAT = JoinedTable(
    table="1",
    at=datetime(2026, 11, 20, 10, 2, 3, 123_000, tzinfo=UTC),
    version="0.1.0",
    identity_key=IDENTITY.public.hex(),
    stage=HallStage.WAITING,
    lacks=("feeder",),
)


def test_an_assignment_is_read_back_as_it_was_written() -> None:
    assignment = an_assignment(options={"minimum": 0, "flowers": True, "counted": "all"}, seat_check=True)
    assert open_assignment(sign_document(HALL_SERVER, assignment, table="1"), "1", HALL_SERVER.public) == assignment


def test_an_assignment_says_in_which_order_the_table_plays_its_hands() -> None:
    assert an_assignment().hands == (1, 2)
    assert an_assignment(begins=2).hands == (2, 1)


def test_an_assignment_counts_for_its_table_alone_and_under_the_servers_key_alone() -> None:
    payload = sign_document(HALL_SERVER, an_assignment(), table="1")
    with pytest.raises(DocumentError, match="not signed by 'server' for table '2'"):
        open_assignment(payload, "2", HALL_SERVER.public)
    with pytest.raises(DocumentError, match="altered, or meant for another"):
        open_assignment(sign_document(OTHER, an_assignment(), table="1"), "1", HALL_SERVER.public)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"first": 2, "last": 1}, "first .2. must not be after last .1."),
        ({"begins": 3}, "begins .3. must be a hand from first .1. to last .2."),
        ({"players": ("11", "12", "11", "14")}, "one player for two places"),
        ({"players": ("11", "12", "Li Na", "14")}, "players.2."),
        ({"session": 0}, "session"),
        ({"rules": "No such"}, "rules"),
        ({"vault_keys": {"server": "ab"}}, "vault_keys.server"),
    ],
)
def test_an_assignment_with_a_value_that_no_table_could_play_is_refused_by_its_name(change: dict[str, object], said: str) -> None:
    written: dict[str, object] = {**msgspec.to_builtins(an_assignment()), **change}
    with pytest.raises(DocumentError, match=said):
        open_assignment(HALL_SERVER.sign(ASSIGNMENT, "", "1", written), "1", HALL_SERVER.public)


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        (an_assignment(last=3), "no deal for hand 3 of session 1"),
        (an_assignment(session=3), "no deal for hand 1 of session 3"),
        (an_assignment(rules="sichuan"), "session 1 is for mcr-duplicate"),
        (msgspec.structs.replace(an_assignment(), event="Another"), "the plan is of 'Club evening / 例会'"),
        (an_assignment(plan="{}\n"), "cannot be used"),
    ],
)
def test_a_plan_that_does_not_fit_the_rest_is_told_in_a_sentence(assignment: Assignment, said: str) -> None:
    with pytest.raises(DocumentError, match=said):
        assignment.started()


def test_a_heartbeat_on_another_tables_topic_is_refused() -> None:
    with pytest.raises(DocumentError, match="table 2 is refused"):
        read_joined_table(write_joined_table(IDENTITY, HEARTBEAT), "2")


def test_a_table_cannot_sign_a_heartbeat_in_the_name_of_another() -> None:
    payload = sign_document(Signer("2", IDENTITY.secret), HEARTBEAT, table="2")
    with pytest.raises(DocumentError, match="in the name of table '1'"):
        read_joined_table(payload, "2")
