"""One holder's vault as the server hears it: its reported state, its order, and its answer. An order is repeated until an answer names it.
A refused order is not repeated until the vault's state changes. ``dashboard.custody.deal_making`` decides what a vault is ordered."""

from enum import Enum

from twinwall.values import frozen
from twinwall.wire.messages.signing import Counter, Signer, sign_document
from twinwall.wire.messages.vaults.vault_orders import (
    AnyAnswer,
    AnyOrder,
    OrderRefused,
    UnlockSeed,
    VaultOrder,
    VaultRefusal,
    VaultStanding,
    seal_passphrase,
)

AGAIN_S = 3.0
"""An unanswered order is repeated after this time."""
SILENT_S = 10.0
"""After this silence a vault counts as absent; it reports its state every two seconds."""
MOST_OPEN_ORDERS = 16


class VaultStep(Enum):
    """How far a vault is with its last order; the value ends the message key of the page's words."""

    SILENT = "silent"
    """It is silent: its machine is off, or not connected."""
    LOCKED = "locked"
    """It was started and waits for the passphrase."""
    READY = "ready"
    """It waits for an order."""
    ORDERED = "ordered"
    """It has an order and has not answered."""
    REFUSED = "refused"
    DONE = "done"


@frozen
class HolderProgress:
    """One holder's vault: how far it is, and its refusal with its own sentence."""

    holder: str
    step: VaultStep
    refusal: VaultRefusal | None = None
    sentence: str = ""
    takes_passphrase: bool = False
    """Whether it is locked and no passphrase is on its way; after a refusal one can be entered again."""


class HallVault:
    """One holder's vault, since this process began."""

    def __init__(self, holder: str, account: str, key: bytes) -> None:
        """``account`` is its name at the broker, ``key`` its public key."""
        self.holder, self.account, self.key = holder, account, key
        self.standing: VaultStanding | None = None
        self.sealed = ""
        """A passphrase sealed for the vault's present start, until there is an answer."""
        self.unlocking = False
        self._heard_s, self._counter = 0.0, -1
        self._sent: dict[int, AnyOrder] = {}
        self._last: AnyOrder | None = None
        self._last_s = 0.0
        self._refused: tuple[AnyOrder, VaultStanding, OrderRefused] | None = None
        """An order that the vault has refused, its state then, and its answer."""

    @property
    def is_locked(self) -> bool:
        """Whether it was started and waits for the passphrase."""
        return self.standing is not None and self.standing.locked

    def stand(self, counter: int, standing: VaultStanding, now_s: float) -> None:
        """Take its reported state; a report older than the last is ignored."""
        if counter <= self._counter:
            return
        if self.standing is not None and self.standing.boot != standing.boot:
            self.sealed, self.unlocking, self._last = "", False, None
        self._counter, self.standing, self._heard_s = counter, standing, now_s

    def seal(self, passphrase: str) -> None:
        """Seal a passphrase for its present start, and let a refused order be repeated."""
        self.again()
        self.sealed = ""
        if passphrase and self.standing is not None:
            self.sealed = seal_passphrase(passphrase, bytes.fromhex(self.standing.sealing_key), self.key, self.standing.boot)

    def again(self) -> None:
        """Forget refusal and last order, because a person has asked again."""
        self._refused, self._last = None, None

    def answer(self, answer: AnyAnswer, to: int) -> AnyOrder | None:
        """The order that an answer is to; None for one that this process has not sent, or that was answered already. Only a refusal of the
        last order counts: a refusal of an earlier passphrase, sent twice to a slow vault, does not refuse the next one."""
        order = self._sent.pop(to, None)
        if order is not None and order == self._last and isinstance(answer, OrderRefused) and self.standing is not None:
            self._refused = order, self.standing, answer
            self.unlocking = self.unlocking and not isinstance(order, UnlockSeed)
        return order

    def order(self, signer: Signer, counter: Counter, wanted: AnyOrder | None, now_s: float) -> bytes | None:
        """The order to send now; None if there is none, it was just sent, or the vault has refused it in its present state."""
        refused = self._refused
        if wanted is None or self.standing is None:
            return None
        if refused is not None and refused[:2] == (wanted, self.standing):
            return None
        if wanted == self._last and now_s - self._last_s < AGAIN_S:
            return None
        number = counter.next()
        self._sent = {**dict(list(self._sent.items())[1 - MOST_OPEN_ORDERS :]), number: wanted}
        self._last, self._last_s = wanted, now_s
        return sign_document(signer, VaultOrder(self.standing.boot, number, wanted), table=self.key.hex())

    def progress(self, wanted: AnyOrder | None, now_s: float, *, done: bool) -> HolderProgress:
        """How far it is with the wanted order; ``done`` if it has answered the last."""
        refused, standing = self._refused, self.standing
        if standing is None or now_s - self._heard_s > SILENT_S:
            return HolderProgress(self.holder, VaultStep.SILENT)
        if refused is not None and refused[1] == standing and wanted in (None, refused[0]):
            answer = refused[2]
            return HolderProgress(self.holder, VaultStep.REFUSED, answer.reason, answer.sentence, standing.locked)
        if wanted is not None:
            return HolderProgress(self.holder, VaultStep.ORDERED)
        if standing.locked:
            return HolderProgress(self.holder, VaultStep.LOCKED, takes_passphrase=True)
        return HolderProgress(self.holder, VaultStep.DONE if done else VaultStep.READY)
