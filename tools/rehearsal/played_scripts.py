"""Ledgers for a rehearsal: a controller without a machine plays the plan's deals in a time of its own, and its lines become a script."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cli.ledger_tables.ledger_table import LedgerPlay, LedgerTable, NoAdapters, Pace
from controller.adapters.recorder import Recorder
from controller.ledger.journal import Journal
from controller.ledger.public import open_ledger, table_ledger
from controller.ledger.publisher import Publisher
from controller.state.making import OpenDeal, opened_deal
from controller.state.table_state import Setup
from controller.table_loop import Books
from tools.rehearsal.scripted_venue import ScriptLine
from twinwall.game.deals import Deal, Start
from twinwall.game.rules import rule_set
from twinwall.wire.ledger import HEADER_KEYS

TABLE = "script"
PLAYERS = ("0", "1", "2", "3")
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)


class GivenDeals:
    """All deals of a session, given one after the other."""

    def __init__(self, start: Start, deals: Sequence[OpenDeal]) -> None:
        self.start, self._deals = start, deals

    @property
    def awaited(self) -> None:
        """All deals are there."""

    def after(self, done: tuple[int, ...]) -> OpenDeal | None:
        """The next deal."""
        return next((deal for deal in self._deals if deal.n not in done), None)


class ScriptClock:
    """A time that passes only when told to; nothing is timed but by ``LedgerPlay``."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def now(self) -> datetime:
        """The time of day."""
        return _BEGAN + timedelta(seconds=self.now_s)

    def monotonic_s(self) -> float:
        """No machine and no person is waited for."""
        return 0.0

    def start(self, timer: str, seconds: float, fire: Callable[[], None]) -> None:
        """Claim windows are closed by the play itself."""


def played_script(folder: Path, start: Start, deals: Sequence[Deal], seed: int) -> list[ScriptLine]:
    """What a table says that plays these deals with habits drawn from ``seed``; the folder is empty and holds what the table keeps."""
    clock = ScriptClock()
    opened = [opened_deal(deal) for deal in deals]
    setup = Setup(TABLE, rule_set(opened[0].rules), PLAYERS, claim_window_s=3.0, unlock_lease_s=2.0, last_hand=opened[-1].hand)
    journal = Journal(folder / "table.journal", fsync=lambda _file: None)
    ledgers = (table_ledger(folder, TABLE, TABLE), open_ledger(folder, TABLE, TABLE))
    books = Books(journal, ledgers, Recorder(folder / "records", TABLE, {}))
    table = LedgerTable(setup, books, GivenDeals(start, opened), clock, "")
    play = LedgerPlay(table, setup, Pace(seed, 1.0), lambda: clock.now_s)
    publisher = Publisher(TABLE, TABLE, ledgers, folder, clock.now)
    follower = NoAdapters().follower(table.post)
    while len(table.state.closed) < len(opened):
        clock.now_s += play.advance()
        table.step(follower, publisher, _acknowledged, 0.0)
    journal.close()
    return [_script_line(line) for line in ledgers[0].lines]


def _script_line(line: bytes) -> ScriptLine:
    read = json.loads(line)
    return read["type"], {key: value for key, value in read.items() if key not in HEADER_KEYS}


def _acknowledged(_number: int) -> None:
    """There is no feeder that keeps events."""
