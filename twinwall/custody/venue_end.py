"""A venue vault's connection to the centre's vault of its holder: asks for deals, opens them, and reports progress. For its tables it is
like any hall's vault, with single shares instead of a seed. They are sealed to a key in this process's memory and never written: after a
restart the vault shows a new key and asks again."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from twinwall.custody.key_shares import GivenShares
from twinwall.custody.table_rules import finished_by_all
from twinwall.custody.vault import Publish
from twinwall.game.documents import DocumentError, write_time
from twinwall.wire.messages.signing import Counter, SealedDealError, SealingKey, Signer, fingerprint, open_with, read_sealed, sign_document
from twinwall.wire.messages.venue_messages import VenueVaultStatement, venue_recipient
from twinwall.wire.mqtt.centre_topics import CentreOrder, heard_order
from twinwall.wire.mqtt.topics import venue_vault_topic

if TYPE_CHECKING:
    from twinwall.custody.vault import Vault

CENTRE = "centre"
"""The name in the centre's vaults' signatures; each holder's has its own key."""
STATED_S = 5.0
"""The interval of reports."""


class VenueEnd:
    """Exchanges messages with the centre's vault of this holder."""

    def __init__(
        self, signer: Signer, centre_key: bytes, key: SealingKey, shares: GivenShares, *, counter: Counter, clock: Callable[[], datetime]
    ) -> None:
        """``signer`` has the venue's name and its vault's enrolled key; ``centre_key`` is the centre's vault's public
        key, ``key`` seals to this process. ``counter`` rises across restarts; ``clock`` returns the venue's time."""
        self._signer, self._centre_key, self._key = signer, centre_key, key
        self._shares, self._counter, self._clock = shares, counter, clock
        self._event = shares.plan.event
        self._recipient = venue_recipient(self._event, signer.by, shares.root)
        self._stated_s: float | None = None

    @property
    def subscriptions(self) -> tuple[str, ...]:
        return heard_order(CentreOrder.SHARE), heard_order(CentreOrder.SLIP)

    def hear(self, vault: "Vault", topic: str, payload: bytes) -> list[Publish]:
        if topic == heard_order(CentreOrder.SHARE):
            return self._take_share(vault, payload)
        try:
            return vault.publish_slip(payload)
        except DocumentError as error:
            vault.say(f"a slip said to be released is none of this event's: {error}")
            return []

    def tick(self, vault: "Vault") -> list[Publish]:
        if self._stated_s is not None and vault.now_s - self._stated_s < STATED_S:
            return []
        if self._stated_s is None:
            vault.say(f"the sealing key of this venue's vault is {fingerprint(self._key.public)}")
        self._stated_s = vault.now_s
        return [Publish(venue_vault_topic(self._event), self._statement(vault))]

    def _statement(self, vault: "Vault") -> bytes:
        state, plan = vault.state, vault.members.plan
        begun = {n for standing in state.members.values() for n in standing.started}
        wanted = {n for name in state.members for n in plan.permitted(state, name)}
        statement = VenueVaultStatement(
            self._shares.holder,
            self._counter.next(),
            write_time(self._clock()),
            self._shares.started.start.code.hex(),
            self._key.public.hex(),
            begun=tuple(sorted(begun)),
            finished=tuple(n for n in sorted(plan.deals) if finished_by_all(state, n)),
            asks=tuple(sorted(wanted - self._shares.held)),
            holds=tuple(sorted(self._shares.held)),
            slips=tuple(sorted(vault.slips)),
        )
        return sign_document(self._signer, statement, self._event)

    def _take_share(self, vault: "Vault", payload: bytes) -> list[Publish]:
        name = f"venue {self._signer.by!r}"
        try:
            sealed = read_sealed(payload, self._recipient, {CENTRE: self._centre_key})
            if sealed.to != self._key.public:
                shown, own = fingerprint(sealed.to), fingerprint(self._key.public)
                vault.say(
                    f"deal {sealed.n} is sealed to the key {shown}, this vault's is {own}: it is asked for again; if that stays, somebody "
                    "at the centre has to allow this vault's key"
                )
            elif (opened := open_with(self._key, sealed.sealed, self._recipient.bound(sealed.n))) is None:
                vault.say(f"deal {sealed.n} does not open at {name}: it was sealed for another venue, or under another root")
            else:
                return self._hold(vault, opened, sealed.n)
        except SealedDealError as error:
            vault.say(f"what came as a deal for {name} is refused: {error}; it may be another venue's, or of another centre")
        return []

    def _hold(self, vault: "Vault", opened: bytes, n: int) -> list[Publish]:
        try:
            return vault.hold(self._shares.add(opened))
        except DocumentError as error:
            vault.say(f"what was sealed to venue {self._signer.by!r} as deal {n} is no share of this event: {error}")
            return []
