"""Signatures of files: ``FILE.sig`` proves which key signed the bytes of ``FILE``. The reader decides which keys to trust."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from twinwall.game.documents import canonical_json, digest, parse_object
from twinwall.game.typed_json import Digest, HexText, plain, read_as
from twinwall.values import Shape
from twinwall.wire.messages.signing import SignatureError, Signer, is_signed

FORMAT = "twinwall-signature-1"
SUFFIX = ".sig"
SignerLine = Annotated[str, msgspec.Meta(pattern=r"^.*\S.* [0-9a-f]{64}\Z")]
"""A trusted person: a name, a blank, and 64 hex digits of the public key."""


class FileSignature(Shape, tag_field="format", tag=FORMAT):
    """A file's signature: the public key, the SHA-256 of the bytes, and the signature over both."""

    key: Digest
    digest: Digest
    signature: HexText


def sign_file(content: bytes, signer: Signer) -> bytes:
    unsigned: dict[str, object] = {"format": FORMAT, "key": signer.public.hex(), "digest": digest(content)}
    return canonical_json({**unsigned, "signature": signer.signature(FORMAT, "", "", unsigned)})


def signer_of(content: bytes, signature: bytes, trusted: Mapping[str, bytes]) -> str:
    """The name of the trusted person who signed these bytes; ``trusted`` maps names to public keys. Raises DocumentError for a malformed
    signature, SignatureError for other bytes or an untrusted key."""
    read = read_as(parse_object(signature), FileSignature)
    if read.digest != digest(content):
        raise SignatureError(f"it was changed after the key {read.key[:16]}… signed it: have it checked and signed again")
    unsigned = {key: value for key, value in plain(read).items() if key != "signature"}
    if not is_signed(bytes.fromhex(read.key), FORMAT, "", "", unsigned, signature=read.signature):
        raise SignatureError(f"its signature was not made with the key {read.key[:16]}… that it names")
    name = next((name for name, key in trusted.items() if key.hex() == read.key), None)
    if name is None:
        raise SignatureError(
            f"the key {read.key} that signed it is not trusted here (trusted: {', '.join(sorted(trusted)) or 'no key'}): "
            "ask its owner for the key's digits, compare them, and name the key among the trusted signers"
        )
    return name


def beside(path: Path) -> Path:
    return path.with_name(path.name + SUFFIX)


def signature_beside(path: Path) -> bytes | None:
    """A file's signature, or None if there is none; raises OSError."""
    return beside(path).read_bytes() if beside(path).exists() else None


def trusted_signers(lines: Iterable[SignerLine]) -> dict[str, bytes]:
    return {name: bytes.fromhex(key) for name, _, key in (line.rpartition(" ") for line in lines)}
