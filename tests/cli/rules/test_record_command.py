"""``twinwall record decode``: an observation file becomes a hand record, with its questions and the reasons for each event."""

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli import main
from cli.rules.record import explained
from controller.recorder.observation_file import decode_lines, line_of, rounded
from controller.recorder.signals import GateEdge, MarginBound
from tests.support.commands import Twinwall
from tests.support.recorder.doubted_hand import DOUBTED, EVENTS, doubted_hand
from tests.support.recorder.played_hands import PlayedHand, decoder_of, followed, messages_of, only, played
from twinwall.event.forms.registry import FORMS
from twinwall.game.play_events import Claimed, ClaimsPassed, TileDiscarded, TileDrawn, WinDeclared
from twinwall.game.play_json import to_json
from twinwall.game.tiles import format_tiles
from twinwall.game.typed_json import written
from vision.mat_observation import MatObservation

FIRST = 5
WON, WON_FIRST = 10, 46
"""A hand with a claim and a win among so many events."""


@pytest.fixture(scope="module")
def observations(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recorder") / "hand.jsonl"
    path.write_bytes(b"\n".join(lines_of(played("sichuan", 0), FIRST)))
    return path


def lines_of(hand: PlayedHand, first: int, *, deal: bool = True) -> Iterator[bytes]:
    """The lines of an observation file of the first events of a hand; without its deal no draw is sensed either."""
    header = {
        "format": "twinwall-observations-1",
        "event": "try",
        "session": 1,
        "hand": hand.to_play.hand,
        "n": 1,
        "table": "1",
        "rules": hand.rules.name,
        "options": {},
        "players": {"E": "1", "S": "2", "W": "3", "N": "4"},
        "check": "00" * 32,
        **({"walls": written(hand.walls)} if deal else {"gates": False}),
        **({"rest": format_tiles(hand.rest)} if deal and hand.rest else {}),
    }
    yield json.dumps(header).encode()
    signals = (signal for signal in messages_of(hand.at_table(only(), first)) if deal or not isinstance(signal, GateEdge))
    yield from (line_of(signal) for signal in signals)


@pytest.fixture
def without_deal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The record of the first events of a hand that was recorded without its deal, as `twinwall record decode` prints it."""
    observed, path = tmp_path / "hand.jsonl", tmp_path / "record.json"
    observed.write_bytes(b"\n".join(lines_of(played("sichuan", 0), FIRST, deal=False)))
    main(["record", "decode", str(observed)])
    path.write_text(capsys.readouterr().out)
    return path


def test_a_file_becomes_a_hand_record(observations: Path, twinwall: Twinwall) -> None:
    told = twinwall("record", "decode", observations, code=1)
    assert json.loads(told.out)["events"][:FIRST] == [to_json(event) for event in played("sichuan", 0).events[:FIRST]]
    assert "the observations end before the hand does" in told.err


def test_it_says_why_an_event_was_believed(observations: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["record", "decode", "--explain", str(observations), "2"])
    told = capsys.readouterr().out
    assert told.startswith("event 2 at ")
    assert "margin" in told
    assert "looks" in told


@pytest.fixture(scope="module")
def explanations() -> dict[type, str]:
    """By kind of event why the first one is in the record of a beginning with a claim and a win."""
    hand, decoded = decode_lines(lines_of(played("sichuan", WON), WON_FIRST))
    first = {type(event.event): event.number for event in reversed(decoded.events)}
    return {kind: explained(hand, decoded.decoder, decoded.events, number) for kind, number in first.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "told", "bound"),
    [
        (TileDrawn, r"  a draw sensed at \d+ ms, at the gate of place \d \([ESWN]\)", MarginBound.NOT_DESCRIBED),
        (
            ClaimsPassed,
            r"  by the rules no seat may claim after event \d+ at \d+ ms: .*tile-drawn.*\n  a draw sensed at \d+ ms",
            MarginBound.NOT_DESCRIBED,
        ),
        (Claimed, r"  the key pung of place \d \([ESWN]\), pressed at \d+ ms", MarginBound.NOT_DESCRIBED),
        (TileDiscarded, r"  a tile at \(-?\d+, -?\d+\) mm, seen first at \d+ ms, .* looks, \d+ sure", MarginBound.KIND),
        (WinDeclared, r"  the key win of place \d \([ESWN]\), pressed at \d+ ms", MarginBound.NOT_DESCRIBED),
    ],
)
def test_the_draw_key_tile_or_rule_that_tells_of_an_event_is_named_and_what_sets_its_margin(
    explanations: dict[type, str], kind: type, told: str, bound: MarginBound
) -> None:
    assert re.search(told, explanations[kind])
    assert f"\nwhat sets the margin: {bound.value}\n" in explanations[kind]


def test_the_last_event_of_a_hand_that_is_not_over_is_bounded_by_that_and_a_draw_without_a_gate_by_its_discard() -> None:
    """At a table whose draws are not sensed."""
    header, *lines = lines_of(played("sichuan", 0), FIRST)
    without = json.dumps({**json.loads(header), "gates": False}).encode()
    hand, decoded = decode_lines([without, *(line for line in lines if b'"draw"' not in line)])
    decoder, events = decoded.decoder, decoded.events
    assert MarginBound.UNFINISHED.value in explained(hand, decoder, events, len(events))
    drawn = next(event.number for event in events if isinstance(event.event, TileDrawn))
    assert f"no gate reported it: by the rules event {drawn + 1} follows a draw alone" in explained(hand, decoder, events, drawn)


@pytest.mark.parametrize(
    "torn", [b'{"line":"answer","number":5,"abo', b'{"line":"answer","by":"\xe5', b'{"line":"mat","at_ms":99999,"tiles":[{']
)
def test_a_last_line_that_a_power_cut_has_torn_is_left_out_and_named(
    observations: Path, tmp_path: Path, twinwall: Twinwall, torn: bytes
) -> None:
    whole = twinwall("record", "decode", observations, code=1)
    lines = observations.read_bytes().splitlines()
    path = tmp_path / "torn.jsonl"
    path.write_bytes(b"\n".join([*lines, torn]))
    told = twinwall("record", "decode", path, code=1)
    assert told.out == whole.out
    assert told.err == f"line {len(lines) + 1} of the observations is torn, as by a power cut: it is left out\n{whole.err}"


@pytest.mark.parametrize(("about", "what"), [("kind", "E"), ("kind", "yes"), ("course", "5m")])
def test_an_answer_that_cannot_be_leaves_the_hand_as_it_is_and_its_line_is_named(
    tmp_path: Path, twinwall: Twinwall, about: str, what: str
) -> None:
    (path := tmp_path / "doubted.jsonl").write_bytes(doubted_hand())
    alone = twinwall("record", "decode", path, code=1)
    answer = {"line": "answer", "number": DOUBTED if about == "kind" else EVENTS, "about": about, "said": what, "by": "Anna", "at": "x"}
    path.write_bytes(doubted_hand() + json.dumps(answer).encode() + b"\n")
    told = twinwall("record", "decode", path, code=1)
    assert told.out == alone.out
    assert told.err.startswith(f"line {doubted_hand().count(10) + 1} of the observations is an answer that has no effect: ")
    assert told.err.endswith(alone.err)


ANSWER: dict[str, object] = {"number": 5, "about": "kind", "said": "5m", "by": "Anna", "at": "x"}


def frame(**fields: object) -> dict[str, object]:
    """The line of a frame that shows two tiles, of which the second has these fields."""
    tile: dict[str, object] = {"x_mm": 0, "y_mm": 0, "angle_deg": 0}
    return {"line": "mat", "at_ms": 1, "tiles": [tile, {**tile, **fields}]}


HARMED = [
    (b'{"line":"draw","at_ms":1,"place":7}', "line 2 of the observations: places are 0 to 3, not 7"),
    (b'{"line":"mat","at_\n', "line 2 of the observations: "),
    (b'{"line":"mat","at_\n{"line":"mat","at_ms":1}', "line 2 of the observations: "),
    (b'{"line":"key","at_ms":1}', "line 2 of the observations: "),
    (b"\n".join(b'{"line":"draw","at_ms":%d,"place":1}' % at_ms for at_ms in (5, 5, 4)), "line 4 of the observations is of 4 ms, before"),
]
"""Bytes after the first line: a place that is none, a torn line that has its end or another line after it, one without all its keys, and
one of an earlier time."""


@pytest.mark.parametrize(
    ("line", "named"),
    [
        *HARMED,
        (frame(x_mm=1e200), "<= 2000.0 - at `$.tiles[1].x_mm`"),
        (frame(angle_deg=181), "<= 180.0 - at `$.tiles[1].angle_deg`"),
        (frame(shares={"5p": 1.5}), "<= 1.0 - at `$.tiles[1].shares[...]`"),
        (frame(shares={"5p": 0.7, "6p": 0.7}), "shares of a tile sum to 1 at most, not 1.4000"),
        (frame(shares={"5p": math.nan}), "invalid character"),
        ({"line": "mat", "at_ms": 10**22}, "<= 10000000000000 - at `$.at_ms`"),
        ({"line": "mat", "at_ms": 1, "covered": [[0, 10**9]]}, "<= 100 - at `$.covered[0][1]`"),
        ({"line": "draw", "at_ms": 1, "place": 0, "event": -1}, ">= 0 - at `$.event`"),
        ({"line": "key", "at_ms": -1, "place": 0, "key": "win"}, ">= 0 - at `$.at_ms`"),
        ({"line": "answer", **ANSWER, "number": -1}, ">= 0 - at `$.number`"),
        ({"line": "answer", **ANSWER, "before_ms": 10**22}, "<= 10000000000000 - at `$.before_ms`"),
    ],
)
def test_what_nothing_can_tell_of_is_refused_with_its_line_its_field_and_what_is_allowed(
    observations: Path, tmp_path: Path, twinwall: Twinwall, line: bytes | dict[str, object], named: str
) -> None:
    path = tmp_path / "harmed.jsonl"
    after = line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"
    path.write_bytes(observations.read_bytes().splitlines(keepends=True)[0] + after)
    told = twinwall("record", "decode", path, code=2).err
    assert f"{path}: line " in told
    assert named in told


def test_a_first_line_that_is_torn_is_refused(observations: Path, tmp_path: Path, twinwall: Twinwall) -> None:
    path = tmp_path / "harmed.jsonl"
    path.write_bytes(observations.read_bytes()[:40])
    assert "line 1 of the observations" in twinwall("record", "decode", path, code=2).err


def test_fewer_digits_take_less_room_and_tell_the_same() -> None:
    hand = played("sichuan", 0)
    signals = list(messages_of(hand.at_table(only(), FIRST)))
    short = [rounded(signal) if isinstance(signal, MatObservation) else signal for signal in signals]
    size = [sum(len(line_of(signal)) for signal in each) for each in (signals, short)]
    assert size[1] < 0.8 * size[0]
    events = [[decoded.event for decoded in followed(decoder_of(hand, gates=False), each, gates=False)] for each in (signals, short)]
    assert events[0] == events[1]
    assert events[0], "something is told"


@pytest.mark.parametrize("form", [*FORMS, "dataset", "html"])
def test_a_hand_recorded_without_its_deal_is_written_in_no_form_that_has_draws(without_deal: Path, twinwall: Twinwall, form: str) -> None:
    """No deal of it will ever be released."""
    said = twinwall("export", without_deal, "--format", form, code=1)
    why = f"the hand was recorded without its deal: concealed draws are not known, so it cannot be written as {form}"
    assert said.err == f"twinwall: {without_deal}: {why}\n"
    assert said.out == ""


def test_the_result_of_a_hand_recorded_without_its_deal_is_compared_with_no_other(without_deal: Path, twinwall: Twinwall) -> None:
    said = twinwall("export", without_deal, "--format", "csv", code=1).err
    assert "the hand was recorded without its deal: no other table has played the same walls" in said


def test_a_hand_recorded_without_its_deal_is_written_as_a_record(without_deal: Path, twinwall: Twinwall) -> None:
    assert json.loads(twinwall("export", without_deal, "--format", "json").out) == [json.loads(without_deal.read_text())]


def test_a_replay_says_that_a_hand_was_recorded_without_its_deal(without_deal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["replay", str(without_deal)])
    said = capsys.readouterr().out
    assert "without walls (the hand was recorded without its deal)" in said
    assert "release" not in said
    assert main(["replay", str(without_deal), "--steps"]) == 1
    assert "has no walls: the hand was recorded without its deal" in capsys.readouterr().err


def test_a_record_that_has_the_check_of_a_deal_waits_for_its_release(without_deal: Path, twinwall: Twinwall) -> None:
    without_deal.write_text(json.dumps(json.loads(without_deal.read_text()) | {"check": "c0" * 32}))
    assert "deal 1 is not released" in twinwall("export", without_deal, "--format", "json", code=1).err
