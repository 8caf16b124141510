"""Messages between a venue's server or vault and the centre, and notices to a hall's server. A notice is one sentence for people, from the
vault about a table or from the centre about the hall; the server only shows it. The centre's order asks for ledger lines again, which the
server reads from the event's store. A venue's statement has its program's version, its programme and its vault's key; the venue's server
signs it under the key in the centre's settings (unsigned in a rehearsal without keys). A venue's vault reports to the centre's vault of its
holder under its enrolled key; that is not queued for a centre that is away, so its clock is current."""

from collections.abc import Mapping

from msgspec import Struct

from twinwall.game.documents import DocumentError, Reading, canonical_json, parse_object
from twinwall.game.typed_json import Count, Digest, Number, Text, Words, plain, read_as, read_document
from twinwall.values import Shape
from twinwall.wire.messages.signing import Recipient, Signer, open_document, sign_document


class _Notice(Struct, forbid_unknown_fields=True, tag_field="format", tag="twinwall-notice-1"):
    sentence: Words


def write_notice(sentence: str) -> bytes:
    return canonical_json(plain(_Notice(sentence)))


def read_notice(payload: bytes) -> str:
    """The sentence; raises DocumentError."""
    return read_document(payload, _Notice, "a notice").sentence


LAST_LINE = 2**53 - 1
"""The largest line number: an integer that every JSON reader can hold."""


class ResendOrder(Shape, tag_field="format", tag="twinwall-resend-1"):
    """Send lines ``first`` to ``last`` (inclusive) of a journal again, and the signed head of the last one. If that line has no stored
    head, the venue continues to the next line with one, or ends at the last line that has one. A later head without the lines up to it
    would never close a gap longer than an order."""

    event: Text
    table: Text
    journal: Text
    first: Count
    last: Count


def write_resend_order(order: ResendOrder) -> bytes:
    return canonical_json(plain(order))


def read_resend_order(payload: bytes) -> ResendOrder:
    order = read_as(parse_object(payload), ResendOrder)
    if not 1 <= order.first <= order.last <= LAST_LINE:
        raise DocumentError(f"lines {order.first} to {order.last} are no range from 1 to {LAST_LINE}")
    return order


SPOKEN = 1
"""The version of all messages between venue and centre that this program uses."""


class VenueStatement(Shape, tag_field="format", tag="twinwall-venue-1"):
    """One venue: the message version it uses, its program's version (for people), its programme's document from the store, and the key
    under which its vault announces tables' keys (None in a rehearsal without a vault)."""

    spoken: Number
    version: Text
    programme: Text
    vault_key: Digest | None = None


def write_venue_statement(signer: Signer | None, event: str, statement: VenueStatement) -> bytes:
    """Write a statement; ``signer`` has the venue's name, None in a rehearsal."""
    if signer is None:
        return canonical_json(plain(statement))
    return sign_document(signer, statement, event)


def read_venue_statement(payload: bytes, event: str, venue: str, key: bytes | None) -> VenueStatement:
    """Read a venue's statement; ``key`` is the venue's, None in a rehearsal without keys. Raises DocumentError."""
    with Reading(f"a statement in the name of venue {venue!r} is refused"):
        if key is None:
            return read_as(parse_object(payload), VenueStatement)
        return open_document(payload, VenueStatement, {venue: key}, event)


class VenueVaultStatement(Shape, tag_field="format", tag="twinwall-venue-vault-1"):
    """One venue's vault. ``counter`` rises with each report.

    - holder: vaults of other holders ignore it.
    - at: the venue's clock, as ``write_time`` writes it.
    - start: the event's start code.
    - sealing_key: of this start of its process, in memory only.
    - begun, finished: deals that a table has begun, and that all tables have finished.
    - asks: deals that it may need and does not hold.
    - holds: deals for which it has shares; None from an earlier version.
    - slips: its released slips.
    """

    holder: Text
    counter: Count
    at: Text
    start: Digest
    sealing_key: Digest
    begun: tuple[Count, ...] = ()
    finished: tuple[Count, ...] = ()
    asks: tuple[Count, ...] = ()
    holds: tuple[Count, ...] | None = None
    slips: tuple[Count, ...] = ()


def read_venue_vault(payload: bytes, event: str, venue: str, enrolled: Mapping[str, bytes]) -> VenueVaultStatement:
    """Read a venue's report; raises DocumentError."""
    try:
        return open_document(payload, VenueVaultStatement, {venue: enrolled[venue]}, event)
    except DocumentError as error:
        raise DocumentError(
            f"what came in the name of venue {venue!r}'s vault is refused: {error}; the key that the centre's vault has enrolled for it "
            "must be that of the venue's vault"
        ) from None


def venue_recipient(event: str, venue: str, root: bytes) -> Recipient:
    """The recipient of a venue's shares, which open neither at another venue nor at a table."""
    return Recipient(event, f"venue/{venue}", root)
