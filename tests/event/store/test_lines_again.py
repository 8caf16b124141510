"""Lines of a store for a reader that lacks them: they end at a line of which a head is stored."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.support.wire.streams import START, ledger
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.lines_again import MOST_AGAIN, lines_again
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_contents import SignedHead
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.ledger import parse
from twinwall.wire.receiver import MOST_ASKED

LINES = ledger(MOST_AGAIN + 10)


def stored(folder: Path, heads: Iterable[int], lines: int = len(LINES)) -> Path:
    """A store with so many lines of table 12, and heads of these; a head is whatever was received."""
    store = folder / "event.sqlite"
    desk = StoreWriter(store, Programme("e", field_of(EntrantKind.INDIVIDUAL, ["12"])), START)
    desk.take([parse(line) for line in LINES[:lines]])
    for seq in heads:
        desk.keep_signature(SignedHead("12", "j1", seq, b"head %d" % seq))
    desk.close()
    return store


@pytest.mark.parametrize(
    ("heads", "asked", "ends", "headed"),
    [
        ((5, 10, 20), (3, 10), 10, True),
        ((5, 20), (3, 10), 20, True),
        ((5,), (3, 10), 5, True),
        ((2, 5, 5), (5, 5), 5, True),
        ((), (3, 10), 10, False),
        ((2,), (3, 10), 10, False),
        ((MOST_AGAIN,), (1, 9_000), MOST_AGAIN, True),
        ((MOST_AGAIN + 1,), (1, 9_000), MOST_ASKED, False),
    ],
)
def test_an_answer_ends_at_a_line_of_which_a_head_is_stored(
    tmp_path: Path, heads: tuple[int, ...], asked: tuple[int, int], ends: int, headed: bool
) -> None:
    again = lines_again(stored(tmp_path, heads), "12", "j1", *asked)
    assert again == (LINES[asked[0] - 1 : ends], b"head %d" % ends if headed else None)


def test_nothing_is_read_of_another_table_or_journal_or_beyond_the_end(tmp_path: Path) -> None:
    store = stored(tmp_path, (3,), 5)
    assert not any(lines_again(store, *asked)[0] for asked in (("1", "j1", 1, 5), ("12", "j2", 1, 5), ("12", "j1", 6, 9)))


def test_lines_are_read_while_the_store_is_written(tmp_path: Path) -> None:
    store = stored(tmp_path, (3,), 5)
    desk = StoreWriter(store, Programme("e", field_of(EntrantKind.INDIVIDUAL, ["12"])), START)
    desk.take([parse(LINES[5])])
    assert lines_again(store, "12", "j1", 5, 6)[0] == LINES[4:6]
    desk.close()


def test_a_store_that_is_not_there_is_an_error_of_the_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        lines_again(tmp_path / "none.sqlite", "12", "j1", 1, 5)
