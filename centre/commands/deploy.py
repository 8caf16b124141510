"""``twinwall centre files``: the files of a centre's brokers and databases, and of each venue's gateway, with their certificates."""

import argparse
import secrets
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from centre.deploy.deploy_files import ServerTls, filled
from centre.deploy.gateway_conf import BrokerEndpoint, CentreEnd, HallEnd, gateway_conf
from centre.deploy.nginx_conf import ViewerServer, nginx_conf
from centre.deploy.patroni_conf import (
    ADMIN,
    REPLICATOR,
    REWINDER,
    ROLE,
    PostgresNode,
    make_database_script,
    patroni_conf,
    store_url,
)
from centre.deploy.rabbitmq_conf import RabbitNode, definitions, node_conf
from centre.deploy.venue_account import VenueAccount, VenueError, accounts_of
from cli.hall.certificate_files import CertificateFiles
from cli.usage import EXIT_GOOD, PRIVATE, PUBLISHED, UsageError, argument, takes, write_file
from twinwall.wire.certificates import Authority, CertificateError
from twinwall.wire.mqtt.broker_address import TlsFiles
from twinwall.wire.mqtt.centre_topics import GATEWAY_USER
from twinwall.wire.names import plain_number

MQTT_PORT, POSTGRES_PORT, REST_PORT, HTTPS_PORT = 8883, 5432, 8008, 443
INSTALLED = Path("/etc/twinwall")
"""Folder of these files on the machine that uses them."""
PAGES, VIEWERS_RUN = Path("/var/lib/twinwall/pages"), Path("/run/twinwall-viewers")
VIEWER_CREDENTIALS = Path("/run/credentials/twinwall-viewers.service")
"""Folder in which systemd puts the viewers' certificate and key for nginx, which reads no other keys."""
GATEWAY_STATE, PATRONI_STATE = Path("/var/lib/twinwall/gateway"), Path("/var/lib/postgresql/twinwall")
_put = partial(write_file, force=True)


@takes(
    argument("--out", type=Path, required=True, metavar="FOLDER", help="where they go; certificates that are there are kept"),
    argument("--broker", action="append", required=True, metavar="HOST", help="a machine with RabbitMQ; once for each"),
    argument("--database", action="append", required=True, metavar="HOST", help="a machine with PostgreSQL; once for each"),
    argument("--etcd", action="append", required=True, metavar="HOST:PORT", help="an etcd; once for each"),
    argument("--venue", action="append", default=[], metavar="NAME", help="a venue; after a theft NAME=2, then NAME=3"),
    argument("--hall-broker", default="127.0.0.1", metavar="HOST", help="the hall's broker as a venue's gateway reaches it"),
    argument("--consumers", type=int, default=1, metavar="N", help="consumers (1)"),
    argument("--vaults", type=int, default=0, metavar="N", help="seed holders whose vaults give the venues their deals (0)"),
    argument("--viewers", action="store_true", help="also write nginx's file for viewers of the ranking pages"),
    argument("--days", type=int, default=30, metavar="N", help="how long the certificates are good (30)"),
)
def write_files(args: argparse.Namespace) -> int:
    hosts = list(dict.fromkeys([*args.broker, *args.database]))
    certificates = CertificateFiles(args.out / "certificates")
    try:
        venues = accounts_of(tuple(_venue(text) for text in args.venue))
        authority = _authority(certificates, hosts, args.days)
        _write_brokers(args, certificates, authority, venues)
        _write_databases(args, certificates, authority)
        for venue in venues:
            _write_gateway(args, certificates, authority, venue)
        if args.viewers:
            _write_viewers(args)
    except (CertificateError, VenueError) as error:
        raise UsageError(f"{args.out}: {error}") from None
    print(f"{args.out}: written; certificates are good until {authority.ends:%Y-%m-%d}", file=sys.stderr)
    return EXIT_GOOD


def _authority(files: CertificateFiles, hosts: Sequence[str], days: int) -> Authority:
    if files.has_authority:
        return files.read_authority()
    return files.make_authority("centre", hosts, datetime.now(UTC), timedelta(days=days))


def _venue(text: str) -> VenueAccount:
    name, separator, number = text.rpartition("=")
    issue = plain_number(number)
    if separator and not issue:
        raise UsageError(f"--venue {text}: after the equals sign stands the number of the venue's account, such as 2")
    return VenueAccount(name, issue) if issue else VenueAccount(text)


def _write_brokers(args: argparse.Namespace, files: CertificateFiles, authority: Authority, venues: tuple[VenueAccount, ...]) -> None:
    consumers = [f"consumer-{number}" for number in range(1, args.consumers + 1)]
    vaults = [f"vault-{number}" for number in range(1, args.vaults + 1)]
    for user in (*consumers, *vaults):
        files.issue(authority, user, (), datetime.now(UTC))
    peers = [f"rabbit@{host}" for host in args.broker]
    accounts = definitions(venues, consumers, vaults)
    for host, peer in zip(args.broker, peers, strict=True):
        folder = _folder(args.out / "rabbitmq" / host)
        tls = _own(files, authority, host, folder)
        node = RabbitNode(peer, "0.0.0.0", MQTT_PORT, peers, tls, str(INSTALLED / "definitions.json"))  # noqa: S104 - venues come from anywhere
        _put(folder / "rabbitmq.conf", node_conf(node).encode(), PUBLISHED)
        _put(folder / "enabled_plugins", filled("enabled_plugins").encode(), PUBLISHED)
        _put(folder / "definitions.json", accounts, PRIVATE)


def _write_databases(args: argparse.Namespace, files: CertificateFiles, authority: Authority) -> None:
    passwords = {user: _password(args.out / f"{user}.password") for user in (ROLE, ADMIN, REPLICATOR, REWINDER)}
    nodes: list[PostgresNode] = []
    for number, host in enumerate(args.database, 1):
        folder = _folder(args.out / "patroni" / host)
        tls = _own(files, authority, host, folder)
        assert tls.certificate is not None
        assert tls.key is not None
        encryption = ServerTls(tls.certificate, tls.key)
        binaries = Path("/usr/lib/postgresql/15/bin")
        node = PostgresNode(
            f"node{number}", host, POSTGRES_PORT, REST_PORT, tuple(args.etcd), PATRONI_STATE, binaries, passwords, encryption
        )
        _put(folder / "patroni.yml", patroni_conf(node).encode(), PRIVATE)
        _put(folder / "make-database", make_database_script(node).encode(), 0o700)
        nodes.append(node)
    url = f"{store_url(nodes)}&sslmode=verify-full&sslrootcert={INSTALLED}/authority.pem"
    _put(args.out / "database.url", f"{url}\n".encode(), PUBLISHED)


def _write_gateway(args: argparse.Namespace, files: CertificateFiles, authority: Authority, venue: VenueAccount) -> None:
    folder = _folder(args.out / "venues" / venue.encoded)
    tls = _own(files, authority, venue.user, folder, serves=False)
    hall = INSTALLED / "hall"
    hall_tls = TlsFiles(hall / "authority.pem", hall / f"{GATEWAY_USER}.pem", hall / f"{GATEWAY_USER}.key")
    brokers = [BrokerEndpoint(host, MQTT_PORT) for host in args.broker]
    centre = CentreEnd(brokers, venue.client_id(files.certificate(venue.user).read_bytes()), tls)
    conf = gateway_conf(venue, HallEnd(BrokerEndpoint(args.hall_broker, MQTT_PORT), hall_tls), centre, GATEWAY_STATE)
    _put(folder / "gateway.conf", conf.encode(), PUBLISHED)


def _write_viewers(args: argparse.Namespace) -> None:
    """Write nginx's file for viewers. Their browsers do not know the centre's authority, so the certificate is one that they know."""
    tls = ServerTls(VIEWER_CREDENTIALS / "viewers.pem", VIEWER_CREDENTIALS / "viewers.key")
    server = ViewerServer(PAGES, VIEWERS_RUN, "0.0.0.0", HTTPS_PORT, tls)  # noqa: S104 - viewers come from anywhere
    _put(_folder(args.out / "viewers") / "nginx.conf", nginx_conf(server).encode(), PUBLISHED)


def _own(files: CertificateFiles, authority: Authority, name: str, folder: Path, *, serves: bool = True) -> TlsFiles:
    """Copy a program's certificate and the authority's beside its configuration; returns their paths once installed."""
    files.issue(authority, name, (name,) if serves else (), datetime.now(UTC))
    for made, copied, mode in (
        (files.certificate("authority"), "authority.pem", PUBLISHED),
        (files.certificate(name), "own.pem", PUBLISHED),
        (files.key(name), "own.key", PRIVATE),
    ):
        _put(folder / copied, made.read_bytes(), mode)
    return TlsFiles(INSTALLED / "authority.pem", INSTALLED / "own.pem", INSTALLED / "own.key")


def _password(file: Path) -> str:
    """The password in a file, which is made if it does not exist."""
    if not file.exists():
        write_file(file, secrets.token_urlsafe(24).encode() + b"\n", PRIVATE, force=None)
    return file.read_text(encoding="utf-8").strip()


def _folder(path: Path) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    return path
