"""Phones are let in by codes of one use and five minutes, one phone a role."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableside.phones.joining import CODE_S, CodeRefusal, JoinedPhones, PhoneRole, RoleKind, new_secret, roles_of
from tableside.phones.phone_book import BUILDER_AWAY_S, PhoneBook, PhoneBookError
from tableside.phones.phone_messages import PhoneJoined, PhoneRefused
from tests.phones.conftest import Clock

GATE, ABOVE = PhoneRole("2", "gate"), PhoneRole("2", "table")
BUILDER = PhoneRole("2", "builder")
ROLES = roles_of("2", 1, station=True)


def test_a_table_has_a_camera_a_gate_one_above_and_keys_for_one_place_or_all() -> None:
    assert [role.name for role in roles_of("2", 2)] == ["gate", "gate-1", "table", "keys", "keys-0", "keys-1", "keys-2", "keys-3"]
    assert {role.kind for role in ROLES} == set(RoleKind)
    assert (PhoneRole("2", "keys").place, PhoneRole("2", "keys-3").place, GATE.place) == (None, 3, None)


def test_a_code_is_good_once() -> None:
    offered = JoinedPhones().offered(GATE, "code", 0.0)
    after, role = offered.tried("code", 1.0, "token")
    assert role == GATE
    assert after.role_of("token") == GATE
    assert after.tried("code", 2.0, "other") == (after, CodeRefusal.USED)
    assert after.role_of("other") is None


def test_a_code_ends_after_five_minutes() -> None:
    offered = JoinedPhones().offered(GATE, "code", 10.0)
    assert offered.tried("code", 10.0 + CODE_S, "token")[1] is CodeRefusal.LATE
    assert offered.tried("code", 9.9 + CODE_S, "token")[1] == GATE


def test_a_code_that_nobody_offered_lets_nobody_in() -> None:
    assert JoinedPhones().tried("code", 0.0, "token") == (JoinedPhones(), CodeRefusal.UNKNOWN)


def test_a_newer_code_for_a_role_ends_the_older_one() -> None:
    offered = JoinedPhones().offered(GATE, "first", 0.0).offered(GATE, "second", 1.0)
    assert offered.tried("first", 2.0, "token")[1] is CodeRefusal.UNKNOWN
    assert offered.tried("second", 2.0, "token")[1] == GATE


@given(st.lists(st.sampled_from([GATE, ABOVE]), max_size=12))
def test_each_role_has_the_phone_that_came_last(order: list[PhoneRole]) -> None:
    joined = JoinedPhones()
    for number, role in enumerate(order):
        joined, entered = joined.offered(role, f"code {number}", 0.0).tried(f"code {number}", 0.0, f"token {number}")
        assert entered == role
    last = {role: number for number, role in enumerate(order)}
    for number, role in enumerate(order):
        assert joined.role_of(f"token {number}") == (role if last[role] == number else None)


def test_each_phone_has_words_of_its_own_that_staff_see_too(tmp_path: Path) -> None:
    assert new_secret() != new_secret()
    book = PhoneBook(tmp_path / "phones.json", ROLES)
    assert {phone.words for phone in book.now()} == {None}
    one, other = (book.enter(book.offer(role), "") for role in (GATE, ABOVE))
    assert isinstance(one, PhoneJoined)
    assert isinstance(other, PhoneJoined)
    assert one.words != other.words
    assert len(one.words) == 9
    assert [phone.words for phone in book.now() if phone.given] == [one.words, other.words]


def test_a_phone_comes_again_by_its_token_also_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "phones.json"
    book = PhoneBook(file, ROLES)
    joined = book.enter(book.offer(GATE), "")
    assert isinstance(joined, PhoneJoined)
    assert joined.token not in file.read_text()
    again = PhoneBook(file, ROLES)
    assert again.enter("", joined.token) == joined
    assert again.holds(joined)


def test_the_next_code_replaces_a_phone(tmp_path: Path) -> None:
    book = PhoneBook(tmp_path / "phones.json", ROLES)
    first, second = (book.enter(book.offer(GATE), "") for _ in range(2))
    assert isinstance(first, PhoneJoined)
    assert isinstance(second, PhoneJoined)
    assert not book.holds(first)
    assert book.holds(second)
    assert book.ended(GATE) == PhoneRefused("replaced")
    assert book.enter("", first.token) == PhoneRefused("out")


def test_a_phone_that_is_dismissed_is_out(tmp_path: Path) -> None:
    book = PhoneBook(tmp_path / "phones.json", ROLES)
    joined = book.enter(book.offer(GATE), "")
    assert isinstance(joined, PhoneJoined)
    book.dismiss(GATE)
    assert not book.holds(joined)
    assert book.ended(GATE) == PhoneRefused("dismissed")
    assert PhoneBook(tmp_path / "phones.json", ROLES).enter("", joined.token) == PhoneRefused("out")


def test_a_phone_of_a_table_that_is_no_longer_here_is_out(tmp_path: Path) -> None:
    book = PhoneBook(tmp_path / "phones.json", ROLES)
    joined = book.enter(book.offer(GATE), "")
    assert isinstance(joined, PhoneJoined)
    assert PhoneBook(tmp_path / "phones.json", roles_of("3", 1)).enter("", joined.token) == PhoneRefused("out")


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "phones.json").write_text("{")
    with pytest.raises(PhoneBookError, match="put it aside"):
        PhoneBook(tmp_path / "phones.json", ROLES)


def let_in(book: PhoneBook, role: PhoneRole) -> PhoneJoined:
    joined = book.enter(book.offer(role), "")
    assert isinstance(joined, PhoneJoined)
    return joined


def test_a_builders_screen_has_to_be_let_in_again_after_a_restart_and_a_camera_has_not(tmp_path: Path) -> None:
    book = PhoneBook(tmp_path / "phones.json", ROLES)
    camera, screen = let_in(book, GATE), let_in(book, BUILDER)
    again = PhoneBook(tmp_path / "phones.json", ROLES)
    assert isinstance(again.enter("", camera.token), PhoneJoined)
    assert again.enter("", screen.token) == PhoneRefused("out")


def test_a_builders_screen_that_was_away_for_a_quarter_of_an_hour_is_out(tmp_path: Path) -> None:
    clock = Clock()
    book = PhoneBook(tmp_path / "phones.json", ROLES, clock)
    screen, camera = let_in(book, BUILDER), let_in(book, GATE)
    for away_s, is_in in ((BUILDER_AWAY_S, True), (BUILDER_AWAY_S + 1.0, False)):
        for role in (BUILDER, GATE):
            book.came(role)
            book.went(role)
        clock.now_s += away_s
        assert isinstance(book.enter("", screen.token), PhoneJoined) is is_in
        assert isinstance(book.enter("", camera.token), PhoneJoined)
    assert not book.holds(screen)
