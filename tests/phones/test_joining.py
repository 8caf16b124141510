"""Phones are let in by codes of one use and five minutes, one phone a role."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tableside.phones.phone_book import (
    BUILDER_AWAY_S,
    CODE_S,
    PhoneBook,
    PhoneBookError,
    PhoneRole,
    RoleKind,
    new_secret,
    roles_of,
)
from tableside.phones.phone_messages import PhoneJoined, PhoneRefused
from tests.phones.conftest import Clock
from tests.support.narrowed import of_type

GATE, ABOVE = PhoneRole("2", "gate"), PhoneRole("2", "table")
BUILDER = PhoneRole("2", "builder")
ROLES = roles_of("2", 1, station=True)


def test_a_table_has_a_camera_a_gate_one_above_and_keys_for_one_place_or_all() -> None:
    assert [role.name for role in roles_of("2", 2)] == ["gate", "gate-1", "table", "keys", "keys-0", "keys-1", "keys-2", "keys-3"]
    assert {role.kind for role in ROLES} == set(RoleKind)
    assert (PhoneRole("2", "keys").place, PhoneRole("2", "keys-3").place, GATE.place) == (None, 3, None)


def test_a_code_is_good_once_for_five_minutes_until_there_is_a_newer_one(tmp_path: Path) -> None:
    clock = Clock()
    book = PhoneBook(tmp_path / "phones.json", ROLES, clock)
    late = book.offer(GATE)
    assert book.enter("other code", "") == PhoneRefused("unknown")
    clock.now_s += CODE_S
    assert book.enter(late, "") == PhoneRefused("late")
    replaced, code = book.offer(GATE), book.offer(GATE)
    clock.now_s += CODE_S - 0.1
    assert book.enter(replaced, "") == PhoneRefused("unknown")
    joined = of_type(PhoneJoined, book.enter(code, ""))
    assert PhoneRole(joined.table, joined.name) == GATE
    assert book.enter(code, "") == PhoneRefused("used")
    assert book.holds(joined)
    assert let_in(book, GATE).token != joined.token
    assert not book.holds(joined)


@given(st.lists(st.sampled_from([GATE, ABOVE]), max_size=12))
def test_each_role_has_the_phone_that_came_last(order: list[PhoneRole]) -> None:
    with TemporaryDirectory() as folder:
        book = PhoneBook(Path(folder) / "phones.json", ROLES)
        joined = [let_in(book, role) for role in order]
        last = {phone.name: phone for phone in joined}
        assert [phone for phone in joined if book.holds(phone)] == [phone for phone in joined if phone in last.values()]


def let_in(book: PhoneBook, role: PhoneRole) -> PhoneJoined:
    return of_type(PhoneJoined, book.enter(book.offer(role), ""))


def test_each_phone_has_words_of_its_own_that_staff_see_too(tmp_path: Path) -> None:
    assert new_secret() != new_secret()
    book = PhoneBook(tmp_path / "phones.json", ROLES)
    assert {phone.words for phone in book.now()} == {None}
    one, other = let_in(book, GATE), let_in(book, ABOVE)
    assert one.words != other.words
    assert len(one.words) == 9
    assert [phone.words for phone in book.now() if phone.given] == [one.words, other.words]


def test_after_a_restart_a_camera_comes_again_by_its_token_and_a_builders_screen_and_one_of_no_table_here_do_not(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "phones.json"
    book = PhoneBook(file, ROLES)
    camera, screen = let_in(book, GATE), let_in(book, BUILDER)
    assert camera.token not in file.read_text()
    again = PhoneBook(file, ROLES)
    assert again.enter("", camera.token) == camera
    assert again.holds(camera)
    assert again.enter("", screen.token) == PhoneRefused("out")
    assert PhoneBook(file, roles_of("3", 1)).enter("", camera.token) == PhoneRefused("out")


def test_a_phone_is_replaced_by_the_next_code_and_out_once_it_is_dismissed(tmp_path: Path) -> None:
    file = tmp_path / "phones.json"
    book = PhoneBook(file, ROLES)
    first, second = (let_in(book, GATE) for _ in range(2))
    assert [book.holds(first), book.holds(second)] == [False, True]
    assert book.ended(GATE) == PhoneRefused("replaced")
    assert book.enter("", first.token) == PhoneRefused("out")
    book.dismiss(GATE)
    assert not book.holds(second)
    assert book.ended(GATE) == PhoneRefused("dismissed")
    assert PhoneBook(file, ROLES).enter("", second.token) == PhoneRefused("out")


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "phones.json").write_text("{")
    with pytest.raises(PhoneBookError, match="put it aside"):
        PhoneBook(tmp_path / "phones.json", ROLES)


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
