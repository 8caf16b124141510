"""A venue's account at the centre's brokers: its user name, its client identifier and the topics that are its own.

Whoever connects to the centre is told apart by the common name of his certificate, which is the account. A venue that was robbed gets
another account (``issue`` rises), so the stolen certificate is of nobody; its topics stay the venue's.
"""

from typing import Final
from urllib.parse import quote

from twinwall.values import frozen
from twinwall.wire.certificates import LONGEST_NAME, fingerprint

VENUE_ROOT: Final = "venue"
"""At the centre every topic of a venue is below ``venue/<venue>/``."""
FINGERPRINT_DIGITS = 16


class VenueError(ValueError):
    """A venue that cannot have an account; the message names it and says what to do."""


@frozen
class VenueAccount:
    """One venue's account; raises VenueError for a name that is empty or too long for a certificate.

    Attributes:
        venue: its name, any text.
        issue: how many accounts it has had, this one included.
    """

    venue: str
    issue: int = 1

    def __post_init__(self) -> None:
        if not self.venue:
            raise VenueError("a venue has no name: give it one")
        if len(self.user) > LONGEST_NAME:
            raise VenueError(f"venue {self.venue!r} has a name that is too long for a certificate: give it a shorter one")

    @property
    def user(self) -> str:
        """The account: the common name of the venue's certificate, and the user at the centre's brokers."""
        return f"{VENUE_ROOT}-{self.encoded}-{self.issue}"

    @property
    def prefix(self) -> str:
        """What every topic of the venue begins with at the centre, with the slash."""
        return f"{VENUE_ROOT}/{self.encoded}/"

    @property
    def encoded(self) -> str:
        """The venue's name as one level of a topic. RabbitMQ takes a dot for the end of a level, so it is encoded too."""
        return quote(self.venue, safe="").replace(".", "%2E")

    def client_id(self, certificate: bytes) -> str:
        """The session at the centre's brokers, with a part of the certificate's fingerprint, so that no other venue can name it.

        A second connection with a client identifier ends the first, whoever's it is. Raises CertificateError for what is no certificate.
        """
        return f"{self.user}/{fingerprint_digits(certificate)}"


def fingerprint_digits(certificate: bytes) -> str:
    """What only the certificate's owner and the brokers know, to end a client identifier with; raises CertificateError."""
    return fingerprint(certificate).hex()[:FINGERPRINT_DIGITS]


def accounts_of(venues: tuple[VenueAccount, ...]) -> tuple[VenueAccount, ...]:
    """The same accounts; raises VenueError where two of them are of one venue."""
    names = [each.venue for each in venues]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise VenueError(f"venue {twice[0]!r} is named twice: two venues cannot have one name")
    return venues
