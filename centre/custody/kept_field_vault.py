"""The centre's vault with its files and the centre's store: what it decides is on disk before anything that relies on it leaves.

Orders of two persons are read from the store, and count under the keys of the vault's own settings; slips are added to it. While the
store is away venues are given their deals all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote

from centre.custody.field_ledger import FieldLedger
from centre.custody.field_orders import FieldOrders
from centre.custody.field_state import FieldMoment
from centre.custody.field_vault import FieldOutput, FieldVault, KeepField
from centre.deploy.venue_account import VENUE_ROOT
from twinwall.custody.release import AllowKey
from twinwall.custody.signed_lines import VaultFilesError
from twinwall.custody.vault_files import Orders, put_out
from twinwall.custody.vault_outputs import Publish, ReleaseSlip, Say
from twinwall.event.store.databases.port import StoreError
from twinwall.wire.mqtt.topics import shares_topic, venue_vault_topic

LOOK_S = 5.0
"""How often the store is asked for orders, and given the slips that it lacks."""


class KeptFieldVault:
    """One holder's vault at the centre, from its files on."""

    def __init__(
        self,
        vault: FieldVault,
        ledger: FieldLedger,
        allowed: Orders,
        folder: Path,
        *,
        event: str,
        ordered: Callable[[], FieldOrders],
        store: Callable[[Mapping[int, bytes], datetime], None],
        say: Callable[[str], None],
        slips: Mapping[int, bytes],
    ) -> None:
        """``allowed`` is what a person allows at the vault's machine; ``folder`` is for slips. ``ordered`` reads the orders that count,
        ``store`` adds slips to the centre's store, and both may raise StoreError; ``say`` tells the person who keeps the
        vault; ``slips`` are those that an earlier run has put out, which the store may lack."""
        self._vault, self._ledger, self._allowed, self._folder, self._say = vault, ledger, allowed, folder, say
        self._event, self._ordered, self._store = event, ordered, store
        self._unstored = dict(slips)
        self._look_due_s = 0.0
        self._now: datetime | None = None
        self._trouble = ""

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """What the link has to hear."""
        return f"{VENUE_ROOT}/+/{venue_vault_topic(self._event)}", shares_topic(self._event)

    def hear(self, topic: str, payload: bytes, now_s: float) -> list[Publish]:
        """Something arrived; what is to be sent."""
        if topic == shares_topic(self._event):
            return self._do(self._vault.hear_share(payload))
        root, _, rest = topic.partition("/")
        venue, _, in_venue = rest.partition("/")
        if root != VENUE_ROOT or in_venue != venue_vault_topic(self._event) or self._now is None:
            return []
        return self._do(self._vault.hear(unquote(venue), payload, FieldMoment(self._now, now_s)))

    def tick(self, now_s: float, at: datetime) -> list[Publish]:
        """Time has passed: what a person has allowed and two persons have ordered is followed."""
        self._now = at
        sent = self._allow()
        if now_s >= self._look_due_s:
            self._look_due_s = now_s + LOOK_S
            sent += self._look(at)
        return sent + self._do(self._vault.tick(FieldMoment(at, now_s)))

    def _allow(self) -> list[Publish]:
        sent: list[Publish] = []
        try:
            orders = self._allowed.new()
        except VaultFilesError as error:
            self._say(str(error))
            return []
        for order in orders:
            if isinstance(order, AllowKey):
                sent += self._do(self._vault.allow(order.table, order.fingerprint))
        if orders:
            self._allowed.taken()
        return sent

    def _look(self, at: datetime) -> list[Publish]:
        try:
            if self._unstored:
                self._store(self._unstored, at)
                self._unstored = {}
            orders = self._ordered()
        except StoreError as error:
            if str(error) != self._trouble:
                self._say(f"orders are not read and slips are not stored: {error}")
            self._trouble = str(error)
            return []
        self._trouble = ""
        return self._do(self._vault.order(orders))

    def _do(self, outputs: list[FieldOutput]) -> list[Publish]:
        """Carry out what was decided, in its order."""
        sent: list[Publish] = []
        for output in outputs:
            match output:
                case KeepField(event):
                    self._ledger.keep(event)
                case Publish():
                    sent.append(output)
                case ReleaseSlip(n, slip):
                    self._say(f"deal {n} is released: {put_out(self._folder, n, slip)}")
                    self._unstored[n] = slip
                case Say(sentence):
                    self._say(sentence)
        return sent
