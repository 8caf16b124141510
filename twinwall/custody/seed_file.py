"""The file of a holder's seed, encrypted with a passphrase, for which the vault asks. Key: Argon2id of the passphrase (RFC 9106); cipher:
ChaCha20-Poly1305 (RFC 8439). The file's other lines are authenticated too."""

import unicodedata
from typing import Annotated, Final, Literal

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from msgspec import Meta
from msgspec.structs import replace

from twinwall.game.deals import SEED_SIZE, Seed
from twinwall.game.deals.encoding import Sha256
from twinwall.game.documents import DocumentError, canonical_json, pretty_json
from twinwall.game.typed_json import HexBytes, Words, plain, read_document
from twinwall.values import Shape

CIPHER: Final = "chacha20-poly1305"
SALT_SIZE = 16
NONCE_SIZE = 12
KEY_SIZE = 32
SHORTEST_PASSPHRASE = 12
"""Characters; four random words have more. Argon2id makes each guess expensive, but does not replace length."""
MOST_MEMORY_KIB = 4 << 20
"""A file that asks for more is refused, so that it cannot exhaust the machine."""


class Cost(Shape, tag_field="name", tag="argon2id"):
    """The cost of one guess at a passphrase: memory in KiB, passes over it, and parallel lanes."""

    memory_kib: Annotated[int, Meta(le=MOST_MEMORY_KIB)]
    passes: Annotated[int, Meta(ge=1, le=100)]
    lanes: Annotated[int, Meta(ge=1, le=64)]

    def __post_init__(self) -> None:
        """Refuse less memory than Argon2id needs."""
        if self.memory_kib < 8 * self.lanes:
            raise ValueError(f"memory_kib must be {8 * self.lanes} or more for {self.lanes} lanes, not {self.memory_kib}")


COST = Cost(memory_kib=256 << 10, passes=3, lanes=4)
"""256 MiB and three passes: four times the memory that RFC 9106 (section 4) recommends when memory is scarce, and a fraction of a Raspberry
Pi's."""


class Salt(HexBytes):
    SIZE = SALT_SIZE


class Nonce(HexBytes):
    SIZE = NONCE_SIZE


class SealedSeed(HexBytes):
    """The encrypted seed with its tag."""

    SIZE = SEED_SIZE + 16


class _SeedFile(Shape, tag_field="format", tag="twinwall-seed-file-1"):
    holder: Words
    commitment: Sha256
    kdf: Cost
    salt: Salt
    cipher: Literal["chacha20-poly1305"]
    nonce: Nonce
    sealed: SealedSeed


def write_seed(seed: Seed, holder: str, passphrase: str, *, salt: bytes, nonce: bytes, cost: Cost = COST) -> bytes:
    """The file's bytes; ``salt`` and ``nonce`` are fresh random bytes. Raises DocumentError for a short passphrase."""
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise DocumentError(
            f"the passphrase has {len(passphrase)} characters: take {SHORTEST_PASSPHRASE} or more, four random words for example"
        )
    file = _SeedFile(holder, seed.commitment, cost, Salt(salt), CIPHER, Nonce(nonce), SealedSeed())
    sealed = ChaCha20Poly1305(_key(passphrase, salt, cost)).encrypt(nonce, seed.content, _header(file))
    return pretty_json(plain(replace(file, sealed=SealedSeed(sealed))))


def read_seed(content: bytes, passphrase: str) -> tuple[str, Seed]:
    """The holder's name and the seed; raises DocumentError."""
    read = read_document(content, _SeedFile, "the seed file")
    try:
        seed = Seed(ChaCha20Poly1305(_key(passphrase, read.salt, read.kdf)).decrypt(read.nonce, read.sealed, _header(read)))
    except InvalidTag:
        raise DocumentError(f"the seed of {read.holder!r} does not open: the passphrase is another, or the file was changed") from None
    if seed.commitment != read.commitment:
        raise DocumentError(f"the seed of {read.holder!r} is not the one that its own commitment names")
    return read.holder, seed


def _header(file: _SeedFile) -> bytes:
    return canonical_json({key: value for key, value in plain(file).items() if key != "sealed"})


def _key(passphrase: str, salt: bytes, cost: Cost) -> bytes:
    """Derive the key from the NFC passphrase, because keyboards compose letters differently."""
    kdf = Argon2id(salt=salt, length=KEY_SIZE, iterations=cost.passes, lanes=cost.lanes, memory_cost=cost.memory_kib)
    return kdf.derive(unicodedata.normalize("NFC", passphrase).encode())
