"""What a venue's vault tells the centre's vault of its holder: its sealing key, how far its tables are, what it lacks, and its clock.

The venue's vault signs it in the venue's name, with the key that the centre's vault has enrolled. It is not held for a centre that is
away, so its clock is of the moment; the next one says the same again.
"""

from collections.abc import Mapping

from twinwall.game.documents import DocumentError
from twinwall.game.typed_json import Count, Digest, Text
from twinwall.values import Shape
from twinwall.wire.messages.signing import Recipient, open_document


class VenueVaultStatement(Shape, tag_field="format", tag="twinwall-venue-vault-1"):
    """One venue's vault.

    Attributes:
        holder: whose vault it is; that of another holder does not heed it.
        counter: rises with each statement.
        at: what the venue's clock shows, as ``write_time`` writes it.
        start: the event's start code.
        sealing_key: of this start of its process, in memory alone.
        begun, finished: the deals that a table has begun, and that all tables have finished.
        asks: the deals that it may need and does not hold.
        holds: the deals whose shares it has; None from an earlier version, which does not say so.
        slips: the released slips that it has.
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
    """Read what a venue's vault says; raises DocumentError."""
    try:
        return open_document(payload, VenueVaultStatement, {venue: enrolled[venue]}, event)
    except DocumentError as error:
        raise DocumentError(
            f"what came in the name of venue {venue!r}'s vault is refused: {error}; the key that the centre's vault has enrolled for it "
            "must be that of the venue's vault"
        ) from None


def venue_recipient(event: str, venue: str, root: bytes) -> Recipient:
    """Whom a share of a venue is for: at another venue, or at a table, it does not open."""
    return Recipient(event, f"venue/{venue}", root)
