"""QR codes between a table without network and a referee's phone: the request for a journal key, and each vault's answer, the slip. A code
is the signed document's fields in MessagePack, without what the reader knows, in base 32, whose characters need least room in a QR code.
The reader restores the signed document. A slip is split into small codes, because the camera above the table sees a phone's screen in few
pixels."""

import base64
import binascii
import hashlib
import re
from typing import Annotated, TypeVar

import msgspec
from msgspec import Struct

from twinwall.game.documents import DocumentError, canonical_json, parse_object
from twinwall.values import FrozenStruct
from twinwall.wire.messages.boot_keys import BootKeys
from twinwall.wire.messages.signing import purpose_of
from twinwall.wire.messages.vaults import journal_key

REQUEST_PATH = "/K/"
"""Precedes the request in its code: a page of the dashboard, if the table knows the address."""
SLIP_MARK = "TWS"
CHUNK = 96
"""Characters of a slip in one code. With its number that is a version 4 code (33 x 33 modules), which a 1280 x 720 camera reads when a
module is four pixels wide (``python -m benchmarks.trust codes``)."""
MOST_PARTS = 32
_PART = re.compile(rf"{SLIP_MARK}/([A-Z2-7]{{4}})/([1-9][0-9]?)/([1-9][0-9]?)/([A-Z2-7]+)", re.ASCII)
_Key = Annotated[bytes, msgspec.Meta(min_length=32, max_length=32)]
_Signature = Annotated[bytes, msgspec.Meta(min_length=64, max_length=64)]
_S = TypeVar("_S", bound=Struct)


class RequestCode(FrozenStruct, array_like=True, forbid_unknown_fields=True):
    """A table's request in its code."""

    table: str
    sealing_key: _Key
    signing_key: _Key
    kept: dict[str, bytes]
    boot: _Signature
    signature: _Signature

    @property
    def keys(self) -> BootKeys:
        """The boot keys in the request; the vaults check the signature."""
        return BootKeys(self.sealing_key, self.signing_key)

    @property
    def message(self) -> bytes:
        return canonical_json(
            {
                "format": purpose_of(journal_key.KeyRequest),
                "by": self.table,
                "sealing_key": self.sealing_key.hex(),
                "signing_key": self.signing_key.hex(),
                "kept": {vault: kept.hex() for vault, kept in self.kept.items()},
                "boot": self.boot.hex(),
                "signature": self.signature.hex(),
            }
        )


class SlipCode(FrozenStruct, array_like=True, forbid_unknown_fields=True):
    """A vault's answer in its codes; ``to`` is the beginning of the hash of the sealing key that opens it."""

    table: str
    to: bytes
    by: str
    sealed: bytes
    journal: str
    seq: int
    digest: _Key
    signature: _Signature

    def message(self, sealing_key: bytes) -> bytes:
        """The answer as the vault signed it for this sealing key."""
        return canonical_json(
            {
                "format": journal_key.GIVEN_FORMAT,
                "by": self.by,
                "to": sealing_key.hex(),
                "sealed": self.sealed.hex(),
                "journal": self.journal,
                "seq": self.seq,
                "digest": self.digest.hex(),
                "signature": self.signature.hex(),
            }
        )


def request_text(request: bytes, address: str = "") -> str:
    """The text of a request's QR code; ``address`` is the dashboard's, if the table knows it."""
    read = parse_object(request)
    kept = read["kept"]
    code = RequestCode(
        str(read["by"]),
        _raw(read["sealing_key"]),
        _raw(read["signing_key"]),
        {vault: _raw(sealed) for vault, sealed in kept.items()} if isinstance(kept, dict) else {},
        _raw(read["boot"]),
        _raw(read["signature"]),
    )
    return f"{address.rstrip('/').upper()}{REQUEST_PATH}{_text(code)}"


def read_request_text(text: str) -> RequestCode:
    """Read a request's code, with or without address; raises DocumentError."""
    try:
        return _read("".join(text.upper().split()).rpartition(REQUEST_PATH)[2], RequestCode)
    except DocumentError as error:
        raise DocumentError(f"this is no key request of a table: {error}; scan the code on the table's screen again") from None


def slip_texts(given: bytes, table: str) -> tuple[str, ...]:
    """The texts of the QR codes of a vault's answer; raises DocumentError."""
    read = parse_object(given)
    if read.get("format") != journal_key.GIVEN_FORMAT:
        raise DocumentError(f"format must be {journal_key.GIVEN_FORMAT!r}")
    seq = read.get("seq")
    code = SlipCode(
        table,
        _mark(_raw(read.get("to"))),
        str(read.get("by")),
        _raw(read.get("sealed")),
        str(read.get("journal")),
        seq if isinstance(seq, int) else 0,
        _raw(read.get("digest")),
        _raw(read.get("signature")),
    )
    whole = _text(code)
    parts = [whole[start : start + CHUNK] for start in range(0, len(whole), CHUNK)]
    return tuple(f"{SLIP_MARK}/{_checksum(whole)}/{number}/{len(parts)}/{part}" for number, part in enumerate(parts, 1))


class SlipParts:
    """Joins the codes of slips, in any order and with repeats."""

    def __init__(self, table: str, sealing_key: bytes) -> None:
        """Accept slips for this table and its sealing key of this boot; others are refused."""
        self._table, self._sealing_key = table, sealing_key
        self._parts: dict[tuple[str, int], dict[int, str]] = {}
        self._done: set[str] = set()

    def take(self, text: str) -> bytes | None:
        """The signed answer when its last code has been read, once; None before, and for other texts. Raises DocumentError, once, for a
        slip of another table or of boot keys of an earlier boot."""
        found = _PART.fullmatch(text)
        if found is None or found[1] in self._done:
            return None
        number, count = int(found[2]), int(found[3])
        if not number <= count <= MOST_PARTS:
            return None
        parts = self._parts.setdefault((found[1], count), {})
        parts[number] = found[4]
        if len(parts) < count:
            return None
        del self._parts[found[1], count]
        whole = "".join(parts[each] for each in range(1, count + 1))
        if _checksum(whole) != found[1]:
            return None
        self._done.add(found[1])
        return self._message(_read(whole, SlipCode))

    @property
    def seen(self) -> int:
        """How many codes of incomplete slips have been read."""
        return sum(map(len, self._parts.values()))

    def _message(self, slip: SlipCode) -> bytes:
        if slip.table != self._table:
            raise DocumentError(f"this slip is for table {slip.table!r}, and this is table {self._table!r}: scan the code of this table")
        if slip.to != _mark(self._sealing_key):
            raise DocumentError(
                "this slip was made for other boot keys than those that the table has now, before its last power cut or for a copy of its "
                "disk: scan the code that the table shows now"
            )
        return slip.message(self._sealing_key)


def _mark(sealing_key: bytes) -> bytes:
    return hashlib.sha256(sealing_key).digest()[:4]


def _checksum(text: str) -> str:
    return base64.b32encode(hashlib.sha256(text.encode()).digest()).decode()[:4]


def _raw(value: object) -> bytes:
    try:
        return bytes.fromhex(str(value))
    except ValueError:
        raise DocumentError(f"{value!r} is not hexadecimal") from None


def _text(code: RequestCode | SlipCode) -> str:
    return base64.b32encode(msgspec.msgpack.encode(code)).decode().rstrip("=")


def _read(text: str, shape: type[_S]) -> _S:
    try:
        return msgspec.msgpack.decode(base64.b32decode(text + "=" * (-len(text) % 8)), type=shape)
    except (binascii.Error, msgspec.DecodeError, ValueError) as error:
        raise DocumentError(f"it is not whole ({error})") from None
