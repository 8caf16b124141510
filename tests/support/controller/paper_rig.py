"""A table without cameras on a folder: the controller as in a hall, told what players press, killed and started as often as wanted."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from cli.ledger_tables.ledger_table import NoAdapters
from controller.adapters.deal_folder import DealFolder
from controller.adapters.hand_record import RecordFolder
from controller.ledger.journal import Journal
from controller.ledger.public import open_ledger, table_ledger
from controller.ledger.publisher import Publisher
from controller.state.messages import Message
from controller.state.table_state import TableState
from controller.table_loop import Books, Table
from tests.support.controller.rigs import EVENT, FakeTime, set_up
from tests.support.event.stored_event import STARTED
from tests.support.narrowed import present
from twinwall.game.deals import StartedPlan
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Seat, place_of
from twinwall.wire.messages.commands import BeginHand, ConfirmScore, EnterResult

HANDS = (1, 2)
JOURNAL = "j"


class PaperRig:
    """The table ``name``; deals are those of a session of ``started``, at first of session 1. ``options`` are of duplicate MCR."""

    def __init__(
        self,
        folder: Path,
        name: str = "1",
        *,
        seat_check: bool = False,
        custody: bool = False,
        options: Mapping[str, object] | None = None,
        started: StartedPlan = STARTED,
    ) -> None:
        rules = rule_set("mcr-duplicate", options or {})
        self.setup = replace(set_up(), table=name, rules=rules, paper=True, seat_check=seat_check, custody=custody, last_hand=HANDS[-1])
        self.folder, self.name, self.started = folder, name, started
        folder.mkdir(parents=True, exist_ok=True)
        self.start()

    def start(self) -> None:
        self._journal = Journal(self.folder / "table.journal", fsync=lambda _file: None)
        self._ledgers = (table_ledger(self.folder, self.name, JOURNAL), open_ledger(self.folder, self.name, JOURNAL))
        recorder, deals = RecordFolder(self.folder / "records", EVENT, {}), DealFolder(self.started, self.setup.session, HANDS)
        self.table = Table(self.setup, Books(self._journal, self._ledgers, recorder), deals, FakeTime(), "1")
        self._publisher = Publisher(EVENT, self.name, self._ledgers, self.folder, FakeTime().now)
        self._follower = NoAdapters().follower(self.table.post)
        self.settle()

    def kill(self) -> None:
        """End it without a word, and start it again."""
        for ledger in self._ledgers:
            ledger.close()
        self._journal.close()
        self.start()

    def settle(self) -> None:
        for _ in range(4):
            self.table.step(self._follower, self._publisher, lambda _number: None, 0.0)

    def tell(self, *messages: Message) -> None:
        """Players, directors and the vault say something, one after the other."""
        for message in messages:
            self.table.post(message)
            self.settle()

    @property
    def state(self) -> TableState:
        return self.table.state

    def place(self, seat: Seat) -> int:
        """Where a seat sits in the hand at the table."""
        return place_of(seat, present(self.state.playing.deal).hand)

    def begin(self, n: int = 1) -> None:
        """Somebody says that the walls stand."""
        self.tell(BeginHand(0, n))

    def enter(self, by: Seat, winner: Seat | None, source: Seat | None = None, total: int = 0) -> None:
        self.tell(EnterResult(self.place(by), 1, winner, source, total))

    def confirm(self, by: Seat, scores: Sequence[int], n: int = 1) -> None:
        east, south, west, north = scores
        self.tell(ConfirmScore(self.place(by), n, (east, south, west, north)))

    def play(self, n: int, scores: Sequence[int]) -> None:
        """Play a deal to its end: East enters the four scores, South confirms them."""
        self.begin(n)
        east, south, west, north = scores
        self.tell(EnterResult(self.place(Seat.EAST), n, scores=(east, south, west, north)))
        self.confirm(Seat.SOUTH, scores, n)

    def lines(self, file: str = "events.jsonl") -> list[dict[str, object]]:
        return [json.loads(line) for line in (self.folder / file).read_bytes().splitlines()]

    def types(self, file: str = "events.jsonl") -> list[str]:
        return [str(line["type"]) for line in self.lines(file)]

    def scores(self) -> list[tuple[object, ...]]:
        """What the hands that are over have brought, from East to North."""
        found = [line["scores"] for line in self.lines() if line["type"] == "hand-ended"]
        return [tuple(each[seat.value] for seat in SEATS) for each in found if isinstance(each, dict)]
