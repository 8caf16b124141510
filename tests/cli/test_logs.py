"""Log lines of the services: text by default, and one JSON object a line for programs."""

import argparse
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest

import config
from cli import logs
from cli.event.vault import vault_in_log
from cli.hall.dashboard import dashboard_in_log
from cli.usage import LOG
from config import DashboardSettings, VaultSettings, load

_SETTINGS = Path(config.__path__[0]) / "default"


class Begin(Protocol):
    def __call__(self, *words: str, **where: str) -> None: ...


@pytest.fixture
def begin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Begin]:
    """Begins the log as a program does, whose root logger has no handlers."""
    root = logging.getLogger()
    level = root.level

    def begun(*words: str, **where: str) -> None:
        monkeypatch.setattr(root, "handlers", [])
        parser = argparse.ArgumentParser()
        LOG(parser)
        logs.begin(parser.parse_args(words), where)

    yield begun
    root.setLevel(level)


def test_lines_are_text_when_nothing_is_asked(begin: Begin, capsys: pytest.CaptureFixture[str]) -> None:
    begin(event="autumn", table="3")
    logging.getLogger("controller").info("deal %d is ready", 4)
    assert capsys.readouterr().err.endswith(" controller deal 4 is ready\n")


def test_a_json_line_names_event_and_table_and_keeps_any_text_on_one_line(begin: Begin, capsys: pytest.CaptureFixture[str]) -> None:
    begin("--log", "json", event="秋の大会", table="3", holder="")
    logging.getLogger("controller.table").warning("%s says\n%s", "李娜", '"no"')
    (line,) = capsys.readouterr().err.splitlines()
    said = json.loads(line)
    assert said.pop("at").endswith("Z")
    assert said == {"level": "warning", "logger": "controller.table", "event": "秋の大会", "table": "3", "message": '李娜 says\n"no"'}


def test_the_dashboard_and_the_vault_of_a_venue_name_it_in_each_line() -> None:
    dashboard = load(_SETTINGS / "dashboard.toml", DashboardSettings)
    assert dashboard_in_log(replace(dashboard, dashboard=replace(dashboard.dashboard, venue="Kyoto")))["venue"] == "Kyoto"
    assert vault_in_log(load(_SETTINGS / "venue-vault.toml", VaultSettings))["venue"] == "Kyoto"


def test_an_error_has_its_traceback(begin: Begin, capsys: pytest.CaptureFixture[str]) -> None:
    begin("--log", "json")
    try:
        raise ValueError("no such tile")
    except ValueError:
        logging.getLogger("vision").exception("the frame is left out")
    said = json.loads(capsys.readouterr().err)
    assert said["level"] == "error"
    assert said["error"].splitlines()[-1] == "ValueError: no such tile"
