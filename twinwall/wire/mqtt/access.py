"""Access rights at the broker: accounts, their topics, and the broker's two files.

- A table publishes under its prefix, and reads its commands, deals, challenges, released slips, keys and other tables' crossing heads. It
  sends the hall heartbeats and tile readings, and reads its assignments and tile orders.
- The server reads every table, slips and keys, and publishes commands, key requests, assignments and vault orders; only it reads pictures.
- Holders' vaults read ledgers, heads, statements and key requests. Only vaults publish deals, challenges, slips, shares and notices; only
  the first holder's publishes keys.

Both files are in Mosquitto's formats (PBKDF2-SHA512 passwords, ``topic`` lines), so both brokers apply the same rights.

Mosquitto's configuration (2.0 or later), for a venue that uses it instead of the embedded broker. Both use the same access file. On
loopback, accounts have passwords. In the network, each program shows a certificate of the hall's authority, whose name is its account.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from urllib.parse import quote

from twinwall.game.documents import DocumentError
from twinwall.values import frozen
from twinwall.wire.mqtt.broker_address import TlsFiles
from twinwall.wire.mqtt.topics import (
    ALL_VAULTS,
    FROM_JOINED,
    FROM_TABLE,
    TO_JOINED,
    TO_TABLE,
    Channel,
    HallTopic,
    all_joined,
    all_tables,
    keys_topic,
    shares_topic,
    slips_topic,
    table_prefix,
    vault_answers_topic,
    vault_orders_topic,
)

SERVER_USER = "server"
VAULT_USER = "vault"
"""The account of the first holder's vault; ``twinwall.wire.messages.signing.vault_names`` gives the others'."""
ITERATIONS = 20_000
"""Rounds of PBKDF2. Passwords are generated with at least 128 bits, so this is plenty; a connection costs about 20 ms."""
SALT_BYTES = 12
_HEARD_BY_VAULT = (Channel.EVENTS, Channel.HEAD, Channel.CUSTODY, Channel.KEY_REQUEST)
_NOT_FOR_SERVER = (Channel.CUSTODY, Channel.CROSSING_HEAD)


class Access(Enum):
    """What a right allows, by its word in the access file."""

    READ = "read"
    WRITE = "write"


@frozen
class Right:
    """One user may read from, or write to, topics that match ``topic_filter`` (``+``: one level)."""

    user: str
    access: Access
    topic_filter: str


@frozen
class AccessFiles:
    """The paths of the password file and the access file."""

    passwords: Path
    rights: Path


def table_user(table: str) -> str:
    """The account of a table's controller, unique for each name and without ``:``, ``/``, spaces or dots (in a certificate, a name with
    dots would look like a host)."""
    return f"table-{quote(table, safe='').replace('.', '%2E')}"


def rights(event: str | None, tables: Iterable[str], vaults: Sequence[str] = (VAULT_USER,)) -> tuple[Right, ...]:
    """All rights at an event, or at every event of a hall (None), with these tables and vaults; the first holder's vault is first."""

    def of_tables(*channels: Channel) -> list[str]:
        return [all_tables(event, channel) for channel in channels]

    heard = [channel for channel in FROM_TABLE if channel not in _NOT_FOR_SERVER]
    slips, shares, keys = slips_topic(event), shares_topic(event), keys_topic(event)
    granted: list[tuple[str, Access, Iterable[str]]] = [
        (SERVER_USER, Access.READ, [*of_tables(*heard, Channel.NOTICE, Channel.JOURNAL_KEY), slips, keys]),
        (SERVER_USER, Access.WRITE, of_tables(Channel.COMMAND, Channel.KEY_REQUEST)),
        (SERVER_USER, Access.READ, [*map(all_joined, FROM_JOINED), vault_answers_topic(ALL_VAULTS)]),
        (SERVER_USER, Access.WRITE, [*map(all_joined, TO_JOINED), vault_orders_topic(ALL_VAULTS)]),
    ]
    for vault in vaults:
        granted += [
            (vault, Access.READ, [*of_tables(*_HEARD_BY_VAULT), shares, vault_orders_topic(vault)]),
            (vault, Access.WRITE, [*of_tables(*TO_TABLE, Channel.NOTICE), slips, shares, vault_answers_topic(vault)]),
        ]
    granted += [(vault, Access.WRITE, [keys]) for vault in vaults[:1]]
    for table in tables:
        prefix, user = table_prefix(event, table), table_user(table)
        own = [f"{prefix}/{channel}" for channel in TO_TABLE]
        granted += [
            (user, Access.WRITE, [f"{prefix}/{channel}" for channel in FROM_TABLE]),
            (user, Access.READ, [*own, *of_tables(Channel.CROSSING_HEAD), slips, keys]),
            (user, Access.WRITE, [str(HallTopic(table, channel)) for channel in FROM_JOINED]),
            (user, Access.READ, [str(HallTopic(table, channel)) for channel in TO_JOINED]),
        ]
    return tuple(Right(user, access, topic) for user, access, topics in granted for topic in topics)


def may_use_topic(granted: Sequence[Right], user: str, access: Access, topic: str) -> bool:
    """Whether the user may publish to this topic, or read (subscribe to) this topic or filter."""
    return any(right.user == user and right.access is access and _covers(right.topic_filter, topic) for right in granted)


def _covers(topic_filter: str, topic: str) -> bool:
    """Whether ``topic_filter`` matches every topic that ``topic`` matches."""
    wanted, asked = topic_filter.split("/"), topic.split("/")
    return len(wanted) == len(asked) and all(want == ask or (want == "+" and ask != "#") for want, ask in zip(wanted, asked, strict=True))


def write_access_files(
    folder: Path, event: str | None, passwords: Mapping[str, str], salts: Mapping[str, bytes], vaults: Sequence[str] = (VAULT_USER,)
) -> AccessFiles:
    """Write ``passwords`` and ``rights``, readable by their owner only; ``event`` as in ``rights``. ``passwords`` has passwords of
    ``SERVER_USER``, of ``vaults`` and of tables by *name*; ``salts`` has ``SALT_BYTES`` random bytes for each. Raises DocumentError if the
    server has no password."""
    if SERVER_USER not in passwords:
        raise DocumentError(f"no password for {SERVER_USER!r}: without it the tables could not be heard")
    tables = [table for table in passwords if table not in (SERVER_USER, *vaults)]
    users = {name: name for name in passwords if name not in tables} | {table: table_user(table) for table in tables}
    files = AccessFiles(folder / "passwords", folder / "rights")
    _write_private(files.passwords, "".join(f"{users[name]}:{hash_password(passwords[name], salts[name])}\n" for name in users))
    _write_private(files.rights, format_rights(rights(event, tables, vaults)))
    return files


def format_rights(granted: Iterable[Right]) -> str:
    """An access file: a ``user`` line, then that user's ``topic`` lines."""
    lines: list[str] = []
    user: str | None = None
    for right in granted:
        if right.user != user:
            user = right.user
            lines.append(f"user {user}")
        lines.append(f"topic {right.access.value} {right.topic_filter}")
    return "".join(f"{line}\n" for line in lines)


def read_rights(path: Path) -> tuple[Right, ...]:
    """Read an access file; raises DocumentError for a line other than ``user NAME`` or ``topic read|write FILTER``."""
    granted: list[Right] = []
    user: str | None = None
    for number, line in _lines(path):
        match line.split():
            case ["user", name]:
                user = name
            case ["topic", "read" | "write" as word, topic_filter] if user is not None:
                granted.append(Right(user, Access(word), topic_filter))
            case _:
                raise DocumentError(f"{path}, line {number}: write 'user NAME' and below it 'topic read|write FILTER'")
    return tuple(granted)


def read_passwords(path: Path) -> dict[str, str]:
    """Read a password file as hashes by user; raises DocumentError for a line other than ``user:$7$…``."""
    hashes: dict[str, str] = {}
    for number, line in _lines(path):
        user, separator, hashed = line.partition(":")
        if not user or not separator or _split_hash(hashed) is None:
            raise DocumentError(f"{path}, line {number}: write 'user:$7$iterations$salt$hash' (mosquitto_passwd does)")
        hashes[user] = hashed
    return hashes


def hash_password(password: str, salt: bytes) -> str:
    """The password's hash as Mosquitto writes it: ``$7$iterations$salt$hash`` (PBKDF2-HMAC-SHA512)."""
    parts = (base64.b64encode(part).decode() for part in (salt, _derive(password, salt, ITERATIONS)))
    return "$".join(["", "7", str(ITERATIONS), *parts])


def password_matches(password: str, hashed: str) -> bool:
    """Whether the hash is the password's, compared in constant time."""
    split = _split_hash(hashed)
    if split is None:
        return False
    iterations, salt, expected = split
    return hmac.compare_digest(_derive(password, salt, iterations), expected)


def _derive(password: str, salt: bytes, iterations: int) -> bytes:
    return hashlib.pbkdf2_hmac("sha512", password.encode(), salt, iterations)


def _split_hash(hashed: str) -> tuple[int, bytes, bytes] | None:
    match hashed.split("$"):
        case ["", "7", iterations, salt, derived] if iterations.isascii() and iterations.isdigit() and int(iterations) > 0:
            try:
                return int(iterations), base64.b64decode(salt, validate=True), base64.b64decode(derived, validate=True)
            except binascii.Error:
                return None
    return None


def _lines(path: Path) -> list[tuple[int, str]]:
    text = path.read_text(encoding="utf-8")
    return [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip() and not line.startswith("#")]


def _write_private(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(text, encoding="utf-8")


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
