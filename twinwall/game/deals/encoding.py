"""Encodes what is hashed (``enc``): each part follows its length, so different parts never give equal bytes. The first part is a tag that
names the use. Text is UTF-8, numbers are decimal text, keys and digests are raw bytes."""

import hashlib
from typing import Annotated, ClassVar, Self

from twinwall.game.documents import DocumentError, canonical_json
from twinwall.game.typed_json import HexBytes, WrittenAs, plain, read_document
from twinwall.values import Shape

DIGEST_SIZE = 32


class Sha256(HexBytes):
    """A SHA-256 digest."""

    SIZE = DIGEST_SIZE


Digest = Annotated[bytes, WrittenAs(Sha256.read, bytes.hex)]
"""A SHA-256 digest as a dataclass's field."""


class DealError(DocumentError):
    """An error about deals: a seed of wrong length, a holder without seed, a number outside the plan."""


class DealDocument(Shape):
    """A file about deals; ``called`` is its name in errors."""

    called: ClassVar[str]

    def to_json(self) -> dict[str, object]:
        return plain(self)

    @classmethod
    def from_json(cls, text: bytes | str) -> Self:
        """Read the file; refuses unknown keys, and digests or keys of wrong length."""
        return read_document(text, cls, cls.called)

    @property
    def canonical(self) -> bytes:
        """The one spelling of a document with a digest."""
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
    """``enc``: the parts in order, each after its length in four big-endian bytes."""
    return b"".join(len(raw).to_bytes(4, "big") + raw for raw in map(_raw, parts))


def _raw(part: bytes | str | int) -> bytes:
    return part if isinstance(part, bytes) else str(part).encode()


def sha256(content: bytes) -> Sha256:
    return Sha256(hashlib.sha256(content).digest())
