"""The file of a holder's seed, encrypted with a passphrase.

The key is Argon2id of the passphrase (RFC 9106), the cipher ChaCha20-Poly1305 (RFC 8439). The other lines of the file are
authenticated with it, so no change goes unnoticed. Asking for the passphrase is left to the vault.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

from twinwall.game.deals import SEED_SIZE, Seed
from twinwall.game.deals.encoding import DIGEST_SIZE
from twinwall.game.documents import DocumentError, DocumentFields, canonical_json, parse_object, pretty_json

FORMAT = "twinwall-seed-file-1"
KDF, CIPHER = "argon2id", "chacha20-poly1305"
SALT_SIZE = 16
NONCE_SIZE = 12
KEY_SIZE = 32
TAG_SIZE = 16
SHORTEST_PASSPHRASE = 12
"""Characters; four random words are more. Argon2id makes each guess dear, not a short secret long."""
MOST_MEMORY_KIB = 4 << 20
"""A file that asks for more than this is refused rather than allowed to exhaust the machine."""


class SeedFileError(ValueError):
    """A seed file that cannot be opened: not written as here, changed, or another passphrase; the message says which."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one guess at a passphrase costs: memory in KiB, passes over it, and lanes worked on at once."""

    memory_kib: int
    passes: int
    lanes: int


COST = Cost(memory_kib=256 << 10, passes=3, lanes=4)
"""256 MiB and three passes: four times the memory that RFC 9106 (section 4) recommends where memory is scarce, and still a
fraction of what a Raspberry Pi has."""


def write_seed(seed: Seed, holder: str, passphrase: str, *, salt: bytes, nonce: bytes, cost: Cost = COST) -> bytes:
    """The file's bytes. ``salt`` and ``nonce`` are fresh random bytes; raises SeedFileError for a passphrase that is too short."""
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise SeedFileError(
            f"the passphrase has {len(passphrase)} characters: take {SHORTEST_PASSPHRASE} or more, four random words for example"
        )
    header = _header(holder, seed.commitment, salt, nonce, cost)
    sealed = ChaCha20Poly1305(_key(passphrase, salt, cost)).encrypt(nonce, seed.content, canonical_json(header))
    return pretty_json({**header, "sealed": sealed.hex()})


def read_seed(content: bytes, passphrase: str) -> tuple[str, Seed]:
    """The holder's name and the seed; raises SeedFileError."""
    try:
        fields = DocumentFields(parse_object(content, "the seed file"), "the seed file")
        fields.constant("format", FORMAT)
        holder, commitment, cost = fields.words("holder"), fields.hex("commitment", DIGEST_SIZE), _cost(fields)
        salt = fields.hex("salt", SALT_SIZE)
        fields.constant("cipher", CIPHER)
        nonce, sealed = fields.hex("nonce", NONCE_SIZE), fields.hex("sealed", SEED_SIZE + TAG_SIZE)
        fields.done()
    except DocumentError as error:
        raise SeedFileError(str(error)) from None
    header = _header(holder, commitment, salt, nonce, cost)
    try:
        seed = Seed(ChaCha20Poly1305(_key(passphrase, salt, cost)).decrypt(nonce, sealed, canonical_json(header)))
    except InvalidTag:
        raise SeedFileError(f"the seed of {holder!r} does not open: the passphrase is another, or the file was changed") from None
    if seed.commitment != commitment:
        raise SeedFileError(f"the seed of {holder!r} is not the one that its own commitment names")
    return holder, seed


def _cost(fields: DocumentFields) -> Cost:
    kdf = DocumentFields(fields.mapping("kdf"), fields.label("kdf"))
    kdf.constant("name", KDF)
    lanes = kdf.integer("lanes", 1, 64)
    cost = Cost(kdf.integer("memory_kib", 8 * lanes, MOST_MEMORY_KIB), kdf.integer("passes", 1, 100), lanes)
    kdf.done()
    return cost


def _header(holder: str, commitment: bytes, salt: bytes, nonce: bytes, cost: Cost) -> dict[str, object]:
    return {
        "format": FORMAT,
        "holder": holder,
        "commitment": commitment.hex(),
        "kdf": {"name": KDF, "memory_kib": cost.memory_kib, "passes": cost.passes, "lanes": cost.lanes},
        "salt": salt.hex(),
        "cipher": CIPHER,
        "nonce": nonce.hex(),
    }


def _key(passphrase: str, salt: bytes, cost: Cost) -> bytes:
    """The passphrase is taken in one Unicode form, so that keyboards that compose letters differently agree."""
    kdf = Argon2id(salt=salt, length=KEY_SIZE, iterations=cost.passes, lanes=cost.lanes, memory_cost=cost.memory_kib)
    return kdf.derive(unicodedata.normalize("NFC", passphrase).encode())
