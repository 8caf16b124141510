"""A controller of a demo that is lost with its disk in the middle of a hand, and another one that is started by the written procedure.

The procedure has its own clock: it runs while a command or a page of the procedure works, and no person is waited for.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from config import load
from controller.settings import TableSettings
from dashboard.access.staff_file import StaffFile, StaffOrder
from dashboard.access.staff_schema import Role
from tests.support.commands import typed_commands
from tests.support.demo.harness import POLL_S, DemoRun, ask, hidden, logged_in, processes_with
from tests.support.wire.brokers import eventually

HANDS, LOST_IN, TABLE, TABLES = 3, 2, "3", 4
GUIDE = "table/replace-controller.md"
PATIENCE_S = 1800.0
"""Far more than a step takes: a machine that is busy with other things is not a fault."""
MOST_S = 300.0
"""So long a replacement may take, from the first page of the order to the last command, without what people need."""
_ACCOUNTS, _PASSWORD = ("First", "Second"), "of the day before yesterday"


@dataclass(frozen=True)
class ProcedureTimes:
    """How long a replacement took by the clock of its procedure."""

    order_s: float
    """From the first page of the order, which two persons give at once, to the downloaded file."""
    steps: tuple[tuple[str, float], ...]
    """By what was typed, in order, how long it took; the start of the table until it has told of its new boot keys."""

    @property
    def commands_s(self) -> float:
        return sum(seconds for _, seconds in self.steps)

    @property
    def all_s(self) -> float:
        """From the first page of the order to the last command."""
        return self.order_s + self.commands_s

    def document(self) -> dict[str, object]:
        return {
            "order_s": round(self.order_s, 1),
            "first_to_last_command_s": round(self.commands_s, 1),
            "order_to_last_command_s": round(self.all_s, 1),
            "steps": [{"step": step, "s": round(seconds, 1)} for step, seconds in self.steps],
        }


def replaced_controller(demo: DemoRun) -> ProcedureTimes:
    """Wait for the hand, lose the controller in it, and follow the written procedure to its last command."""
    demo.wait(_is_in_the_hand, PATIENCE_S, table=TABLE)
    _lose_the_controller(demo)
    _enter_accounts(demo)
    began = time.monotonic()
    order = _ordered(demo)
    return ProcedureTimes(time.monotonic() - began, _followed(demo, order))


def _is_in_the_hand(events: list[dict[str, Any]]) -> bool:
    """Whether the hand in which the controller will be lost is played, and goes on for a while."""
    kinds = [event["type"] for event in events]
    if kinds.count("hand-started") != LOST_IN:
        return False
    begun = len(kinds) - kinds[::-1].index("hand-started")
    return "tile-discarded" in kinds[begun:] and "hand-closed" not in kinds[begun:]


def _enter_accounts(demo: DemoRun) -> None:
    """Two referees whose accounts are two days old."""
    staff, then = StaffFile(demo.folder / "staff.sqlite"), int(time.time()) - 2 * 86_400
    for name in _ACCOUNTS:
        staff.accept(staff.invite(name, {Role.REFEREE}, then + 60, StaffOrder(then)), _PASSWORD, then)
    staff.close()


def _ordered(demo: DemoRun) -> bytes:
    """The order of two persons, from the table's page; ordered again where lines that were on their way came in between."""
    page = f"http://127.0.0.1:{demo.port}/table/{TABLE}"
    browsers = [logged_in(demo, name, _PASSWORD) for name in _ACCOUNTS]
    found: list[bytes] = []

    def is_given() -> bool:
        for jar in browsers:
            text, _ = ask(jar, f"{page}/replace")
            if 'name="line"' in text:
                ask(jar, f"{page}/replace", token=hidden(text, "token"), line=hidden(text, "line"), reason="the card cannot be read")
        with contextlib.suppress(urllib.error.HTTPError), browsers[0].open(f"{page}/replacement.json", timeout=60) as answer:
            found.append(answer.read())
        return bool(found)

    eventually(is_given, "the order", PATIENCE_S, POLL_S)
    return found[0]


def _fingerprints(demo: DemoRun) -> list[str]:
    """What the table has logged of its boot keys, start after start."""
    log = demo.folder / "logs" / f"table-{TABLE}-table.log"
    return re.findall(r"the fingerprint of this table's boot keys is ([0-9a-f ]{19})", log.read_text())


def _lose_the_controller(demo: DemoRun) -> None:
    """It answers nobody any more, and its disk and its memory are gone. The supervisor starts it again when it is dead."""
    file = demo.settings("table", TABLE)
    (pid,) = [pid for pid in processes_with(str(file)) if pid != demo.process.pid]
    os.kill(pid, signal.SIGSTOP)
    settings = load(file, TableSettings)
    shutil.rmtree(settings.ledger.folder)
    shutil.rmtree(settings.custody.memory)


def _followed(demo: DemoRun, order: bytes) -> tuple[tuple[str, float], ...]:
    """Type the guide's commands in their order; how long each took."""
    file = demo.folder / "replacement.json"
    file.write_bytes(order)
    known, steps = len(_fingerprints(demo)), list[tuple[str, float]]()
    vaults = [demo.folder / name for name in ("vault.toml", "vault-witness.toml")]

    def timed(step: str, does: Callable[[], None]) -> None:
        began = time.monotonic()
        does()
        steps.append((step, time.monotonic() - began))

    def start_table() -> None:
        demo.kill("table", TABLE)  # systemctl start
        eventually(lambda: len(_fingerprints(demo)) > known, "new boot keys", PATIENCE_S, POLL_S)

    for command in typed_commands(GUIDE):
        step = " ".join(command[:2])
        if command[1] == "continue":
            paths = {"/etc/twinwall/replacement.json": file, "/etc/twinwall/table.toml": demo.settings("table", TABLE)}
            timed(step, partial(_type, [str(paths.get(word, word)) for word in command]))
            timed("systemctl start", start_table)
            continue
        for vault in vaults:
            digits = {word: _fingerprints(demo)[-1] for word in command if re.fullmatch(r"[0-9a-f ]{19}", word)}
            here = {"/etc/twinwall/vault.toml": str(vault), **digits}
            timed(f"{step} ({vault.stem})", partial(_type, [here.get(word, word) for word in command]))
    return tuple(steps)


def _type(words: list[str]) -> None:
    """A command of the procedure, as a person types it."""
    subprocess.run([sys.executable, "-m", "cli", *words], check=True, stdout=sys.stderr)
