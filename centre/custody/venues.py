"""The venues of a field, as the centre's vault of one holder hears and serves them.

``field_rules`` decides. The vault seals a share to the key that a venue's vault shows, signed by its enrolled key. It reads orders of two
persons from the centre's store, which count under the keys in its own settings, and adds slips to it. While the store is away venues still
get their deals.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Protocol
from urllib.parse import unquote

from centre.custody import field_rules
from centre.custody.field_orders import FieldOrders
from centre.custody.field_rules import EVERYWHERE, FieldCommand, FieldCustody, FieldMoment, VenueSpoke
from centre.deploy.gateway_conf import order_topic
from centre.deploy.venue_account import VENUE_ROOT, VenueAccount
from twinwall.custody.key_shares import KeyShares
from twinwall.custody.release import (
    AllowKey,
    CustodyState,
    DealAnnulled,
    DealGiven,
    Decision,
    Event,
    KeyAccepted,
    KeyAllowed,
    MemberWithdrawn,
    SlipReleased,
    VenueProgressed,
    apply,
    beginning,
)
from twinwall.custody.vault import Members, Publish, Vault
from twinwall.custody.vault_files import Order, StoredEntry
from twinwall.event.store.databases.port import StoreError
from twinwall.game.documents import DocumentError, canonical_json, read_time
from twinwall.wire.messages.boot_keys import BootKeys
from twinwall.wire.messages.signing import Repeats, Signer, seal_deal
from twinwall.wire.messages.venue_messages import VenueVaultStatement, read_venue_vault, venue_recipient, write_notice
from twinwall.wire.mqtt.centre_topics import CentreOrder
from twinwall.wire.mqtt.topics import venue_vault_topic

LOOK_S = 5.0
"""How often the vault reads orders from the store and adds the slips that it lacks."""
SLIPS_AT_ONCE = 8
"""The most missing slips sent in answer to one statement of a venue."""
MOST_OFF = timedelta(days=1)
"""The most that a venue's clock is taken to be off: it must not lead to years that a calendar does not have."""


class OrderStore(Protocol):
    """The centre's store, as far as its vault needs it; each method may raise StoreError."""

    def orders(self) -> FieldOrders:
        """The orders of two persons that count."""

    def add(self, slips: Mapping[int, bytes], at: datetime) -> None:
        """Add released slips."""


class Venues(Members):
    """The venues of one field."""

    kept = (KeyAllowed, KeyAccepted, VenueProgressed, DealGiven, SlipReleased, MemberWithdrawn, DealAnnulled)

    def __init__(self, plan: FieldCustody, enrolled: Mapping[str, bytes], shares: KeyShares, signer: Signer, store: OrderStore) -> None:
        """``enrolled`` maps each venue to the public key of its vault of this holder."""
        super().__init__(plan, shares, signer)
        self.plan: FieldCustody = plan
        self._enrolled, self._store, self._start = enrolled, store, shares.started.start
        self._stored: set[int] = set()
        """Deals whose slips the store has."""
        self._repeats = Repeats()
        self._heard_at: dict[str, datetime] = {}
        self._unknown: set[str] = set()
        self._look_due_s = 0.0
        self._trouble = ""

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """The topics on which venues' vaults speak."""
        return (f"{VENUE_ROOT}/+/{venue_vault_topic(self._event)}",)

    def resume(self, kept: Iterable[StoredEntry]) -> CustodyState:
        """The state in which an earlier run ended; its notes on venues that are not in the settings do not count."""
        state = beginning(self.plan)
        for event in kept:
            if isinstance(event, SlipReleased) or event.name in (*self.plan.venues, EVERYWHERE):
                state = apply(state, event)
            else:
                self._unknown.add(event.name)
        return state

    def ordered(self, state: CustodyState, order: Order) -> Decision:
        """A person has compared a fingerprint of a venue's sealing key; no other order is given at this vault's machine."""
        return field_rules.decide(self.plan, state, order) if isinstance(order, AllowKey) else ()

    def hear(self, vault: Vault, topic: str, payload: bytes) -> list[Publish]:
        """Hear a venue's vault, or something that claims to be one."""
        root, _, rest = topic.partition("/")
        name, _, in_venue = rest.partition("/")
        if root != VENUE_ROOT or in_venue != venue_vault_topic(self._event) or vault.at is None:
            return []
        return self._heard(vault, unquote(name), payload, FieldMoment(vault.at, vault.now_s))

    def tick(self, vault: Vault, at: datetime) -> list[Publish]:
        """Note that time has passed, and follow what two persons have ordered."""
        sent = self._look(vault, at) + self._decide(vault, "", FieldMoment(at, vault.now_s))
        for name in sorted(self._unknown):
            vault.say(
                f"this vault's ledger has entries of venue {name!r}, which is not in the settings: they do not count, and no slip waits "
                f"for that venue; write it into the settings again, or let two persons withdraw it"
            )
        return sent

    def happened(self, vault: Vault, event: Event) -> list[Publish]:
        """What to send and say after an event."""
        match event:
            case DealGiven(name, n, key):
                share = canonical_json(self._shares.share(n).to_json())
                recipient = venue_recipient(self._event, name, self._shares.root)
                sealed = seal_deal(self._signer, recipient, n, share, bytes.fromhex(key))
                return [self._to(name, CentreOrder.SHARE, sealed)]
            case SlipReleased(n) if waited := field_rules.unfinished_at(vault.state, n):
                where = ", ".join(waited)
                vault.say(f"deal {n} is released at its deadline, before every table has finished it at {where}: two may annul it there")
            case MemberWithdrawn(name):
                return vault.notice(name, f"venue {name!r} is withdrawn by order of two persons: it is given no more deals")
            case DealAnnulled(n, name):
                vault.say(f"deal {n} is annulled {'at ' + repr(name) if name else 'everywhere'} by order of two persons")
            case _:
                pass
        return []

    def slip_messages(self, slip: bytes) -> list[Publish]:
        """Send a slip to every venue; the store gets it at the next look. A venue that lacks it later says so."""
        return [self._to(name, CentreOrder.SLIP, slip) for name in self.plan.venues]

    def notice(self, name: str, sentence: str) -> Publish:
        """Tell a venue's staff what is wrong with it."""
        return self._to(name, CentreOrder.NOTICE, write_notice(sentence))

    def _to(self, name: str, order: CentreOrder, payload: bytes) -> Publish:
        return Publish(order_topic(VenueAccount(name), order), payload)

    def _decide(self, vault: Vault, name: str, command: FieldCommand) -> list[Publish]:
        return vault.take(name, field_rules.decide(self.plan, vault.state, command))

    def _look(self, vault: Vault, at: datetime) -> list[Publish]:
        if vault.now_s < self._look_due_s:
            return []
        self._look_due_s = vault.now_s + LOOK_S
        try:
            if unstored := {n: slip for n, slip in vault.slips.items() if n not in self._stored}:
                self._store.add(unstored, at)
                self._stored |= set(unstored)
            orders = self._store.orders()
        except StoreError as error:
            if str(error) != self._trouble:
                self._trouble = str(error)
                vault.tell(f"orders are not read and slips are not stored: {error}")
            return []
        self._trouble = ""
        return [sent for command in orders.commands for sent in self._decide(vault, command.name, command)]

    def _heard(self, vault: Vault, name: str, payload: bytes, moment: FieldMoment) -> list[Publish]:
        if name not in self._enrolled:
            vault.say(f"venue {name!r} speaks, and no key of its vault is enrolled: add it to the settings")
            return []
        try:
            statement = read_venue_vault(payload, self._event, name, self._enrolled)
            if statement.holder != self._shares.holder:
                return []
            clock = read_time(statement.at)
        except DocumentError as error:
            return vault.notice(name, str(error))
        if not self._repeats.is_new(name, statement.counter):
            return self._repeated(vault, name, clock)
        self._heard_at[name] = clock
        if statement.start != self._start.code.hex():
            return vault.notice(
                name, f"venue {name!r} plays under another start than {self._start.words}: give it this event's plan and start"
            )
        keys = BootKeys(bytes.fromhex(statement.sealing_key), b"")
        begun, finished = frozenset(statement.begun), frozenset(statement.finished)
        shown = max(moment.now - MOST_OFF, min(clock, moment.now + MOST_OFF))
        holds = None if statement.holds is None else frozenset(statement.holds)
        sent = self._decide(
            vault, name, VenueSpoke(name, keys, begun | finished, finished, statement.asks, shown, moment.monotonic_s, holds)
        )
        if abs(clock - moment.now) > field_rules.CLOCK_TOLERANCE:
            sent += vault.notice(name, f"the clock of venue {name!r} is more than 10 minutes off the centre's vault's: compare both")
        return sent + self._lacking(vault, name, statement)

    def _repeated(self, vault: Vault, name: str, clock: datetime) -> list[Publish]:
        """Answer a statement whose counter is not above the last; one whose clock is no later is the same message again and needs none."""
        if clock <= self._heard_at[name]:
            return []
        return vault.notice(
            name,
            f"what venue {name!r}'s vault says is not heeded: a higher counter was heard under its key before. Its files were put back, "
            "or somebody has a copy of its key: call the venue, enrol another key of its vault, and start the centre's vault again",
        )

    def _lacking(self, vault: Vault, name: str, statement: VenueVaultStatement) -> list[Publish]:
        """Send released slips that a venue does not have."""
        lacking = [n for n in sorted(vault.slips) if n not in statement.slips][:SLIPS_AT_ONCE]
        return [self._to(name, CentreOrder.SLIP, vault.slips[n]) for n in lacking]
