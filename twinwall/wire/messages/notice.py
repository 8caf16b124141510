"""Notices of the vault to the server about a table: a refused statement, a new key that waits, a contradicting ledger.

A notice is one sentence for people. The server shows it on the table's page and acts on nothing in it.
"""

from __future__ import annotations

from msgspec import Struct

from twinwall.game.documents import canonical_json
from twinwall.game.typed_json import Words, plain, read_document


class _Notice(Struct, forbid_unknown_fields=True, tag_field="format", tag="twinwall-notice-1"):
    sentence: Words


def write_notice(sentence: str) -> bytes:
    """The notice as it travels."""
    return canonical_json(plain(_Notice(sentence)))


def read_notice(payload: bytes) -> str:
    """The sentence; raises ``twinwall.game.documents.DocumentError``."""
    return read_document(payload, _Notice, "the vault's notice").sentence
