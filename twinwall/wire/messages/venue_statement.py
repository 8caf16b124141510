"""What a venue tells the centre of itself: its program's version, the programme that it plays by, and its vault's key.

The venue's server signs it with the key that the centre's settings name for this venue, so others cannot speak in the venue's name.
In a rehearsal without keys it travels bare.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Struct

from twinwall.game.documents import Reading, canonical_json, parse_object
from twinwall.game.typed_json import Digest, Text, read_as
from twinwall.wire.messages.announced_keys import NO_TABLE
from twinwall.wire.messages.signing import Signer, open_document, sign_document

FORMAT = "twinwall-venue-1"
SPOKEN = 1
"""The form of everything between venue and centre that this program speaks."""


class VenueStatement(Struct, frozen=True, forbid_unknown_fields=True, tag_field="format", tag=FORMAT):
    """One venue.

    Attributes:
        spoken: the form of the wire that it speaks.
        version: of its program, for people.
        programme: the document of its programme, as its store has it.
        vault_key: under which its tables' keys are announced; None in a rehearsal without a vault.
    """

    spoken: Annotated[int, msgspec.Meta(ge=1)]
    version: Text
    programme: Text
    vault_key: Digest | None = None


def write_venue_statement(signer: Signer | None, event: str, statement: VenueStatement) -> bytes:
    """The statement as it travels; ``signer`` has the venue's name, and is None in a rehearsal."""
    if signer is None:
        return canonical_json(msgspec.to_builtins(statement))
    return sign_document(signer, FORMAT, event, NO_TABLE, statement)


def read_venue_statement(payload: bytes, event: str, venue: str, key: bytes | None) -> VenueStatement:
    """Read a venue's statement; ``key`` is the venue's, None in a rehearsal without keys. Raises DocumentError."""
    with Reading(f"a statement in the name of venue {venue!r} is refused"):
        if key is None:
            return read_as(parse_object(payload), VenueStatement)
        return open_document(FORMAT, event, NO_TABLE, payload, {venue: key}, shape=VenueStatement)
