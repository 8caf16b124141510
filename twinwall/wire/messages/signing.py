"""Signatures and seals: documents signed with Ed25519, files of signing keys, counters against repeats, and deals sealed to a table.

A signature covers the document, its purpose, the event and the table, so a document signed for one table means nothing at another.
The reader decides which keys it trusts for which purpose.

A sealed deal is one holder's share of a deal. The seal is HPKE (RFC 9180, base mode: X25519, HKDF-SHA256, ChaCha20-Poly1305) to the
table's key of this boot; event, table, number and root are bound into it, and the holder's vault signs it. A broker, another table or the
server sees a number and noise. ``twinwall.custody`` decides who is given what and when; ``twinwall.game.deals`` checks that the content is
the committed deal.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
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
"""Bytes of a signing key and of the public key that checks it (RFC 8032)."""
KEY_LABEL = "twinwall-signing-key-1"
_D = TypeVar("_D", bound=Struct)
RESERVED_MS = 60_000
"""So far ahead a counter is written down, so that not every number waits for the disk."""


class SignatureError(DocumentError):
    """A document that no key trusted here has signed for this purpose, event and table."""


@frozen
class Signer:
    """Somebody who signs: a name that readers know, and the key that ``repr`` never shows."""

    by: str
    secret: bytes = field(repr=False)

    @property
    def public(self) -> bytes:
        """The key with which others check this signer's signatures."""
        return Ed25519PrivateKey.from_private_bytes(self.secret).public_key().public_bytes_raw()

    def sign(self, purpose: str, event: str, table: str, document: Mapping[str, object]) -> bytes:
        """The document as it travels: canonical, with ``by`` and ``signature`` added."""
        named = {**document, "by": self.by}
        return canonical_json({**named, "signature": self.signature(purpose, event, table, named)})

    def signature(self, purpose: str, event: str, table: str, document: Mapping[str, object]) -> str:
        """The signature (hex) over a document as it stands."""
        return Ed25519PrivateKey.from_private_bytes(self.secret).sign(_signed(purpose, event, table, document)).hex()


def open_signed(purpose: str, event: str, table: str, payload: bytes, trusted: Mapping[str, bytes]) -> dict[str, object]:
    """Read a signed document and give it back without ``signature``.

    ``trusted`` maps signers' names to their public keys. Raises DocumentError when it is no canonical JSON object,
    SignatureError when no trusted key has signed exactly this for this purpose, event and table.
    """
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
    """Whether the signature (hex) is one under ``public`` over exactly this document, for this purpose, event and table."""
    try:
        raw = bytes.fromhex(signature) if isinstance(signature, str) and signature == signature.lower() else b""
        Ed25519PublicKey.from_public_bytes(public).verify(raw, _signed(purpose, event, table, document))
    except (ValueError, InvalidSignature):
        return False
    return True


def purpose_of(shape: type[Struct]) -> str:
    """What the signature under a msgspec document is for: its tag, which is its ``format``."""
    return str(shape.__struct_config__.tag)


def sign_document(signer: Signer, document: Struct, event: str = "", table: str = "") -> bytes:
    """A msgspec document as it travels, for one event and one table, or (empty) for all."""
    return signer.sign(purpose_of(type(document)), event, table, sent(document))


def open_document(payload: bytes, shape: type[_D], trusted: Mapping[str, bytes], event: str = "", table: str = "") -> _D:
    """Read what ``sign_document`` wrote; raises DocumentError as ``open_signed`` does."""
    return open_named_document(payload, shape, trusted, event, table)[1]


def open_named_document(payload: bytes, shape: type[_D], trusted: Mapping[str, bytes], event: str = "", table: str = "") -> tuple[str, _D]:
    """Who signed it, and what ``sign_document`` wrote; raises as ``open_document`` does."""
    read = open_signed(purpose_of(shape), event, table, payload, trusted)
    return str(read.pop("by")), read_as(read, shape)


def write_signing_key(path: Path, secret: bytes) -> None:
    """Write a new signing key's file, readable by its owner alone; raises FileExistsError rather than write over one."""
    create_durably(path, f"{KEY_LABEL} {secret.hex()}\n".encode(), 0o600)


def read_signer(by: str, path: Path) -> Signer:
    """The signer whose key lies in a file; raises OSError or DocumentError."""
    words = path.read_text(encoding="utf-8", errors="replace").split()
    if len(words) != 2 or words[0] != KEY_LABEL or len(words[1]) != 2 * KEY_SIZE or not set(words[1]) <= set("0123456789abcdef"):
        raise DocumentError(f"{path} does not hold a signing key: make one with twinwall vault key FILE")
    if path.stat().st_mode & 0o077:
        raise DocumentError(f"{path} can be read by others than its owner: say chmod 600 {path}")
    return Signer(by, bytes.fromhex(words[1]))


class Counter:
    """Rising numbers for what one signer sends, across restarts too: a clock in milliseconds, or one more than the last.

    With a file it rises even where the clock was set back while the program was down: the file holds a number that is
    above all given so far, written down before any number up to it is given.
    """

    def __init__(self, now_ms: Callable[[], int], file: Path | None = None) -> None:
        """``now_ms`` is any clock that does not stand still while the program is down.

        Raises DocumentError for a file that holds no number.
        """
        self._now_ms = now_ms
        self._file = file
        self._last = self._reserved = 0 if file is None else _kept_number(file)

    def next(self) -> int:
        """A number above all given before."""
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
    """Which counters have been heard: whatever is not above the last of its signer is a repeat and has no effect."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    def is_new(self, by: str, counter: int) -> bool:
        """Whether this is the signer's highest counter so far; from now on it is heard."""
        if counter <= self._last.get(by, -1):
            return False
        self._last[by] = counter
        return True


def _signed(purpose: str, event: str, table: str, document: Mapping[str, object]) -> bytes:
    return encode_parts(purpose, event, table, canonical_json(document))


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
