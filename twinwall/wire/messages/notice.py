"""What the vault tells the hall's server about a table, for people: a statement that is refused, a new key that waits, a ledger that lies.

A sentence and nothing else; the server shows it on the table's page and acts on nothing in it.
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
