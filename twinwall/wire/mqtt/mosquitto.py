"""Mosquitto's configuration (2.0 or later), for a venue that uses it instead of the embedded broker. Both use the same access file. On
loopback, accounts have passwords. In the network, each program shows a certificate of the hall's authority, whose name is its account."""

from pathlib import Path

from twinwall.wire.mqtt.access import AccessFiles
from twinwall.wire.mqtt.broker_address import TlsFiles

BROKER = "broker"
"""The name in the broker's certificate; not an account."""
MOST_PACKET_BYTES = 256 << 10
"""The longest packet that a broker reads; tables' messages are much shorter."""
MOST_QUEUED_BYTES = 8 << 20
"""For one client."""
MOST_MEMORY_BYTES = 256 << 20


def loopback_conf(files: AccessFiles, host: str, port: int) -> str:
    """The configuration of the embedded broker, in clear on loopback."""
    return _conf(host, port, f"password_file {files.passwords}", f"acl_file {files.rights}")


def tls_conf(rights: Path, tls: TlsFiles, host: str, port: int) -> str:
    """The configuration for the network: TLS 1.2 or later, and clients need a certificate of the authority in ``tls``."""
    return _conf(
        host,
        port,
        f"cafile {tls.authority}",
        f"certfile {tls.certificate}",
        f"keyfile {tls.key}",
        "tls_version tlsv1.2",
        "require_certificate true",
        "use_identity_as_username true",
        f"acl_file {rights}",
    )


def _conf(host: str, port: int, *lines: str) -> str:
    return "\n".join(
        (
            "# Twinwall's broker. The files below are written by Twinwall; restart (or SIGHUP) after a change.",
            f"listener {port} {host}",
            "allow_anonymous false",
            *lines,
            "retain_available false",
            "persistence false",
            f"max_packet_size {MOST_PACKET_BYTES}",
            "max_inflight_messages 20",
            f"max_queued_bytes {MOST_QUEUED_BYTES}",
            f"memory_limit {MOST_MEMORY_BYTES}",
            "",
        )
    )
