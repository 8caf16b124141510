"""Attack 9: all four walls lie in clear in the table's journal, and an edited or shortened journal is taken.

Whoever does this has a copy of the disk, or the disk itself for a while: the journal, its heads, the identity key. Each attack has a
control that succeeds where the defence is taken away.
"""

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from controller.ledger.journal import HeadKeys, Journal, JournalError, JournalHeads
from controller.ledger.journal_events import JournalEvent, TileRead
from controller.ledger.journal_lines import FORMAT
from controller.ledger.public import table_ledger
from tests.support.custody.hall import EVENT, PLAN, PUBLIC, ROOT, SEEDS
from tests.support.leak_scanner import concealed, find_leaks
from twinwall.game.deals import Deal, make_deal
from twinwall.game.tiles import ALL_TILES
from twinwall.wire.events.hand_events import HandClosed
from twinwall.wire.events.wall_events import ControllerStarted, DealOpened, WallReady
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.line_cipher import LineCipher
from twinwall.wire.messages.signing import Signer

AT = "2026-11-20T10:00:00.000Z"
IDENTITY = Signer("1", b"\x11" * 32)


def deal(n: int) -> Deal:
    return make_deal(PLAN, SEEDS, n, PUBLIC, ROOT)


def decisions(n: int) -> tuple[tuple[JournalEvent, ...], ...]:
    """What a journal says of one deal, in short: its walls, that they stand, and that the hand is over."""
    one = deal(n)
    opened = DealOpened(one.n, one.session, one.hand, "mcr-duplicate", one.check.hex(), one.walls, one.digest.hex())
    return (opened,), (WallReady(n, one.check.hex(), one.digest.hex()),), (HandClosed(n),)


class TableDisk:
    """``disk`` outlasts a power cut, ``memory`` does not; ``encrypted`` and ``signed`` False take a defence away."""

    def __init__(self, folder: Path, *, encrypted: bool = True, signed: bool = True) -> None:
        self.disk, self.memory = folder / "disk", folder / "memory"
        self.disk.mkdir()
        self.memory.mkdir()
        self.encrypted, self.signed = encrypted, signed
        self.boot = 1
        self._random = 0

    @property
    def path(self) -> Path:
        return self.disk / "table.journal"

    @property
    def heads(self) -> Path:
        return self.disk / "table.journal.heads"

    @property
    def lines(self) -> list[bytes]:
        return self.path.read_bytes().splitlines(keepends=True)

    def fresh(self, size: int) -> bytes:
        self._random += 1
        return self._random.to_bytes(size)

    def journal(self) -> Journal:
        """Open it, as the table does at start."""
        keys = HeadKeys(EVENT, "1", IDENTITY, Signer("1", bytes([self.boot]) * 32))
        heads = JournalHeads(self.heads, self.memory / "journal.head", keys, fsync=_no_wait) if self.signed else None
        return Journal(self.path, LineCipher(b"\x07" * 32, self.fresh) if self.encrypted else None, heads, fsync=_no_wait)

    def play(self, *deals: int) -> None:
        """Start, play these deals, and be killed."""
        journal = self.journal()
        started = ControllerStarted("j", "0.1.0", bool(journal.entries), 1)
        for events in ((started,), *(events for n in deals for events in decisions(n))):
            journal.append(AT, events)
            journal.sync()
        journal.close()

    def cut_power(self) -> None:
        """What was in memory is gone; the next start has other boot keys."""
        shutil.rmtree(self.memory)
        self.memory.mkdir()
        self.boot += 1

    def copy(self, to: Path) -> Path:
        shutil.copytree(self.disk, to)
        return to

    def put_back(self, copy: Path) -> None:
        """The disk as it was when it was copied."""
        shutil.rmtree(self.disk)
        shutil.copytree(copy, self.disk)


def chained_again(bodies: Iterable[bytes]) -> bytes:
    """Lines with these bodies, each with the hash that whoever knows the form computes."""
    last, written = hashlib.sha256(FORMAT.encode()).digest(), b""
    for body in bodies:
        last = hashlib.sha256(last + body).digest()
        written += body[:-1] + b',"chain":"' + last.hex().encode() + b'"}\n'
    return written


def bodies(lines: Sequence[bytes]) -> list[bytes]:
    """The lines without their hashes."""
    return [line[: line.rindex(b',"chain":')] + b"}" for line in lines]


def said(line: bytes) -> dict[str, object]:
    read: dict[str, object] = json.loads(line)
    return read


def _no_wait(file: int) -> None:
    """A disk that is as quick as a test."""


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize("encrypted", [True, False], ids=["encrypted", "control: in clear"])
def test_whoever_copies_the_disk_reads_the_walls_only_where_the_journal_lies_in_clear(tmp_path: Path, *, encrypted: bool) -> None:
    table = TableDisk(tmp_path, encrypted=encrypted)
    table.play(1)
    assert bool(find_leaks(everything(table.disk), [concealed(1, deal(1).walls)])) is not encrypted


@pytest.mark.parametrize("encrypted", [True, False], ids=["encrypted", "control: in clear"])
def test_the_length_of_a_line_tells_an_honour_from_a_suit_only_in_clear(tmp_path: Path, *, encrypted: bool) -> None:
    table = TableDisk(tmp_path, encrypted=encrypted)
    journal = table.journal()
    journal.append(AT, [TileRead(tile, 0.99, "") for tile in ALL_TILES])
    journal.close()
    assert (len({len(line) for line in table.lines[10:]}) == 1) is encrypted


def edited(table: TableDisk) -> list[bytes]:
    """The walls of the second deal become another deal's; the hashes are computed again."""
    own = bodies(table.lines)
    own[4] = own[4].replace(b'"n":2', b'"n":3')
    table.path.write_bytes(chained_again(own))
    return own


def test_an_edited_journal_whose_hashes_were_computed_again_is_named_by_its_line(tmp_path: Path) -> None:
    table = TableDisk(tmp_path, encrypted=False)
    table.play(1, 2)
    edited(table)
    with pytest.raises(JournalError, match=r"is not what was signed: line 5 was changed"):
        table.journal()


def test_control_without_signed_heads_the_edited_journal_is_taken(tmp_path: Path) -> None:
    table = TableDisk(tmp_path, encrypted=False, signed=False)
    table.play(1, 2)
    edited(table)
    table.journal().close()


IN_CLEAR = b'{"seq":5,"at":"2026-11-20T10:00:00.000Z","type":"hand-closed","n":2}'


@pytest.mark.parametrize(
    ("change", "why"),
    [
        pytest.param(
            lambda own: [*own[:4], re.sub(rb'"sealed":"....', b'"sealed":"zzzz', own[4]), *own[5:]],
            r"line 5 is damaged \(it does not open with this journal's key",
            id="an edit without the journal's key, though no head covers it",
        ),
        pytest.param(
            lambda own: [own[0], own[4].replace(b'"seq":5', b'"seq":2')],
            r"line 2 is damaged \(it does not open with this journal's key",
            id="a line at another place",
        ),
        pytest.param(
            lambda own: [*own[:4], IN_CLEAR], r"line 5 is damaged \(it lies in clear in a journal that is encrypted", id="a line in clear"
        ),
    ],
)
def test_a_changed_line_of_an_encrypted_journal_is_named(tmp_path: Path, change: Callable[[list[bytes]], list[bytes]], why: str) -> None:
    table = TableDisk(tmp_path, signed=False)
    table.play(1, 2)
    table.path.write_bytes(chained_again(change(bodies(table.lines))))
    with pytest.raises(JournalError, match=why):
        table.journal()


@pytest.mark.parametrize(
    ("heads", "signed"),
    [(False, "heads line 5 says that line 5"), (True, r"journal\.head says that line 7")],
    ids=["alone", "with its heads"],
)
def test_a_shortened_journal_is_named_by_its_last_line_and_the_one_that_was_signed(tmp_path: Path, heads: bool, signed: str) -> None:
    """The second deal is cut off, and then whatever was signed of it too: the head in memory names that one."""
    table = TableDisk(tmp_path)
    table.play(1, 2)
    table.path.write_bytes(b"".join(table.lines[:4]))
    if heads:
        table.heads.write_bytes(b"".join(table.heads.read_bytes().splitlines(keepends=True)[:4]))
    with pytest.raises(JournalError, match=rf"ends with line 4, but .*{signed} was signed"):
        table.journal()


def test_control_without_signed_heads_the_shortened_journal_is_taken(tmp_path: Path) -> None:
    table = TableDisk(tmp_path, signed=False)
    table.play(1, 2)
    table.path.write_bytes(b"".join(table.lines[:4]))
    table.journal().close()


def test_a_journal_whose_heads_were_removed_is_refused(tmp_path: Path) -> None:
    table = TableDisk(tmp_path)
    table.play(1)
    table.cut_power()
    table.heads.unlink()
    with pytest.raises(JournalError, match=r"table\.journal\.heads is missing or empty"):
        table.journal()


def known(table: TableDisk) -> LedgerPosition:
    """What the hall has had of the table's public ledger."""
    ledger = table_ledger(table.disk, "1", "j")
    journal = table.journal()
    ledger.catch_up(journal.entries)
    for close in (ledger.close, journal.close):
        close()
    return ledger.position


@pytest.mark.parametrize("told", [True, False], ids=["the hall's word", "control: nobody asked"])
def test_an_older_copy_of_the_whole_disk_after_a_power_cut_is_named_by_what_the_hall_has(tmp_path: Path, *, told: bool) -> None:
    table = TableDisk(tmp_path)
    table.play(1)
    copy = table.copy(tmp_path / "older")
    table.play(2)
    position = known(table)
    table.put_back(copy)
    table.cut_power()
    journal = table.journal()
    ledger = table_ledger(table.disk, "1", "j", known={"vault": position} if told else {})
    if told:
        with pytest.raises(JournalError, match=rf"the vault has line {position.seq} .* this one ends with line"):
            ledger.catch_up(journal.entries)
    else:
        ledger.catch_up(journal.entries)
        ledger.close()
    journal.close()


@pytest.mark.parametrize("told", [("vault", "vault-witness"), ("vault",)], ids=["both vaults' word", "control: one vault asked"])
def test_a_disk_of_a_journal_that_was_left_is_named_by_the_vault_that_has_heard_of_the_next_one(
    tmp_path: Path, told: tuple[str, ...]
) -> None:
    """One of two vaults was away when the table began the journal after this one: it has more lines of the old one than the other has
    of the new one."""
    table = TableDisk(tmp_path)
    table.play(2)
    heard = {"vault": known(table), "vault-witness": LedgerPosition("next", 1, "ab" * 32)}
    table.cut_power()
    journal = table.journal()
    ledger = table_ledger(table.disk, "1", "j", known={vault: heard[vault] for vault in told})
    if len(told) > 1:
        with pytest.raises(JournalError, match="the vault-witness has line 1 of the journal 'next', and this is the journal 'j'"):
            ledger.catch_up(journal.entries)
    else:
        ledger.catch_up(journal.entries)
        ledger.close()
    journal.close()


def cut_line(table: TableDisk) -> None:
    table.path.write_bytes(table.path.read_bytes()[:-10])


def cut_two(table: TableDisk) -> None:
    table.path.write_bytes(b"".join(table.lines[:-2]) + table.lines[-2][:30])


@pytest.mark.parametrize("cut", [cut_line, cut_two])
def test_half_a_last_line_that_a_head_covers_is_not_dropped(tmp_path: Path, cut: Callable[[TableDisk], None]) -> None:
    table = TableDisk(tmp_path)
    table.play(1)
    table.cut_power()
    cut(table)
    left = table.path.read_bytes()
    with pytest.raises(JournalError, match=r"was signed: the end was cut off"):
        table.journal()
    assert table.path.read_bytes() == left, "what is left is for the referee"


def test_a_table_that_lost_power_goes_on_under_new_boot_keys(tmp_path: Path) -> None:
    table = TableDisk(tmp_path)
    table.play(1)
    table.cut_power()
    table.play(2)
    table.cut_power()
    journal = table.journal()
    assert [entry.seq for entry in journal.entries] == list(range(1, 9))
    journal.close()
