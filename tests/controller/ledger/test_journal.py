"""Journals from their first line to their last: lines, heads, the start of the event, and what older versions wrote."""

import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.ledger.first_lines import first_lines, journal_id
from controller.ledger.journal import HeadKeys, Journal, JournalError, JournalHeads
from controller.ledger.journal_events import HandTileTaken, JournalEvent, PauseOver, TileRead, event_from_json, event_to_json
from controller.ledger.journal_lines import BLOCK, JournalChain
from tests.support.controller.kept_journals import rig_of
from tests.support.controller.rigs import Rig
from tests.support.tiers import examples
from twinwall.game.deals import Start
from twinwall.game.deals.encoding import Sha256
from twinwall.game.play_events import HandEnded
from twinwall.game.tiles import Seat, Tile
from twinwall.wire.events.trouble_events import FaultCleared
from twinwall.wire.events.wall_events import ControllerStarted, StartFixed
from twinwall.wire.ledger import verify_chain
from twinwall.wire.line_cipher import LINE_KEY_SIZE, LineCipher
from twinwall.wire.messages.ruling import Ruling
from twinwall.wire.messages.signing import Signer

AT = "2026-11-20T10:00:00.000Z"
STARTED = ControllerStarted("j", "0.1.0", False, 1)
DECISIONS: tuple[tuple[JournalEvent, ...], ...] = (
    (STARTED,),
    (PauseOver(1), HandTileTaken(Seat.EAST, 4)),
    (TileRead(Tile.M5, 0.9975, ""),),
    (TileRead(None, 0.0, "glare"), PauseOver(7), FaultCleared("lid")),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "ledger" / "table.journal"
    journal = Journal(path, fsync=no_wait)
    for events in DECISIONS:
        journal.append(AT, events)
    journal.close()
    return path


def no_wait(file: int) -> None:
    """A disk that is as quick as a test."""


def chained(body: bytes, before: bytes) -> bytes:
    """A line as whoever knows the form would write it after the first one."""
    last = bytes.fromhex(json.loads(before)["chain"])
    return body[:-1] + b',"chain":"' + hashlib.sha256(last + body).hexdigest().encode() + b'"}\n' if body.endswith(b"}") else body + b"\n"


def read(path: Path) -> list[JournalEvent]:
    journal = Journal(path)
    journal.close()
    return [entry.event for entry in journal.entries]


def test_what_was_written_is_read_again_with_numbers_from_one(path: Path) -> None:
    journal = Journal(path)
    assert [entry.event for entry in journal.entries] == [event for events in DECISIONS for event in events]
    assert [entry.seq for entry in journal.entries] == list(range(1, 8))
    assert {entry.at for entry in journal.entries} == {AT}
    (added,) = journal.append(AT, (PauseOver(7),))
    assert added.seq == 8
    journal.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600, "nobody else may read it"


def test_a_second_controller_on_the_same_journal_is_refused(path: Path) -> None:
    first = Journal(path)
    with pytest.raises(JournalError, match=r"table\.journal is in use by another controller"):
        Journal(path)
    first.close()
    Journal(path).close()


@given(cut=st.integers(0, 10_000))
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_cut_at_any_byte_it_holds_whole_decisions_and_goes_on_from_there(path: Path, cut: int) -> None:
    whole = path.read_bytes()
    copy = path.with_name("cut.journal")
    copy.write_bytes(whole[: cut % (len(whole) + 1)])
    journal = Journal(copy, fsync=no_wait)
    events = tuple(entry.event for entry in journal.entries)
    assert events in {tuple(event for events in DECISIONS[:count] for event in events) for count in range(len(DECISIONS) + 1)}
    journal.append(AT, (PauseOver(7),))
    journal.close()
    assert read(copy) == [*events, PauseOver(7)]


@given(place=st.integers(0, 10_000), byte=st.integers(0, 255))
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_changed_byte_is_named_by_its_line_or_changes_nothing_before_it(path: Path, place: int, byte: int) -> None:
    content = bytearray(path.read_bytes())
    place %= len(content) - 1
    content[place] = byte
    copy = path.with_name("changed.journal")
    copy.write_bytes(bytes(content))
    line = bytes(content[:place]).count(b"\n") + 1
    try:
        journal = Journal(copy)
    except JournalError as error:
        assert f"{copy} line " in str(error)
        named = int(str(error).split(" line ")[1].split()[0])
        assert named in (line, line + 1), "a line feed gone or added moves the damage by one"
        return
    events = [entry.event for entry in journal.entries]
    journal.close()
    untouched = [event for events in DECISIONS for event in events][: line - 1]
    assert events[: len(untouched)] == untouched[: len(events)]


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        (b"[]", "no chain hash"),
        (b"\xff\xfe}", "is no UTF-8 text"),
        (b'{"seq":2,"at":"x","type":"unheard-of"}', "unheard-of"),
        (b'{"seq":3,"at":"x","type":"pause-over"}', "number 3 stands where 2 is due"),
        (b'{"seq":2,"at":"x","type":"pause-over","more":1}', "more"),
        (b'{"seq":2,"at":"x","type":"tile-read","tile":"9z","probability":1.0,"reason":""}', "9z"),
        (b'{"seq":2,"at":"x","type":"tile-read","tile":"9m","probability":1.0}', "reason"),
    ],
    ids=str,
)
def test_a_damaged_line_in_the_middle_is_refused_by_number_and_left_as_it_is(path: Path, line: bytes, cause: str) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = chained(line, lines[0])
    path.write_bytes(b"".join(lines))
    with pytest.raises(JournalError, match=r"table\.journal line 2 is damaged") as refusal:
        Journal(path)
    assert cause in str(refusal.value)
    assert path.read_bytes() == b"".join(lines)


def test_sync_waits_for_the_disk_once_and_only_when_something_is_outstanding(tmp_path: Path) -> None:
    synced: list[int] = []
    journal = Journal(tmp_path / "j", fsync=lambda file: synced.append(os.fstat(file).st_size))
    assert synced == [0], "what was found must last before anything is built upon it"
    synced.clear()
    journal.sync()
    assert synced == []
    journal.append(AT, DECISIONS[1])
    journal.sync()
    journal.sync()
    assert synced == [(tmp_path / "j").stat().st_size]
    journal.append(AT, ())
    journal.close()
    assert len(synced) == 1


def test_lines_are_json_objects_that_a_person_can_read(path: Path) -> None:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    chain = lines[2].pop("chain")
    assert lines[2] == {"seq": 3, "at": AT, "type": "hand-tile-taken", "seat": "E", "index": 4}
    assert re.fullmatch("[0-9a-f]{64}", chain)
    assert lines[1]["left"] == 1


EARLIER = b'{"seq":1,"at":"2026-11-20T10:00:00.000Z","type":"controller-started","journal":"j","crc":"0badcafe"}\n'


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda content: b"\xef\xbb\xbf" + content, "begins with a byte order mark: an editor"),
        (lambda content: content.replace(b"\n", b"\r\n"), "has lines that end with CR LF, from line 1 on"),
        (lambda _: EARLIER, "was written by an earlier version of Twinwall, without a chain of hashes"),
    ],
    ids=["byte order mark", "CR LF", "earlier version"],
)
def test_a_file_of_another_program_is_refused_and_left_as_it_is(path: Path, change: Callable[[bytes], bytes], sentence: str) -> None:
    changed = change(path.read_bytes())
    path.write_bytes(changed)
    with pytest.raises(JournalError, match=sentence):
        Journal(path)
    assert path.read_bytes() == changed


OTHER_LINE = "it is not the line that was written here"


@pytest.mark.parametrize(
    ("change", "number", "cause"),
    [
        pytest.param(lambda lines: [*lines[:2], *lines[3:]], 3, OTHER_LINE, id="dropped"),
        pytest.param(lambda lines: [*lines[:2], lines[3], lines[2], *lines[4:]], 3, OTHER_LINE, id="swapped"),
        pytest.param(lambda lines: [line.replace(b'"seat":"E"', b'"seat":"W"') for line in lines], 3, OTHER_LINE, id="a letter"),
        pytest.param(lambda lines: [*lines[:2], *lines[1:]], 3, OTHER_LINE, id="repeated"),
        pytest.param(lambda lines: [*lines[:3], lines[3].replace(b"\n", b"\r\n"), *lines[4:]], 4, "it ends with CR LF", id="CR LF"),
    ],
)
def test_a_dropped_or_changed_line_is_named(path: Path, change: Callable[[list[bytes]], list[bytes]], number: int, cause: str) -> None:
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(JournalError, match=rf"table\.journal line {number} is damaged \({cause}"):
        Journal(path)


KEYS = HeadKeys("Autumn", "1", Signer("1", b"\x01" * 32), Signer("1", b"\x02" * 32))


def test_a_suit_and_an_honour_give_encrypted_lines_of_one_length() -> None:
    def line(content: bytes) -> bytes:
        return JournalChain(LineCipher(bytes(LINE_KEY_SIZE), bytes)).write(content)

    tiles = (b'{"tile":"5m"}', b'{"tile":"E"}', b'{"tile":"E","others":["5m","6m"]}', b"{" + b" " * (BLOCK - 2) + b"}")
    assert len({len(line(content)) for content in tiles}) == 1
    assert len(line(b"{" + b" " * BLOCK + b"}")) > len(line(tiles[0]))


def test_a_head_is_on_disk_before_it_lies_in_memory(tmp_path: Path) -> None:
    path, latest = tmp_path / "heads", tmp_path / "latest"
    synced: list[tuple[bytes, bool]] = []
    heads = JournalHeads(path, latest, KEYS, fsync=lambda _: synced.append((path.read_bytes(), latest.exists())))
    heads.sign(["ab" * 32])
    assert synced == [(latest.read_bytes(), False)]
    assert KEYS.read(latest.read_bytes()).seq == 1


START = Start(Sha256(32), Sha256(32), "5p 3s E")
OTHER = Start(Sha256(32), Sha256(32), "5p 3s W")
BEGUN = ControllerStarted("j7", "0.1.0", False, 1)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """A journal that was begun under the start."""
    begun = Journal(tmp_path / "table.journal")
    begun.append(AT, [*first_lines(begun, START), BEGUN])
    begun.close()
    return Journal(tmp_path / "table.journal")


def test_a_journal_begins_with_its_start_and_goes_on_under_that_alone(journal: Journal) -> None:
    assert journal.entries[0].event == StartFixed(START.code.hex())
    assert first_lines(journal, START) == ()
    assert journal_id(journal, "fresh") == "j7"
    with pytest.raises(JournalError, match=f"{START.words}.*{OTHER.words}: an event has one start"):
        first_lines(journal, OTHER)


def test_a_journal_without_a_start_is_refused(tmp_path: Path) -> None:
    begun = Journal(tmp_path / "table.journal")
    begun.append(AT, [BEGUN])
    begun.close()
    with pytest.raises(JournalError, match="does not begin with the start"):
        first_lines(Journal(tmp_path / "table.journal"), START)


VERSIONS = sorted((Path(__file__).parent / "versions").iterdir())
LEDGERS = ("events.jsonl", "public.jsonl")


@pytest.fixture(params=VERSIONS, ids=lambda version: version.name)
def kept(request: pytest.FixtureRequest) -> Path:
    version: Path = request.param
    return version


def goes_on(kept: Path, tmp_path: Path) -> Rig:
    """A controller of today on a copy of the table's folder."""
    return rig_of(Path(shutil.copytree(kept / "table", tmp_path / "table")))


def test_a_table_goes_on_in_the_hand_in_which_the_earlier_version_left_it(kept: Path, tmp_path: Path) -> None:
    rig = goes_on(kept, tmp_path)
    assert [type(event) for event in rig.events()].count(HandEnded) == 1
    hand = rig.state.playing.hand
    assert rig.deal.hand == 2
    assert hand is not None
    assert hand.play is not None
    assert [seat.dead for seat in hand.play.seats] == [False, False, True, False], "West was ruled dead before"
    rig.stop()


def test_the_ledgers_of_the_earlier_version_are_continued_line_for_line(kept: Path, tmp_path: Path) -> None:
    rig = goes_on(kept, tmp_path)
    rig.settle()
    rig.rule(n=1, identity="later")
    rulings = [event for event in rig.events() if isinstance(event, Ruling)]
    assert [ruling.n for ruling in rulings] == [1, 2, 1]
    for name, ledger in zip(LEDGERS, rig.ledgers, strict=True):
        before, after = (kept / "table" / name).read_bytes(), (rig.folder / name).read_bytes()
        assert after.startswith(before)
        assert verify_chain(ledger.lines) is None
    assert len(rig.ledgers[0].lines) > len((kept / "table" / LEDGERS[0]).read_bytes().splitlines())
    rig.stop()


def test_an_event_of_every_kind_is_read_and_keeps_its_fields(kept: Path) -> None:
    for line in (kept / "events.jsonl").read_text(encoding="utf-8").splitlines():
        written = json.loads(line)
        assert written.items() <= event_to_json(event_from_json(written)).items()


def test_a_journal_line_is_written_as_it_was(kept: Path) -> None:
    envelope = {"seq", "at", "left", "chain"}
    for line in (kept / "table" / "table.journal").read_bytes().splitlines():
        written = {key: value for key, value in json.loads(line).items() if key not in envelope}
        assert list(event_to_json(event_from_json(written)).items()) == list(written.items())
