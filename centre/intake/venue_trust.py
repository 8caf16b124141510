"""What the centre believes of a venue: its statement, and the keys of its tables that its vault has announced."""

from twinwall.event.store.programme import Programme
from twinwall.game.documents import DocumentError, Reading
from twinwall.values import frozen
from twinwall.wire.messages.boot_keys import AnnouncedKeys
from twinwall.wire.messages.venue_messages import SPOKEN, VenueStatement, read_venue_statement


@frozen
class CentreVenue:
    """A venue as the centre's settings name it.

    Attributes:
        region: the field between the venue and all.
        key: the public key of the venue's server; None in a rehearsal, where nothing of the venue is signed.
    """

    name: str
    region: str = ""
    key: bytes | None = None


class VenueTrust:
    """What one venue has said about itself, and whether it may be compared with the others."""

    def __init__(self, venue: CentreVenue, programme: Programme) -> None:
        """``programme`` is the centre's."""
        self.venue, self._centre = venue, programme
        self.programme: Programme | None = None
        """The venue's programme; None until it has sent one."""
        self.refusal: str | None = None
        """Why nothing of the venue is accepted, in a sentence for its staff."""
        self._vault_key: str | None = None
        self._keys: AnnouncedKeys | None = None

    def state(self, payload: bytes) -> bool:
        """Take a statement; returns whether it was the venue's own. One that is not leaves a sentence, and changes nothing else.

        Raises DocumentError for a statement that somebody else has made.
        """
        statement = read_venue_statement(payload, self._centre.event, self.venue.name, self.venue.key)
        if self.venue.key is None and self._vault_key not in (None, statement.vault_key):
            raise DocumentError(f"two venues say that they are {self.venue.name!r}: the first stays; give the other one a name of its own")
        programme, self.refusal = self._judged(statement)
        if programme is None:
            return False
        self.programme = programme
        if statement.vault_key is not None and statement.vault_key != self._vault_key:
            self._vault_key = statement.vault_key
            self._keys = AnnouncedKeys(self._centre.event, bytes.fromhex(statement.vault_key))
        return True

    def announce(self, payload: bytes) -> bool:
        """Take an announcement of the tables' keys; returns whether it changed anything. Raises DocumentError for another vault's."""
        if self._keys is None:
            return False
        with Reading(f"keys announced in the name of venue {self.venue.name!r} are refused"):
            return self._keys.hear(payload)

    def key_of(self, table: str) -> bytes | None:
        """The key under which a table's heads count; None if none is known."""
        return None if self._keys is None else self._keys.of(table)

    def _judged(self, statement: VenueStatement) -> tuple[Programme | None, str | None]:
        """The venue's programme, or why the venue cannot be compared with the others."""
        name = f"venue {self.venue.name!r}"
        if statement.spoken != SPOKEN:
            return None, (
                f"{name} runs version {statement.version}, which speaks form {statement.spoken} of the wire to the centre; "
                f"this centre speaks form {SPOKEN}: install the centre's version at the venue"
            )
        try:
            programme = Programme.from_document(statement.programme.encode())
        except DocumentError as error:
            return None, f"{name}: {error}"
        differing = [
            what
            for what, here, there in (
                ("event", self._centre.event, programme.event),
                ("kind of event", self._centre.field.kind, programme.field.kind),
                ("plan and start", self._centre.custody, programme.custody),
                ("IMP scale", self._centre.scale.digest, programme.scale.digest),
            )
            if here != there
        ]
        if differing:
            return None, f"{name} plays by another {' and another '.join(differing)} than the centre: give it the files of this event"
        return programme, None
