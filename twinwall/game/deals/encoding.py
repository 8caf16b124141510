"""The encoding of hashed bytes (``enc``): every part preceded by its length, so that two lists of parts never give the same bytes.

The tag that names the use is the first part. Text is UTF-8, numbers are their decimal text, keys
and digests are raw bytes (contracts, "Deals: twinwall-deal-1").
"""

import hashlib
from typing import Annotated, ClassVar, Self

from twinwall.game.documents import DocumentError, canonical_json
from twinwall.game.typed_json import HexBytes, WrittenAs, plain, read_document
from twinwall.values import Shape

DIGEST_SIZE = 32
"""Bytes of a SHA-256 digest."""


class Sha256(HexBytes):
    """A SHA-256 digest."""

    SIZE = DIGEST_SIZE


Digest = Annotated[bytes, WrittenAs(Sha256.read, bytes.hex)]
"""The same as a field of a dataclass."""


class DealError(DocumentError):
    """Something about deals that cannot be: a seed of the wrong length, a holder without a seed, a number outside the plan."""


class DealDocument(Shape):
    """A document about deals, as its file has it; ``called`` is what errors call it."""

    called: ClassVar[str]

    def to_json(self) -> dict[str, object]:
        """The file's object."""
        return plain(self)

    @classmethod
    def from_json(cls, text: bytes | str) -> Self:
        """Read the file; refuses unknown keys and digests or keys of another length."""
        return read_document(text, cls, cls.called)


class CanonicalDocument(DealDocument):
    """A document whose bytes are hashed: it has one spelling."""

    @property
    def canonical(self) -> bytes:
        """The file's bytes."""
        return canonical_json(self.to_json())

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """Read the file; refuses unknown keys and any spelling but the canonical one."""
        document = cls.from_json(content)
        if document.canonical != content:
            raise DealError(
                f"{cls.called} is not in canonical form (sorted keys, no spaces, one line feed at the end): its digest would differ"
            )
        return document


def encode_parts(*parts: bytes | str | int) -> bytes:
    """``enc`` of the contract: the parts in order, each after its length in four big-endian bytes."""
    return b"".join(len(raw).to_bytes(4, "big") + raw for raw in map(_raw, parts))


def _raw(part: bytes | str | int) -> bytes:
    return part if isinstance(part, bytes) else str(part).encode()


def sha256(content: bytes) -> Sha256:
    """The SHA-256 digest of some bytes."""
    return Sha256(hashlib.sha256(content).digest())
