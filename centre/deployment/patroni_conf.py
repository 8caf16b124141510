"""The centre's database: PostgreSQL nodes under Patroni, which makes one of them the primary and another its synchronous standby.

A consumer settles a message once its lines are committed, so a commit must be on two nodes: with the primary lost, nothing is. Where the
standby is lost the primary goes on alone. Patroni's configuration is YAML, of which JSON is a part. Consumers name all nodes in one
address (``store_url``) and find the primary themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec import json

SCOPE = "twinwall-centre"
DATABASE = ROLE = "twinwall"
"""The database of the centre's store, and the account of the consumers, to whom it belongs."""
ADMIN, REPLICATOR, REWINDER = "twinwall-admin", "twinwall-replicator", "twinwall-rewinder"
LEASE_S, LOOP_S, RETRY_S = 20, 5, 5
"""A primary that is not heard of for ``LEASE_S`` is one no more; Patroni allows no less than 20."""


@dataclass(frozen=True, slots=True)
class ServerTls:
    """A node's certificate with its key, for clients in the network."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class PostgresNode:
    """One node.

    Attributes:
        name: of Patroni's.
        host: where the others and the consumers reach it; ``port`` of PostgreSQL, ``rest_port`` of Patroni.
        etcd: addresses of etcd, ``host:port``.
        passwords: of ``ROLE``, ``ADMIN``, ``REPLICATOR`` and ``REWINDER``; the same on every node.
        tls: None on loopback in a rehearsal.
    """

    name: str
    host: str
    port: int
    rest_port: int
    etcd: Sequence[str]
    folder: Path
    binaries: Path
    passwords: Mapping[str, str]
    tls: ServerTls | None = None
    synchronises_disk: bool = True
    """Whether a commit waits for the disk; always but in a rehearsal that measures something else."""


def patroni_conf(node: PostgresNode) -> bytes:
    """A node's ``patroni.yml``, which holds passwords."""
    document = {
        "scope": SCOPE,
        "name": node.name,
        "restapi": {"listen": f"{node.host}:{node.rest_port}", "connect_address": f"{node.host}:{node.rest_port}"},
        "etcd3": {"hosts": list(node.etcd)},
        "bootstrap": {
            "dcs": {
                "ttl": LEASE_S,
                "loop_wait": LOOP_S,
                "retry_timeout": RETRY_S,
                "synchronous_mode": True,
                "postgresql": {"use_pg_rewind": True, "parameters": {"max_connections": 100, "wal_log_hints": "on"}},
            },
            "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "data-checksums"],
            "post_bootstrap": str(node.folder / "make-database"),
        },
        "postgresql": _postgresql(node),
    }
    return json.format(json.encode(document), indent=1) + b"\n"


def _postgresql(node: PostgresNode) -> dict[str, object]:
    """What Patroni is told of its node's PostgreSQL."""
    encryption = {} if node.tls is None else {"ssl": "on", "ssl_cert_file": str(node.tls.certificate), "ssl_key_file": str(node.tls.key)}
    host = "host" if node.tls is None else "hostssl"
    accounts = {"superuser": ADMIN, "replication": REPLICATOR, "rewind": REWINDER}
    return {
        "listen": f"{node.host}:{node.port}",
        "connect_address": f"{node.host}:{node.port}",
        "data_dir": str(node.folder / "data"),
        "bin_dir": str(node.binaries),
        "basebackup": [{"checkpoint": "fast"}],
        "pgpass": str(node.folder / "pgpass"),
        "authentication": {what: {"username": user, "password": node.passwords[user]} for what, user in accounts.items()},
        "parameters": {
            "unix_socket_directories": str(node.folder),
            "password_encryption": "scram-sha-256",
            "synchronous_commit": "on" if node.synchronises_disk else "remote_write",
            "fsync": "on" if node.synchronises_disk else "off",
            **encryption,
        },
        "pg_hba": [
            "local all all peer",
            f"{host} replication {REPLICATOR} all scram-sha-256",
            *(f"{host} all {user} all scram-sha-256" for user in (ADMIN, REWINDER)),
            f"{host} {DATABASE} {ROLE} all scram-sha-256",
        ],
    }


def make_database_script(node: PostgresNode) -> str:
    """What Patroni runs once, with the address of the new cluster: the consumers' account and their database."""
    return (
        "#!/bin/sh\nset -eu\n"
        f'"{node.binaries}/psql" -q -v ON_ERROR_STOP=1 "$1" <<\'END\'\n'
        f"CREATE ROLE \"{ROLE}\" LOGIN PASSWORD '{node.passwords[ROLE]}';\n"
        f'CREATE DATABASE "{DATABASE}" OWNER "{ROLE}";\n'
        "END\n"
    )


def store_url(nodes: Sequence[PostgresNode]) -> str:
    """The address of the store over all nodes: whoever connects is led to the primary."""
    hosts, ports = ",".join(node.host for node in nodes), ",".join(str(node.port) for node in nodes)
    return f"postgresql://{ROLE}@/{DATABASE}?host={hosts}&port={ports}&target_session_attrs=read-write"
