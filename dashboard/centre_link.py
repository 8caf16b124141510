"""The hall's end of the link to a centre of many venues: states what the venue plays by, repeats lines that the centre requests, and shows
the centre's messages to the staff. The gateway brings orders and takes answers over the hall's broker. Unanswered orders come again, so an
order is dropped if store or broker fails. A flood of orders takes only a bounded share of the time."""

import logging
from collections.abc import Callable
from contextlib import suppress

from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_rows import LinesAgain
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.boot_keys import TableKeys, read_head
from twinwall.wire.messages.commands import Command, Resend
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.venue_messages import SPOKEN, ResendOrder, VenueStatement, read_notice, read_resend_order, write_venue_statement
from twinwall.wire.mqtt.centre_topics import FOR_SERVER, CentreOrder, heard_order, repeat_topic
from twinwall.wire.mqtt.topics import Channel, Topic, venue_statement_topic
from twinwall.wire.receiver import ASK_AGAIN_S, MOST_ASKED

MOST_ORDERS = 256
"""Most waiting orders, one for each journal."""
ANSWERS_A_TICK = 4
"""Orders answered with each tick of the listener."""
SAY_AGAIN_S = 60.0
"""The venue's statement is repeated at this interval, in case one was lost."""
LONGEST_SENTENCE = 400
"""Most characters of a centre's sentence that are shown."""

_LOG = logging.getLogger(__name__)


def venue_statement(name: str, server: Signer | None, vault_key: bytes | None, version: str, programme: Programme) -> bytes:
    """What a venue plays by, signed in its ``name``, as in the centre's settings, under the hall's key, which these have too (in a
    rehearsal unsigned). ``vault_key`` announces the tables' keys; None without a vault."""
    signer = None if server is None else Signer(name, server.secret)
    statement = VenueStatement(SPOKEN, version, programme.document.decode(), None if vault_key is None else vault_key.hex())
    return write_venue_statement(signer, programme.event, statement)


class CentreLink:
    """One event's messages to and from the centre; used by the listener's thread."""

    subscriptions = tuple(heard_order(order) for order in FOR_SERVER)

    def __init__(
        self,
        statement: Callable[[Programme], bytes],
        programme: Callable[[], Programme],
        stored: Callable[[str, str, int, int], LinesAgain],
        monotonic_s: Callable[[], float],
        *,
        tell: Callable[[str], None],
        keys: TableKeys | None = None,
    ) -> None:
        """``statement`` writes what the venue plays by, ``programme`` returns the one in force. ``stored`` reads lines of a table's
        journal, from first to last, and may raise StoreError. ``tell`` shows a sentence to the staff. ``keys`` check the tables' heads,
        None in a rehearsal without."""
        self._tell, self._keys = tell, keys
        self._asked_s: dict[str, float] = {}
        self._write, self._programme, self._stored, self._monotonic_s = statement, programme, stored, monotonic_s
        self._stated = programme()
        self._event = self._stated.event
        self._statement = statement(self._stated)
        self._stated_s: float | None = None
        self._orders: dict[tuple[str, str], ResendOrder] = {}
        self.publish: Callable[[str, bytes], int | None] = lambda _topic, _payload: None
        """Sends to the broker; None without a connection. The listener sets it."""
        self.ask: Callable[[str, Command], bool] = lambda _table, _command: False
        """Sends a command to a table. The listener sets it."""

    def hear(self, topic: str, payload: bytes) -> None:
        """Receive a message on the centre's topics."""
        try:
            if topic == heard_order(CentreOrder.RESEND):
                self._resend(read_resend_order(payload))
            elif topic == heard_order(CentreOrder.NOTICE):
                self._notice(read_notice(payload))
        except DocumentError as error:
            _LOG.warning("a message of the centre is not understood: %s", error)

    def tick(self) -> None:
        """State what the venue plays by, when it is time to, and answer the oldest orders."""
        self._state()
        for name in list(self._orders)[:ANSWERS_A_TICK]:
            self._answer(self._orders.pop(name))

    def _state(self) -> None:
        """Send the statement after a change, and from time to time; if the broker does not take it, with the next tick."""
        programme, now_s = self._programme(), self._monotonic_s()
        if programme is not self._stated:
            self._stated, self._statement, self._stated_s = programme, self._write(programme), None
        if self._stated_s is None or now_s - self._stated_s >= SAY_AGAIN_S:
            token = self.publish(venue_statement_topic(self._event), self._statement)
            self._stated_s = None if token is None else now_s

    def _resend(self, order: ResendOrder) -> None:
        """Remember the last order for a journal, because the centre asks from its present state."""
        name = order.table, order.journal
        if order.event == self._event and (name in self._orders or len(self._orders) < MOST_ORDERS):
            self._orders[name] = order

    def _notice(self, sentence: str) -> None:
        """Show a message of the centre to this hall's staff."""
        short = sentence if len(sentence) <= LONGEST_SENTENCE else f"{sentence[: LONGEST_SENTENCE - 1]}…"
        _LOG.warning("the centre: %s", short)
        self._tell(short)

    def _answer(self, order: ResendOrder) -> None:
        try:
            lines, signed = self._stored(order.table, order.journal, order.first, order.last)
        except StoreError as error:
            _LOG.error("the centre's order for lines of table %s is not answered: %s", order.table, error, extra={"table": order.table})
            return
        if not lines:
            return
        counts = signed is not None and self._counts(order.table, signed)
        if not counts and self._keys is not None:
            self._ask_table(order)
        events, head = (repeat_topic(str(Topic(self._event, order.table, channel))) for channel in (Channel.EVENTS, Channel.HEAD))
        for line in lines:
            self.publish(events, line)
        if counts and signed is not None:
            self.publish(head, signed)

    def _counts(self, table: str, head: bytes) -> bool:
        """Whether the centre accepts a stored head: it knows the last announced key of the vault, and no key of an earlier boot."""
        key = None if self._keys is None else self._keys.of(table)
        if key is None:
            return False
        with suppress(DocumentError):
            read_head(head, self._event, table, key)
            return True
        return False

    def _ask_table(self, order: ResendOrder) -> None:
        """Let the table itself repeat these lines, with heads under its present key; at a limited rate, whatever the centre orders."""
        now_s = self._monotonic_s()
        self._asked_s = {table: at_s for table, at_s in self._asked_s.items() if now_s - at_s < ASK_AGAIN_S}
        if order.table not in self._asked_s:
            self._asked_s[order.table] = now_s
            self.ask(order.table, Resend(order.journal, order.first, min(order.last, order.first + MOST_ASKED - 1)))
