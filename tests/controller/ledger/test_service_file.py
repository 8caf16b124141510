"""The service file: faults, links and restarts, and no tile unless the service switch is on."""

import json
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from controller.ledger.service_file import LINK_NOTES, LinkNotes, service_lines
from firmware_bridge.frames import LineCounts
from firmware_bridge.link.statistics import LinkStatistics

STATISTICS = LinkStatistics(True, LineCounts(frames=120), 100, 2, 1, 0, 1.25, 4.5)


def line(**written: object) -> bytes:
    return json.dumps({"seq": 7, "at": "2026-11-20T10:02:03.123Z", **written, "crc": "c0ffee00"}).encode() + b"\n"


FAULT = line(type="fault", code="missing", where="well", sentence="One 3p is missing: put it into the well, then press CONFIRM")


def told(*lines: bytes, switched_on: bool = False) -> list[dict[str, object]]:
    return [json.loads(each) for each in service_lines(lines, switched_on=switched_on)]


def test_a_fault_is_told_by_its_code_and_place_and_by_its_sentence_only_with_the_switch_on() -> None:
    (fault,) = told(FAULT)
    assert fault == {"seq": 7, "at": "2026-11-20T10:02:03.123Z", "type": "fault", "code": "missing", "where": "well"}
    (fault,) = told(FAULT, switched_on=True)
    assert "3p" in str(fault["sentence"])


def test_what_a_wall_is_made_of_and_what_was_read_stays_at_the_table() -> None:
    lines = [
        line(type="deal-opened", n=1, walls={"E": {"hand": "2s 7p", "draws": "3s"}}, digest="99"),
        line(type="tile-read", number=4, tile="5m"),
        line(type="operation-issued", operation=9, command={"type": "place"}, tile="5m"),
        line(type="operation-done", operation=9, result="ok"),
    ]
    for switched_on in (False, True):
        assert told(*lines, switched_on=switched_on) == []


def test_worn_tiles_are_told_by_their_set_and_by_kind_only_with_the_switch_on() -> None:
    worn = line(type="tiles-worn", back=1, set="blue", tiles="3p E", looks=31)
    (without,) = told(worn)
    assert (without["set"], without["looks"], "tiles" in without) == ("blue", 31, False)
    assert told(worn, switched_on=True)[0]["tiles"] == "3p E"


def test_what_is_wrong_with_a_camera_is_told() -> None:
    assert told(line(type="camera-trouble", what="gate-camera", why="dark"))[0]["why"] == "dark"


def test_an_operation_that_did_not_end_well_is_told_without_what_it_moved() -> None:
    assert told(line(type="operation-done", operation=9, result="disturbed", tile="5m")) == [
        {"seq": 7, "at": "2026-11-20T10:02:03.123Z", "type": "operation-done", "operation": 9, "result": "disturbed"}
    ]


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
    assert kept["line"]["frames"] == 120
    assert kept["round_trip_p99_ms"] == 4.5
    (tmp_path / LINK_NOTES).unlink()
    notes.note(STATISTICS, 130.0)
    assert not (tmp_path / LINK_NOTES).exists()
    notes.note(STATISTICS, 161.0)
    assert (tmp_path / LINK_NOTES).exists()


def test_link_notes_that_cannot_be_written_stop_nothing(tmp_path: Path) -> None:
    LinkNotes(tmp_path / "gone").note(STATISTICS, 1.0)
    assert not re.search("json", " ".join(path.name for path in tmp_path.iterdir()))
