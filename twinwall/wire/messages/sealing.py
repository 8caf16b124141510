"""Sealed deals: one holder's share of a deal, encrypted to one table's key.

The seal is HPKE (RFC 9180, base mode: X25519, HKDF-SHA256, ChaCha20-Poly1305) to the table's key of this boot; event, table, number and
root are bound into it, and the holder's vault signs it. A broker, another table or the server sees a number and noise.
``twinwall.custody`` decides who is given what and when; ``twinwall.game.deals`` checks that the content is the committed deal.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Annotated, ClassVar
from urllib.parse import quote

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from twinwall.game.deals.encoding import encode_parts
from twinwall.game.documents import DocumentError
from twinwall.game.typed_json import Digest, HexText, Number, Text, WrittenAs, plain, read_as
from twinwall.values import frozen
from twinwall.wire.messages.signing import SignatureError, Signer, open_signed

FORMAT = "twinwall-sealed-deal-2"
VAULT = "vault"
"""The name under which the vault of the plan's first holder signs, and its account at the broker."""
SEALING_KEY_SIZE = 32

_VAULT_SEALING = b"twinwall-vault-sealing-key-1"
_SUITE = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305)


class SealedDealError(ValueError):
    """A sealed deal that must not be used; ``reason`` is a stable word: ``format``, ``signature`` or ``seal``."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason


@frozen
class SealingKey:
    """A table's key of one boot: what is sealed to ``public`` only its holder can open. ``repr`` never shows the secret."""

    secret: bytes = field(repr=False)

    @property
    def public(self) -> bytes:
        """The document for the vault."""
        return X25519PrivateKey.from_private_bytes(self.secret).public_key().public_bytes_raw()


@frozen
class SealedDeal:
    """What the vault ``by`` gives of deal ``n``, as it arrived, its signature checked: sealed to the key ``to``."""

    FORMAT: ClassVar = FORMAT

    by: Text
    n: Number
    to: Annotated[bytes, WrittenAs(bytes.fromhex, bytes.hex, Digest)]
    sealed: Annotated[bytes, WrittenAs(bytes.fromhex, bytes.hex, HexText)]


@frozen
class Recipient:
    """Whom a seal is for, besides the key: event, table, and the root under which the deal is committed."""

    event: str
    table: str
    root: bytes

    def bound(self, n: int) -> bytes:
        """What goes into the seal beside the key: at another table, number or event it does not open."""
        return encode_parts(FORMAT, self.event, self.table, n, self.root)


def fingerprint(key: bytes) -> str:
    """A public key in sixteen digits that two people can compare by reading them out: ``1f3a 90c2 77e0 5b1d``."""
    digits = hashlib.sha256(key).hexdigest()[:16]
    return " ".join(digits[start : start + 4] for start in range(0, 16, 4))


def vault_sealing_key(signer: Signer) -> SealingKey:
    """The vault's own sealing key, to which tables seal their journals' keys: derived from its signing key, so no other file holds it."""
    return SealingKey(HKDF(SHA256(), SEALING_KEY_SIZE, None, _VAULT_SEALING).derive(signer.secret))


def vault_names(holders: Sequence[str]) -> dict[str, str]:
    """The name of each holder's vault, in the plan's order: it signs under it, and it is its account at the broker. The first is
    ``vault``, that of another holder ``vault-NAME``; in the latter no dot stands, since certificates hold it."""
    others = {holder: f"{VAULT}-{quote(holder, safe='').replace('.', '%2E')}" for holder in holders[1:]}
    return {holders[0]: VAULT, **others}


def seal_to(to: bytes, content: bytes, bound: bytes) -> bytes:
    """Encapsulated key and ciphertext that only the holder of ``to`` opens, and only with the same ``bound``."""
    return _SUITE.encrypt(content, X25519PublicKey.from_public_bytes(to), info=bound)


def open_with(key: SealingKey, sealed: bytes, bound: bytes) -> bytes | None:
    """What was sealed to this key; None where it was sealed to another, for something else, or altered."""
    try:
        return _SUITE.decrypt(sealed, X25519PrivateKey.from_private_bytes(key.secret), info=bound)
    except (InvalidTag, ValueError):
        return None


def seal_deal(signer: Signer, recipient: Recipient, n: int, share: bytes, to: bytes) -> bytes:
    """The message that gives ``share`` (its bytes) of deal ``n`` to the key ``to``; another sealing of the same looks different."""
    sealed = seal_to(to, share, recipient.bound(n))
    return signer.sign(FORMAT, recipient.event, recipient.table, plain(SealedDeal(signer.by, n, to, sealed)))


def read_sealed(payload: bytes, recipient: Recipient, trusted: Mapping[str, bytes]) -> SealedDeal:
    """Check signature and form of what arrived; raises SealedDealError."""
    try:
        return read_as(open_signed(FORMAT, recipient.event, recipient.table, payload, trusted), SealedDeal)
    except SignatureError as error:
        raise SealedDealError("signature", f"the sealed deal is {error}") from None
    except DocumentError as error:
        raise SealedDealError("format", f"the sealed deal cannot be read: {error}") from None


def unseal(sealed: SealedDeal, recipient: Recipient, key: SealingKey) -> bytes:
    """What was sealed; raises SealedDealError when it is for another key, table, event or root."""
    if sealed.to != key.public:
        whose = f"is sealed to the key {fingerprint(sealed.to)}, this table's is {fingerprint(key.public)}"
        raise SealedDealError("seal", f"deal {sealed.n} {whose}")
    opened = open_with(key, sealed.sealed, recipient.bound(sealed.n))
    if opened is None:
        for_others = "it was made for another table, or under another root"
        raise SealedDealError("seal", f"deal {sealed.n} does not open with this table's key: {for_others}")
    return opened
