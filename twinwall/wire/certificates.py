"""The hall's certificate authority (``Authority``, X.509): makes itself, and issues certificates to the programs of one event. Keys use
P-256, which every browser and broker supports. Name constraints limit the authority to the hosts for which it was made, so a phone that
trusts it trusts it for nothing else. ``twinwall hall`` keeps the files."""

import ipaddress
import ssl
from collections.abc import Sequence
from dataclasses import field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from twinwall.values import frozen

CLOCKS_APART = timedelta(days=2)
"""How long before its creation a certificate begins: a table without a clock battery may be a day behind."""
_OF_ANOTHER_TIME = (9, 10)
"""OpenSSL's codes for a certificate that is not yet valid, or has expired."""
LONGEST_NAME = 64
"""Characters of a subject's common name (RFC 5280, ub-common-name)."""


def clock_hint(problem: Exception) -> str:
    """This computer's date for a handshake error with a certificate of another time, else empty."""
    if not isinstance(problem, ssl.SSLCertVerificationError) or problem.verify_code not in _OF_ANOTHER_TIME:
        return ""
    return f"; this computer thinks that it is {datetime.now(UTC):%-d %B %Y, %H:%M} UTC: if that is wrong, set its clock (timedatectl)"


class CertificateError(ValueError):
    """A certificate or key cannot be made or used; the message says what to do."""


@frozen
class Issued:
    """A certificate and its key, both PEM; ``repr`` omits the key."""

    certificate: bytes
    key: bytes = field(repr=False)


@frozen
class Authority:
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey = field(repr=False)

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def ends(self) -> datetime:
        """When all its certificates expire."""
        return self.certificate.not_valid_after_utc

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names and addresses for which it was made."""
        names = self.certificate.extensions.get_extension_for_class(x509.NameConstraints).value.permitted_subtrees or []
        return tuple(str(each.value).removesuffix("/32").removesuffix("/128") for each in names)

    def issue(self, name: str, hosts: Sequence[str], now: datetime) -> Issued:
        """A certificate with a new key for one program, named by its broker account. With ``hosts`` (names and addresses) it is a server's,
        else a client's. Raises CertificateError for a host of another authority, an impossible name, or an expired authority."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = self._certificate(name, key.public_key(), hosts, now)
        return Issued(certificate.public_bytes(serialization.Encoding.PEM), _key_pem(key))

    def answer(self, request: bytes, name: str, now: datetime) -> bytes:
        """A client's certificate (PEM) for the key in a request (PEM), under this name; raises CertificateError, also if the request is not
        signed with its key."""
        try:
            asked = x509.load_pem_x509_csr(request)
            key = asked.public_key()
            holds_key = asked.is_signature_valid
        except (ValueError, TypeError, UnsupportedAlgorithm, InvalidSignature):
            raise CertificateError("this is no request for a certificate (PEM)") from None
        if not holds_key or not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
            raise CertificateError("the request is not signed with its own key on the curve P-256")
        return self._certificate(name, key, (), now).public_bytes(serialization.Encoding.PEM)

    def _certificate(self, name: str, key: ec.EllipticCurvePublicKey, hosts: Sequence[str], now: datetime) -> x509.Certificate:
        if now >= self.ends:
            raise CertificateError(f"the hall's authority ended on {self.ends:%Y-%m-%d}: make another one in a new folder")
        usages = [ExtendedKeyUsageOID.CLIENT_AUTH, *([ExtendedKeyUsageOID.SERVER_AUTH] if hosts else [])]
        alternatives = [_alternative(host) for host in hosts]
        if unknown := [host for host, asked in zip(hosts, alternatives, strict=True) if str(asked.value) not in self.hosts]:
            raise CertificateError(
                f"the hall's authority was not made for {', '.join(unknown)}: make another one in a new folder, and name all --host there"
            )
        builder = (
            _builder(_subject(name), key, now, self.ends)
            .issuer_name(self.certificate.subject)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()), critical=False)
        )
        if alternatives:
            builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        return builder.sign(self.key, hashes.SHA256())


def new_authority(event: str, hosts: Sequence[str], now: datetime, lasts: timedelta) -> tuple[Authority, Issued]:
    """Make an event's authority for these hosts; also as PEM for files. Raises CertificateError for an impossible host."""
    if not hosts:
        raise CertificateError("the hall's authority needs the names or addresses of the machines with broker and pages: --host")
    key = ec.generate_private_key(ec.SECP256R1())
    subject = _subject(f"Twinwall {event}"[:LONGEST_NAME])
    permitted = [_permitted(_alternative(host)) for host in hosts]
    certificate = (
        _builder(subject, key.public_key(), now, now + lasts)
        .issuer_name(subject)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(signs_certificates=True), critical=True)
        .add_extension(x509.NameConstraints(permitted, None), critical=True)
        .sign(key, hashes.SHA256())
    )
    authority = Authority(certificate, key)
    return authority, Issued(authority.pem, _key_pem(key))


def read_authority(made: Issued) -> Authority:
    try:
        certificate = x509.load_pem_x509_certificate(made.certificate)
        key = serialization.load_pem_private_key(made.key, password=None)
        is_authority = certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    except (ValueError, TypeError, UnsupportedAlgorithm, x509.ExtensionNotFound) as error:
        raise CertificateError(f"this is no certificate authority with its key: {error}") from None
    if not is_authority or not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != certificate.public_key():
        raise CertificateError("certificate and key are not those of one certificate authority")
    return Authority(certificate, key)


def new_request() -> tuple[bytes, bytes]:
    """A certificate request and its new key (both PEM), without a name, which the issuer decides."""
    key = ec.generate_private_key(ec.SECP256R1())
    request = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([])).sign(key, hashes.SHA256())
    return request.public_bytes(serialization.Encoding.PEM), _key_pem(key)


def fingerprint(certificate: bytes) -> bytes:
    try:
        return x509.load_pem_x509_certificate(certificate).fingerprint(hashes.SHA256())
    except ValueError:
        raise CertificateError("this is no certificate (PEM)") from None


def server_tls(certificate: Path, key: Path) -> ssl.SSLContext:
    """A server's TLS context (1.2 or later) with this certificate (PEM); raises CertificateError."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as problem:
        raise CertificateError(
            f"certificate {certificate} with its key {key} cannot be used ({problem}): name a certificate and its key (PEM)"
        ) from problem
    return context


def name_in_certificate(certificate: bytes) -> str:
    """The common name in a certificate (PEM); raises CertificateError."""
    try:
        names = x509.load_pem_x509_certificate(certificate).subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    except ValueError:
        raise CertificateError("this is no certificate (PEM)") from None
    if not names:
        raise CertificateError("the certificate has no name")
    return str(names[0].value)


def issued_by(certificate: bytes, authority: bytes) -> bool:
    try:
        x509.load_pem_x509_certificate(certificate).verify_directly_issued_by(x509.load_pem_x509_certificate(authority))
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def _builder(subject: x509.Name, key: ec.EllipticCurvePublicKey, now: datetime, ends: datetime) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCKS_APART)
        .not_valid_after(ends)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _subject(name: str) -> x509.Name:
    try:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    except ValueError:
        raise CertificateError(f"{name!r} does not fit into a certificate: 1 to {LONGEST_NAME} characters") from None


def _alternative(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        pass
    labels = host.split(".")
    if not all(label and label.isascii() and label.replace("-", "").isalnum() for label in labels) or labels[-1].isdigit():
        raise CertificateError(f"{host!r} is no host: write a name such as hall.example, or an address such as 192.168.1.10")
    return x509.DNSName(host.lower())


def _permitted(name: x509.GeneralName) -> x509.GeneralName:
    """The name as a constraint: an address is a network of one."""
    return x509.IPAddress(ipaddress.ip_network(name.value)) if isinstance(name, x509.IPAddress) else name


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
