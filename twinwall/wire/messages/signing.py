"""Ed25519 signatures of documents, signing key files, counters against repeats, and deals sealed to a table.

A signature covers document, purpose, event and table, so it is worthless for any other. The reader decides which keys it trusts for which
purpose.

A sealed deal is one holder's share of a deal, sealed by HPKE (RFC 9180, base mode: X25519, HKDF-SHA256, ChaCha20-Poly1305) to the table's
key of this boot. Event, table, number and root are bound into it, and the holder's vault signs it; everybody else sees a number and noise.
``twinwall.custody`` decides who gets what and when; ``twinwall.game.deals`` checks the content.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from pathlib import Path
from typing import Annotated, ClassVar, TypeVar
from urllib.parse import quote

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from msgspec import Struct

from twinwall.game.deals.encoding import encode_parts
from twinwall.game.documents import DocumentError, canonical_json, parse_object
from twinwall.game.typed_json import Digest, HexText, Number, Text, WrittenAs, plain, read_as, sent
from twinwall.values import frozen
from twinwall.wire.durable_file import create_durably, write_durably

KEY_SIZE = 32
"""Bytes of a signing key and of its public key (RFC 8032)."""
KEY_LABEL = "twinwall-signing-key-1"
_D = TypeVar("_D", bound=Struct)
RESERVED_MS = 60_000
"""How far ahead a counter is saved, so that most numbers need no disk write."""


class SignatureError(DocumentError):
    """No trusted key has signed the document for this purpose, event and table."""


_private_key = lru_cache(Ed25519PrivateKey.from_private_bytes)
"""Keys are kept, since to make one costs as much as a signature."""


@frozen
class Signer:
    """A signer: the name that readers know, and the secret key, which ``repr`` omits."""

    by: str
    secret: bytes = field(repr=False)

    @property
    def public(self) -> bytes:
        """The key that checks this signer's signatures."""
        return _private_key(self.secret).public_key().public_bytes_raw()

    def sign(self, purpose: str, event: str, table: str, document: Mapping[str, object]) -> bytes:
        """The signed document: canonical, with ``by`` and ``signature``."""
        named = {**document, "by": self.by}
        return canonical_json({**named, "signature": self.signature(purpose, event, table, named)})

    def signature(self, purpose: str, event: str, table: str, document: Mapping[str, object]) -> str:
        return _private_key(self.secret).sign(_signed(purpose, event, table, document)).hex()


def open_signed(purpose: str, event: str, table: str, payload: bytes, trusted: Mapping[str, bytes]) -> dict[str, object]:
    """Read a signed document and return it without ``signature``; ``trusted`` maps signers' names to public keys. Raises DocumentError
    unless it is a canonical JSON object, SignatureError unless a trusted key signed exactly this."""
    read = parse_object(payload)
    if canonical_json(read) != payload:
        raise DocumentError("not in canonical form (sorted keys, no spaces, one line feed)")
    signature, by = read.pop("signature", None), read.get("by")
    if not isinstance(by, str) or by not in trusted:
        raise SignatureError(f"signed by {by!r}, who is not trusted here (trusted: {', '.join(sorted(trusted)) or 'no key'})")
    if not is_signed(trusted[by], purpose, event, table, read, signature=signature):
        raise SignatureError(f"not signed by {by!r} for table {table!r} of {event!r}: altered, or meant for another")
    return read


def is_signed(public: bytes, purpose: str, event: str, table: str, document: Mapping[str, object], *, signature: object) -> bool:
    """Whether the signature (hex) was made under ``public`` over exactly this document, purpose, event and table."""
    try:
        raw = bytes.fromhex(signature) if isinstance(signature, str) and signature == signature.lower() else b""
        Ed25519PublicKey.from_public_bytes(public).verify(raw, _signed(purpose, event, table, document))
    except (ValueError, InvalidSignature):
        return False
    return True


def purpose_of(shape: type[Struct]) -> str:
    """The signature's purpose for a msgspec document: its tag, which is its ``format``."""
    return str(shape.__struct_config__.tag)


def sign_document(signer: Signer, document: Struct, event: str = "", table: str = "") -> bytes:
    """Sign a msgspec document, for one event and table or (empty) for all."""
    return signer.sign(purpose_of(type(document)), event, table, sent(document))


def open_document(payload: bytes, shape: type[_D], trusted: Mapping[str, bytes], event: str = "", table: str = "") -> _D:
    """Read a document of ``sign_document``; raises as ``open_signed``."""
    return open_named_document(payload, shape, trusted, event, table)[1]


def open_named_document(payload: bytes, shape: type[_D], trusted: Mapping[str, bytes], event: str = "", table: str = "") -> tuple[str, _D]:
    """The signer's name, and the document of ``sign_document``; raises as ``open_signed``."""
    read = open_signed(purpose_of(shape), event, table, payload, trusted)
    return str(read.pop("by")), read_as(read, shape)


def write_signing_key(path: Path, secret: bytes) -> None:
    """Write a new key file, readable by its owner only; raises FileExistsError if there is one."""
    create_durably(path, f"{KEY_LABEL} {secret.hex()}\n".encode(), 0o600)


def read_signer(by: str, path: Path) -> Signer:
    """Read a signer's key file; raises OSError or DocumentError."""
    words = path.read_text(encoding="utf-8", errors="replace").split()
    if len(words) != 2 or words[0] != KEY_LABEL or len(words[1]) != 2 * KEY_SIZE or not set(words[1]) <= set("0123456789abcdef"):
        raise DocumentError(f"{path} does not hold a signing key: make one with twinwall vault key FILE")
    if path.stat().st_mode & 0o077:
        raise DocumentError(f"{path} can be read by others than its owner: say chmod 600 {path}")
    return Signer(by, bytes.fromhex(words[1]))


class Counter:
    """Rising numbers of one signer: a clock in milliseconds, or the last number plus one. With a file they rise even if the clock is set
    back while the program is down: the file always has a number above all that were given."""

    def __init__(self, now_ms: Callable[[], int], file: Path | None = None) -> None:
        """``now_ms``: any clock that runs while the program is down. Raises DocumentError for a file without a number."""
        self._now_ms = now_ms
        self._file = file
        self._last = self._reserved = 0 if file is None else _kept_number(file)

    def next(self) -> int:
        """A number above all before."""
        self._last = max(self._last + 1, self._now_ms())
        if self._file is not None and self._last >= self._reserved:
            self._reserved = self._last + RESERVED_MS
            write_durably(self._file, f"{self._reserved}\n".encode())
        return self._last


def _kept_number(file: Path) -> int:
    try:
        text = file.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return 0
    except (OSError, UnicodeDecodeError) as error:
        raise DocumentError(
            f"{file} cannot be read ({error}): put a good copy back; it keeps commands from being taken for repeats"
        ) from error
    if not text.isdigit():
        raise DocumentError(f"{file} must hold one number: put a good copy back; it keeps commands from being taken for repeats")
    return int(text)


class Repeats:
    """Remembers the highest counter of each signer; any other is a repeat and has no effect."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    def is_new(self, by: str, counter: int) -> bool:
        """Whether this is the signer's highest counter; remember it."""
        if counter <= self._last.get(by, -1):
            return False
        self._last[by] = counter
        return True


def _signed(purpose: str, event: str, table: str, document: Mapping[str, object]) -> bytes:
    return encode_parts(purpose, event, table, canonical_json(document))


FORMAT = "twinwall-sealed-deal-2"
VAULT = "vault"
"""The name and broker account of the vault of the plan's first holder."""
SEALING_KEY_SIZE = 32

_VAULT_SEALING = b"twinwall-vault-sealing-key-1"
_SUITE = Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.CHACHA20_POLY1305)


class SealedDealError(ValueError):
    """A sealed deal cannot be used; ``reason`` is ``format``, ``signature`` or ``seal``."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason


@frozen
class SealingKey:
    """A key that opens what is sealed to ``public``; ``repr`` omits the secret."""

    secret: bytes = field(repr=False)

    @property
    def public(self) -> bytes:
        return X25519PrivateKey.from_private_bytes(self.secret).public_key().public_bytes_raw()


@frozen
class SealedDeal:
    """The share of deal ``n`` that the vault ``by`` sealed to the key ``to``, its signature checked."""

    FORMAT: ClassVar = FORMAT

    by: Text
    n: Number
    to: Annotated[bytes, WrittenAs(bytes.fromhex, bytes.hex, Digest)]
    sealed: Annotated[bytes, WrittenAs(bytes.fromhex, bytes.hex, HexText)]


@frozen
class Recipient:
    """For whom a deal is sealed, besides the key: event, table, and the commitments' root."""

    event: str
    table: str
    root: bytes

    def bound(self, n: int) -> bytes:
        """What is bound into the seal, so that it does not open at another table, number or event."""
        return encode_parts(FORMAT, self.event, self.table, n, self.root)


def fingerprint(key: bytes) -> str:
    """Sixteen digits of a public key that two people can compare aloud: ``1f3a 90c2 77e0 5b1d``."""
    digits = hashlib.sha256(key).hexdigest()[:16]
    return " ".join(digits[start : start + 4] for start in range(0, 16, 4))


def vault_sealing_key(signer: Signer) -> SealingKey:
    """The vault's key to which tables seal their journals' keys; derived from its signing key, so it needs no file."""
    return SealingKey(HKDF(SHA256(), SEALING_KEY_SIZE, None, _VAULT_SEALING).derive(signer.secret))


def vault_names(holders: Sequence[str]) -> dict[str, str]:
    """The name and broker account of each holder's vault, in the plan's order: ``vault``, then ``vault-NAME``. NAME has no dot, because
    certificates contain it."""
    others = {holder: f"{VAULT}-{quote(holder, safe='').replace('.', '%2E')}" for holder in holders[1:]}
    return {holders[0]: VAULT, **others}


def seal_to(to: bytes, content: bytes, bound: bytes) -> bytes:
    """Seal content to ``to`` (encapsulated key and ciphertext); it opens only with the same ``bound``."""
    return _SUITE.encrypt(content, X25519PublicKey.from_public_bytes(to), info=bound)


def open_with(key: SealingKey, sealed: bytes, bound: bytes) -> bytes | None:
    """Open what was sealed to this key; None if it was sealed to another, for another use, or altered."""
    try:
        return _SUITE.decrypt(sealed, X25519PrivateKey.from_private_bytes(key.secret), info=bound)
    except (InvalidTag, ValueError):
        return None


def seal_deal(signer: Signer, recipient: Recipient, n: int, share: bytes, to: bytes) -> bytes:
    """The message that gives ``share`` (bytes) of deal ``n`` to the key ``to``; sealing twice gives different bytes."""
    sealed = seal_to(to, share, recipient.bound(n))
    return signer.sign(FORMAT, recipient.event, recipient.table, plain(SealedDeal(signer.by, n, to, sealed)))


def read_sealed(payload: bytes, recipient: Recipient, trusted: Mapping[str, bytes]) -> SealedDeal:
    """Check signature and form of a message; raises SealedDealError."""
    try:
        return read_as(open_signed(FORMAT, recipient.event, recipient.table, payload, trusted), SealedDeal)
    except SignatureError as error:
        raise SealedDealError("signature", f"the sealed deal is {error}") from None
    except DocumentError as error:
        raise SealedDealError("format", f"the sealed deal cannot be read: {error}") from None


def unseal(sealed: SealedDeal, recipient: Recipient, key: SealingKey) -> bytes:
    """Open a sealed deal; raises SealedDealError if it is for another key, table, event or root."""
    if sealed.to != key.public:
        whose = f"is sealed to the key {fingerprint(sealed.to)}, this table's is {fingerprint(key.public)}"
        raise SealedDealError("seal", f"deal {sealed.n} {whose}")
    opened = open_with(key, sealed.sealed, recipient.bound(sealed.n))
    if opened is None:
        for_others = "it was made for another table, or under another root"
        raise SealedDealError("seal", f"deal {sealed.n} does not open with this table's key: {for_others}")
    return opened
