"""The encoding of hashed bytes (``enc``): every part preceded by its length, so that two lists of parts never give the same bytes.

The tag that names the use is the first part. Text is UTF-8, numbers are their decimal text, keys
and digests are raw bytes (contracts, "Deals: twinwall-deal-1").
"""

import hashlib
from typing import Annotated

from twinwall.game.documents import DocumentError
from twinwall.game.typed_json import HexBytes, WrittenAs

DIGEST_SIZE = 32
"""Bytes of a SHA-256 digest."""


class Sha256(HexBytes):
    """A SHA-256 digest."""

    SIZE = DIGEST_SIZE


Digest = Annotated[bytes, WrittenAs(Sha256.read, bytes.hex)]
"""The same as a field of a dataclass."""


class DealError(DocumentError):
    """Something about deals that cannot be: a seed of the wrong length, a holder without a seed, a number outside the plan."""


def encode_parts(*parts: bytes | str | int) -> bytes:
    """``enc`` of the contract: the parts in order, each after its length in four big-endian bytes."""
    return b"".join(len(raw).to_bytes(4, "big") + raw for raw in map(_raw, parts))


def _raw(part: bytes | str | int) -> bytes:
    return part if isinstance(part, bytes) else str(part).encode()


def sha256(content: bytes) -> Sha256:
    """The SHA-256 digest of some bytes."""
    return Sha256(hashlib.sha256(content).digest())
