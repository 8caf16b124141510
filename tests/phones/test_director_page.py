"""Phones are let in by a director on a page of the dashboard and beside ``twinwall table phones``: codes, state, replacement, and what is
said when no server answers."""

import html
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import segno
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from cli import main
from config import PhonesSettings, write
from config.phones import PhonesSection
from tests.phones.conftest import TablePhones
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.narrowed import present
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import free_port


@pytest.fixture
def hall(phones: TablePhones) -> Hall:
    made = Hall(settings=replace(OPEN, phones=phones.servers.local.url))
    made.log_in()
    return made


def press(hall: Hall, path: str) -> str:
    answer = hall.submit(path)
    assert answer.status_code == 200
    return html.unescape(answer.text)


@contextmanager
def joined(hall: Hall, role: str) -> Iterator[tuple[Connection, dict[str, str]]]:
    link = present(re.search(r"http://(127\.0\.0\.1:\d+)/#([0-9a-f]{32})", press(hall, f"/phones/{role}/code")))
    with connect(f"ws://{link[1]}/phone") as phone:
        phone.send(json.dumps({"type": "hello", "code": link[2]}))
        yield phone, json.loads(phone.recv(PATIENCE_S))


def test_the_page_lists_every_role_and_makes_a_code_of_the_projectors_address_if_others_reach_it(hall: Hall, phones: TablePhones) -> None:
    page = html.unescape(hall.client.get("/phones").text)
    assert page.count("No phone") == 7
    for said in ("Gate camera", "Camera above the table", "Keys of all places (tablet)", "Keys of place 4"):
        assert said in page
    assert 'href="http://localhost/projector"' in page
    assert "This address works on this computer alone" in page
    assert "<img" not in page
    reached = Hall(settings=replace(OPEN, phones=phones.servers.local.url, address="http://hall.example"))
    reached.log_in()
    page = html.unescape(reached.client.get("/phones").text)
    assert 'href="http://hall.example/projector"' in page
    assert segno.make("http://hall.example/projector", error="m").svg_data_uri(scale=8, border=4, light="#fff") in page


def test_a_code_lets_a_phone_in_and_the_page_says_what_it_says_of_itself(hall: Hall, phones: TablePhones) -> None:
    with joined(hall, "1/gate") as (phone, answer):
        phone.send(json.dumps({"type": "state", "battery": 0.12, "charging": False, "in_front": False, "facing": "user"}))
        while not any(each.state for each in phones.parts.book.now()):
            phone.ping().wait(PATIENCE_S)
        page = html.unescape(hall.client.get("/phones").text)
        assert "Connected" in page
        assert answer["words"] in page
        for sentence in ("Battery 12 %", "charge it soon", "its page is not in front", "it uses the camera on the screen's side"):
            assert sentence in page


def ended(phone: Connection) -> str:
    """Why a phone has its role no more, once it is told."""
    while True:
        message = json.loads(phone.recv(PATIENCE_S))
        if message["type"] == "refused":
            return str(message["why"])


def test_the_next_code_replaces_a_phone_and_a_role_can_be_taken_away(hall: Hall) -> None:
    with joined(hall, "1/keys-0") as (first, _), joined(hall, "1/keys-0") as (second, _):
        assert ended(first) == "replaced"
        press(hall, "/phones/1/keys-0/dismiss")
        assert ended(second) == "dismissed"
    assert "Not connected" not in hall.client.get("/phones").text


def test_a_server_of_phones_that_does_not_answer_is_said_and_without_one_there_is_no_page() -> None:
    silent, without = Hall(settings=replace(OPEN, phones="http://127.0.0.1:9")), Hall(settings=OPEN)
    for hall in (silent, without):
        hall.log_in()
    assert "does not answer: start twinwall table phones serve" in silent.client.get("/phones").text
    assert without.client.get("/phones").status_code == 404
    assert "/phones" not in without.client.get("/").text


Command = subprocess.CompletedProcess[str]
Twinwall = Callable[..., Command]


def settings_in(folder: Path) -> Path:
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
    found = present(re.fullmatch(r"http://(127\.0\.0\.1:\d+)/#([0-9a-f]{32})", link))
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
        for phone in json.loads(twinwall("table", "phones", "list", "--settings", str(settings), "--json").stdout):
            if phone[state] and phone["state"] is not None:
                return {"words": phone["words"], "battery": phone["state"]["battery"]}
    raise AssertionError("no phone is listed")


def test_a_code_for_no_role_or_without_a_server_and_phones_in_clear_beyond_this_machine_are_refused(
    serving: Path, settings: Path, twinwall: Twinwall
) -> None:
    open_to_all = settings.with_name("open.toml")
    open_to_all.write_text(settings.read_text().replace('host = "127.0.0.1"', 'host = "0.0.0.0"'))
    for file, asked, why in (
        (serving, ("code", "1/roof"), "there is no 1/roof here; there are 1/gate, 1/table, 1/keys"),
        (settings, ("code", "1/gate"), "start twinwall table phones serve"),
        (open_to_all, ("serve",), "host 0.0.0.0 is not encrypted"),
    ):
        refused = twinwall("table", "phones", *asked, "--settings", str(file))
        assert refused.returncode == 2
        assert why in refused.stderr
