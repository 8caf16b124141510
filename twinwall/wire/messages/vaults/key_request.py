"""Request of a table that lost power and hears no vault: its new boot keys, and what it has kept of its journal's key.

It goes to the vaults on somebody's phone. It is signed as a statement is, but carries no challenge and no head: a vault that takes it
gives the key to boot keys that a person has allowed, and learns nothing of what the table has played. A request that is shown again
is answered for the same boot keys, of no use to anybody else.
"""

from collections.abc import Mapping

from twinwall.game.documents import Reading
from twinwall.game.typed_json import HexText
from twinwall.wire.messages.boot_keys import BootKeys, NamesBootKeys, open_signed_twice


class KeyRequest(NamesBootKeys, tag_field="format", tag="twinwall-key-request-1"):
    """``kept`` is what the table has kept of its journal's key (hex), by the vault to which it is sealed."""

    kept: dict[str, HexText]

    @classmethod
    def of(cls, keys: BootKeys, kept: Mapping[str, str]) -> "KeyRequest":
        """The request of a table with these boot keys."""
        return cls(keys.sealing.hex(), keys.signing.hex(), dict(kept))


def read_key_request(payload: bytes, event: str, table: str, trusted: Mapping[str, bytes]) -> KeyRequest:
    """Read a request of this table; ``trusted`` holds its identity key under its name. Raises DocumentError."""
    with Reading(f"the key request of table {table!r} is refused"):
        return open_signed_twice(payload, KeyRequest, trusted, event, table)
