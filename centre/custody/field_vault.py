"""The centre's vault of one holder, without its network: what venues' vaults say goes in, sealed shares and slips for them come out.

``field_release`` decides. A share is sealed to the key that a venue's vault shows, under its enrolled key. Each holder's vault decides
for itself; a slip is made when all have released. What is to be kept is told before anything that relies on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from centre.custody import field_release
from centre.custody.field_orders import FieldOrders
from centre.custody.field_state import (
    EVERYWHERE,
    AllowVenueKey,
    DealAnnulled,
    DealGiven,
    FieldCommand,
    FieldCustody,
    FieldEvent,
    FieldMoment,
    FieldRefusal,
    FieldSlipReleased,
    FieldTimePassed,
    VenueKeyAllowed,
    VenueKeyTaken,
    VenueProgressed,
    VenueSpoke,
    VenueWithdrawn,
)
from centre.deploy.gateway_conf import order_topic
from centre.deploy.venue_account import VenueAccount
from twinwall.custody.key_shares import KeyShares
from twinwall.custody.released_shares import ReleasedShares
from twinwall.custody.vault_outputs import Publish, ReleaseSlip, Say
from twinwall.game.deals import Slip
from twinwall.game.documents import DocumentError, canonical_json
from twinwall.wire.canonical_json import FormError, read_time
from twinwall.wire.messages.notice import write_notice
from twinwall.wire.messages.sealing import fingerprint, seal_deal
from twinwall.wire.messages.signing import Repeats, Signer
from twinwall.wire.messages.vaults.venue_vault import VenueVaultError, VenueVaultStatement, read_venue_vault, venue_recipient
from twinwall.wire.mqtt.centre_topics import CentreOrder
from twinwall.wire.mqtt.topics import shares_topic

TOLD_AGAIN_S = 30.0
"""What is refused is told to a venue this often, for as long as it comes back."""
SLIPS_AT_ONCE = 8
"""So many slips that a venue lacks are sent for one statement of it."""
MOST_OFF = timedelta(days=1)
"""A venue's clock that is further off counts as so far off: nobody reckons with years that a calendar does not have."""
FieldKept: TypeAlias = VenueKeyAllowed | VenueKeyTaken | VenueProgressed | DealGiven | FieldSlipReleased | VenueWithdrawn | DealAnnulled


@dataclass(frozen=True, slots=True)
class KeepField:
    """Store this before anything that comes after it leaves."""

    event: FieldKept


FieldOutput: TypeAlias = Publish | ReleaseSlip | Say | KeepField


class FieldVault:
    """One holder's vault of a field of venues."""

    def __init__(
        self,
        shares: KeyShares,
        custody: FieldCustody,
        enrolled: Mapping[str, bytes],
        signer: Signer,
        *,
        kept: Iterable[FieldKept] = (),
        slips: Iterable[Slip] = (),
    ) -> None:
        """``enrolled`` has the public key of each venue's vault of this holder; ``signer`` signs what is sealed; ``kept`` is what an
        earlier run has kept, ``slips`` what it has put out."""
        self._shares, self._custody, self._enrolled, self._signer = shares, custody, enrolled, signer
        self._event = shares.plan.event
        slips = tuple(slips)
        self._released = ReleasedShares(shares, slips)
        self._released.take_slips(slips)
        self._repeats = Repeats()
        self._heard_at: dict[str, datetime] = {}
        self._said: set[str] = set()
        self._noticed: dict[tuple[str, str], float] = {}
        self._now_s = 0.0
        self._shares_due_s = 0.0
        self.state = field_release.field_beginning(custody)
        self._unknown: set[str] = set()
        for event in kept:
            if isinstance(event, FieldSlipReleased) or event.venue in (*custody.venues, EVERYWHERE):
                self.state = field_release.apply(self.state, event)
            else:
                self._unknown.add(event.venue)
        for n in self.state.released:
            self._released.release(n)

    def hear(self, venue: str, payload: bytes, moment: FieldMoment) -> list[FieldOutput]:
        """A venue's vault speaks, or something says so."""
        self._now_s = moment.monotonic_s
        if venue not in self._enrolled:
            return self._say(f"venue {venue!r} speaks, and no key of its vault is enrolled: add it to the settings")
        try:
            said = read_venue_vault(payload, self._event, venue, self._enrolled)
            if said.holder != self._shares.holder:
                return []
            clock = read_time(said.at)
        except (VenueVaultError, FormError) as error:
            return self._notice(venue, str(error))
        if not self._repeats.is_new(venue, said.counter):
            return self._repeated(venue, clock)
        self._heard_at[venue] = clock
        if said.start != self._shares.started.start.code.hex():
            words = self._shares.started.start.words
            return self._notice(venue, f"venue {venue!r} plays under another start than {words}: give it this event's plan and start")
        key = bytes.fromhex(said.sealing_key)
        begun, finished = frozenset(said.begun), frozenset(said.finished)
        shown = max(moment.now - MOST_OFF, min(clock, moment.now + MOST_OFF))
        holds = None if said.holds is None else frozenset(said.holds)
        outputs = self._decide(
            VenueSpoke(venue, key, fingerprint(key), begun | finished, finished, said.asks, shown, moment.monotonic_s, holds), venue
        )
        if abs(clock - moment.now) > field_release.CLOCK_TOLERANCE:
            outputs += self._notice(venue, f"the clock of venue {venue!r} is more than 10 minutes off the centre's vault's: compare both")
        return outputs + self._lacking(venue, said)

    def hear_share(self, payload: bytes) -> list[FieldOutput]:
        """Another holder's vault has released a share, or something says so."""
        try:
            n = self._released.hear(payload)
        except DocumentError as error:
            return self._say(f"a share that is told to be released is none of this event's: {error}")
        return [] if n is None else self._put_out(n)

    def order(self, orders: FieldOrders) -> list[FieldOutput]:
        """Follow what two persons have signed; what was followed before changes nothing."""
        return [output for command in orders.commands for output in self._decide(command, command.venue)]

    def allow(self, venue: str, shown: str) -> list[FieldOutput]:
        """A person has compared a fingerprint of a venue's sealing key."""
        return self._decide(AllowVenueKey(venue, shown), venue)

    def tick(self, moment: FieldMoment) -> list[FieldOutput]:
        """Time has passed."""
        self._now_s = moment.monotonic_s
        outputs = self._decide(FieldTimePassed(moment), "")
        for venue in sorted(self._unknown):
            outputs += self._say(
                f"this vault's ledger has entries of venue {venue!r}, which is not in the settings: they do not count, and no slip waits "
                f"for that venue; write it into the settings again, or let two persons withdraw it"
            )
        if moment.monotonic_s >= self._shares_due_s:
            self._shares_due_s = moment.monotonic_s + TOLD_AGAIN_S
            outputs += [Publish(shares_topic(self._event), share) for share in self._released.own]
        return outputs

    def _repeated(self, venue: str, clock: datetime) -> list[FieldOutput]:
        """A statement whose counter is not above the last: a message that came twice is not later than that one by its own clock."""
        if clock <= self._heard_at[venue]:
            return []
        return self._notice(
            venue,
            f"what venue {venue!r}'s vault says is not heeded: a higher counter was heard under its key before. Its files were put back, "
            "or somebody has a copy of its key: call the venue, enrol another key of its vault, and start the centre's vault again",
        )

    def _decide(self, command: FieldCommand, venue: str) -> list[FieldOutput]:
        decision = field_release.decide(self._custody, self.state, command)
        outputs: list[FieldOutput] = []
        if isinstance(decision, FieldRefusal):
            outputs += self._notice(venue, decision.sentence)
            decision = decision.events
        outputs += self._happen(decision)
        while events := field_release.follow(self._custody, self.state):
            outputs += self._happen(events)
        return outputs

    def _happen(self, events: Iterable[FieldEvent]) -> list[FieldOutput]:
        outputs: list[FieldOutput] = []
        for event in events:
            before, self.state = self.state, field_release.apply(self.state, event)
            if isinstance(event, FieldKept) and before != self.state:
                outputs.append(KeepField(event))
            match event:
                case DealGiven(venue, n, key):
                    outputs.append(self._sealed(venue, n, key))
                case FieldSlipReleased(n):
                    outputs += self._release(n)
                case VenueWithdrawn(venue):
                    outputs += self._notice(venue, f"venue {venue!r} is withdrawn by order of two persons: it is given no more deals")
                case DealAnnulled(n, venue):
                    outputs += self._say(f"deal {n} is annulled {'at ' + repr(venue) if venue else 'everywhere'} by order of two persons")
                case _:
                    pass
        return outputs

    def _sealed(self, venue: str, n: int, key: bytes) -> Publish:
        share = canonical_json(self._shares.share(n).to_json())
        recipient = venue_recipient(self._event, venue, self._shares.root)
        return Publish(order_topic(VenueAccount(venue), CentreOrder.SHARE), seal_deal(self._signer, recipient, n, share, key))

    def _release(self, n: int) -> list[FieldOutput]:
        waited = field_release.unfinished_at(self.state, n)
        outputs: list[FieldOutput] = []
        if waited:
            where = ", ".join(waited)
            outputs += self._say(
                f"deal {n} is released at its deadline, before every table has finished it at {where}: two may annul it there"
            )
        share = self._released.release(n)
        if len(self._shares.plan.holders) > 1:
            outputs.append(Publish(shares_topic(self._event), share))
        return outputs + self._put_out(n)

    def _put_out(self, n: int) -> list[FieldOutput]:
        slip = self._released.slip(n)
        if slip is None:
            return []
        told = [Publish(order_topic(VenueAccount(venue), CentreOrder.SLIP), slip) for venue in self._custody.venues]
        return [ReleaseSlip(n, slip), *told]

    def _lacking(self, venue: str, said: VenueVaultStatement) -> list[FieldOutput]:
        """Released slips that a venue does not have."""
        topic = order_topic(VenueAccount(venue), CentreOrder.SLIP)
        lacking = [n for n in sorted(self._released.out) if n not in said.slips][:SLIPS_AT_ONCE]
        return [Publish(topic, slip) for n in lacking if (slip := self._released.slip(n)) is not None]

    def _notice(self, venue: str, sentence: str) -> list[FieldOutput]:
        """Something is wrong: said here once, and told to the venue's staff for as long as it comes back."""
        outputs = self._say(sentence)
        self._noticed = {told: at_s for told, at_s in self._noticed.items() if self._now_s - at_s < TOLD_AGAIN_S}
        if venue in self._enrolled and (venue, sentence) not in self._noticed:
            self._noticed[venue, sentence] = self._now_s
            outputs.append(Publish(order_topic(VenueAccount(venue), CentreOrder.NOTICE), write_notice(sentence)))
        return outputs

    def _say(self, sentence: str) -> list[FieldOutput]:
        if sentence in self._said:
            return []
        self._said.add(sentence)
        return [Say(sentence)]
