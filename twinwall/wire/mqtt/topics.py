"""MQTT topics of tables in an event, ``twinwall/<event>/<table>/<channel>``, and in a hall, ``twinwall-hall/<table>/<channel>``. Names are
free text: characters except letters, digits, ``-``, ``_`` and ``~`` are percent-encoded, so names add neither levels nor wildcards. Dots
are encoded too, because RabbitMQ separates levels by them. A joined table learns its event on the hall's topics."""

from enum import StrEnum
from functools import lru_cache
from urllib.parse import quote, unquote

from twinwall.values import frozen

ROOT = "twinwall"
HALL_ROOT = "twinwall-hall"
KEPT_TOPICS, LONGEST_KEPT = 8192, 256
"""Cached topics, and the longest cached one, so that invented topics do not fill the memory."""
VAULTS_ROOT = "twinwall-vaults"
"""For server and vaults: ``twinwall-vaults/<account>/…``, because a waiting vault knows no event."""


class Channel(StrEnum):
    EVENTS = "events"
    """Table to server: the public ledger, classes P and T."""
    PUBLIC = "public"
    """Table to everybody: class P only, with its own line numbers."""
    HEAD = "head"
    """Table to server and vault: signed heads of ``events``."""
    PUBLIC_HEAD = "public-head"
    """Table to everybody: signed heads of ``public``."""
    CROSSING_HEAD = "crossing-head"
    """Table to other tables: the signed head of the ``events`` line that closes a hand of a released deal."""
    HEALTH = "health"
    """Table to server: a heartbeat that reveals nothing of play."""
    QUESTION = "question"
    """Table to server, signed: questions to the referee, with pictures."""
    CUSTODY = "custody"
    """Table to vault, signed: boot keys, ledger's head and deals held."""
    CHALLENGE = "challenge"
    """Vault to table, signed: random bytes for the table's next statements."""
    COMMAND = "command"
    """Server or vault to table, signed."""
    DEAL = "deal"
    """Vault to table: sealed deals."""
    JOURNAL_KEY = "journal-key"
    """Vault to table (and to the server, for a slip): the sealed key of the table's journal, after a power cut."""
    KEY_REQUEST = "key-request"
    """Server to vault: a table's request for its journal's key that somebody has carried."""
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
    WAITING = "waiting"
    """Table to server: its heartbeat to the hall, with or without an assignment."""
    ASSIGNMENT = "assignment"
    """Server to table, signed: event, session, rules and players."""
    TILE_ORDER = "tile-order"
    """Server to table, signed: read the tiles drawn for an event's public value."""
    TILES = "tiles"
    """Table to server, signed: the tiles that it has read."""


FROM_JOINED = (HallChannel.WAITING, HallChannel.TILES)
TO_JOINED = (HallChannel.ASSIGNMENT, HallChannel.TILE_ORDER)


class TopicError(ValueError):
    """Text that is not a topic of Twinwall."""


@frozen
class Topic:
    """One table's channel; ``str()`` gives the topic."""

    event: str
    table: str
    channel: Channel

    def __str__(self) -> str:
        return f"{table_prefix(self.event, self.table)}/{self.channel}"


@frozen
class HallTopic:
    """One table's channel to the hall; ``str()`` gives the topic."""

    table: str
    channel: HallChannel

    def __str__(self) -> str:
        if not self.table:
            raise TopicError("the table has no name: a topic needs one")
        return f"{HALL_ROOT}/{_encode(self.table)}/{self.channel}"


def table_prefix(event: str | None, table: str) -> str:
    """A table's topic without channel, or its filter for every event (None); raises TopicError for an empty name."""
    if not table:
        raise TopicError("the table has no name: a topic needs one")
    return f"{_event_prefix(event)}/{_encode(table)}"


def all_tables(event: str | None, channel: Channel) -> str:
    """The filter for one channel of every table of the event, or of every event (None)."""
    return f"{_event_prefix(event)}/+/{channel}"


def all_joined(channel: HallChannel) -> str:
    """The filter for one channel of every table of the hall."""
    return f"{HALL_ROOT}/+/{channel}"


def slips_topic(event: str | None) -> str:
    """The vault publishes released slips here for everybody."""
    return f"{_event_prefix(event)}/slips"


def shares_topic(event: str | None) -> str:
    """The vaults of several holders exchange released shares here."""
    return f"{_event_prefix(event)}/shares"


def keys_topic(event: str | None) -> str:
    """The vault announces the tables' boot signing keys here."""
    return f"{_event_prefix(event)}/keys"


def venue_statement_topic(event: str | None) -> str:
    """A venue's server sends the centre its statement here."""
    return f"{_event_prefix(event)}/venue"


def venue_vault_topic(event: str | None) -> str:
    """A venue's vaults report to the centre's vaults here."""
    return f"{_event_prefix(event)}/venue-vault"


def vault_orders_topic(account: str) -> str:
    """The server sends orders to the vault with this account here."""
    return f"{VAULTS_ROOT}/{account}/orders"


def vault_answers_topic(account: str) -> str:
    """The vault with this account answers the server here."""
    return f"{VAULTS_ROOT}/{account}/answers"


ALL_VAULTS = "+"
"""Every account, in ``vault_orders_topic`` and ``vault_answers_topic``."""


def is_vault_answer(text: str) -> bool:
    """Whether a vault answers on this topic; the signature says which."""
    levels = text.split("/")
    return len(levels) == 3 and levels[0] == VAULTS_ROOT and levels[2] == "answers"


def parse_topic(text: str) -> Topic:
    """Read a topic; raises TopicError."""
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
    """Read a hall's topic; raises TopicError."""
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
    """The first two levels; ``+`` is every event, and no name is encoded as ``+``."""
    if event == "":
        raise TopicError("the event has no name: a topic needs one")
    return f"{ROOT}/{'+' if event is None else _encode(event)}"


def _encode(name: str) -> str:
    return quote(name, safe="").replace(".", "%2E")
