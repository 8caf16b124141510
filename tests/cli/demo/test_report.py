"""What a demo reports of its tables' logs."""

from pathlib import Path

from cli.demo.report import discard_to_event_ms

LINE = "2026-11-24 10:00:00,000 controller.discard_times a discard {} its slot: {} ms from the first frame that shows it to its event"


def log(folder: Path, name: str, *lines: str) -> Path:
    file = folder / name
    file.write_text("\n".join(["2026-11-24 10:00:00,000 root the start of the event is drawn", *lines, "deal 1: 3 frames were observed"]))
    return file


def test_the_times_of_discards_are_those_of_all_tables_in_their_slots_and_off_them_apart(tmp_path: Path) -> None:
    first = log(tmp_path, "1.log", LINE.format("in", 200), LINE.format("in", 220), LINE.format("off", 1900))
    second = log(tmp_path, "2.log", LINE.format("in", 210))
    assert discard_to_event_ms([first, second], 24.0) == {
        "clock": "wall",
        "speed": 24.0,
        "count": 4,
        "p50": 210,
        "p95": 1900,
        "in_slots": {"count": 3, "p50": 210, "p95": 220},
        "off_slots": {"count": 1, "p50": 1900, "p95": 1900},
    }


def test_where_no_discard_was_seen_there_is_no_share(tmp_path: Path) -> None:
    found = discard_to_event_ms([log(tmp_path, "1.log")], 1.0)
    assert (found["count"], found["in_slots"], found["off_slots"]) == (0, {"count": 0}, {"count": 0})
