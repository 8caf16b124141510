"""Processes of a demo: they are this program, wherever it is started, end with it, get the same settings, and all count for its memory."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.demo.setup import with_gates
from cli.demo.supervisor import MemoryMeter, Process, ProcessDiedError, Supervisor, resident_kib
from controller.device_settings import FeederSection
from simulator.mechanics import MechanicsSettings
from tests.support.narrowed import present
from tests.support.patience import PATIENCE_S


def test_a_file_in_the_folder_where_a_demo_is_started_is_not_taken_for_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "csv.py").write_text("raise SystemExit('a results sheet of the club, and no module')")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))  # "." would name the folder itself
    monkeypatch.chdir(tmp_path)
    process = Process("version", ("--version",), restartable=False)
    with Supervisor(tmp_path / "logs") as supervisor:
        supervisor.start((process, lambda: process.popen is not None and process.popen.wait() is not None))
        assert present(process.popen).returncode == 0
    assert (tmp_path / "logs" / "version.log").read_text().startswith("twinwall ")


def test_a_process_that_is_killed_while_it_starts_is_started_again(tmp_path: Path) -> None:
    process, killed = Process("rules", ("rules", "mcr-duplicate")), list[int]()

    def ready() -> bool:
        assert process.popen is not None
        if not killed:
            killed.append(process.popen.pid)
            process.popen.kill()
            process.popen.wait()
            return False
        return process.popen.pid not in killed

    with Supervisor(tmp_path / "logs") as supervisor:
        supervisor.start((process, ready))
    assert process.restarts == 1


def test_a_process_that_is_killed_while_a_later_one_starts_is_started_again(tmp_path: Path) -> None:
    broker, vault = Process("broker", ("rules", "sichuan")), Process("vault", ("rules", "mcr-duplicate"))

    def killed_and_back() -> bool:
        if not broker.restarts and broker.popen is not None:
            broker.popen.kill()
        return broker.restarts > 0

    with Supervisor(tmp_path / "logs") as supervisor:
        supervisor.start((broker, lambda: True))
        supervisor.start((vault, killed_and_back))
    assert (broker.restarts, vault.restarts) == (1, 0)


def test_a_process_that_says_why_it_cannot_run_ends_the_start_at_once(tmp_path: Path) -> None:
    process = Process("vault", ("vault", "run", "--settings", "nowhere.toml"))
    with Supervisor(tmp_path / "logs") as supervisor:
        with pytest.raises(ProcessDiedError, match=r"nowhere\.toml: there is no such settings file"):
            supervisor.start((process, lambda: False))
        assert process.restarts == 0


def test_where_nothing_may_be_compiled_beside_the_sources_processes_share_a_folder_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr("cli.demo.supervisor.__file__", str(tmp_path / "supervisor.py"))
    process = Process("version", ("--version",), restartable=False)
    with Supervisor(tmp_path / "logs") as supervisor:
        supervisor.start((process, lambda: process.popen is not None and process.popen.wait() is not None))
    assert any((tmp_path / "logs" / "compiled").rglob("usage.*.pyc"))


MIB = 24
GRANDCHILD = f"import sys; held = b'x' * ({MIB} << 20); print('held', flush=True); sys.stdin.read()"
CHILD = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {GRANDCHILD!r}])"


@pytest.fixture
def child() -> Iterator[int]:
    """A process whose own child holds some memory."""
    command = [sys.executable, "-c", CHILD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert present(process.stdout).readline() == "held\n"
        yield process.pid
        process.communicate("", timeout=PATIENCE_S)


def test_the_memory_of_a_grandchild_counts(child: int) -> None:
    meter = MemoryMeter()
    meter.look(child)
    assert meter.peak_mib >= MIB + resident_kib(child) / 1024


def test_a_process_that_has_ended_holds_nothing_and_the_highest_sum_stays(child: int) -> None:
    meter = MemoryMeter(period_s=0.0)
    meter.look(child)
    highest = meter.peak_mib
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(PATIENCE_S)
    assert resident_kib(ended.pid) == 0.0
    meter.look(ended.pid)
    assert meter.peak_mib == highest > 0


@pytest.mark.parametrize("gates", range(1, 5))
def test_machine_and_controller_are_told_the_same_of_the_gates(gates: int) -> None:
    machine, told = with_gates(MechanicsSettings(), gates), with_gates(FeederSection("/dev/feeder"), gates)
    assert (machine.gates, machine.exchangers, machine.pocket_places, machine.shuttles) == (
        told.gates,
        told.exchangers,
        told.pocket_places,
        told.shuttles,
    )
    assert machine.gates == gates
