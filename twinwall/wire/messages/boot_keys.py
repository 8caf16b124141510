"""Boot keys of a table: the pair that lives in memory from one power cut to the next.

The sealing key opens the deals that are sealed to the table; the signing key proves that a statement or a head comes from the
running table and not from a copy of its disk. The vault accepts both together, under one fingerprint. What a table tells a vault
with them is signed twice: under its identity key, which lies on its disk, and under the boot signing key.
"""

from collections.abc import Mapping
from typing import TypeVar

from twinwall.game.typed_json import Digest, read_as, sent
from twinwall.values import Shape, frozen
from twinwall.wire.messages.sealing import SEALING_KEY_SIZE, SealingKey, fingerprint
from twinwall.wire.messages.signing import KEY_SIZE, SignatureError, Signer, is_signed, open_signed, purpose_of

BOOT_SECRETS_SIZE = SEALING_KEY_SIZE + KEY_SIZE


@frozen
class BootKeys:
    """The public halves: ``sealing`` is what deals are sealed to (X25519), ``signing`` checks the boot signatures (Ed25519)."""

    sealing: bytes
    signing: bytes

    @property
    def fingerprint(self) -> str:
        """Sixteen digits for both keys that two people can compare."""
        return fingerprint(self.sealing + self.signing)


@frozen
class BootSecrets:
    """The secret halves, held by the table alone."""

    sealing: SealingKey
    signer: Signer

    @classmethod
    def from_bytes(cls, table: str, secrets: bytes) -> "BootSecrets":
        """The pair made from ``BOOT_SECRETS_SIZE`` random bytes, signing in the name of ``table``."""
        return cls(SealingKey(secrets[:SEALING_KEY_SIZE]), Signer(table, secrets[SEALING_KEY_SIZE:]))

    @property
    def public(self) -> BootKeys:
        """The document for the vault."""
        return BootKeys(self.sealing.public, self.signer.public)


class NamesBootKeys(Shape):
    """What every document that is signed twice holds: the public halves of the table's boot keys."""

    sealing_key: Digest
    signing_key: Digest

    @property
    def keys(self) -> BootKeys:
        """The boot keys."""
        return BootKeys(bytes.fromhex(self.sealing_key), bytes.fromhex(self.signing_key))


_N = TypeVar("_N", bound=NamesBootKeys)


def sign_twice(identity: Signer, boot: Signer, document: NamesBootKeys, event: str, table: str) -> bytes:
    """The document as it travels, signed under the identity key and under the boot signing key; its ``format`` is its tag."""
    purpose, written = purpose_of(type(document)), sent(document)
    return identity.sign(purpose, event, table, {**written, "boot": boot.signature(f"{purpose}-boot", event, table, written)})


def open_signed_twice(payload: bytes, shape: type[_N], trusted: Mapping[str, bytes], event: str, table: str) -> _N:
    """Read what ``sign_twice`` wrote for this table; ``trusted`` holds its identity key under its name. Raises DocumentError and
    SignatureError."""
    purpose = purpose_of(shape)
    document = open_signed(purpose, event, table, payload, trusted)
    by, boot = document.pop("by"), document.pop("boot", None)
    if by != table:
        raise SignatureError(f"signed by {by!r}")
    read = read_as(document, shape)
    if not is_signed(read.keys.signing, f"{purpose}-boot", event, table, document, signature=boot):
        raise SignatureError(f"it names the boot keys {read.keys.fingerprint} without a signature under them")
    return read
