"""Commands and heartbeats are read strictly."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from twinwall.wire.events.trouble_events import CallSubject
from twinwall.wire.messages.commands import (
    CallReferee,
    CommandError,
    ConfirmScore,
    FeederLinkQuality,
    Health,
    Resend,
    SwapSeats,
    TakeSeat,
    read_command,
    read_health,
    write_command,
    write_health,
)
from twinwall.wire.messages.machine import CameraCondition, MachineCondition

LINE = FeederLinkQuality(2, 7, 3, 1, 0)
MACHINE = MachineCondition("0.1.0", 62, 5200, 61, 4000, (CameraCondition("table-camera", 0, 50, 2),))
HEALTH = Health("12", "j1", 345, datetime(2026, 11, 20, 10, 2, 3, 123000, tzinfo=UTC), ("feeder",))


def test_a_command_is_written_as_the_contracts_say_and_reads_back() -> None:
    payload = write_command(Resend("j1", 3, 9))
    assert payload == b'{"from":3,"journal":"j1","to":9,"type":"resend"}\n'
    assert read_command(payload) == Resend("j1", 3, 9)


def test_what_players_say_of_their_seats_reads_back() -> None:
    taken, swapped = TakeSeat(2, "17"), SwapSeats((0, 3))
    assert write_command(taken) == b'{"place":2,"player":"17","type":"seat-taken"}\n'
    assert write_command(swapped) == b'{"places":[0,3],"type":"seats-swapped"}\n'
    assert [read_command(write_command(each)) for each in (taken, swapped)] == [taken, swapped]


def test_what_players_press_on_the_pages_of_their_seats_reads_back() -> None:
    entered, confirmed, called = ConfirmScore(2, 7), ConfirmScore(0, 7, (75, -25, -25, -25)), CallReferee(1, CallSubject.SCORE)
    assert write_command(confirmed) == b'{"n":7,"payments":[75,-25,-25,-25],"place":0,"type":"score-confirmed"}\n'
    assert write_command(called) == b'{"about":"score","place":1,"type":"referee-called"}\n'
    assert [read_command(write_command(each)) for each in (entered, confirmed, called)] == [entered, confirmed, called]


def test_a_heartbeat_reads_back() -> None:
    assert read_health(write_health(HEALTH)) == HEALTH
    assert read_health(write_health(replace(HEALTH, feeder_line=LINE))).feeder_line == LINE
    assert read_health(write_health(replace(HEALTH, machine=MACHINE))).machine == MACHINE


@pytest.mark.parametrize(
    ("payload", "named"),
    [
        (b"", "JSON"),
        (b"[]", "object"),
        (b'{"type":"reboot"}', "reboot"),
        (b'{"type":"resend","journal":"j","from":1,"to":2,"now":1}', "now"),
        (b'{"type":"resend","journal":"j","from":0,"to":2}', "0 to 2"),
        (b'{"type":"resend","journal":"j","from":3,"to":2}', "3 to 2"),
        (b'{"type":"resend","journal":"j","from":true,"to":2}', "true"),
        (b'{"type":"resend","journal":"","from":1,"to":2}', "journal"),
        (b'{"type":"seat-taken","place":4,"player":"17"}', "place 4"),
        (b'{"type":"seat-taken","place":1,"player":"Li Na"}', "player"),
        (b'{"type":"seats-swapped","places":[1]}', "places"),
        (b'{"type":"score-confirmed","place":0,"n":0}', "n 0"),
        (b'{"type":"score-confirmed","place":0,"n":1,"payments":[1,2,3]}', "payments"),
        (b'{"type":"referee-called","place":0,"about":"the weather"}', "about"),
        (b'{"type":"referee-called","place":0,"about":"hand-overdue"}', "about"),
        (b'{"type":"resend","journal":"j","from":NaN,"to":2}', "NaN"),
    ],
)
def test_another_command_is_refused_by_name(payload: bytes, named: str) -> None:
    with pytest.raises(CommandError, match=named):
        read_command(payload)


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (b'"v":1', b'"v":2', "version 2"),
        (b'"v":1', b'"v":1,"tile":"5m"', "tile"),
        (b'["feeder"]', b'"feeder"', "links_lost"),
        (b'"seq":345', b'"seq":-1', "seq -1"),
        (b'"losses":0', b'"losses":0,"frames":7', "frames"),
        (b'"losses":0', b'"losses":-1', "losses -1"),
        (b"2026-11-20T", b"2026-11-20 ", "time"),
    ],
)
def test_another_heartbeat_is_refused_by_name(old: bytes, new: bytes, named: str) -> None:
    with pytest.raises(CommandError, match=named):
        read_health(write_health(replace(HEALTH, feeder_line=LINE)).replace(old, new))
