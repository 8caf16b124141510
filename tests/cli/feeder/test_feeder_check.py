"""``twinwall feeder check`` over a real pseudo-terminal, with its table, its JSON and its exit codes."""

import json
import os
import threading
import time
import tty

import pytest

from cli import main
from cli.feeder.feeder_hands import PersonsHands, in_words
from firmware_bridge.conformance import wire
from firmware_bridge.serial_port import SerialPort
from tests.support.patience import PATIENCE_S

FEW = ["--only", "frame-damage", "--only", "place-edges", "--only", "one-tile-per-unlock", "--only", "two-high-support"]


def test_a_good_machine_passes_and_the_exit_code_is_good(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["feeder", "check", "simulator", *FEW]) == 0
    out = capsys.readouterr().out
    assert "4 passed, 0 failed, 0 left out" in out
    assert "STATUS? with one bit wrong" in out


def test_the_outcome_is_one_json_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["feeder", "check", "simulator", "--json", "--only", "tile-at-gate", "--only", "frame-time-wraps"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert (outcome["passed"], outcome["failed"], outcome["left_out"]) == (1, 0, 1)
    rows = {row["name"]: row for row in outcome["rules"]}
    assert "mm wide" in rows["tile-at-gate"]["reason"]
    assert rows["frame-time-wraps"]["outcome"] == "left out"


def test_the_rules_can_be_listed_without_a_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["feeder", "check", "--list"]) == 0
    assert "sixty-four-answers" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["check", "simulator", "--only", "be-nice"], "be-nice"),
        (["check"], "serial device"),
        (["link", "simulator", "--seconds", "0"], "0 seconds cannot be measured in"),
    ],
)
def test_wrong_use_is_named(words: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["feeder", *words]) == 2
    assert named in capsys.readouterr().err


@pytest.mark.parametrize("action", ["check", "link"])
@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["/dev/no-such-feeder"], "/dev/no-such-feeder: there is no such file"),
        (["/dev/null"], "/dev/null: it is no serial device"),
        (["simulator", "--baud", "0"], "0 bits per second cannot be"),
        (["simulator", "--speed", "0"], "speed is 0.0"),
    ],
)
def test_a_feeder_that_cannot_be_had_is_wrong_use_of_either_command(
    action: str, words: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["feeder", action, *words]) == 2
    assert named in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--link", "no-such-folder/feeder"], "there is no folder no-such-folder"),
        (["--foreign", "-3"], "foreign is a number of tiles, not -3"),
    ],
)
def test_a_feeder_that_cannot_be_simulated_is_named(words: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["feeder", "simulate", *words]) == 2
    assert named in capsys.readouterr().err


def test_a_port_that_another_program_has_open_is_told_as_that(capsys: pytest.CaptureFixture[str]) -> None:
    master, slave = os.openpty()
    tty.setraw(slave)
    first = SerialPort(os.ttyname(slave))
    try:
        assert main(["feeder", "check", os.ttyname(slave)]) == 2
        assert "another program has it open" in capsys.readouterr().err
    finally:
        first.close()
        os.close(master)
        os.close(slave)


def test_a_person_is_asked_for_every_deed_in_a_sentence_and_waited_for() -> None:
    asked: list[str] = []
    done = threading.Event()

    def ask(what: str) -> None:
        asked.append(what)
        done.wait(PATIENCE_S)

    hands = PersonsHands(ask)
    hands.begin(wire.HandsAct.LIFT_DRAW, 2)
    assert not hands.finished(), "the person is still at it"
    done.set()
    end_s = time.monotonic() + PATIENCE_S
    while not hands.finished() and time.monotonic() < end_s:
        time.sleep(0.01)
    assert hands.finished()
    assert asked == [in_words(wire.HandsAct.LIFT_DRAW, 2)]
    assert "seat 2" in asked[0]
