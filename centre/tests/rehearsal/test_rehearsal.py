"""A rehearsal with real programs: whatever is killed, each line is stored once."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from centre.tests.support.rabbit_rig import needs
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import eventually
from tools.rehearsal.__main__ import main
from tools.rehearsal.postgres_nodes import closed_to_others
from tools.rehearsal.programs import ExternalProgram, listens, start_again
from twinwall.free_ports import free_ports

PROGRAMS = needs("rabbitmq-server", "patroni", "etcd", "nginx", "mosquitto")
KILLS = (
    "venue-1@0.1:2",
    "gateway-2@0.2:2",
    "consumer-1@0.3:2",
    "rabbitmq-1@0.4:3",
    "postgresql-1+consumer-1@0.6:3",
    "nginx-1+publisher-1@0.7:3",
    "gateway-1+venue-1@0.8:3",
)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(900)
@PROGRAMS
def test_whatever_is_killed_each_line_is_stored_once(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    kills = [word for kill in KILLS for word in ("--kill", kill)]
    wanted = ["--venues", "3", "--tables", "6", "--hands", "1", "--seconds", "60", "--nodes", "3", "--databases", "2"]
    assert main([*wanted, *kills, "--json"]) == 0
    report = json.loads(capfdbinary.readouterr().out)
    assert (report["lost"], report["doubled"], report["stored"], report["same_ranking"]) == (0, 0, report["lines"], True)
    assert report["caught_up_venues"] == 3
    assert all(None not in (each["back_s"], each["caught_up_s"]) for each in report["killed"])
    assert [set(each["parts"]) for each in report["killed"]] == [set(kill.split("@")[0].split("+")) for kill in KILLS]


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(900)
@PROGRAMS
def test_a_database_that_is_lost_with_its_disks_is_filled_again_by_the_venues(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    wanted = ["--venues", "2", "--tables", "4", "--hands", "2", "--seconds", "20", "--lines", "results", "--kill", "database@0.7:2"]
    assert main([*wanted, "--json"]) == 0
    report = json.loads(capfdbinary.readouterr().out)
    assert (report["lost"], report["doubled"], report["stored"], report["same_ranking"]) == (0, 0, report["lines"], True)
    assert report["sent_again"] > 0


def test_a_folder_that_postgresqls_account_cannot_enter_is_named(tmp_path: Path) -> None:
    closed = tmp_path / "mine"
    closed.mkdir(mode=0o700)
    tmp_path.chmod(0o755)
    assert closed_to_others(closed / "kept" / "postgresql") in (closed, *closed.parents)
    closed.chmod(0o755)
    assert closed_to_others(closed / "kept" / "postgresql") != closed


def test_a_program_that_ends_by_itself_is_started_again_with_its_last_words_and_a_killed_one_is_not(tmp_path: Path) -> None:
    fails = ExternalProgram("fails", ("sh", "-c", "echo the port is taken; exit 3"), tmp_path, lambda: True)
    killed, runs = (ExternalProgram(name, ("sleep", "600"), tmp_path, lambda: True) for name in ("killed", "runs"))
    programs = {each.name: each for each in (fails, killed, runs)}
    for program in programs.values():
        program.start()
    killed.kill()
    eventually(lambda: fails.has_ended, "it has ended")
    (said,) = start_again(programs)
    assert said.startswith("fails ended by itself and was started again: the port is taken")
    assert [killed.pid is None, runs.is_running] == [True, True]
    eventually(lambda: fails.has_ended, "it has ended again")
    for program in programs.values():
        program.stop()


@pytest.mark.parametrize("end", [ExternalProgram.kill, ExternalProgram.stop])
def test_a_program_that_has_been_ended_answers_no_more_even_where_its_worker_takes_long(
    tmp_path: Path, end: Callable[[ExternalProgram], None]
) -> None:
    (port,) = free_ports(1)
    program = ExternalProgram("server", (sys.executable, "-c", _SLOW_TO_END, str(port)), tmp_path, lambda: listens(port))
    program.start()
    program.wait(PATIENCE_S)
    end(program)
    assert not listens(port)


_SLOW_TO_END = """
import os, signal, socket, sys, time
if not os.fork():
    much = b"x" * (256 << 20)
    server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    signal.signal(signal.SIGTERM, lambda *_: os._exit(time.sleep(1.0) or 0))
time.sleep(600)
"""
"""A child serves; asked to end it takes a second, and killed its memory is freed before its port."""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--venues", "3", "--tables", "2"], "--tables 2: 3 or more"),
        (["--kill", "venue-9"], "there is no 'venue-9' to kill; there are consumer-1, database, gateway-1, "),
        (["--hands", "17"], "--hands is at most 16"),
    ],
)
def test_what_cannot_be_rehearsed_is_refused_in_a_sentence(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert sentence in capsys.readouterr().err
