"""Accounts and rights: their files, and what they allow."""

import hashlib
import stat
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from amqtt.contexts import BaseContext
from amqtt.session import Session
from hypothesis import given
from hypothesis import strategies as st

from twinwall.game.documents import DocumentError
from twinwall.wire.mqtt.access import (
    SALT_BYTES,
    SERVER_USER,
    VAULT_USER,
    Access,
    Right,
    hash_password,
    may_use_topic,
    password_matches,
    read_passwords,
    read_rights,
    rights,
    table_user,
    write_access_files,
)
from twinwall.wire.mqtt.broker_guard import BrokerGuard, GuardPaths
from twinwall.wire.mqtt.topics import (
    Channel,
    HallChannel,
    HallTopic,
    Topic,
    TopicError,
    all_tables,
    keys_topic,
    parse_hall_topic,
    parse_topic,
    slips_topic,
)

NAMES = st.text(min_size=1, max_size=12)
EVENT = "Autumn"


@given(NAMES, NAMES, st.sampled_from(Channel), st.sampled_from(HallChannel))
def test_a_topic_reads_back_and_has_as_many_levels_whatever_the_names(
    event: str, table: str, channel: Channel, of_hall: HallChannel
) -> None:
    try:
        topic, halls = str(Topic(event, table, channel)), str(HallTopic(table, of_hall))
    except UnicodeEncodeError:
        return
    assert (parse_topic(topic), parse_hall_topic(halls)) == (Topic(event, table, channel), HallTopic(table, of_hall))
    assert (topic.count("/"), halls.count("/")) == (3, 2)
    assert not set("+# ") & set(topic)


@pytest.mark.parametrize(
    ("read", "texts"),
    [
        (parse_hall_topic, " twinwall-hall/1 twinwall-hall//waiting twinwall-hall/1/other twinwall-hall/%31/waiting a/1/waiting"),
        (parse_topic, " twinwall/e/1 twinwall/e/1/secrets twinwall//1/events twinwall/%65/1/events other/e/1/events twinwall/%ff/1/events"),
    ],
)
def test_other_topics_are_refused(read: Callable[[str], object], texts: str) -> None:
    for text in texts.split(" "):
        with pytest.raises(TopicError):
            read(text)


@given(st.sampled_from(["1", "2", "1/events", "+", "#", "ä b"]), st.sampled_from(["1", "2", "+", "#"]), st.sampled_from(Channel))
def test_a_table_may_do_nothing_under_another_tables_prefix_nor_speak_for_the_vault(mine: str, other: str, channel: Channel) -> None:
    granted = rights(EVENT, ["1", "2", "1/events", "+", "#", "ä b"])
    topic = str(Topic(EVENT, other, channel))
    heard_by_all = {Access.READ} if channel is Channel.CROSSING_HEAD else set()
    allowed = any(may_use_topic(granted, table_user(mine), access, topic) for access in set(Access) - heard_by_all)
    assert allowed == (mine == other and channel not in (Channel.NOTICE, Channel.KEY_REQUEST)), "these two are between server and vault"


@pytest.mark.parametrize(
    "asked",
    ["#", "twinwall/#", "+/+/+/+", f"twinwall/{EVENT}/#", f"twinwall/{EVENT}/+/events", f"twinwall/{EVENT}/1/+", f"twinwall/{EVENT}/1/#"],
)
def test_a_table_may_not_subscribe_with_a_wildcard(asked: str) -> None:
    assert not may_use_topic(rights(EVENT, ["1", "2"]), table_user("1"), Access.READ, asked)


def test_a_right_for_one_level_is_none_for_all_below() -> None:
    granted = (Right("club", Access.READ, "hall/+"),)
    assert [may_use_topic(granted, "club", Access.READ, asked) for asked in ("hall/1", "hall/+", "hall/#", "hall")] == [
        True,
        True,
        False,
        False,
    ]


def test_with_rights_at_any_event_a_table_still_speaks_for_itself_alone() -> None:
    granted = rights(None, ["1", "2"])
    for event in (EVENT, "Another evening"):
        assert may_use_topic(granted, table_user("1"), Access.WRITE, str(Topic(event, "1", Channel.EVENTS)))
        assert not may_use_topic(granted, table_user("1"), Access.WRITE, str(Topic(event, "2", Channel.EVENTS)))
        assert not may_use_topic(granted, table_user("1"), Access.READ, str(Topic(event, "2", Channel.EVENTS)))
        assert may_use_topic(granted, SERVER_USER, Access.READ, all_tables(event, Channel.EVENTS))
        assert may_use_topic(granted, VAULT_USER, Access.WRITE, slips_topic(event))


def test_nothing_is_kept_of_long_names_that_somebody_invents() -> None:
    """Whoever has a venue's certificate chooses the names of tables; each topic may have 65,535 bytes."""
    parse_topic(str(Topic("e", "warm", Channel.EVENTS)))
    tracemalloc.start()
    for number in range(100):
        name = f"{number}".rjust(60_000, "x")
        assert parse_topic(str(Topic("e", name, Channel.EVENTS))).table == name
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 1_000_000


USERS = {"S": SERVER_USER, "V": VAULT_USER, "O": "vault-Ota", "1": table_user("1"), "2": table_user("2")}
"""The server, the vaults of two holders, and two tables."""


@pytest.mark.parametrize(
    ("topic", "writers", "readers"),
    [
        (HallTopic("1", HallChannel.ASSIGNMENT), "S", "1"),
        (HallTopic("1", HallChannel.WAITING), "1", "S"),
        (HallTopic("1", HallChannel.TILE_ORDER), "S", "1"),
        (HallTopic("1", HallChannel.TILES), "1", "S"),
        (Topic(EVENT, "1", Channel.EVENTS), "1", "SVO"),
        (Topic(EVENT, "1", Channel.COMMAND), "SVO", "1"),
        (Topic(EVENT, "1", Channel.QUESTION), "1", "S"),
        (Topic(EVENT, "1", Channel.DEAL), "VO", "1"),
        (Topic(EVENT, "1", Channel.HEALTH), "1", "S"),
        (Topic(EVENT, "1", Channel.CUSTODY), "1", "VO"),
        (Topic(EVENT, "1", Channel.NOTICE), "VO", "S"),
        (slips_topic(EVENT), "VO", "S12"),
        (keys_topic(EVENT), "V", "S12"),
    ],
    ids=str,
)
def test_who_speaks_and_who_hears_on_a_topic(topic: object, writers: str, readers: str) -> None:
    """Pictures of a discard that others have still to play are for the server alone; the first holder's vault alone announces keys."""
    granted = rights(EVENT, ["1", "2"], (VAULT_USER, "vault-Ota"))
    found = [
        "".join(each for each, user in USERS.items() if may_use_topic(granted, user, access, str(topic)))
        for access in (Access.WRITE, Access.READ)
    ]
    assert found == [writers, readers]


def test_the_files_are_private_and_read_back(tmp_path: Path) -> None:
    passwords = {SERVER_USER: "s", "Tisch 1": "t"}
    files = write_access_files(tmp_path, EVENT, passwords, dict.fromkeys(passwords, b"." * SALT_BYTES))
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in (files.passwords, files.rights))
    assert read_rights(files.rights) == rights(EVENT, ["Tisch 1"])
    hashes = read_passwords(files.passwords)
    assert set(hashes) == {SERVER_USER, "table-Tisch%201"}
    assert password_matches("t", hashes["table-Tisch%201"])
    assert not password_matches("s", hashes["table-Tisch%201"])
    assert "t\n" not in files.passwords.read_text()


def test_the_embedded_broker_compares_a_password_for_a_user_whom_it_does_not_know_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = write_access_files(tmp_path, EVENT, {SERVER_USER: "s"}, {SERVER_USER: b"." * SALT_BYTES})
    context, compared, derive = BaseContext(), list[int](), hashlib.pbkdf2_hmac
    context.config = GuardPaths(str(files.passwords), str(files.rights))
    guard = BrokerGuard(context)

    def counted(name: str, password: bytes, salt: bytes, iterations: int) -> bytes:
        compared.append(iterations)
        return derive(name, password, salt, iterations)

    monkeypatch.setattr(hashlib, "pbkdf2_hmac", counted)
    for user, password, is_let_in in ((SERVER_USER, "s", True), (SERVER_USER, "x", False), ("nobody", "s", False), (None, "s", False)):
        session = Session()
        session.username = session.client_id = user
        session.password = password
        with pytest.raises(StopIteration) as answered:
            guard.authenticate(session=session).send(None)
        assert answered.value.value is is_let_in
    assert len(set(compared)) == 1
    assert len(compared) == 4


def test_an_event_without_a_server_is_refused_and_a_broken_hash_matches_nothing(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="server"):
        write_access_files(tmp_path, EVENT, {"1": "t"}, {"1": b"." * SALT_BYTES})
    assert not password_matches("", "")
    assert not password_matches("x", hash_password("x", b"salt")[:-4])


@pytest.mark.parametrize(
    ("read", "line"),
    [
        *((read_rights, line) for line in ("topic read a", "user", "topic write a b", "pattern read %u", "user x\ntopic readwrite a")),
        *((read_passwords, line) for line in ("server", "server:plain", ":$7$1$AAAA$AAAA", "server:$7$0$AAAA$AAAA")),
        *((read_passwords, line) for line in ("server:$7$1$?$AAAA", "server:$6$AAAA$AAAA")),
    ],
)
def test_a_line_of_an_access_file_that_is_not_understood_is_named(tmp_path: Path, read: Callable[[Path], object], line: str) -> None:
    path = tmp_path / "access"
    path.write_text(f"{line}\n")
    with pytest.raises(DocumentError, match=r"access, line [12]"):
        read(path)
