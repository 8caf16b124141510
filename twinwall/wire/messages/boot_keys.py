"""Boot keys of a table: the pair that lives in memory from one power cut to the next.

The sealing key opens the deals that are sealed to the table; the signing key proves that a statement or a head comes from the
running table and not from a copy of its disk. The vault accepts both together, under one fingerprint.
"""

from __future__ import annotations

from dataclasses import dataclass

from twinwall.wire.messages.sealing import SEALING_KEY_SIZE, SealingKey, fingerprint
from twinwall.wire.messages.signing import KEY_SIZE, Signer

BOOT_SECRETS_SIZE = SEALING_KEY_SIZE + KEY_SIZE


@dataclass(frozen=True, slots=True)
class BootKeys:
    """The public halves: ``sealing`` is what deals are sealed to (X25519), ``signing`` checks the boot signatures (Ed25519)."""

    sealing: bytes
    signing: bytes

    @property
    def fingerprint(self) -> str:
        """Sixteen digits for both keys that two people can compare."""
        return fingerprint(self.sealing + self.signing)


@dataclass(frozen=True, slots=True)
class BootSecrets:
    """The secret halves, held by the table alone."""

    sealing: SealingKey
    signer: Signer

    @classmethod
    def from_bytes(cls, table: str, secrets: bytes) -> BootSecrets:
        """The pair made from ``BOOT_SECRETS_SIZE`` random bytes, signing in the name of ``table``."""
        return cls(SealingKey(secrets[:SEALING_KEY_SIZE]), Signer(table, secrets[SEALING_KEY_SIZE:]))

    @property
    def public(self) -> BootKeys:
        """What the vault is told."""
        return BootKeys(self.sealing.public, self.signer.public)
