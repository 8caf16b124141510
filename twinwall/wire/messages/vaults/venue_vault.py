"""What a venue's vault reports to the centre's vault of its holder, signed in the venue's name under its enrolled key. It is not queued for
a centre that is away, so its clock is current; the next report says the same again."""

from collections.abc import Mapping

from twinwall.game.documents import DocumentError
from twinwall.game.typed_json import Count, Digest, Text
from twinwall.values import Shape
from twinwall.wire.messages.signing import Recipient, open_document


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
