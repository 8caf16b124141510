"""The centre's database: PostgreSQL nodes under Patroni, which makes one of them the primary and another its synchronous standby.

A consumer settles a message once its lines are committed, so a commit must be on two nodes: if the primary is lost, no line is. If the
standby is lost, the primary continues alone. Consumers name all nodes in one address (``store_url``) and find the primary themselves.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import json

from centre.deploy.deploy_files import ServerTls, filled
from twinwall.values import frozen

DATABASE = ROLE = "twinwall"
"""The database of the centre's store, and the account of the consumers, who own it."""
ADMIN, REPLICATOR, REWINDER = "twinwall-admin", "twinwall-replicator", "twinwall-rewinder"


@frozen
class PostgresNode:
    """One node.

    Attributes:
        name: Patroni's name for it.
        host: where the others and the consumers reach it; ``port`` is PostgreSQL's, ``rest_port`` Patroni's.
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
    """Whether a commit waits for the disk; False only in a rehearsal that measures something else."""


def patroni_conf(node: PostgresNode) -> str:
    """A node's ``patroni.yml``, which contains passwords."""
    return filled(
        "patroni.yml",
        name=node.name,
        host=node.host,
        port=node.port,
        rest_port=node.rest_port,
        etcd=json.encode(node.etcd).decode(),
        folder=node.folder,
        binaries=node.binaries,
        database=DATABASE,
        role=ROLE,
        admin=ADMIN,
        admin_password=node.passwords[ADMIN],
        replicator=REPLICATOR,
        replicator_password=node.passwords[REPLICATOR],
        rewinder=REWINDER,
        rewinder_password=node.passwords[REWINDER],
        commit="on" if node.synchronises_disk else "remote_write",
        fsync="on" if node.synchronises_disk else "off",
        connection="host" if node.tls is None else "hostssl",
        ssl="off" if node.tls is None else "on",
        certificate="" if node.tls is None else node.tls.certificate,
        key="" if node.tls is None else node.tls.key,
    )


def make_database_script(node: PostgresNode) -> str:
    """The script that Patroni runs once with the address of the new cluster: it makes the consumers' account and database."""
    return filled("make-database", binaries=node.binaries, role=ROLE, database=DATABASE, password=node.passwords[ROLE])


def store_url(nodes: Sequence[PostgresNode]) -> str:
    """The address of the store over all nodes, which leads to the primary."""
    hosts, ports = ",".join(node.host for node in nodes), ",".join(str(node.port) for node in nodes)
    return f"postgresql://{ROLE}@/{DATABASE}?host={hosts}&port={ports}&target_session_attrs=read-write"
