"""Announcement of the tables' boot signing keys, signed by the vault.

The vault alone knows which boot keys it has accepted. Readers of ledgers learn them here and check the tables' heads with
them. The announcement names every table that has a key; one that it leaves out has none, or had it revoked.
"""

from collections.abc import Mapping

from twinwall.game.typed_json import Count, Digest, Text
from twinwall.values import Shape
from twinwall.wire.messages.sealing import VAULT
from twinwall.wire.messages.signing import open_document


class TableKey(Shape):
    """The boot signing key under which a table's heads count."""

    table: Text
    signing_key: Digest


class Announcement(Shape, tag_field="format", tag="twinwall-keys-1"):
    """All keys at one moment; ``counter`` rises from announcement to announcement."""

    counter: Count
    tables: tuple[TableKey, ...]


class AnnouncedKeys:
    """The reader's end: the keys of the latest announcement."""

    def __init__(self, event: str, vault_key: bytes) -> None:
        """Nothing is known before the first announcement."""
        self._event, self._trusted = event, {VAULT: vault_key}
        self._latest: Announcement | None = None
        self._heard = b""
        """The last one as it came: the vault repeats it every two seconds."""
        self.known: Mapping[str, bytes] = {}
        """The boot signing keys of all tables that have one."""

    def hear(self, payload: bytes) -> bool:
        """Take an announcement; whether it changed anything. Raises DocumentError for one that is not the vault's."""
        if payload == self._heard:
            return False
        heard = open_document(payload, Announcement, self._trusted, self._event)
        self._heard = payload
        if self._latest is not None and heard.counter <= self._latest.counter:
            return False
        self._latest = heard
        self.known = {key.table: bytes.fromhex(key.signing_key) for key in heard.tables}
        return True

    @property
    def vault_key(self) -> bytes:
        """The vault's public key, under which announcements count."""
        return self._trusted[VAULT]

    def of(self, table: str) -> bytes | None:
        """The table's boot signing key; None where the vault has announced none."""
        return self.known.get(table)


class SettledKeys:
    """The reader's end where no vault announces keys: the tables' identity keys, which the settings name."""

    def __init__(self, keys: Mapping[str, bytes]) -> None:
        self._keys = dict(keys)

    def hear(self, payload: bytes) -> bool:  # noqa: ARG002 - no key may be announced here
        """No announcement changes anything."""
        return False

    def of(self, table: str) -> bytes | None:
        """The table's identity key; None for a table that the settings do not name."""
        return self._keys.get(table)


TableKeys = AnnouncedKeys | SettledKeys
