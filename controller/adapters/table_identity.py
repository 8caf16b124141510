"""A table's identity for the vaults of its event: the keys with which it signs and opens, and the vaults' keys that it trusts."""

from collections.abc import Mapping

from controller.ledger.journal import HeadKeys
from twinwall.game.deals import DealError, StartedPlan
from twinwall.values import frozen
from twinwall.wire.ledger import LedgerPosition
from twinwall.wire.messages.boot_keys import BootSecrets, Statement, sign_twice
from twinwall.wire.messages.signing import Counter, Recipient, SealedDeal, Signer, read_sealed, unseal, vault_names
from twinwall.wire.messages.vaults.journal_key import Challenge, GivenKeyPiece, KeyRequest, read_challenge, take_journal_key


@frozen
class TableIdentity:
    """A table as the vaults know it: what it was given before the event (plan and start, its identity, and each vault's signing key), and
    its keys."""

    started: StartedPlan
    recipient: Recipient
    """The recipient of its deals, statements and journal's key."""
    vault_keys: Mapping[str, bytes]
    signer: Signer
    """Its identity key, which is on its disk."""
    boot: BootSecrets
    """Its boot keys, which are only in memory."""
    counter: Counter

    def __post_init__(self) -> None:
        holders = self.started.plan.holders
        if set(self.vault_keys) != set(holders):
            raise DealError(
                f"the plan's holders are {', '.join(holders)}; there are vault keys of {', '.join(self.vault_keys) or 'no holder'}"
            )

    @property
    def holders(self) -> dict[str, str]:
        """The holder by the vault's name, in the plan's order."""
        return {vault: holder for holder, vault in vault_names(self.started.plan.holders).items()}

    @property
    def vaults(self) -> dict[str, bytes]:
        """Each vault's key, by the vault's name."""
        return {vault: self.vault_keys[holder] for vault, holder in self.holders.items()}

    @property
    def head_keys(self) -> HeadKeys:
        return HeadKeys(self.recipient.event, self.recipient.table, self.signer, self.boot.signer)

    def statement(self, vault: str, challenge: str, head: LedgerPosition, given: tuple[int, ...], journal_key: str) -> bytes:
        """This table's statement to one vault: the end of its ledger, and the deals for which it has what this vault gives."""
        stated = Statement.of(self.boot.public, challenge, head, given, counter=self.counter.next(), journal_key=journal_key, to=vault)
        return sign_twice(self.signer, self.boot.signer, stated, self.recipient.event, self.recipient.table)

    def key_request(self, kept: Mapping[str, str]) -> bytes:
        """The request for the journal's key without network; ``kept`` are the stored pieces, by vault."""
        request = KeyRequest.of(self.boot.public, kept)
        return sign_twice(self.signer, self.boot.signer, request, self.recipient.event, self.recipient.table)

    def challenge(self, payload: bytes) -> tuple[str, Challenge]:
        """The vault's name and its challenge; raises DocumentError if it is no vault's."""
        return read_challenge(payload, self.recipient.event, self.recipient.table, self.vaults)

    def sealed_deal(self, payload: bytes) -> SealedDeal:
        """A deal sealed to this table; raises SealedDealError."""
        return read_sealed(payload, self.recipient, self.vaults)

    def unsealed(self, sealed: SealedDeal) -> bytes:
        """The content of a deal sealed to this table; raises SealedDealError."""
        return unseal(sealed, self.recipient, self.boot.sealing)

    def journal_key(self, payload: bytes) -> GivenKeyPiece:
        """A vault's piece of the journal's key, and the end of the ledger that it knows; raises DocumentError."""
        return take_journal_key(payload, self.recipient.event, self.recipient.table, self.vaults, self.boot.sealing)
