"""A table of the custody rig with a journal's key, which a power cut takes from its memory and not from its disk."""

import shutil
from functools import partial

from controller.adapters.journal_keys import JournalKeyFiles, ledger_end
from tests.support.custody.hall import EVENT, NAMES, Hall, PlayedTable, boot_of, play
from twinwall.custody.release import AllowKey
from twinwall.wire.mqtt.topics import Channel, Topic

KEY = bytes(range(32))


class KeyedTable:
    """A table with a journal's key: its disk lasts, its memory goes with the power."""

    def __init__(self, hall: Hall, name: str) -> None:
        self.hall, self.name, self.boot = hall, name, 0
        self.disk, self.memory = hall.folder / name, hall.folder / f"memory-{name}"
        self.memory.mkdir()
        self.table = self.start()
        self.files.hold([KEY])

    @property
    def files(self) -> JournalKeyFiles:
        return JournalKeyFiles(self.memory, self.disk)

    def start(self) -> PlayedTable:
        """A table on this disk, with the boot keys of this boot; nobody has connected it. It has no journal to make its ledgers of."""
        for name in ("events.jsonl", "public.jsonl"):
            (self.disk / name).unlink(missing_ok=True)
        self.table = PlayedTable(self.name, self.disk, boot=self.boot)
        self.table.deals.vault_heard = partial(self.files.keep_for, event=EVENT, table=self.name)
        return self.table

    def cut_power(self) -> None:
        """Everything in memory is gone; the table starts, and waits for its key."""
        self.table.close()
        shutil.rmtree(self.memory)
        self.memory.mkdir()
        self.boot += 1
        shutil.copy(self.disk / "events.jsonl", self.disk / "events.kept")
        self.hall.tables[self.name] = self.start()

    def ask(self, kept: str | None = None) -> list[bytes]:
        """State where the ledger on the disk ends, and ask with what was kept; what the vault has sent for it."""
        before = len(self.hall.sent)
        topic = str(Topic(EVENT, self.name, Channel.CUSTODY))
        stands = ledger_end(self.disk / "events.kept")
        self.hall.arrive(topic, self.table.deals.statement("vault", stands, self.files.kept() if kept is None else kept))
        key_topic = str(Topic(EVENT, self.name, Channel.JOURNAL_KEY))
        return [payload for to, payload in self.hall.sent[before:] if to == key_topic]

    def request(self) -> bytes:
        """What the table shows where it hears no vault."""
        return self.table.deals.identity.key_request({vault: self.files.kept(vault) for vault in self.table.deals.identity.vaults})

    def hear_challenge(self) -> None:
        topic = str(Topic(EVENT, self.name, Channel.CHALLENGE))
        self.table.deals.hear_challenge(next(payload for to, payload in reversed(self.hall.sent) if to == topic))


def keyed_tables(hall: Hall) -> dict[str, KeyedTable]:
    """Both tables play; their keys are kept for the vault as soon as they have heard it."""
    tables = {name: KeyedTable(hall, name) for name in NAMES}
    for keyed in tables.values():
        hall.add(keyed.table)
    hall.settle()
    play(hall, "1")
    return tables


def allow(hall: Hall, name: str, boot: int) -> None:
    hall.order(AllowKey(name, boot_of(name, boot).public.fingerprint))
