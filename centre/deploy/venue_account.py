"""A venue's account at the centre's brokers: its user name, its client identifier and its topics.

The brokers tell clients apart by the common name of their certificates, which is the account. A venue that was robbed gets another account
(``issue`` rises), so the stolen certificate is worthless; the venue keeps its topics.
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
        issue: number of accounts it has had, including this one.
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
        """The beginning of every topic of the venue at the centre, with the slash."""
        return f"{VENUE_ROOT}/{self.encoded}/"

    @property
    def encoded(self) -> str:
        """The venue's name as one level of a topic. Dots are encoded too, since RabbitMQ reads them as the end of a level."""
        return quote(self.venue, safe="").replace(".", "%2E")

    def client_id(self, certificate: bytes) -> str:
        """The session at the centre's brokers, with a part of the certificate's fingerprint, so that no other venue can name it.

        A second connection with a client identifier ends the first, from any client. Raises CertificateError if this is no certificate.
        """
        return f"{self.user}/{fingerprint_digits(certificate)}"


def fingerprint_digits(certificate: bytes) -> str:
    """Digits that only the certificate's owner and the brokers know, for the end of a client identifier; raises CertificateError."""
    return fingerprint(certificate).hex()[:FINGERPRINT_DIGITS]


def accounts_of(venues: tuple[VenueAccount, ...]) -> tuple[VenueAccount, ...]:
    """The same accounts; raises VenueError if two belong to one venue."""
    names = [each.venue for each in venues]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise VenueError(f"venue {twice[0]!r} is named twice: two venues cannot have one name")
    return venues
