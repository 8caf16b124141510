"""A venue's vault towards the centre's vault of its holder: asks for deals, opens what was sealed to it, says how far the tables are.

Towards its tables it is the vault of any hall, with shares that come one by one in place of a seed. They are sealed to a key that
lives in this process's memory alone, and nothing of them is written: after a start the vault shows another key, and asks again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from twinwall.custody.custody_status import CustodyStatus
from twinwall.custody.key_shares import GivenShares
from twinwall.custody.release import AllowKey, CustodyPlan, CustodyState, RevokeKey, WithdrawTable, finished_by_all, permitted
from twinwall.custody.vault import Vault
from twinwall.custody.vault_outputs import Output, Publish, Say
from twinwall.game.documents import DocumentError
from twinwall.wire.canonical_json import write_time
from twinwall.wire.messages.sealing import SealedDealError, SealingKey, fingerprint, open_with, read_sealed
from twinwall.wire.messages.signing import Counter, Signer
from twinwall.wire.messages.vaults.venue_vault import VenueVaultStatement, venue_recipient, write_venue_vault
from twinwall.wire.mqtt.centre_topics import CentreOrder, heard_order
from twinwall.wire.mqtt.topics import venue_vault_topic

CENTRE = "centre"
"""The name under which the centre's vaults sign; each holder's has a key of its own."""
STATED_S = 5.0
"""So often the venue's vault says where it stands."""


@dataclass(frozen=True, slots=True)
class VenueOfField:
    """Which venue this is: its name with its vault's enrolled key, the public key of the centre's vault, and the sealing key of this
    start of the process."""

    signer: Signer
    centre_key: bytes
    key: SealingKey

    @property
    def name(self) -> str:
        """The venue, as the centre's settings name it."""
        return self.signer.by


class FieldEnd:
    """One session of one holder at one venue; it serves its tables as ``Vault`` does."""

    def __init__(
        self,
        vault: Vault,
        shares: GivenShares,
        custody: CustodyPlan,
        venue: VenueOfField,
        *,
        counter: Counter,
        clock: Callable[[], datetime],
    ) -> None:
        """``custody`` is the vault's and says ``of_field``; ``counter`` rises across restarts; ``clock`` shows the venue's time."""
        self._vault, self._shares, self._custody, self._venue = vault, shares, custody, venue
        self._counter, self._clock = counter, clock
        self._event = shares.plan.event
        self._recipient = venue_recipient(self._event, venue.name, shares.root)
        self._stated_s: float | None = None
        self._said: set[str] = set()

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """What the link has to hear."""
        return (*self._vault.subscriptions, heard_order(CentreOrder.SHARE), heard_order(CentreOrder.SLIP))

    @property
    def state(self) -> CustodyState:
        """Who has what."""
        return self._vault.state

    def hear(self, topic: str, payload: bytes, now_s: float) -> list[Output]:
        """Something arrived."""
        if topic == heard_order(CentreOrder.SHARE):
            return self._take_share(payload)
        if topic == heard_order(CentreOrder.SLIP):
            return self._take_slip(payload)
        return self._vault.hear(topic, payload, now_s)

    def order(self, command: AllowKey | RevokeKey | WithdrawTable) -> list[Output]:
        """A person at the vault has decided."""
        return self._vault.order(command)

    def tick(self, now_s: float) -> list[Output]:
        """Time has passed: the centre's vault hears where this one stands."""
        outputs = self._vault.tick(now_s)
        if self._stated_s is None or now_s - self._stated_s >= STATED_S:
            if self._stated_s is None:
                outputs += self._say(f"the sealing key of this venue's vault is {fingerprint(self._venue.key.public)}")
            self._stated_s = now_s
            outputs.append(Publish(venue_vault_topic(self._event), self._statement()))
        return outputs

    def status(self, at: datetime, now_s: float) -> CustodyStatus:
        """Who has what, for the vault's keeper."""
        return self._vault.status(at, now_s)

    def _statement(self) -> bytes:
        state, deals = self.state, self._custody.deals
        begun = {n for standing in state.tables.values() for n in standing.started}
        wanted = {n for table in state.tables for n in permitted(self._custody, state, table)}
        said = VenueVaultStatement(
            self._shares.holder,
            self._counter.next(),
            write_time(self._clock()),
            self._shares.started.start.code.hex(),
            self._venue.key.public.hex(),
            begun=tuple(sorted(begun)),
            finished=tuple(n for n in sorted(deals) if finished_by_all(state, n)),
            asks=tuple(sorted(wanted - self._shares.held)),
            holds=tuple(sorted(self._shares.held)),
            slips=tuple(sorted(self._vault.slips.out)),
        )
        return write_venue_vault(self._venue.signer, self._event, said)

    def _take_share(self, payload: bytes) -> list[Output]:
        """A share that the centre's vault has sealed to this venue, or what claims to be one."""
        name = f"venue {self._venue.name!r}"
        try:
            sealed = read_sealed(payload, self._recipient, {CENTRE: self._venue.centre_key})
        except SealedDealError as error:
            return self._say(f"what came as a deal for {name} is refused: {error}; it may be another venue's, or of another centre")
        if sealed.to != self._venue.key.public:
            shown, own = fingerprint(sealed.to), fingerprint(self._venue.key.public)
            return self._say(
                f"deal {sealed.n} is sealed to the key {shown}, this vault's is {own}: it is asked for again; if that stays, somebody at "
                "the centre has to allow this vault's key"
            )
        opened = open_with(self._venue.key, sealed.sealed, self._recipient.bound(sealed.n))
        try:
            if opened is None:
                return self._say(f"deal {sealed.n} does not open at {name}: it was sealed for another venue, or under another root")
            return self._vault.hold(self._shares.add(opened))
        except DocumentError as error:
            return self._say(f"what was sealed to {name} as deal {sealed.n} is no share of this event: {error}")

    def _take_slip(self, payload: bytes) -> list[Output]:
        try:
            return self._vault.slips.take(payload)
        except DocumentError as error:
            return self._say(f"a slip said to be released is none of this event's: {error}")

    def _say(self, sentence: str) -> list[Output]:
        if sentence in self._said:
            return []
        self._said.add(sentence)
        return [Say(sentence)]
