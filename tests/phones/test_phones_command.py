"""``twinwall table phones``: the server as a process; code, list and dismiss beside it, and what is said when nothing answers."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from websockets.sync.client import connect

from cli import main
from config import PhonesSettings, write
from config.phones import PhonesSection
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import free_port

Command = subprocess.CompletedProcess[str]
Twinwall = Callable[..., Command]


def settings_in(folder: Path) -> Path:
    """Settings of table 1 at ports of its own."""
    file = folder / "phones.toml"
    phones = PhonesSection(tables=("1",), memory=folder / "phones.json", port=free_port(), local_port=free_port())
    write(file, PhonesSettings(phones))
    return file


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    return settings_in(tmp_path)


@pytest.fixture
def twinwall(capsys: pytest.CaptureFixture[str]) -> Twinwall:
    """The command in this process: its exit code, and what it says."""

    def run(*words: str) -> Command:
        capsys.readouterr()
        code = main(words)
        said = capsys.readouterr()
        return Command(words, code, said.out, said.err)

    return run


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The settings of a server that runs as a process."""
    settings = settings_in(tmp_path_factory.mktemp("serving"))
    with subprocess.Popen(
        [sys.executable, "-m", "cli", "table", "phones", "serve", "--settings", str(settings)], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            assert any("phones come to http://127.0.0.1" in line for line in process.stderr)
            yield settings
        finally:
            process.terminate()
        assert process.wait(PATIENCE_S) == 0


def test_a_phone_comes_by_the_printed_address_and_is_listed_until_it_is_dismissed(serving: Path, twinwall: Twinwall) -> None:
    link = twinwall("table", "phones", "code", "--settings", str(serving), "1/table").stdout.strip()
    found = re.fullmatch(r"http://(127\.0\.0\.1:\d+)/#([0-9a-f]{32})", link)
    assert found is not None
    with connect(f"ws://{found[1]}/phone") as phone:
        phone.send(json.dumps({"type": "hello", "code": found[2]}))
        joined = json.loads(phone.recv(PATIENCE_S))
        assert (joined["type"], joined["table"], joined["name"]) == ("joined", "1", "table")
        phone.send(json.dumps({"type": "state", "battery": 0.5}))
        assert listed(twinwall, serving, "connected") == {"words": joined["words"], "battery": 0.5}
        assert twinwall("table", "phones", "dismiss", "--settings", str(serving), "1/table").returncode == 0
        assert json.loads(phone.recv(PATIENCE_S)) == {"type": "refused", "why": "dismissed"}


def listed(twinwall: Twinwall, settings: Path, state: str) -> dict[str, object]:
    """Words and battery of the one phone, once it has said something."""
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        found = json.loads(twinwall("table", "phones", "list", "--settings", str(settings), "--json").stdout)
        for phone in found:
            if phone[state] and phone["state"] is not None:
                return {"words": phone["words"], "battery": phone["state"]["battery"]}
    raise AssertionError("no phone is listed")


def test_a_role_that_is_not_there_is_named_with_those_that_are(serving: Path, twinwall: Twinwall) -> None:
    refused = twinwall("table", "phones", "code", "--settings", str(serving), "1/roof")
    assert refused.returncode == 2
    assert "there is no 1/roof here; there are 1/gate, 1/table, 1/keys" in refused.stderr


def test_without_a_server_a_code_cannot_be_had(settings: Path, twinwall: Twinwall) -> None:
    refused = twinwall("table", "phones", "code", "--settings", str(settings), "1/gate")
    assert refused.returncode == 2
    assert "start twinwall table phones serve" in refused.stderr


def test_phones_in_clear_beyond_this_machine_are_refused(settings: Path, twinwall: Twinwall) -> None:
    settings.write_text(settings.read_text().replace('host = "127.0.0.1"', 'host = "0.0.0.0"'))
    refused = twinwall("table", "phones", "serve", "--settings", str(settings))
    assert refused.returncode == 2
    assert "host 0.0.0.0 is not encrypted" in refused.stderr
