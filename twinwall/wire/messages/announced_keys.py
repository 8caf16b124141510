"""Announcement of the tables' boot signing keys, signed by the vault.

The vault alone knows which boot keys it has accepted. Readers of ledgers learn them here and check the tables' heads with
them. The announcement names every table that has a key; one that it leaves out has none, or had it revoked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from twinwall.game.typed_json import Count, Digest, Text
from twinwall.wire.messages.sealing import VAULT
from twinwall.wire.messages.signing import Signer, open_document, sign_document

FORMAT = "twinwall-keys-1"
NO_TABLE = ""
"""The announcement is for everybody, and signed for no table."""


class TableKey(Struct, frozen=True, forbid_unknown_fields=True):
    """The boot signing key under which a table's heads count."""

    table: Text
    signing_key: Digest


class Announcement(Struct, frozen=True, forbid_unknown_fields=True, tag_field="format", tag=FORMAT):
    """All keys at one moment; ``counter`` rises from announcement to announcement."""

    counter: Count
    tables: tuple[TableKey, ...]


def write_announcement(signer: Signer, event: str, announcement: Announcement) -> bytes:
    """The announcement as it travels."""
    return sign_document(signer, FORMAT, event, NO_TABLE, announcement)


class AnnouncedKeys:
    """The reader's end: the keys of the latest announcement."""

    def __init__(self, event: str, vault_key: bytes) -> None:
        """Nothing is known before the first announcement."""
        self._event, self._trusted = event, {VAULT: vault_key}
        self._latest: Announcement | None = None
        self._heard = b""
        """The last one as it came: the vault repeats it every two seconds."""
        self._keys: dict[str, bytes] = {}

    def hear(self, payload: bytes) -> bool:
        """Take an announcement; whether it changed anything. Raises DocumentError for one that is not the vault's."""
        if payload == self._heard:
            return False
        heard = open_document(FORMAT, self._event, NO_TABLE, payload, self._trusted, shape=Announcement)
        self._heard = payload
        if self._latest is not None and heard.counter <= self._latest.counter:
            return False
        self._latest = heard
        self._keys = {key.table: bytes.fromhex(key.signing_key) for key in heard.tables}
        return True

    @property
    def vault_key(self) -> bytes:
        """The vault's public key, under which announcements count."""
        return self._trusted[VAULT]

    @property
    def known(self) -> Mapping[str, bytes]:
        """The boot signing keys of all tables that have one."""
        return self._keys

    def of(self, table: str) -> bytes | None:
        """The table's boot signing key; None where the vault has announced none."""
        return self._keys.get(table)


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


TableKeys: TypeAlias = AnnouncedKeys | SettledKeys
