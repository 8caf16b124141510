"""The server's end of an event's vaults over a real store, wired to vaults of the same process; both can be killed."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from dashboard.custody.deal_making import DealMaking
from dashboard.custody.hall_vault import AGAIN_S, HolderProgress
from tests.support.custody.hall import EVENT
from tests.support.custody.ordered import SERVER, OrderedVaults
from twinwall.custody.vault_outputs import Publish
from twinwall.event.field import EventField
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.messages.signing import Counter
from twinwall.wire.mqtt.topics import is_vault_answer, vault_orders_topic

START = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)


class HallOfVaults:
    """A dashboard's deal making and the vaults that it orders; ``off`` are the holders whose vaults do not run."""

    def __init__(self, folder: Path, *holders: str, here: str = "") -> None:
        self.folder, self.vaults = folder, OrderedVaults(folder / "vaults", *holders, here=here)
        self.off: set[str] = set()
        self.heard: list[tuple[str, bytes]] = []
        self.ordered: list[tuple[str, bytes]] = []
        self.writer: StoreWriter | None = None
        self.restart()

    @property
    def now_s(self) -> float:
        """The time at every machine."""
        return self.vaults.now_s

    @now_s.setter
    def now_s(self, now_s: float) -> None:
        self.vaults.now_s = now_s

    def restart(self) -> None:
        """The dashboard's process ends, and starts again on its store."""
        self.close()
        programme = Programme(EVENT, EventField(EntrantKind.INDIVIDUAL, ()))
        (self.folder / "store").mkdir(exist_ok=True)
        self.writer = StoreWriter(self.folder / "store" / "event.sqlite", programme, START, SERVER)
        keys = {holder: signer.public for holder, signer in self.vaults.signers.items()}
        counter = Counter(lambda: next(self.vaults.numbers))
        self.deals = DealMaking(
            self.writer, keys, SERVER, counter, now=lambda: START + timedelta(seconds=self.now_s), monotonic_s=lambda: self.now_s
        )
        self.deals.publish = self._publish

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()

    def _publish(self, topic: str, payload: bytes) -> int:
        self.ordered.append((topic, payload))
        return 1

    def deliver(self) -> None:
        """Bring to the vaults what was sent, and their answers back."""
        while self.ordered:
            topic, payload = self.ordered.pop(0)
            for holder, vault in self.vaults.vaults.items():
                if holder not in self.off and topic == vault_orders_topic(self.vaults.signers[holder].by):
                    self._answer(vault.hear(topic, payload, self.now_s))

    def settle(self) -> None:
        """Some seconds go by, in which everybody says what there is to say."""
        for _ in range(3):
            self.now_s += AGAIN_S + 1
            for holder, vault in self.vaults.vaults.items():
                if holder not in self.off:
                    self._answer(vault.tick(self.now_s, START))
            self.deals.tick()
            self.deliver()

    def _answer(self, published: list[Publish]) -> None:
        for each in published:
            if is_vault_answer(each.topic):
                self.heard.append((each.topic, each.payload))
                self.deals.hear(each.payload)

    def progress(self) -> dict[str, HolderProgress]:
        """How far each holder's vault is."""
        return {each.holder: each for each in self.deals.progress}
