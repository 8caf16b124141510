"""Halls of a field and the centre's vaults without wires: what one publishes arrives at the others as the gateways would bring it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from centre.custody.field_orders import FieldOrders
from centre.custody.field_rules import FieldCustody
from centre.custody.venues import Venues
from centre.deploy.venue_account import VenueAccount
from tests.support.custody.hall import DUE, EVENT, NAMES, Hall, HeldEvent, MemoryDisk, PlayedTable
from twinwall.custody.key_shares import GivenShares, HolderShares
from twinwall.custody.release import AllowKey
from twinwall.custody.table_rules import CustodyPlan
from twinwall.custody.vault import CENTRE, Publish, Vault, VenueEnd
from twinwall.event.store.databases.port import StoreError
from twinwall.game.deals import FieldTerms, ReleaseRule, SessionTimes
from twinwall.wire.messages.signing import Counter, SealingKey, Signer, fingerprint
from twinwall.wire.messages.venue_messages import read_notice
from twinwall.wire.mqtt.centre_topics import CentreOrder, heard_order
from twinwall.wire.mqtt.topics import shares_topic, venue_vault_topic

OPENS = datetime(2026, 11, 22, 18, tzinfo=UTC)
DEADLINE = OPENS + timedelta(hours=4)
TERMS = {
    ReleaseRule.ALL_FINISHED: FieldTerms(ReleaseRule.ALL_FINISHED, (SessionTimes(1, "2026-11-22T18:00Z"),)),
    ReleaseRule.DEADLINE: FieldTerms(ReleaseRule.DEADLINE, (SessionTimes(1, "2026-11-22T18:00Z", "2026-11-22T22:00Z"),)),
}


class VenueHall(Hall):
    """The hall of one venue; its vaults have what the centre's vaults give them."""

    def __init__(self, folder: Path, name: str, event: HeldEvent, now: datetime) -> None:
        self.name, self.now, self.online = name, now, True
        self.boots = {holder: count() for holder in event.holders}
        self.keys: dict[str, SealingKey] = {}
        self.said_to_centre: list[bytes] = []
        self.notices: list[str] = []
        super().__init__(folder, event=event)

    def vault_signer(self, holder: str) -> Signer:
        """The enrolled key of its vault of this holder."""
        return Signer(self.name, f"{self.name}/{holder}".encode().ljust(32, b"v"))

    def shares_of(self, holder: str) -> HolderShares:
        return GivenShares(self.event.started, holder)

    def venue_end(self, holder: str, shares: HolderShares, counter: Counter) -> VenueEnd:
        assert isinstance(shares, GivenShares)
        key = SealingKey(f"{self.name}/{holder}/{next(self.boots[holder])}".encode().ljust(32, b"k"))
        self.keys[holder] = key
        signer, centre_key = self.vault_signer(holder), centre_signer(holder).public
        return VenueEnd(signer, centre_key, key, shares, counter=counter, clock=lambda: self.now)

    def _deliver(self, topic: str, payload: bytes) -> None:
        if topic == venue_vault_topic(EVENT):
            self.said_to_centre.append(payload)
        super()._deliver(topic, payload)


def centre_signer(holder: str) -> Signer:
    """The key of the centre's vault of a holder."""
    return Signer(CENTRE, f"centre/{holder}".encode().ljust(32, b"c"))


@dataclass
class OrderedStore:
    """The centre's store, with the orders that two persons have signed and the slips that were added; it may be ``away``."""

    signed: FieldOrders = field(default_factory=FieldOrders)
    slips: dict[int, bytes] = field(default_factory=dict)
    away: bool = False

    def orders(self) -> FieldOrders:
        if self.away:
            raise StoreError("the centre's store is away")
        return self.signed

    def add(self, slips: Mapping[int, bytes], at: datetime) -> None:
        self.orders()
        self.slips |= slips


class FieldOfHalls:
    """Venues, the first with two tables and the others with one, and a vault at the centre for each holder."""

    def __init__(self, folder: Path, *venues: str, event: HeldEvent, least_deal_s: float = 0.0, ahead: int = 1) -> None:
        self.event, self.now, self.monotonic_s = event, OPENS - timedelta(minutes=10), 0.0
        self.halls: dict[str, VenueHall] = {}
        for name, tables in zip(venues, (NAMES, *[NAMES[:1]] * len(venues)), strict=False):
            (folder / name).mkdir()
            self.halls[name] = hall = VenueHall(folder / name, name, event, self.now)
            hall.custody = CustodyPlan(DUE, (tables,))
            for holder in event.holders:
                hall.kill_vault(holder)
            for table in tables:
                (folder / name / table).mkdir()
                hall.add(PlayedTable(table, folder / name / table, event=event))
        self.custody = FieldCustody(event.plan, venues, least_deal_s, ahead=ahead)
        self.sentences: list[str] = []
        self.sent: list[tuple[str, bytes]] = []
        self.slips: dict[int, bytes] = {}
        self.disks = {holder: MemoryDisk(out=self.slips, sentences=self.sentences) for holder in event.holders}
        self.store = OrderedStore()
        self.vaults: dict[str, Vault] = {}
        for holder in event.holders:
            self.start_centre(holder)
            for name, hall in self.halls.items():
                self.allow(name, hall, holder)

    def allow(self, name: str, hall: VenueHall, holder: str) -> None:
        """A person at the centre's vault of a holder allows the key that the venue's vault has now."""
        self.do(self.vaults[holder].order(AllowKey(name, fingerprint(hall.keys[holder].public))), holder)

    def start_centre(self, holder: str) -> None:
        """The centre's vault of a holder, from what it has kept."""
        enrolled = {name: hall.vault_signer(holder).public for name, hall in self.halls.items()}
        shares = self.event.shares[holder]
        venues = Venues(self.custody, enrolled, shares, centre_signer(holder), self.store)
        self.vaults[holder] = Vault(shares, venues, self.disks[holder])

    def settle(self, minutes: int = 1) -> None:
        """Some time passes, in which everybody who is online says what there is to say."""
        for _ in range(3):
            self.now += timedelta(minutes=minutes) / 3
            self.monotonic_s += 20.0 * minutes
            for hall in self.halls.values():
                hall.now = self.now
                hall.settle()
                said, hall.said_to_centre = hall.said_to_centre, []
                for payload in said if hall.online else []:
                    self.arrive(hall.name, payload)
            for holder, vault in self.vaults.items():
                self.do(vault.tick(self.monotonic_s, self.now), holder)
        for hall in self.halls.values():
            hall.run()

    def arrive(self, venue: str, payload: bytes) -> None:
        """Something comes to the centre in a venue's name."""
        for holder, vault in self.vaults.items():
            vault.at = self.now
            self.do(vault.hear(f"{VenueAccount(venue).prefix}{venue_vault_topic(EVENT)}", payload, self.monotonic_s), holder)

    def do(self, sent: list[Publish], holder: str) -> None:
        for each in sent:
            if each.topic != shares_topic(EVENT):
                self._to_venue(each.topic, each.payload)
                continue
            for other, vault in self.vaults.items():
                if other != holder:
                    self.do(vault.hear(each.topic, each.payload, self.monotonic_s), other)

    def _to_venue(self, topic: str, payload: bytes) -> None:
        self.sent.append((topic, payload))
        prefix, _, order = topic.rpartition("/")
        hall = next(hall for name, hall in self.halls.items() if prefix == f"{VenueAccount(name).prefix}orders")
        if order == CentreOrder.NOTICE:
            hall.notices.append(read_notice(payload))
        elif hall.online:
            hall.arrive(heard_order(CentreOrder(order)), payload)
