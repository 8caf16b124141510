"""Messages between a venue's server and the centre of many venues, and notices to a hall's server.

A notice is one sentence for people, of the vault about a table or of the centre about the hall; the server shows it and acts on nothing in
it. The centre's order asks for lines of a table's ledger again, which the server answers from the event's store. A venue's statement says
its program's version, its programme and its vault's key. The venue's server signs it with the key that the centre's settings name for
this venue, so others cannot speak in the venue's name; in a rehearsal without keys it travels bare.
"""

from msgspec import Struct

from twinwall.game.documents import DocumentError, Reading, canonical_json, parse_object
from twinwall.game.typed_json import Count, Digest, Number, Text, Words, plain, read_as, read_document
from twinwall.values import Shape
from twinwall.wire.messages.signing import Signer, open_document, sign_document


class _Notice(Struct, forbid_unknown_fields=True, tag_field="format", tag="twinwall-notice-1"):
    sentence: Words


def write_notice(sentence: str) -> bytes:
    """The notice as it travels."""
    return canonical_json(plain(_Notice(sentence)))


def read_notice(payload: bytes) -> str:
    """The sentence; raises ``twinwall.game.documents.DocumentError``."""
    return read_document(payload, _Notice, "a notice").sentence


LAST_LINE = 2**53 - 1
"""No ledger is longer: a whole number that every reader of JSON can hold."""


class ResendOrder(Shape, tag_field="format", tag="twinwall-resend-1"):
    """Lines ``first`` to ``last``, both included, of a journal.

    The venue sends them, and then the signed head of the last line that it sent. Where no head of the last of them is kept, it goes on to
    the next line that has one, or ends at the last that has. With a later head alone a gap that is longer than an order never closes.
    """

    event: Text
    table: Text
    journal: Text
    first: Count
    last: Count


def write_resend_order(order: ResendOrder) -> bytes:
    """The order as it travels."""
    return canonical_json(plain(order))


def read_resend_order(payload: bytes) -> ResendOrder:
    """Read an order; raises DocumentError."""
    order = read_as(parse_object(payload), ResendOrder)
    if not 1 <= order.first <= order.last <= LAST_LINE:
        raise DocumentError(f"lines {order.first} to {order.last} are no range from 1 to {LAST_LINE}")
    return order


SPOKEN = 1
"""The form of everything between venue and centre that this program speaks."""


class VenueStatement(Shape, tag_field="format", tag="twinwall-venue-1"):
    """One venue.

    Attributes:
        spoken: the form of the wire that it speaks.
        version: of its program, for people.
        programme: the document of its programme, as its store has it.
        vault_key: under which its tables' keys are announced; None in a rehearsal without a vault.
    """

    spoken: Number
    version: Text
    programme: Text
    vault_key: Digest | None = None


def write_venue_statement(signer: Signer | None, event: str, statement: VenueStatement) -> bytes:
    """The statement as it travels; ``signer`` has the venue's name, and is None in a rehearsal."""
    if signer is None:
        return canonical_json(plain(statement))
    return sign_document(signer, statement, event)


def read_venue_statement(payload: bytes, event: str, venue: str, key: bytes | None) -> VenueStatement:
    """Read a venue's statement; ``key`` is the venue's, None in a rehearsal without keys. Raises DocumentError."""
    with Reading(f"a statement in the name of venue {venue!r} is refused"):
        if key is None:
            return read_as(parse_object(payload), VenueStatement)
        return open_document(payload, VenueStatement, {venue: key}, event)
