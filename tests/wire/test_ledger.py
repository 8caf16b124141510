"""The public ledger: its lines, their chain, and errors of a broken one."""

import hashlib
import json
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.disks import synced
from tests.support.event.ledgers import events
from tests.support.narrowed import of_type, present
from tests.support.wire.streams import START, Line, ledger
from twinwall.game.deals import Start
from twinwall.game.deals.encoding import Sha256
from twinwall.game.documents import DocumentError, canonical_json, parse_object, read_time, write_time
from twinwall.game.typed_json import Count, Text, read_as
from twinwall.wire.durable_file import write_durably
from twinwall.wire.events.catalogue import EVENT_TYPES
from twinwall.wire.events.definitions import EVERYWHERE
from twinwall.wire.events.wall_events import DealRefused
from twinwall.wire.journal_start import start_problem
from twinwall.wire.ledger import LedgerPosition, UnknownEvent, envelope, parse, verify_chain
from twinwall.wire.messages.commands import read_command, read_health

OF_ANOTHER_TABLE = envelope("13", parse(ledger(1)[0]).position, START, "building", {"placed": 8, "of": 136})


def test_a_line_is_written_as_the_contracts_say_and_read_back() -> None:
    line = envelope("12", LedgerPosition("j1", 344, "ab" * 32), START, "tile-discarded", {"seat": "E", "tile": "5p"})
    assert json.loads(line) == {
        "v": 1,
        "table": "12",
        "journal": "j1",
        "seq": 345,
        "prev": "ab" * 32,
        "at": "2026-11-20T10:02:03.123Z",
        "type": "tile-discarded",
        "seat": "E",
        "tile": "5p",
    }
    event = parse(line)
    assert (event.table, event.journal, event.seq, event.type, event.fields) == (
        "12",
        "j1",
        345,
        "tile-discarded",
        {"seat": "E", "tile": "5p"},
    )
    assert event.position.seq == 345


def test_prev_is_the_hash_of_the_line_before_with_its_line_feed() -> None:
    first, second = ledger(2)
    assert first.endswith(b"\n")
    assert json.loads(first)["prev"] == "0" * 64
    assert json.loads(second)["prev"] == hashlib.sha256(first).hexdigest()


def test_a_line_with_wrong_fields_cannot_be_made() -> None:
    with pytest.raises(DocumentError, match="digest"):
        envelope("12", LedgerPosition("j1"), START, "wall-ready", {"n": 1, "check": "ab" * 32, "digest": "ab" * 32})


@pytest.mark.parametrize(
    "change", [{"type": "robbing-kong"}, {"placed": "many"}, {"colour": "red"}], ids=["a new type", "a new form", "a new field"]
)
def test_what_is_not_known_is_kept_with_the_reason(change: dict[str, object]) -> None:
    line = canonical_json({**json.loads(ledger(1)[0]), **change})
    event = of_type(UnknownEvent, parse(line))
    assert event.line == line
    assert event.why


WRONG = [("v", 2), ("seq", 0), ("seq", True), ("table", ""), ("table", 12), ("at", "yesterday"), ("prev", None)]
BROKEN = [canonical_json({**json.loads(ledger(1)[0]), key: value}) for key, value in (*WRONG, ("at", "2026-02-30T10:02:03.123Z"))]
OTHER_BYTES = [b"", b"[]\n", b"\xff\n", b"{}\n", b'{"v":1,"v":1}\n', b"[" * 100_000, ledger(1)[0] + b"\n", b" " + ledger(1)[0]]


@pytest.mark.parametrize("line", [*BROKEN, *OTHER_BYTES])
def test_a_broken_envelope_and_other_bytes_are_refused(line: bytes) -> None:
    with pytest.raises(DocumentError):
        parse(line)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 5000, "NaN", r'"\ud800"', r'{"\udfff":0}'])
def test_what_json_lets_through_and_no_line_can_hold_is_refused(number: str) -> None:
    with pytest.raises(DocumentError):
        parse(ledger(1)[0].replace(b'"of":136', b'"of":' + number.encode()))
    with pytest.raises(DocumentError):
        read_health(f'{{"at":{number}}}'.encode())
    with pytest.raises(DocumentError):
        read_command(f'{{"type":{number}}}'.encode())


ENVELOPE: dict[str, object] = json.loads(ledger(1)[0])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
FIELD_NAMES = sorted({field.name for event in EVENT_TYPES.values() for field in event.fields})
OBJECTS = st.builds(
    lambda header, fields, event_type: {**header, **fields, "type": event_type},
    st.sampled_from([ENVELOPE, {}]),
    st.dictionaries(st.sampled_from([*ENVELOPE, *FIELD_NAMES, "links_lost", "from", "to"]) | st.text(), VALUES, max_size=4),
    st.sampled_from([*EVENT_TYPES, "resend"]) | VALUES,
)
NUMBERS = st.sampled_from([b"1e999", b"9" * 5000, rb'"\ud800"', b"1" * 400, b"-0", b"1e-999"])


@st.composite
def anything(draw: st.DrawFn) -> bytes:
    """Bytes, JSON, or a line in which one value was exchanged for something that JSON allows and we do not."""
    if draw(st.booleans()):
        return draw(st.binary(max_size=80))
    text = json.dumps(draw(OBJECTS), sort_keys=True, separators=(",", ":"), ensure_ascii=draw(st.booleans())).encode(errors="surrogatepass")
    return (text.replace(b"136", draw(NUMBERS)) if draw(st.booleans()) else text) + draw(st.sampled_from([b"\n", b""]))


@given(anything())
def test_any_bytes_are_read_or_refused_in_the_own_way_of_each_reader(line: bytes) -> None:
    for read, refusal in (
        (parse, DocumentError),
        (read_health, DocumentError),
        (read_command, DocumentError),
        (parse_object, DocumentError),
    ):
        with suppress(refusal):
            read(line)


def test_a_whole_ledger_holds() -> None:
    assert verify_chain(ledger(50)) is None
    assert verify_chain([]) is None


@given(st.integers(0, 9), st.data())
def test_any_changed_byte_is_found_at_its_line_or_the_next(index: int, data: st.DataObject) -> None:
    lines = ledger(10)
    position = data.draw(st.integers(0, len(lines[index]) - 1))
    flipped = bytearray(lines[index])
    flipped[position] ^= data.draw(st.integers(1, 255))
    lines[index] = bytes(flipped)
    bad = verify_chain(lines)
    if bad is None:
        assert index == 9, "only the last line has nobody after it who names its hash"
    else:
        assert bad[0] in (index + 1, index + 2)


@pytest.mark.parametrize(
    ("lines", "number", "reason"),
    [
        (ledger(5)[:2] + ledger(5)[3:], 3, "seq 4 where 3"),
        ([*ledger(3), ledger(3)[2]], 4, "seq 3 where 4"),
        (ledger(2) + ledger(3, journal="j2")[2:], 3, "journal 'j2'"),
        (ledger(2) + ledger(3, table="13")[2:], 3, "prev"),
        (ledger(5)[1:], 1, "seq 2 where 1"),
        ([*ledger(1), OF_ANOTHER_TABLE], 2, "table '13' in the ledger of table '12'"),
    ],
)
def test_the_first_bad_line_is_named(lines: list[bytes], number: int, reason: str) -> None:
    found, why = present(verify_chain(lines))
    assert found == number
    assert reason in why


@given(st.datetimes(timezones=st.just(START.tzinfo)))
def test_times_are_read_back_to_the_millisecond(at: datetime) -> None:
    assert read_time(write_time(at)) == at.replace(microsecond=at.microsecond // 1000 * 1000)


def test_a_time_without_zone_is_refused() -> None:
    with pytest.raises(DocumentError, match="time zone"):
        write_time(START.replace(tzinfo=None))


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.none() | st.lists(st.text())))
def test_canonical_form_reads_back_and_is_one_line(value: dict[str, object]) -> None:
    line = canonical_json(value)
    assert parse_object(line) == value
    assert line.count(b"\n") == 1


def test_a_line_for_everybody_is_read_by_its_own_classes() -> None:
    line = envelope("12", LedgerPosition("j1"), START, "deal-refused", {"n": 1, "reason": "seal"}, classes=EVERYWHERE)
    refused = of_type(DealRefused, parse(line, classes=EVERYWHERE).body)
    assert (refused.n, refused.reason) == (1, "seal")
    assert not hasattr(refused, "sentence"), "it is of class T"
    assert isinstance(parse(line), UnknownEvent), "at the table a refusal has its sentence"


class _Leg(msgspec.Struct, forbid_unknown_fields=True):
    n: Count
    name: Text


class _Journey(msgspec.Struct, forbid_unknown_fields=True):
    legs: list[_Leg]
    by_name: dict[str, _Leg]
    last: _Leg | None
    pair: tuple[int, str] = (0, "")


LEG = {"n": 1, "name": "a"}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"legs": [LEG, {"n": True, "name": "b"}]}, "legs[1].n true: Expected 'int', got 'bool'"),
        ({"legs": [LEG, {"n": "2", "name": "b"}]}, "legs[1].n \"2\": Expected 'int', got 'str'"),
        ({"legs": [{"n": 1}]}, "legs[0]: the key 'name' is missing"),
        ({"by_name": {"x": {"n": -1, "name": "a"}}}, "by_name.x.n -1: Expected 'int' >= 0"),
        ({"by_name": {"x": None}}, "by_name.x null: Expected 'object', got 'null'"),
        ({"last": {"n": 1, "name": "a", "k": 1}}, "last: the key 'k' is not known"),
        ({"pair": [1]}, "pair [1]: Expected 'array' of length 2, got 1"),
        ({"pair": [1, 2]}, "pair[1] 2: Expected 'str', got 'int'"),
        ({"colour": 3}, "the key 'colour' is not known"),
    ],
)
def test_an_error_names_the_path_what_stands_there_and_what_should(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read_as({"legs": [], "by_name": {}, "last": None} | change, _Journey)
    assert str(caught.value) == sentence


def test_a_value_that_is_no_object_at_all_is_shown() -> None:
    with pytest.raises(DocumentError, match=r"^\[\]: Expected 'object', got 'array'$"):
        read_as([], _Journey)


def test_the_content_is_on_disk_before_the_name_and_the_name_when_it_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "small"
    path.write_bytes(b"old")
    disk = synced(monkeypatch, path.read_bytes)
    write_durably(path, b"new", 0o600)
    assert disk == [("small.new", b"old"), (tmp_path.name, b"new")]
    assert path.stat().st_mode & 0o777 == 0o600


OF_THE_EVENT = Start(Sha256(32), Sha256(32), "5p 3s E")
OTHER = Start(Sha256(32), Sha256(32), "5p 3s W")
STARTED: Line = ("controller-started", {"version": "0.1.0", "resumed": False})


def first(start: Start) -> Line:
    return "start-fixed", {"code": start.code.hex()}


def test_a_journal_of_the_events_start_is_taken() -> None:
    assert [start_problem(event, OF_THE_EVENT) for event in events([first(OF_THE_EVENT), STARTED])] == [None, None]


@pytest.mark.parametrize(("line", "named"), [(first(OTHER), OTHER.words), (STARTED, "does not begin with a start")])
def test_a_journal_of_another_start_or_of_none_is_named_with_the_events_code(line: Line, named: str) -> None:
    sentence = present(start_problem(events([line])[0], OF_THE_EVENT))
    assert named in sentence
    assert OF_THE_EVENT.words in sentence
