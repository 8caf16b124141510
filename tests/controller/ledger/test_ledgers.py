"""The public ledgers, a pure function of the journal, checked against the disk at every start; and the service file, without tiles."""

import json
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.ledger.journal import JournalEntry, JournalError
from controller.ledger.journal_events import JournalEvent, OperationIssued, TileRead, event_from_json, event_to_json
from controller.ledger.public import PublicLedger, open_ledger, table_ledger
from controller.ledger.service_file import LINK_NOTES, LinkNotes, service_lines
from firmware_bridge.frames import LineCounts
from firmware_bridge.link.statistics import LinkStatistics
from firmware_bridge.messages import Command
from tests.support.controller.journal_values import KINDS, events, values
from tests.support.controller.rigs import opened
from tests.support.game.tables import random_walls
from tests.support.tiers import examples
from twinwall.game.documents import DocumentError
from twinwall.game.play_events import TileDiscarded, TileDrawn
from twinwall.game.tiles import Seat, Tile
from twinwall.game.typed_json import plain, read_as, written
from twinwall.wire.events.definitions import type_name
from twinwall.wire.events.trouble_events import TableFault, Violation
from twinwall.wire.events.wall_events import ControllerStarted, DealOpened, DealRefused, WallReady
from twinwall.wire.ledger import parse, verify_chain

DEAL = opened(random_walls(1))
EVENTS: tuple[JournalEvent, ...] = (
    ControllerStarted("j", "0.1.0", False, 1),
    DealOpened(1, 1, 1, "mcr-duplicate", DEAL.check, DEAL.walls, DEAL.digest),
    TileRead(Tile.M1, 0.99, ""),
    WallReady(1, DEAL.check, DEAL.digest),
    TileDrawn(Seat.EAST),
    TileDiscarded(Seat.EAST, Tile.P9),
    TableFault("lid", "drum", "The lid is open: close it"),
    TableFault("extra-tile", "reject cell", "A fifth 7p lies in the reject cell", (Tile.P7,)),
    DealRefused(2, "seal", "Deal 2 from the vault must not be played"),
)
ENTRIES = tuple(JournalEntry(number, f"2026-11-20T10:00:{number + 10}.123Z", event) for number, event in enumerate(EVENTS, 1))


@pytest.fixture(params=[table_ledger, open_ledger], ids=["table", "open"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PublicLedger]:
    ledger: PublicLedger = request.param(tmp_path, "1", "j")
    ledger.catch_up(ENTRIES)
    yield ledger
    ledger.close()


def again(ledger: PublicLedger) -> PublicLedger:
    """The same ledger opened by the next controller."""
    make = table_ledger if ledger.path.name == "events.jsonl" else open_ledger
    later = make(ledger.path.parent, "1", "j")
    later.catch_up(ENTRIES)
    later.close()
    return later


def test_growing_line_by_line_gives_what_a_fresh_start_gives(tmp_path: Path) -> None:
    (tmp_path / "slow").mkdir()
    slow, quick = table_ledger(tmp_path / "slow", "1", "j"), table_ledger(tmp_path, "1", "j")
    slow.catch_up(())
    for entry in ENTRIES:
        slow.append((entry,))
    quick.catch_up(ENTRIES)
    slow.close()
    quick.close()
    assert (slow.lines, slow.path.read_bytes()) == (quick.lines, quick.path.read_bytes())


def test_its_lines_chain_stand_on_disk_as_they_are_and_have_no_concealed_field_and_no_private_event(ledger: PublicLedger) -> None:
    text = b"".join(ledger.lines)
    assert verify_chain(ledger.lines) is None
    assert ledger.path.read_bytes() == text
    assert DEAL.digest.encode() not in text
    assert b"walls" not in text
    assert b"tile-read" not in text


def test_the_open_ledger_has_no_play_and_times_to_ten_seconds(tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path, "1", "j")
    ledger.catch_up(ENTRIES)
    ledger.close()
    events = [parse(line) for line in ledger.lines]
    assert [event.type for event in events] == ["controller-started", "deal-opened", "wall-ready", "deal-refused"]
    assert [event.seq for event in events] == [1, 2, 3, 4]
    assert all(event.at.second % 10 == 0 and event.at.microsecond == 0 for event in events)
    assert "sentence" not in events[-1].fields


def test_missing_and_torn_lines_at_the_end_and_a_lost_file_are_written_again(ledger: PublicLedger) -> None:
    whole = ledger.path.read_bytes()
    ledger.path.unlink()
    again(ledger)
    assert ledger.path.read_bytes() == whole
    for kept in range(0, len(whole), 97):
        ledger.path.write_bytes(whole[:kept])
        assert again(ledger).lines == ledger.lines
        assert ledger.path.read_bytes() == whole


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_line_that_differs_from_the_journal_is_refused_by_number_and_left_as_it_is(ledger: PublicLedger, number: int) -> None:
    lines = list(ledger.lines)
    lines[number - 1] = lines[number - 1].replace(b'"table":"1"', b'"table":"2"')
    ledger.path.write_bytes(b"".join(lines))
    with pytest.raises(JournalError, match=rf"{ledger.path.name} line {number} is not what the journal says"):
        again(ledger)
    assert ledger.path.read_bytes() == b"".join(lines)


def test_a_line_too_many_is_refused(ledger: PublicLedger) -> None:
    with ledger.path.open("ab") as file:
        file.write(ledger.lines[-1])
    with pytest.raises(JournalError, match=f"has {len(ledger.lines) + 1} lines, but the journal tells of {len(ledger.lines)}"):
        again(ledger)


@pytest.mark.parametrize("kind", KINDS, ids=type_name)
@given(data=st.data())
@settings(max_examples=examples(10))
def test_every_event_reads_back_as_it_was_written(kind: type, data: st.DataObject) -> None:
    event = data.draw(events(kind))
    written = json.loads(json.dumps(event_to_json(event), ensure_ascii=False))
    assert written["type"] == type_name(kind)
    assert event_from_json(written) == event


@pytest.mark.parametrize("command", typing.get_args(Command), ids=type_name)
@given(data=st.data())
@settings(max_examples=examples(10))
def test_every_command_survives_in_the_event_that_issues_it(command: type, data: st.DataObject) -> None:
    event = OperationIssued(7, typing.cast(Command, data.draw(values(command))), None)
    again = event_from_json(json.loads(json.dumps(event_to_json(event))))
    assert again == event
    assert isinstance(again, OperationIssued)
    assert type(again.command) is command


@pytest.mark.parametrize(
    ("hint", "value", "complaint"),
    [
        (int, True, "value: true: Expected 'int'"),
        (int, 1.5, "1.5: Expected 'int'"),
        (bool, 1, "1: Expected 'bool'"),
        (Tile, 5, "5: Expected 'str'"),
        (Tile, "5z", "value: \"5z\": '5z' is not a tile"),
        (Seat, "X", '"X": must be one of E, S, W, N'),
        (tuple[Tile, Tile], ["1m"], "Expected 'array' of length 2"),
        (tuple[int, ...], "12", "Expected 'array'"),
        (Mapping[Seat, Tile], [], "Expected 'object'"),
        (Mapping[Seat, Tile], {"E": "x"}, "value: E \"x\": 'x' is not a tile"),
        (OperationIssued, {"operation": 1, "command": {"type": "fly"}, "tile": None}, "value: command: its type is not known"),
        (OperationIssued, {"operation": 1, "tile": None}, "value: the key 'command' is missing"),
        (OperationIssued, {"operation": 1, "command": {"type": "feed"}, "tile": None, "speed": 3}, "the key 'speed' is not known"),
        (OperationIssued, {"operation": 1, "command": {"type": "place", "seat": 0}, "tile": None}, "the key 'position' is missing"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_named(hint: type, value: object, complaint: str) -> None:
    with pytest.raises(DocumentError, match=complaint):
        read_as(value, hint, "value")


def test_a_thing_without_a_written_form_is_refused() -> None:
    with pytest.raises(DocumentError, match="complex has no JSON form"):
        written(1j)


def test_an_optional_field_without_a_value_is_left_out() -> None:
    without = TableFault("lid", "drum", "The lid is open: close it")
    assert plain(without) == {"code": "lid", "where": "drum", "sentence": "The lid is open: close it"}
    assert read_as(plain(without), TableFault) == without
    assert plain(TableFault("extra-tile", "reject cell", "A fifth 7p", (Tile.P7,))) == {
        "code": "extra-tile",
        "where": "reject cell",
        "sentence": "A fifth 7p",
        "tiles": "7p",
    }


def test_a_violation_from_before_tables_named_the_rule_is_read_and_written_as_it_stands() -> None:
    line = {"type": "violation", "seat": "W", "what": "put-back", "sentence": "West put a drawn tile back"}
    event = event_from_json(line)
    assert event == Violation(Seat.WEST, "put-back", "West put a drawn tile back")
    assert event_to_json(event) == line


STATISTICS = LinkStatistics(True, LineCounts(frames=120), 100, 2, 1, 0, 1.25, 4.5)


def line(**written: object) -> bytes:
    return json.dumps({"seq": 7, "at": "2026-11-20T10:02:03.123Z", **written, "crc": "c0ffee00"}).encode() + b"\n"


Keys = dict[str, object]


def told(*lines: bytes, switched_on: bool = False) -> list[Keys]:
    return [json.loads(each) for each in service_lines(lines, switched_on=switched_on)]


LACKS = "One 3p is missing: put it into the well, then press CONFIRM"


@pytest.mark.parametrize(
    ("happened", "always", "switched_on"),
    [
        pytest.param(
            {"type": "fault", "code": "missing", "where": "well", "sentence": LACKS},
            {"type": "fault", "code": "missing", "where": "well"},
            {"sentence": LACKS},
            id="a fault is told by its code and place, by its sentence only with the switch on",
        ),
        pytest.param(
            {"type": "tiles-worn", "back": 1, "set": "blue", "tiles": "3p E", "looks": 31},
            {"type": "tiles-worn", "set": "blue", "looks": 31},
            {"tiles": "3p E"},
            id="worn tiles are told by their set, by kind only with the switch on",
        ),
        pytest.param(
            {"type": "operation-done", "operation": 9, "result": "disturbed", "tile": "5m"},
            {"type": "operation-done", "operation": 9, "result": "disturbed"},
            {},
            id="an operation that did not end well is told without what it moved",
        ),
        pytest.param(
            camera := {"type": "camera-trouble", "what": "gate-camera", "why": "dark"}, camera, {}, id="what is wrong with a camera is told"
        ),
        pytest.param(
            {"type": "deal-opened", "n": 1, "walls": {"E": {"hand": "2s 7p", "draws": "3s"}}, "digest": "99"}, None, {}, id="a wall"
        ),
        pytest.param({"type": "tile-read", "number": 4, "tile": "5m"}, None, {}, id="a look"),
        pytest.param({"type": "operation-issued", "operation": 9, "command": {"type": "place"}, "tile": "5m"}, None, {}, id="an operation"),
        pytest.param({"type": "operation-done", "operation": 9, "result": "ok"}, None, {}, id="an operation that ended well"),
    ],
)
def test_what_a_wall_is_made_of_and_what_was_read_stays_at_the_table(happened: Keys, always: Keys | None, switched_on: Keys) -> None:
    with_time = [] if always is None else [{"seq": 7, "at": "2026-11-20T10:02:03.123Z", **always}]
    assert told(line(**happened)) == with_time
    assert told(line(**happened), switched_on=True) == [each | switched_on for each in with_time]


def test_lines_that_cannot_be_read_are_left_out() -> None:
    assert told(b'{"seq":3,"at":', b"[]", b"\xff\xfe", line(type="link-lost", what="feeder"))[0]["what"] == "feeder"


@given(st.dictionaries(st.text(max_size=12), st.sampled_from(["5m", "EE", "123p", "C"]), max_size=6), st.text(max_size=20))
def test_nothing_of_a_line_of_another_type_is_ever_told(fields: dict[str, str], kind: str) -> None:
    written = {**fields, "type": f"tile-{kind}"}
    assert list(service_lines([json.dumps(written).encode()], switched_on=True)) == []


def test_the_counts_of_the_line_are_kept_once_a_minute(tmp_path: Path) -> None:
    notes = LinkNotes(tmp_path)
    notes.note(STATISTICS, 100.0)
    kept = json.loads((tmp_path / LINK_NOTES).read_bytes())
    assert (kept["line"]["frames"], kept["round_trip_p99_ms"]) == (120, 4.5)
    (tmp_path / LINK_NOTES).unlink()
    notes.note(STATISTICS, 130.0)
    assert not (tmp_path / LINK_NOTES).exists()
    notes.note(STATISTICS, 161.0)
    assert (tmp_path / LINK_NOTES).exists()
    LinkNotes(tmp_path / "gone").note(STATISTICS, 1.0)  # what cannot be written stops nothing
