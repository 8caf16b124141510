"""MQTT topics of an event's tables, ``twinwall/<event>/<table>/<channel>``, and of a hall's, ``twinwall-hall/<table>/<channel>``.

Event and table names are free text; every character outside letters, digits, ``-``, ``_`` and ``~`` is percent-encoded, so no name adds a
level or a wildcard. A dot is encoded too: RabbitMQ, which a gateway passes topics on to, takes one for the end of a level. A table that
has joined a hall learns its event on the hall's topics.
"""

from enum import StrEnum
from functools import lru_cache
from urllib.parse import quote, unquote

from twinwall.values import frozen

ROOT = "twinwall"
HALL_ROOT = "twinwall-hall"
KEPT_TOPICS, LONGEST_KEPT = 8192, 256
"""This many topics are read once, and none that is longer: every message has a topic, and no memory is kept for invented ones."""
VAULTS_ROOT = "twinwall-vaults"
"""Where the server and the vaults speak of events: ``twinwall-vaults/<account>/…``, since a vault that waits knows no event yet."""


class Channel(StrEnum):
    """The channels of a table."""

    EVENTS = "events"
    """Table to server: the public ledger, classes P and T."""
    PUBLIC = "public"
    """Table to everybody: class P alone, with a sequence of its own."""
    HEAD = "head"
    """Table to server and vault: signed heads of ``events``."""
    PUBLIC_HEAD = "public-head"
    """Table to everybody: signed heads of ``public``."""
    CROSSING_HEAD = "crossing-head"
    """Table to the other tables: the signed head of the line of ``events`` that closes a hand whose deal is released."""
    HEALTH = "health"
    """Table to server: a heartbeat without anything of the play."""
    QUESTION = "question"
    """Table to server: signed, which tile lies in a river, with pictures of the place."""
    CUSTODY = "custody"
    """Table to vault: signed, its boot keys, its ledger's head and the deals it holds."""
    CHALLENGE = "challenge"
    """Vault to table: random bytes, signed, that the table's next statements carry."""
    COMMAND = "command"
    """Server or vault to table, signed."""
    DEAL = "deal"
    """Vault to table: sealed deals."""
    JOURNAL_KEY = "journal-key"
    """Vault to table, and to the server for a slip: the key of the table's journal, sealed, after a power cut."""
    KEY_REQUEST = "key-request"
    """Server to vault: a table's request for its journal's key, which somebody has carried there."""
    NOTICE = "notice"
    """Vault to server: what is wrong with a table's statements, for people."""


FROM_TABLE = (
    Channel.EVENTS,
    Channel.PUBLIC,
    Channel.HEAD,
    Channel.PUBLIC_HEAD,
    Channel.CROSSING_HEAD,
    Channel.HEALTH,
    Channel.QUESTION,
    Channel.CUSTODY,
)
TO_TABLE = (Channel.COMMAND, Channel.DEAL, Channel.CHALLENGE, Channel.JOURNAL_KEY)


class HallChannel(StrEnum):
    """The channels of a table that has joined a hall."""

    WAITING = "waiting"
    """Table to server: its heartbeat to the hall, whether it waits for an assignment or plays one."""
    ASSIGNMENT = "assignment"
    """Server to table: event, session, rules and players, signed."""
    TILE_ORDER = "tile-order"
    """Server to table: read the tiles drawn for an event's public value, signed."""
    TILES = "tiles"
    """Table to server: the tiles that it has read, signed."""


FROM_JOINED = (HallChannel.WAITING, HallChannel.TILES)
TO_JOINED = (HallChannel.ASSIGNMENT, HallChannel.TILE_ORDER)


class TopicError(ValueError):
    """Text that is not a topic of Twinwall."""


@frozen
class Topic:
    """One table's channel; ``str()`` gives the topic as it travels."""

    event: str
    table: str
    channel: Channel

    def __str__(self) -> str:
        return f"{table_prefix(self.event, self.table)}/{self.channel}"


@frozen
class HallTopic:
    """One table's channel to the hall; ``str()`` gives the topic as it travels."""

    table: str
    channel: HallChannel

    def __str__(self) -> str:
        if not self.table:
            raise TopicError("the table has no name: a topic needs one")
        return f"{HALL_ROOT}/{_encode(self.table)}/{self.channel}"


def table_prefix(event: str | None, table: str) -> str:
    """The topic of a table without its channel, or its filter for every event (None); raises TopicError for an empty name."""
    if not table:
        raise TopicError("the table has no name: a topic needs one")
    return f"{_event_prefix(event)}/{_encode(table)}"


def all_tables(event: str | None, channel: Channel) -> str:
    """The subscription that hears one channel of every table of the event, or of every event (None)."""
    return f"{_event_prefix(event)}/+/{channel}"


def all_joined(channel: HallChannel) -> str:
    """The subscription that hears one channel of every table of the hall."""
    return f"{HALL_ROOT}/+/{channel}"


def slips_topic(event: str | None) -> str:
    """Where the vault tells everybody of slips that are released: one topic for the whole event."""
    return f"{_event_prefix(event)}/slips"


def shares_topic(event: str | None) -> str:
    """Where the vaults of several holders tell each other the shares that they have released: one topic for the whole event."""
    return f"{_event_prefix(event)}/shares"


def keys_topic(event: str | None) -> str:
    """Where the vault announces the tables' boot signing keys to everybody: one topic for the whole event."""
    return f"{_event_prefix(event)}/keys"


def venue_statement_topic(event: str | None) -> str:
    """Where a venue tells the centre what it plays by: one topic for the whole event."""
    return f"{_event_prefix(event)}/venue"


def venue_vault_topic(event: str | None) -> str:
    """Where a venue's vaults tell the centre's vaults where they stand: one topic for the whole event."""
    return f"{_event_prefix(event)}/venue-vault"


def vault_orders_topic(account: str) -> str:
    """Where the server gives orders to the vault with this account."""
    return f"{VAULTS_ROOT}/{account}/orders"


def vault_answers_topic(account: str) -> str:
    """Where the vault with this account answers the server."""
    return f"{VAULTS_ROOT}/{account}/answers"


ALL_VAULTS = "+"
"""Stands for every account in ``vault_orders_topic`` and ``vault_answers_topic``."""


def is_vault_answer(text: str) -> bool:
    """Whether this is a topic on which a vault answers; who has signed the answer says which."""
    levels = text.split("/")
    return len(levels) == 3 and levels[0] == VAULTS_ROOT and levels[2] == "answers"


def parse_topic(text: str) -> Topic:
    """Read a topic back to its names; raises TopicError naming what is wrong."""
    return _read_once(text) if len(text) <= LONGEST_KEPT else _read(text)


def _read(text: str) -> Topic:
    levels = text.split("/")
    if len(levels) != 4 or levels[0] != ROOT:
        raise TopicError(f"{text!r} is not a topic like {ROOT}/<event>/<table>/<channel>")
    try:
        event, table = (unquote(level, errors="strict") for level in levels[1:3])
        topic = Topic(event, table, Channel(levels[3]))
    except ValueError:
        raise TopicError(f"{text!r} has no known channel or its names are not percent-encoded UTF-8") from None
    if not event or not table or str(topic) != text:
        raise TopicError(f"{text!r} is not in its one spelling")
    return topic


_read_once = lru_cache(KEPT_TOPICS)(_read)


def parse_hall_topic(text: str) -> HallTopic:
    """Read a hall's topic back; raises TopicError naming what is wrong."""
    root, _, rest = text.partition("/")
    table, _, channel = rest.partition("/")
    try:
        topic = HallTopic(unquote(table, errors="strict"), HallChannel(channel))
    except ValueError:
        raise TopicError(f"{text!r} is not a topic like {HALL_ROOT}/<table>/<channel>") from None
    if root != HALL_ROOT or not table or str(topic) != text:
        raise TopicError(f"{text!r} is not a topic like {HALL_ROOT}/<table>/<channel> in its one spelling")
    return topic


def _event_prefix(event: str | None) -> str:
    """The first two levels; ``+`` stands for every event, and no name is encoded as it."""
    if event == "":
        raise TopicError("the event has no name: a topic needs one")
    return f"{ROOT}/{'+' if event is None else _encode(event)}"


def _encode(name: str) -> str:
    return quote(name, safe="").replace(".", "%2E")
