"""A session of four tables: table 3's controller is lost with its disk in a hand, and another one is started by the written procedure.

In ``make test`` tests/controller/test_replaced_controller.py, tests/attacks/table_keys/test_replaced_controller.py,
tests/dashboard/test_replaced_journal.py, tests/dashboard/pages/people/test_replace_controller.py and
tests/cli/table/test_replacing.py look at each part.
"""

from __future__ import annotations

import contextlib
import http.cookiejar
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from config import TableSettings, load
from dashboard.access.access_policy import Role
from dashboard.access.staff_file import StaffFile
from dashboard.access.staff_orders import StaffOrder
from tests.support.demo.harness import POLL_S, DemoRun, ask, hidden, processes_with
from tests.support.procedure import typed_commands
from twinwall.event.result_rulings import verdict
from twinwall.event.results import Basis
from twinwall.event.store.hall import Hall
from twinwall.event.store.store_loading import load as load_store
from twinwall.event.store.store_reading import read_store

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(3600)]

HANDS, LOST_IN, TABLE = 3, 2, "3"
ACCOUNTS, PASSWORD = ("First", "Second"), "of the day before yesterday"
PATIENCE_S = 1800.0


@dataclass(frozen=True)
class Replaced:
    """What was seen."""

    hall: Hall
    said: str
    """What the vault and the tables have logged."""


def wait_for(what: str, seen: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not seen():
        assert time.monotonic() < deadline, f"not seen: {what}"
        time.sleep(10 * POLL_S)


def is_in_the_hand(events: list[dict[str, Any]]) -> bool:
    """Whether the hand in which the controller will be lost is played, and goes on for a while."""
    kinds = [event["type"] for event in events]
    if kinds.count("hand-started") != LOST_IN:
        return False
    begun = len(kinds) - kinds[::-1].index("hand-started")
    return "tile-discarded" in kinds[begun:] and "hand-closed" not in kinds[begun:]


def enter_accounts(demo: DemoRun) -> None:
    """Two referees whose accounts are two days old."""
    staff, then = StaffFile(demo.folder / "staff.sqlite"), int(time.time()) - 2 * 86_400
    for name in ACCOUNTS:
        staff.accept(staff.invite(name, {Role.REFEREE}, then + 60, StaffOrder(then)), PASSWORD, then)
    staff.close()


def logged_in(demo: DemoRun, name: str) -> urllib.request.OpenerDirector:
    jar = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    address = f"http://127.0.0.1:{demo.port}/login"
    ask(jar, address, name=name, password=PASSWORD, token=hidden(ask(jar, address)[0], "token"))
    return jar


def ordered(demo: DemoRun) -> bytes:
    """The order of two persons, from the table's page; ordered again where lines that were on their way came in between."""
    page = f"http://127.0.0.1:{demo.port}/table/{TABLE}"
    browsers = [logged_in(demo, name) for name in ACCOUNTS]
    found: list[bytes] = []

    def is_given() -> bool:
        for jar in browsers:
            text, _ = ask(jar, f"{page}/replace")
            if 'name="line"' in text:
                ask(jar, f"{page}/replace", token=hidden(text, "token"), line=hidden(text, "line"), reason="the card cannot be read")
        with contextlib.suppress(urllib.error.HTTPError), browsers[0].open(f"{page}/replacement.json", timeout=60) as answer:
            found.append(answer.read())
        return bool(found)

    wait_for("the order", is_given)
    return found[0]


def fingerprints(demo: DemoRun) -> list[str]:
    """What the table has logged of its boot keys, start after start."""
    log = demo.folder / "logs" / f"table-{TABLE}-table.log"
    return re.findall(r"the fingerprint of this table's boot keys is ([0-9a-f ]{19})", log.read_text())


def lose_the_controller(demo: DemoRun) -> TableSettings:
    """It answers nobody any more, and its disk and its memory are gone. The supervisor starts it again when it is dead."""
    file = demo.settings("table", TABLE)
    (pid,) = [pid for pid in processes_with(str(file)) if pid != demo.process.pid]
    os.kill(pid, signal.SIGSTOP)
    settings = load(file, TableSettings)
    shutil.rmtree(settings.ledger.folder)
    shutil.rmtree(settings.custody.memory)
    return settings


def follow_the_procedure(demo: DemoRun, order: bytes) -> None:
    file = demo.folder / "replacement.json"
    file.write_bytes(order)
    known = len(fingerprints(demo))
    vaults = [demo.folder / name for name in ("vault.toml", "vault-witness.toml")]
    for command in typed_commands("table/replace-controller.md"):
        if command[1] == "continue":
            paths = {"/etc/twinwall/replacement.json": file, "/etc/twinwall/table.toml": demo.settings("table", TABLE)}
            say([str(paths.get(word, word)) for word in command])
            demo.kill("table", TABLE)  # systemctl start
            wait_for("new boot keys", lambda: len(fingerprints(demo)) > known)
            continue
        for vault in vaults:
            digits = {word: fingerprints(demo)[-1] for word in command if re.fullmatch(r"[0-9a-f ]{19}", word)}
            here = {"/etc/twinwall/vault.toml": str(vault), **digits}
            say([here.get(word, word) for word in command])


def say(words: list[str]) -> None:
    """A command of the procedure, as a person types it."""
    subprocess.run([sys.executable, "-m", "twinwall.cli", *words], check=True)


@pytest.fixture(scope="module")
def replaced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replaced]:
    with DemoRun(tmp_path_factory.mktemp("replaced") / "demo", "--tables", "4", "--hands", str(HANDS)) as demo:
        demo.wait(is_in_the_hand, table=TABLE)
        lose_the_controller(demo)
        enter_accounts(demo)
        follow_the_procedure(demo, ordered(demo))
        wait_for("the last slip", (demo.folder / "released" / f"slip-{HANDS:04d}.json").exists)
        stored = demo.folder / "event.sqlite"
        wait_for("the last slip in the store", lambda: HANDS in load_store(read_store(stored)).hall.released_deals())
        said = "".join(path.read_text() for path in (demo.folder / "logs").glob("*.log"))
        yield Replaced(load_store(read_store(stored)).hall, said)


def test_the_session_ends_and_every_other_hand_of_every_table_counts_as_it_was_played(replaced: Replaced) -> None:
    found = {(hand.table, hand.n): said.basis for hand in replaced.hall.hands() if (said := verdict(hand)) is not None}
    assert found == {
        (table, n): Basis.AVERAGE if (table, n) == (TABLE, LOST_IN) else Basis.PLAYED for table in "1234" for n in range(1, HANDS + 1)
    }


def test_each_deal_is_compared_and_nothing_is_left_out(replaced: Replaced) -> None:
    compared = replaced.hall.comparison().deals
    assert sorted(compared) == list(range(1, HANDS + 1))
    assert all(deal.groups and not deal.left_out for deal in compared.values())
