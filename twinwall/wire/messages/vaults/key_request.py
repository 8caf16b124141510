"""Request of a table that lost power and hears no vault: its new boot keys, and what it has kept of its journal's key.

It goes to the vaults on somebody's phone. It is signed as a statement is, but carries no challenge and no head: a vault that takes it
gives the key to boot keys that a person has allowed, and learns nothing of what the table has played. A request that is shown again
is answered for the same boot keys, of no use to anybody else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from twinwall.game.documents import Reading
from twinwall.game.typed_json import HexText
from twinwall.wire.messages.boot_keys import BootKeys, NamesBootKeys, open_signed_twice, sign_twice
from twinwall.wire.messages.signing import Signer

FORMAT = "twinwall-key-request-1"


@dataclass(frozen=True, slots=True)
class KeyRequest:
    """``keys`` are the table's boot keys; ``kept`` is what it has kept of its journal's key (hex), by the vault to which it is sealed."""

    keys: BootKeys
    kept: Mapping[str, str]


class KeyRequestDocument(NamesBootKeys, frozen=True, forbid_unknown_fields=True, tag_field="format", tag=FORMAT):
    kept: dict[str, HexText]


def write_key_request(identity: Signer, boot: Signer, event: str, table: str, request: KeyRequest) -> bytes:
    """The request as it travels, signed under the identity key and under the boot signing key."""
    document = KeyRequestDocument(request.keys.sealing.hex(), request.keys.signing.hex(), dict(request.kept))
    return sign_twice(identity, boot, FORMAT, event, table, document=document)


def read_key_request(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes]) -> KeyRequest:
    """Read a request of this table; ``trusted`` holds its identity key under its name. Raises DocumentError."""
    with Reading(f"the key request of table {table!r} is refused"):
        read = open_signed_twice(FORMAT, event, table, payload, trusted, shape=KeyRequestDocument)
    return KeyRequest(read.keys, read.kept)
