"""``twinwall record replay --steps``: a hand step by step, as text, as pictures, as lines of JSON and with keys."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from cli import main
from cli.rules.replay import StepView, step_through
from cli.terminal import key_of
from tests.support.commands import Twinwall
from tests.support.game.random_hands import mcr
from twinwall.event.replay.replay_form import ReplayDocument
from twinwall.event.replay.steps import replay_document
from twinwall.game.play_events import ClaimsPassed
from twinwall.game.record import HandRecord
from twinwall.game.tiles import SEATS


@cache
def record() -> HandRecord:
    played = mcr(3, {"minimum": 0}, eager=True, with_kongs=False).record()
    return replace(played, players=dict(zip(SEATS, ("李娜", "Müller", "鈴木", "Ann"), strict=True)))


@cache
def document() -> ReplayDocument:
    return replay_document([record()])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "hand.json"
    file.write_text(json.dumps([record().to_json()]), encoding="utf-8")
    return file


def test_each_state_is_a_line_of_json(path: Path, twinwall: Twinwall) -> None:
    lines = [json.loads(line) for line in twinwall("replay", path, "--steps", "--json").out.splitlines()]
    assert [line["step"] for line in lines] == list(range(len(document().tables[0].steps) + 1))
    assert (lines[0]["seats"]["E"]["left"], lines[1]["did"]["do"]) == (21, "draw")
    assert len(lines[1]["seats"]["E"]["hand"].split()) == 14


def test_a_moment_says_what_could_be_done_and_why_the_rules_barred_the_rest(tmp_path: Path, twinwall: Twinwall) -> None:
    file = tmp_path / "hand.json"
    file.write_text(json.dumps(mcr(7, {"minimum": 0}, eager=False, with_kongs=True).record().to_json()))
    out = twinwall("replay", file, "--steps").out
    assert "W could not: pung 7m 7m 7m (W may not claim a pung here: the final discard can only be won on)" in out
    assert "could: " in out
    assert "W could" not in twinwall("replay", file, "--steps", "--seat", "E").out


def test_one_seat_sees_its_own_hand_alone(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(path), "--steps", "--json", "--seat", "S"]) == 0
    for line in map(json.loads, capsys.readouterr().out.splitlines()):
        assert isinstance(line["seats"]["S"]["hand"], str)
        assert isinstance(line["seats"]["E"]["hand"], int)
        if line["did"] is not None and line["did"].get("seat") == "E":
            assert "chances" not in line["did"]
            assert "ready" not in line["did"]
            assert line["did"]["do"] != "draw" or "tile" not in line["did"]


def test_tiles_are_text_or_pictures_and_names_keep_their_script(path: Path, twinwall: Twinwall) -> None:
    text = twinwall("replay", path, "--steps").out
    pictures = twinwall("replay", path, "--steps", "--tiles", "unicode").out
    assert all(name in text and name in pictures for name in ("李娜", "Müller", "鈴木"))
    hand = document().walls["E"].hand
    assert hand in text
    assert hand not in pictures
    assert "\N{MAHJONG TILE RED DRAGON}" in pictures


def test_keys_go_through_the_hand() -> None:
    shown: list[str] = []
    steps = document().tables[0].steps
    keys = iter(["right", "right", "left", "end", "right", "home", "left", "down", "up", "c", "s", "a", "u", "q", "right"])
    step_through(document(), 0, StepView(), keys, shown.append)
    numbers = [int(text.split("step ")[1].split()[0]) for text in shown]
    assert numbers[:9] == [0, 1, 2, 1, len(steps), len(steps), 0, 0, 2]
    assert numbers[9] == 0
    assert len(shown) == 14
    assert "## × 13" in shown[11]
    assert "##" not in shown[12]


@pytest.mark.parametrize(("pressed", "name"), [(b"\x1b[C", "right"), (b"\x1bOH", "home"), (b"Q", "q"), (b" ", " ")])
def test_a_key_has_a_name(pressed: bytes, name: str) -> None:
    assert key_of(pressed) == name


def test_an_illegal_event_is_refused_by_its_number_or_ends_the_steps(path: Path, twinwall: Twinwall) -> None:
    events = tuple(event for event in record().events if not isinstance(event, ClaimsPassed))
    path.write_text(json.dumps(replace(record(), events=events).to_json()), encoding="utf-8")
    assert "event 3 is not legal" in twinwall("replay", path, "--steps", code=1).err
    said = twinwall("replay", path, "--steps", "--json", "--lenient")
    assert len(said.out.splitlines()) == 3
    assert "event 3 is not legal" in said.err


def test_a_deal_that_is_not_released_has_no_steps(path: Path, twinwall: Twinwall) -> None:
    path.write_text(json.dumps(replace(record(), walls=None, digest=None, check=bytes([7]) * 32).to_json()), encoding="utf-8")
    assert "the deal is not released" in twinwall("replay", path, "--steps", code=1).err


def test_a_hand_that_is_not_in_the_list_is_named(path: Path, twinwall: Twinwall) -> None:
    assert "has 1 hands: there is no hand 2" in twinwall("replay", path, "--steps", "--number", "2", code=2).err
