"""A vault with its files: what it decides is on disk before anything that relies on it leaves; a person's orders come from its folder."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from twinwall.custody.custody_status import write_status
from twinwall.custody.field_end import FieldEnd
from twinwall.custody.release import CustodyState
from twinwall.custody.signed_lines import VaultFilesError
from twinwall.custody.vault import Vault
from twinwall.custody.vault_files import Orders, UnreadOrder, put_out, put_status
from twinwall.custody.vault_ledger import VaultLedger
from twinwall.custody.vault_outputs import Keep, Output, Publish, ReleaseSlip, Say

STATUS_S = 2.0


class KeptVault:
    """One session of one holder, from the vault's files on."""

    def __init__(
        self, vault: Vault | FieldEnd, ledger: VaultLedger, orders: Orders, *, folder: Path, released: Path, say: Callable[[str], None]
    ) -> None:
        """``folder`` is the vault's own, ``released`` is for slips; ``say`` tells the person who keeps the vault."""
        self._vault, self._ledger, self._orders = vault, ledger, orders
        self._folder, self._released, self._say = folder, released, say
        self._status_due_s = 0.0

    @property
    def subscriptions(self) -> tuple[str, ...]:
        """What the link has to hear."""
        return self._vault.subscriptions

    @property
    def state(self) -> CustodyState:
        """Who has what."""
        return self._vault.state

    def hear(self, topic: str, payload: bytes, now_s: float) -> list[Publish]:
        """Something arrived; what is to be sent."""
        return self._do(self._vault.hear(topic, payload, now_s))

    def tick(self, now_s: float, at: datetime) -> list[Publish]:
        """Time has passed: new orders of a person are taken, and the status is written."""
        sent: list[Publish] = []
        try:
            orders = self._orders.new()
        except VaultFilesError as error:
            self._say(str(error))
            orders = []
        for order in orders:
            if isinstance(order, UnreadOrder):
                self._say(order.sentence)
            else:
                sent += self._do(self._vault.order(order))
        if orders:
            self._orders.taken()
        sent += self._do(self._vault.tick(now_s))
        if now_s >= self._status_due_s:
            self._status_due_s = now_s + STATUS_S
            put_status(self._folder, write_status(self._vault.status(at, now_s)))
        return sent

    def _do(self, outputs: list[Output]) -> list[Publish]:
        """Carry out what was decided, in its order."""
        sent: list[Publish] = []
        for output in outputs:
            match output:
                case Keep(event):
                    self._ledger.keep(event)
                case Publish():
                    sent.append(output)
                case ReleaseSlip(n, slip):
                    self._say(f"deal {n} is released: {put_out(self._released, n, slip)}")
                case Say(sentence):
                    self._say(sentence)
        return sent
