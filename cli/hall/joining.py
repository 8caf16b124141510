"""The table's end of an enrolment: checks the hall's authority by the code, then asks it for a certificate."""

from __future__ import annotations

import http.client
import ssl
from dataclasses import dataclass, field

import msgspec

from cli.hall.enrolment_server import MOST_BYTES
from twinwall.game import typed_json
from twinwall.wire.certificates import CertificateError, issued_by, name_in_certificate, new_request
from twinwall.wire.enrolment import EnrolmentAnswer, EnrolmentCode, EnrolmentError, EnrolmentRequest
from twinwall.wire.mqtt.access import table_user

PATIENCE_S = 15.0


@dataclass(frozen=True, slots=True)
class Enrolled:
    """What a table has afterwards; all but its name are PEM."""

    table: str
    authority: bytes
    certificate: bytes
    key: bytes = field(repr=False)


def join(host: str, port: int, code: EnrolmentCode) -> Enrolled:
    """Get the certificate of the table that the code is for; raises EnrolmentError."""
    try:
        authority = _ask((host, port), _unchecked(), "/authority")
        code.check_authority(authority)
        request, key = new_request()
        body = msgspec.json.encode(EnrolmentRequest(code.secret.hex(), request.decode()))
        answer = typed_json.decode(_ask((host, port), _checked(authority), "/enrol", body), EnrolmentAnswer)
        certificate = answer.certificate.encode()
        if name_in_certificate(certificate) != table_user(answer.table) or not issued_by(certificate, authority):
            raise EnrolmentError("the certificate that came is not this table's: ask for a new code")
    except ssl.SSLError as problem:
        raise EnrolmentError(f"{host}:{port} is not the hall's machine of this code, or somebody stands between: {problem}") from None
    except (OSError, http.client.HTTPException) as problem:
        raise EnrolmentError(
            f"no program answers at {host}:{port} ({problem}): is twinwall hall enrol running there? A code is good for five minutes"
        ) from None
    except (msgspec.MsgspecError, CertificateError, UnicodeDecodeError):
        raise EnrolmentError(f"{host}:{port} answered something else than a hall does: compare the address") from None
    return Enrolled(answer.table, authority, certificate, key)


def _ask(at: tuple[str, int], tls: ssl.SSLContext, path: str, body: bytes | None = None) -> bytes:
    """The body of an answer, to a POST where there is a body to send; raises EnrolmentError with the hall's sentence where it refuses."""
    connection = http.client.HTTPSConnection(*at, timeout=PATIENCE_S, context=tls)
    try:
        connection.request("GET" if body is None else "POST", path, body)
        answer = connection.getresponse()
        content = answer.read(MOST_BYTES)
    finally:
        connection.close()
    if answer.status != http.client.OK:
        raise EnrolmentError(content.decode(errors="replace"))
    return content


def _unchecked() -> ssl.SSLContext:
    """For the authority's certificate alone, which is compared with the code."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _checked(authority: bytes) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=authority.decode("ascii"))
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context
