"""The holder's seed in the memory of his vault: how it is made, which passphrase opens it, and how many may be tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from twinwall.custody.seed_file import COST, NONCE_SIZE, SALT_SIZE, SHORTEST_PASSPHRASE, Cost, read_seed, write_seed
from twinwall.custody.server_orders import PassphraseTries, RefusedOrder
from twinwall.custody.vault_home import HomeEvent, VaultHome
from twinwall.game.deals import SEED_SIZE, Plan, Seed, commit_part
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.sealing import vault_sealing_key
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.vaults.vault_answers import VaultRefusal
from twinwall.wire.messages.vaults.vault_orders import open_passphrase


@dataclass(frozen=True, slots=True)
class VaultOwner:
    """What a vault is given at its start: whose it is, its key, the server's key, and how boot keys are accepted.

    ``passphrase`` is the one that was given at the vault itself; with it no passphrase of the server counts. ``released`` is the
    folder for slips, in the event's own folder where it is None; ``cost`` is that of new seed files.
    """

    holder: str
    signer: Signer
    server: bytes
    passphrase: str = field(default="", repr=False)
    new_keys_ask: bool = True
    released: Path | None = None
    cost: Cost = COST


class SeedKeeper:
    """One holder's seed of the present event; none until it is made or opened."""

    def __init__(self, owner: VaultOwner, boot: str, draw: Callable[[int], bytes]) -> None:
        """``boot`` is the vault's present start, for which the server seals passphrases; ``draw`` gives random bytes."""
        self._owner, self._boot, self._draw = owner, boot, draw
        self._tries = PassphraseTries()
        self._wrong: tuple[str, RefusedOrder] | None = None
        """The last wrong passphrase, as it came sealed, and what was answered."""
        self.seed: Seed | None = None

    def make(self, plan: Plan, sealed: str, home: VaultHome) -> HomeEvent | RefusedOrder:
        """Draw a seed for a plan, commit to it, and keep both in the vault's folder; ``sealed`` is the server's passphrase."""
        passphrase = self._passphrase(sealed)
        if isinstance(passphrase, RefusedOrder):
            return passphrase
        if len(passphrase) < SHORTEST_PASSPHRASE:
            sentence = f"the passphrase has {len(passphrase)} characters: take {SHORTEST_PASSPHRASE} or more"
            return RefusedOrder(VaultRefusal.SHORT_PASSPHRASE, sentence)
        seed, salt, nonce = Seed(self._draw(SEED_SIZE)), self._draw(SALT_SIZE), self._draw(NONCE_SIZE)
        holder = self._owner.holder
        sealed_seed = write_seed(seed, holder, passphrase, salt=salt, nonce=nonce, cost=self._owner.cost)
        made = home.commit(plan, commit_part(plan, holder, seed), sealed_seed)
        self.seed = seed
        return made

    def open(self, present: HomeEvent, sealed: str, now_s: float) -> RefusedOrder | None:
        """Open the seed with the server's passphrase; why not, where it stays closed. An order that was sent twice is one try."""
        if sealed and self._wrong is not None and self._wrong[0] == sealed:
            return self._wrong[1]
        if (refusal := self._tries.refusal(now_s)) is not None:
            return refusal
        passphrase = self._passphrase(sealed)
        if isinstance(passphrase, RefusedOrder):
            return passphrase
        try:
            self.take(present, passphrase)
        except DocumentError as error:
            self._tries = self._tries.after_wrong(now_s)
            refused = RefusedOrder(VaultRefusal.WRONG_PASSPHRASE, str(error))
            self._wrong = sealed, refused
            return refused
        self._tries, self._wrong = PassphraseTries(), None
        return None

    def take(self, present: HomeEvent, passphrase: str) -> None:
        """Open the seed of an event; raises DocumentError."""
        try:
            holder, seed = read_seed(present.seed_file.read_bytes(), passphrase)
        except OSError as error:
            raise DocumentError(f"{present.seed_file} cannot be read ({error.strerror}): put a good copy back") from None
        if holder != self._owner.holder or commit_part(present.committed.plan, holder, seed) != present.committed.part:
            raise DocumentError(f"{present.seed_file} is not the seed that this vault committed to: put a good copy back")
        self.seed = seed

    def _passphrase(self, sealed: str) -> str | RefusedOrder:
        if self._owner.passphrase:
            return self._owner.passphrase
        signer = self._owner.signer
        opened = open_passphrase(sealed, vault_sealing_key(signer), signer.public, self._boot) if sealed else None
        if opened is None:
            sentence = f"the vault of {self._owner.holder!r} needs the passphrase, sealed to it for its present start"
            return RefusedOrder(VaultRefusal.NO_PASSPHRASE, sentence)
        return opened
