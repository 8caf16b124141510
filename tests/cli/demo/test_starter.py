"""Starter of a demo: what it forks is a process of its own, with its descriptors and no other's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.demo.supervisor import Process, Supervisor, family
from config import MqttSettings
from tests.cli.demo.test_custody import laid_out
from tests.support.wire.brokers import eventually


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    with Supervisor(tmp_path / "logs") as made:
        yield made


def opened(pid: int) -> set[str]:
    """The files, pipes and sockets that a process has open."""
    return {each.readlink().name for each in Path(f"/proc/{pid}/fd").iterdir()}


def test_processes_that_are_forked_say_and_end_as_those_do_that_are_started(supervisor: Supervisor) -> None:
    version, wrong, rules = Process("version", ("--version",)), Process("wrong", ("vault", "run")), Process("rules", ("rules", "sichuan"))
    with supervisor.forking():
        supervisor.start(*((each, lambda: True) for each in (version, wrong, rules)))
    codes = [each.popen.wait() for each in (version, wrong, rules) if each.popen is not None]
    assert codes == [0, 2, 0]
    assert supervisor.log_of(version).read_text().startswith("twinwall ")
    assert "--settings" in supervisor.log_of(wrong).read_text()


def test_vaults_that_are_forked_together_have_each_their_own_passphrase_log_session_and_command_line(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    """The vaults of this folder find no broker, but open their seeds."""
    custody = laid_out(tmp_path)
    (tmp_path / "password").write_text("secret\n")
    vaults = [custody.vault(each, MqttSettings("mqtt://127.0.0.1:1", each, tmp_path / "password")) for each in custody.vaults]
    with supervisor.forking():
        supervisor.start(*((each, lambda name=each.name: custody.is_open(name)) for each in vaults))
        started = [each.popen for each in vaults if each.popen is not None]
        assert {each.pid for each in started} < set(family(os.getpid()))
        assert [os.getsid(each.pid) for each in started] == [each.pid for each in started]
    for vault, process in zip(vaults, started, strict=True):
        begins = [sys.executable, "-P", "-m", "cli", *vault.words]
        assert Path(f"/proc/{process.pid}/cmdline").read_text().split("\0")[: len(begins)] == begins
        assert supervisor.log_of(vault).name in opened(process.pid)
        assert "the vault is open: 3 deals" in supervisor.log_of(vault).read_text()
        assert vault.restarts == 0
    first, second = (opened(each.pid) for each in started)
    assert first & second == {"null"}


def test_what_was_forked_and_dies_is_started_again(supervisor: Supervisor, tmp_path: Path) -> None:
    custody = laid_out(tmp_path)
    (tmp_path / "password").write_text("secret\n")
    vault = custody.vault("vault", MqttSettings("mqtt://127.0.0.1:1", "vault", tmp_path / "password"))
    with supervisor.forking():
        supervisor.start((vault, lambda: custody.is_open("vault")))
    assert vault.popen is not None
    vault.popen.kill()
    assert vault.popen.wait() == -signal.SIGKILL
    supervisor.look_after()
    assert vault.restarts == 1
    eventually(lambda: supervisor.log_of(vault).read_text().count("the vault is open") == 2, "the second vault opens its seed")


def test_what_was_forked_ends_with_a_demo_that_is_killed(tmp_path: Path) -> None:
    program = f"""
import time
from pathlib import Path
from cli.demo.supervisor import Process, Supervisor
supervisor = Supervisor(Path({str(tmp_path)!r}))
process = Process("feeder", ("feeder", "simulate"))
with supervisor.forking():
    supervisor.start((process, lambda: bool(supervisor.log_of(process).read_text())))
print(process.popen.pid, flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        pid = int(demo.stdout.readline())
        demo.kill()
    eventually(lambda: not Path(f"/proc/{pid}/cmdline").exists() or not Path(f"/proc/{pid}/cmdline").read_bytes(), "it has ended")


def test_without_a_starter_all_starts_as_ever(supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.demo.starter._adopts", lambda _whether: -1)
    version = Process("version", ("--version",))
    with supervisor.forking():
        supervisor.start((version, lambda: True))
    assert isinstance(version.popen, subprocess.Popen)
    assert version.popen.wait() == 0
