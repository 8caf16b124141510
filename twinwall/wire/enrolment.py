"""Enrolment of a table: a one-time code (``take`` checks it) with which it gets its certificate from the hall's authority. The code is 96
bits of the authority's fingerprint and a 64-bit secret. The table accepts no other authority, and sends the secret only to a server with
its certificate, so an attacker between them learns nothing and can insert nothing."""

import hmac
from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import Enum

from twinwall.game.deals import DealError, read_code, words_of_code
from twinwall.values import Shape, frozen
from twinwall.wire.certificates import fingerprint

PORT = 8444
"""The hall's port for enrolments."""
MOST_BYTES = 8192
"""Of a request or an answer."""
CODE_S = 300.0
SECRET_SIZE = 8
_PIN_SIZE = 12
_SHOWN_GROUPS = 4
_SCANNED = "twinwall-join"


class EnrolmentError(ValueError):
    """An enrolment failed; the message says why and what to do."""


class EnrolmentRequest(Shape):
    """A table's request: the code's secret (hex) and a certificate request (PEM)."""

    secret: str
    request: str


class EnrolmentAnswer(Shape):
    """The hall's answer: the table's name and certificate (PEM), and values for its settings. ``broker`` (address) and ``server_key`` (hex)
    are empty if the hall's settings do not have them; ``password`` is for the broker, if accounts have one."""

    table: str
    certificate: str
    broker: str = ""
    password: str = ""
    server_key: str = ""


@frozen
class EnrolmentCode:
    """The code that the hall shows and a person types at the table."""

    pin: bytes
    """The beginning of the fingerprint of the hall's authority."""
    secret: bytes

    @property
    def words(self) -> str:
        """Eight groups of four symbols."""
        return words_of_code(self.pin + self.secret)

    def check_authority(self, authority: bytes) -> None:
        """Raise EnrolmentError if the authority (PEM) is not the code's."""
        if not hmac.compare_digest(fingerprint(authority)[:_PIN_SIZE], self.pin):
            raise EnrolmentError("this is not the hall of the code, or somebody stands between: nothing was sent; compare code and address")


class CodeVerdict(Enum):
    GOOD = "good"
    UNKNOWN = "this is not a code of this hall: read it again, or ask for a new one"
    USED = "this code was used already, and is good once: if not by this table, remove the certificate that it got; ask for a new one"
    LATE = "this code has run out: ask for a new one"


@frozen
class Invitation:
    """One table's code, when it ends, and whether it was used."""

    table: str
    secret: bytes
    ends_s: float
    used: bool = False

    def verdict(self, now_s: float) -> CodeVerdict:
        if self.used:
            return CodeVerdict.USED
        return CodeVerdict.GOOD if now_s < self.ends_s else CodeVerdict.LATE


def code_of(authority: bytes, secret: bytes) -> EnrolmentCode:
    """The code of an authority (PEM) and ``SECRET_SIZE`` random bytes."""
    return EnrolmentCode(fingerprint(authority)[:_PIN_SIZE], secret)


def read_enrolment_code(text: str) -> EnrolmentCode:
    """Read a typed code (as a start code: O for 0, blanks and case are ignored); raises EnrolmentError."""
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
    """Use a code; return the invitations afterwards, the code's invitation, and its validity."""
    found = next((each for each in invitations if hmac.compare_digest(each.secret, secret)), None)
    if found is None:
        return tuple(invitations), None, CodeVerdict.UNKNOWN
    verdict = found.verdict(now_s)
    after = tuple(replace(each, used=True) if each is found and verdict is CodeVerdict.GOOD else each for each in invitations)
    return after, found, verdict


def certificate_words(certificate: bytes) -> str:
    """A short form of a certificate (PEM) on hall and table, so that a person can compare them."""
    return "-".join(words_of_code(fingerprint(certificate)).split("-")[:_SHOWN_GROUPS])


@frozen
class ShownCode:
    """The hall's address (``HOST:PORT``), the code, and its table."""

    address: str
    words: str
    table: str

    @property
    def text(self) -> str:
        """The line of a file or QR code."""
        return f"{_SCANNED} {self.address} {self.words} {self.table}"


def codes_in(texts: Iterable[str]) -> tuple[ShownCode, ...]:
    """The enrolment codes among the texts of QR codes or lines of a file."""
    split = (text.strip().split(" ", 3) for text in texts)
    return tuple(ShownCode(*said[1:]) for said in split if len(said) == 4 and said[0] == _SCANNED)
