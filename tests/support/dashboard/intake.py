"""What the hall's server makes of one table: its intake over a store on disk, and its pages."""

from collections.abc import Sequence
from pathlib import Path

from dashboard.hall_intake import HallIntake, ListenerClock
from dashboard.projections.hall_views import HallViews
from tests.support.custody.hall import EVENT
from tests.support.wire.streams import START
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_contents import Contents
from twinwall.event.store.store_rows import read_store
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.deals import StartedPlan
from twinwall.wire.ledger import LedgerPosition, parse
from twinwall.wire.messages.boot_keys import Head, LedgerKind, TableKeys
from twinwall.wire.messages.commands import Command
from twinwall.wire.messages.signing import Signer, sign_document
from twinwall.wire.mqtt.topics import Channel, Topic


class TableIntake:
    """Messages of table 1 and its vault; ``asked`` is what the table was sent."""

    def __init__(self, folder: Path, keys: TableKeys | None, custody: StartedPlan | None = None, server: bytes | None = None) -> None:
        self.now_s = 0.0
        self.asked: list[Command] = []
        programme = Programme(EVENT, field_of(EntrantKind.INDIVIDUAL, ["1"]), custody)
        self.desk, self.pages = StoreWriter(folder / "event.sqlite", programme, START), HallViews("boot", ("1",))
        clock = ListenerClock(lambda: START, lambda: self.now_s)
        self.intake = HallIntake(self.pages, self.desk, clock, self._send, keys, server=server)

    def _send(self, _table: str, command: Command) -> bool:
        self.asked.append(command)
        return True

    def hear(self, topic: str, payload: bytes) -> None:
        self.intake.take(topic, payload)
        self.intake.keep_accepted()

    def hear_table(self, lines: Sequence[bytes], signer: Signer) -> LedgerPosition:
        """A batch of lines and the head that covers them; where it ends."""
        for line in lines:
            self.hear(str(Topic(EVENT, "1", Channel.EVENTS)), line)
        last = parse(lines[-1]).position
        head = Head(last.journal, last.seq, last.digest, LedgerKind.EVENTS)
        self.hear(str(Topic(EVENT, "1", Channel.HEAD)), sign_document(signer, head, EVENT, "1"))
        return last

    @property
    def stored(self) -> Contents:
        """What the store has on disk."""
        return read_store(self.desk.address)

    @property
    def complaint(self) -> str:
        status = self.pages.table("1")
        return "" if status is None else status.complaint or ""
