"""Supervisor of a demo: its processes are this program, wherever it is started, and end with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from twinwall.cli.demo.supervisor import Process, Supervisor


def test_a_file_in_the_folder_where_a_demo_is_started_is_not_taken_for_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "csv.py").write_text("raise SystemExit('a results sheet of the club, and no module')")
    monkeypatch.chdir(tmp_path)
    process = Process("version", ("--version",), restartable=False)
    with Supervisor(tmp_path / "logs") as supervisor:
        supervisor.start((process, lambda: process.popen is not None and process.popen.wait() is not None))
        assert process.popen is not None
        assert process.popen.returncode == 0
    assert (tmp_path / "logs" / "version.log").read_text().startswith("twinwall ")
