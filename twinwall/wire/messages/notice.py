"""Notices to a hall's server: of the vault about a table, such as a refused statement, and of a centre of many venues about the hall.

A notice is one sentence for people. The server shows it, the vault's on the table's page, and acts on nothing in it.
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
    return read_document(payload, _Notice, "a notice").sentence
