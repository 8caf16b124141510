"""``twinwall record``: an observation file becomes a hand record, with its questions and the reasons for each event."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.recorder.observation_file import line_of, rounded
from tests.support.recorder.played_hands import decoder_of, followed, only, played, told
from twinwall.cli import main
from twinwall.game.deals.deal import walls_to_json
from twinwall.game.play_json import to_json
from twinwall.game.tiles import format_tiles
from vision.mat_observation import MatObservation

FIRST = 5


@pytest.fixture(scope="module")
def observations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first events of a hand, as a file."""
    hand = played("sichuan", 0)
    header = {
        "format": "twinwall-observations-1",
        "event": "try",
        "session": 1,
        "hand": 1,
        "n": 1,
        "table": "1",
        "rules": "sichuan",
        "options": {},
        "players": {"E": "1", "S": "2", "W": "3", "N": "4"},
        "check": "00" * 32,
        "walls": walls_to_json(hand.walls),
        **({"rest": format_tiles(hand.rest)} if hand.rest else {}),
    }
    lines = [json.dumps(header).encode(), *(line_of(signal) for signal in told(hand.at_table(only(), FIRST)))]
    path = tmp_path_factory.mktemp("recorder") / "hand.jsonl"
    path.write_bytes(b"\n".join(lines))
    return path


def test_a_file_becomes_a_hand_record(observations: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", str(observations)]) == 1  # the hand is not over
    told = capsys.readouterr()
    events = json.loads(told.out)["events"]
    assert events[:FIRST] == [to_json(event) for event in played("sichuan", 0).events[:FIRST]]
    assert "the observations end before the hand does" in told.err


def test_it_says_why_an_event_was_believed(observations: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["record", str(observations), "--explain", "2"])
    told = capsys.readouterr().out
    assert told.startswith("event 2 at ")
    assert "margin" in told
    assert "looks" in told


def test_a_line_that_is_not_understood_is_named(observations: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = observations.read_bytes().splitlines()
    path = tmp_path / "harmed.jsonl"
    path.write_bytes(b"\n".join([lines[0], b'{"line":"draw","at_ms":1,"place":7}']))
    assert main(["record", str(path)]) == 2
    assert "line 2 of the observations: places are 0 to 3, not 7" in capsys.readouterr().err


def test_a_line_of_an_earlier_time_is_named(observations: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = observations.read_bytes().splitlines()[0]
    path = tmp_path / "back.jsonl"
    path.write_bytes(b"\n".join([first, *(b'{"line":"draw","at_ms":%d,"place":1}' % at_ms for at_ms in (5, 5, 4))]))
    assert main(["record", str(path)]) == 2
    assert "line 4 of the observations is of 4 ms, before the line above it: sort them by time" in capsys.readouterr().err


def test_fewer_digits_take_less_room_and_tell_the_same() -> None:
    hand = played("sichuan", 0)
    signals = list(told(hand.at_table(only(), FIRST)))
    short = [rounded(signal) if isinstance(signal, MatObservation) else signal for signal in signals]
    size = [sum(len(line_of(signal)) for signal in each) for each in (signals, short)]
    assert size[1] < 0.8 * size[0]
    events = [[decoded.event for decoded in followed(decoder_of(hand, gates=False), each, gates=False)] for each in (signals, short)]
    assert events[0] == events[1]
    assert events[0], "something is told"
