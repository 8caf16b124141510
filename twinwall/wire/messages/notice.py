"""Notices of the vault to the server about a table: a refused statement, a new key that waits, a contradicting ledger.

A notice is one sentence for people. The server shows it on the table's page and acts on nothing in it.
"""

from __future__ import annotations

from twinwall.game.documents import DocumentFields, canonical_json, parse_object

FORMAT = "twinwall-notice-1"


def write_notice(sentence: str) -> bytes:
    """The notice as it travels."""
    return canonical_json({"format": FORMAT, "sentence": sentence})


def read_notice(payload: bytes) -> str:
    """The sentence; raises ``twinwall.game.documents.DocumentError``."""
    fields = DocumentFields(parse_object(payload, "the vault's notice"), "the vault's notice")
    fields.constant("format", FORMAT)
    sentence = fields.words("sentence")
    fields.done()
    return sentence
