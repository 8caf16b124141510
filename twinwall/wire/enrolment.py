"""Enrolment of a table: a code of one use by which it gets its certificate from the hall's authority.

The code is 96 bits of the authority's fingerprint and a secret of 64 bits. The table takes no other authority, and sends the secret
only to a server that proves itself by it; so an attacker between the two learns nothing and can put in nothing of his own.
"""

import hmac
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import Enum

from twinwall.game.deals import DealError, read_code, words_of_code
from twinwall.values import Shape, frozen
from twinwall.wire.certificates import fingerprint

PORT = 8444
"""Where a hall answers."""
MOST_BYTES = 8192
"""Of a request or an answer."""
CODE_S = 300.0
SECRET_SIZE = 8
_PIN_SIZE = 12
_SHOWN_GROUPS = 4
_SCANNED = "twinwall-join"


class EnrolmentError(ValueError):
    """An enrolment that did not take place; the message says why and what to do."""


class EnrolmentRequest(Shape):
    """What a table sends: the code's secret (hex) and a request for a certificate (PEM)."""

    secret: str
    request: str


class EnrolmentAnswer(Shape):
    """What it gets: its name and its certificate (PEM), and what it needs for its settings.

    Attributes:
        broker: the broker's address; this and the server's public key (hex) are empty where the hall's settings do not have them.
        password: at the broker, where accounts have one.
    """

    table: str
    certificate: str
    broker: str = ""
    password: str = ""
    server_key: str = ""


@frozen
class EnrolmentCode:
    """What the hall shows and a person types in at the table."""

    pin: bytes
    """The beginning of the fingerprint of the hall's authority."""
    secret: bytes

    @property
    def words(self) -> str:
        """Eight groups of four symbols."""
        return words_of_code(self.pin + self.secret)

    def check_authority(self, authority: bytes) -> None:
        """Raise EnrolmentError for an authority (PEM) that is not the one of the code."""
        if not hmac.compare_digest(fingerprint(authority)[:_PIN_SIZE], self.pin):
            raise EnrolmentError("this is not the hall of the code, or somebody stands between: nothing was sent; compare code and address")


class CodeVerdict(Enum):
    """What a secret that somebody sends is worth."""

    GOOD = "good"
    UNKNOWN = "this is not a code of this hall: read it again, or ask for a new one"
    USED = "this code was used already, and is good once: if not by this table, remove the certificate that it got; ask for a new one"
    LATE = "this code has run out: ask for a new one"


@frozen
class Invitation:
    """One table's code, until when it is good, and whether it was used."""

    table: str
    secret: bytes
    ends_s: float
    used: bool = False

    def verdict(self, now_s: float) -> CodeVerdict:
        """What the code is worth now."""
        if self.used:
            return CodeVerdict.USED
        return CodeVerdict.GOOD if now_s < self.ends_s else CodeVerdict.LATE


def code_of(authority: bytes, secret: bytes) -> EnrolmentCode:
    """The code for an authority (PEM) and ``SECRET_SIZE`` random bytes."""
    return EnrolmentCode(fingerprint(authority)[:_PIN_SIZE], secret)


def read_enrolment_code(text: str) -> EnrolmentCode:
    """Read a code as a person types it (as a start code: O for 0, blanks and case do not count); raises EnrolmentError."""
    try:
        code = read_code(text)
    except DealError:
        code = b""
    if len(code) != _PIN_SIZE + SECRET_SIZE:
        raise EnrolmentError(
            "this is no enrolment code: eight groups of four, digits and letters but I, L, O and U, as the hall shows them"
        )
    return EnrolmentCode(code[:_PIN_SIZE], code[_PIN_SIZE:])


def take(invitations: Sequence[Invitation], secret: bytes, now_s: float) -> tuple[tuple[Invitation, ...], Invitation | None, CodeVerdict]:
    """Use a code: the invitations afterwards, the one that it is of, and what it was worth."""
    found = next((each for each in invitations if hmac.compare_digest(each.secret, secret)), None)
    if found is None:
        return tuple(invitations), None, CodeVerdict.UNKNOWN
    verdict = found.verdict(now_s)
    after = tuple(replace(each, used=True) if each is found and verdict is CodeVerdict.GOOD else each for each in invitations)
    return after, found, verdict


def certificate_words(certificate: bytes) -> str:
    """What hall and table show of a certificate (PEM), so that a person sees that both have the same one."""
    return "-".join(words_of_code(fingerprint(certificate)).split("-")[:_SHOWN_GROUPS])


@frozen
class ShownCode:
    """Where the hall answers (``HOST:PORT``), the code, and the table that it is for."""

    address: str
    words: str
    table: str

    @property
    def text(self) -> str:
        """The line that a file or the QR code holds."""
        return f"{_SCANNED} {self.address} {self.words} {self.table}"


def codes_in(texts: Iterable[str]) -> tuple[ShownCode, ...]:
    """The enrolment codes among the texts of QR codes, or the lines of a file."""
    split = (text.strip().split(" ", 3) for text in texts)
    return tuple(ShownCode(*said[1:]) for said in split if len(said) == 4 and said[0] == _SCANNED)
