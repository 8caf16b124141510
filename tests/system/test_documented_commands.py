"""The commands of the documents do what these say: they are run in their order, in a folder where a reader would stand.

A demo has ended in the folder before. What a reader has to fill in is filled in; ``NOT_RUN`` names each command that is not run and why.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.demo.harness import DemoRun

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"
PAGES = tuple(
    page.relative_to(DOCS).as_posix()
    for folder in ("tutorial", "how-to")
    for page in sorted((DOCS / folder).rglob("*.md"))
    if re.search(r"^ *(\$ )?(\.venv/bin/)?twinwall ", page.read_text(encoding="utf-8"), re.MULTILINE)
)
NOT_RUN = {
    "demo": "the fixture runs it with two tables and one hand",
    "hall serve": "runs until it is ended; tests/system/test_hall_command.py",
    "table phones": "a server; tests/phones",
    "centre": "needs the servers of a centre; centre/tests",
    "admin upgrade": "replaces this program; tests/cli",
    "feeder check": "needs a feeder; tests/firmware_bridge",
    "feeder test-deal": "needs a table; tests/building",
    "admin pack": "needs a table; tests/cli",
    "tiles calibrate": "needs cameras; tests/cli",
    "tiles selftest": "needs cameras; tests/cli",
    "tiles enrol": "needs a table; tests/cli",
    "table continue": "needs a vault in play; tests/system/test_replaced_controller.py",
    "vault allow": "needs a vault in play; tests/system/test_replaced_controller.py",
    "vault status": "needs a vault that runs; tests/system/test_replaced_controller.py",
    "vault sheets": "needs paper tables; tests/system/test_paper_tables.py",
    "results check postgresql": "needs PostgreSQL; tests/event/store",
    "results backup postgresql": "needs PostgreSQL; tests/event/store",
    "results backup events": "needs PostgreSQL; tests/event/store",
    "hall certificates --settings dashboard.toml --out certificates --gateway": "needs a hall with a gateway; centre/tests",
    "hall mosquitto --settings dashboard.toml --certificates certificates --listen 192.168.1.10 --out /etc/twinwall --gateway": "likewise",
    "deals verify plan.json --start start.json slip-0007.json --sheet": "needs a sheet; tests/cli/event",
}
"""What a command begins with → why it is not run here, or which tests run it."""
BEGIN_WITH_NOTHING = ("how-to/centre.md", "how-to/release.md", "how-to/table/bring-up.md", "how-to/vault.md")
"""Pages whose reader stands in an empty folder; the others begin where an event was played."""
FOLDERS = re.compile("FOLDER|/etc/twinwall")
CODE = re.compile(r"start of the event is (\S+)")


def commands(page: str) -> Iterator[list[str]]:
    """The words of each ``twinwall`` command in the fenced blocks of a page, without the program's name."""
    text = (DOCS / page).read_text(encoding="utf-8").replace("\\\n", " ")
    for block in re.findall(r"^ *```\w*\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            command = re.match(r" *(?:\$ )?(?:\.venv/bin/)?twinwall (.*)", line)
            if command:
                yield shlex.split(command[1], comments=True)


def is_not_run(words: list[str]) -> bool:
    """Whether the table above names the command."""
    return " ".join(words).startswith(tuple(NOT_RUN))


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """What a demo leaves, under the names that the pages use, and the start code that it has printed."""
    folder = tmp_path_factory.mktemp("documents") / "demo"
    with DemoRun(folder, "--tables", "2", "--hands", "1") as demo:
        demo.report()
        code = CODE.search(demo.errors())
    assert code is not None
    for pipe in folder.glob("table-*/panel*"):
        pipe.unlink()
    (folder / "events" / "0001").mkdir(parents=True)
    for name in ("club-evening.sqlite", "events/0001/event.sqlite"):
        shutil.copy(folder / "event.sqlite", folder / name)
    return folder, code[1]


def run(words: list[str], folder: Path) -> None:
    """Run a command as a reader of the documents."""
    typed = ["--passphrase-fd", "0"] if words[:2] in (["vault", "seed"], ["vault", "commit"]) else []
    command = [sys.executable, "-m", "cli", *words, *typed]
    done = subprocess.run(command, cwd=folder, input="correct horse battery\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"twinwall {shlex.join(words)}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", [page for page in PAGES if not all(map(is_not_run, commands(page)))])
def test_the_commands_of_a_page_run_in_their_order(page: str, evening: tuple[Path, str], tmp_path: Path) -> None:
    left, code = evening
    folder = tmp_path / "evening"
    if page in BEGIN_WITH_NOTHING:
        folder.mkdir()
    else:
        shutil.copytree(left, folder)
    filled = {
        "FOLDER": str(folder),
        "HA20-BQCJ-JM0H-7XVW-1TYE-6CVT-N4BK-0HHB": code,
        "/etc/twinwall": str(folder),
        "read.eep": "table-07.eep",
    }
    for words in sorted(commands(page), key=lambda words: words[0] == "verify"):
        if not is_not_run(words):
            run([filled.get(word) or FOLDERS.sub(str(folder), word) for word in words], folder)


def test_each_command_that_is_not_run_is_in_a_document() -> None:
    written = [" ".join(words) for page in PAGES for words in commands(page)]
    assert [begin for begin in NOT_RUN if not any(words.startswith(begin) for words in written)] == []
