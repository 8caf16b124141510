"""A venue that has played: its statement, its vault's announcement, and its tables' ledgers with signed heads, as messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from centre.intake.venue_trust import CentreVenue
from tests.support.event.sessions import Play, hand_lines
from tests.support.wire.streams import Line, ledger_lines
from twinwall.event.field import EventField, field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.game.rules import NO_OPTIONS
from twinwall.wire.ledger import parse
from twinwall.wire.messages.boot_keys import Announcement, Head, LedgerKind, TableKey
from twinwall.wire.messages.signing import Signer, sign_document
from twinwall.wire.messages.venue_messages import SPOKEN, ResendOrder, VenueStatement, write_venue_statement
from twinwall.wire.mqtt.access import SERVER_USER
from twinwall.wire.mqtt.topics import Channel, Topic, keys_topic, venue_statement_topic

EVENT = "Autumn / Herbst"
CENTRE = Programme(EVENT, EventField(EntrantKind.INDIVIDUAL))
"""The centre's programme: the venues name their tables themselves."""
Message = tuple[str, bytes]


def _signer(name: str) -> Signer:
    return Signer(name, name.encode().ljust(32, b"-"))


@dataclass(frozen=True)
class PlayingVenue:
    """One venue with these tables, each of which has played the scripts' lines in ``journal``."""

    name: str
    scripts: tuple[tuple[str, tuple[Line, ...]], ...]
    heads_every: int = 3
    vault: str = "vault"
    journal: str = "j"

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(table for table, _ in self.scripts)

    @property
    def venue(self) -> CentreVenue:
        """As the centre's settings name it."""
        return CentreVenue(self.name, "west", _signer(self.name).public)

    @property
    def server(self) -> Signer:
        """Its hall's server, as the hall's settings have it."""
        return Signer(SERVER_USER, _signer(self.name).secret)

    @property
    def vault_key(self) -> bytes:
        """Under which its tables' keys are announced."""
        return _signer(self.vault).public

    def statement(
        self, programme: Programme | None = None, spoken: int = SPOKEN, signer: str | None = None, *, bare: bool = False
    ) -> Message:
        """What the venue, or ``signer`` in its name, says of itself; ``bare`` as in a rehearsal without keys."""
        plays_by = programme or Programme(EVENT, field_of(EntrantKind.INDIVIDUAL, self.tables))
        said = VenueStatement(spoken, "0.9.0", plays_by.document.decode(), self.vault_key.hex())
        by = Signer(self.name, (signer or self.name).encode().ljust(32, b"-"))
        return venue_statement_topic(EVENT), write_venue_statement(None if bare else by, EVENT, said)

    @property
    def announcement(self) -> Message:
        """The vault's word on the tables' keys."""
        keys = tuple(TableKey(table, self._table(table).public.hex()) for table in self.tables)
        return keys_topic(EVENT), sign_document(Signer("vault", _signer(self.vault).secret), Announcement(1, keys), EVENT)

    @cached_property
    def ledgers(self) -> dict[str, list[bytes]]:
        return {table: ledger_lines(script, table, self.journal) for table, script in self.scripts}

    def line(self, table: str, seq: int) -> Message:
        return str(Topic(EVENT, table, Channel.EVENTS)), self.ledgers[table][seq - 1]

    def head(self, table: str, seq: int) -> Message:
        at = parse(self.ledgers[table][seq - 1]).position
        payload = sign_document(self._table(table), Head(at.journal, at.seq, at.digest, LedgerKind.EVENTS), EVENT, table)
        return str(Topic(EVENT, table, Channel.HEAD)), payload

    @cached_property
    def messages(self) -> list[Message]:
        """All of them, in the order in which the venue sends them: a head after every few lines, and one after the last."""
        sent = [self.statement(), self.announcement]
        for table, lines in self.ledgers.items():
            for seq in range(1, len(lines) + 1):
                sent.append(self.line(table, seq))
                sent += [self.head(table, seq)] if seq % self.heads_every == 0 or seq == len(lines) else []
        return sent

    def answers(self, orders: Sequence[ResendOrder]) -> list[Message]:
        """What the venue sends again."""
        sent: list[Message] = []
        for order in orders:
            last = len(self.ledgers[order.table])
            sent += [self.line(order.table, seq) for seq in range(order.first, min(order.last, last) + 1)]
            sent.append(self.head(order.table, last))
        return sent

    def table_key(self, table: str) -> bytes:
        """The public key under which a table's heads count."""
        return self._table(table).public

    def _table(self, table: str) -> Signer:
        return Signer(table, f"{self.name}/{table}".encode().ljust(32, b"-"))


def played_hands(table: str, scores: Sequence[Sequence[int]], options: Mapping[str, object] = NO_OPTIONS) -> tuple[Line, ...]:
    """A table's hands with these scores, its players named by table and place."""
    players = [f"{table}-{place}" for place in range(4)]
    hands = (hand_lines(Play(n, 1, n, table, players, of_hand, options=options)) for n, of_hand in enumerate(scores, 1))
    return tuple(line for lines in hands for line in lines)
