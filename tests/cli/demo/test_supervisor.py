"""Supervisor of a demo: its processes are this program, wherever it is started, and end with it."""

from pathlib import Path

import pytest

from cli.demo.supervisor import Process, ProcessDiedError, Supervisor


def test_a_file_in_the_folder_where_a_demo_is_started_is_not_taken_for_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "csv.py").write_text("raise SystemExit('a results sheet of the club, and no module')")
    monkeypatch.chdir(tmp_path)
    process = Process("version", ("--version",), restartable=False)
    with Supervisor(tmp_path / "logs") as supervisor:
        supervisor.start((process, lambda: process.popen is not None and process.popen.wait() is not None))
        assert process.popen is not None
        assert process.popen.returncode == 0
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


def test_a_process_that_says_why_it_cannot_run_ends_the_start_at_once(tmp_path: Path) -> None:
    process = Process("vault", ("vault", "run", "--settings", "nowhere.toml"))
    with Supervisor(tmp_path / "logs") as supervisor:
        with pytest.raises(ProcessDiedError, match=r"nowhere\.toml: there is no such settings file"):
            supervisor.start((process, lambda: False))
        assert process.restarts == 0
