"""Whether a table's journal counts (``CountedJournals``): it has the event's start, and if it continues another one, staff ordered that.
Vault, hall server and centre check each journal's first line so before they act on it."""

from dataclasses import field

from twinwall.game.deals import Start, words_of_code
from twinwall.game.documents import DocumentError
from twinwall.values import frozen
from twinwall.wire.events.wall_events import StartFixed
from twinwall.wire.ledger import LedgerPosition, PublicEvent
from twinwall.wire.messages.signing import SignatureError
from twinwall.wire.messages.staff_orders import ReplacementOrder, read_replacement


@frozen
class CountedJournals:
    """The journals that count; one whose first line fails is refused as a whole. ``server`` is the key under which the dashboard signs
    orders, None if unknown. ``earlier``: an order may name an earlier line than the reader has: the vault may have more lines than the
    signing server, and judges an order by its deals."""

    event: str
    server: bytes | None
    earlier: bool = False
    _refused: dict[str, str] = field(default_factory=dict)
    """The refused journal of each table."""

    def problem(self, line: PublicEvent, start: Start, former: LedgerPosition | None) -> str | None:
        """Why the journal that begins with this line does not count, in one sentence; None for all other lines. ``former`` is the end of
        another journal with which the table has played; None: it may begin any."""
        if line.seq != 1:
            return None
        sentence = start_problem(line, start) or self._not_ordered(line, former)
        if sentence is not None:
            self.refuse(line)
        return sentence

    def refuse(self, line: PublicEvent) -> None:
        self._refused[line.table] = line.journal

    def count(self, line: PublicEvent) -> bool:
        """Whether the line's journal is not the last refused one."""
        return self._refused.get(line.table) != line.journal

    def order(self, line: PublicEvent) -> ReplacementOrder | None:
        """The staff's order by which this line's journal continues another one, or None. Raises DocumentError unless the server signed it
        for this table."""
        signed = line.body.replaces if line.seq == 1 and isinstance(line.body, StartFixed) else None
        if signed is None:
            return None
        if self.server is None:
            raise SignatureError("the server's key, under which the order to replace a controller is checked, is not in the settings")
        return read_replacement(signed.encode(), self.event, line.table, self.server)

    def _not_ordered(self, line: PublicEvent, former: LedgerPosition | None) -> str | None:
        name = f"table {line.table}: journal {line.journal!r}"
        try:
            order = self.order(line)
        except DocumentError as error:
            return f"{name} does not count: {error}"
        if former is None:
            return None
        ends = f"the table's journal {former.journal!r}, which ends with line {former.seq}"
        if order is None:
            return (
                f"{name} begins again beside {ends}: its lines do not count. If the controller was lost with its disk, order on the "
                "table's page that another takes its place; if not, somebody else runs a controller under this table's name"
            )
        if order.journal != former.journal or (order.seq == former.seq and order.digest != former.digest):
            return f"{name} goes on for {order.journal!r}, line {order.seq}, and not for {ends}: its lines do not count"
        if order.seq < former.seq and not self.earlier:
            return (
                f"{name} goes on after line {order.seq} of {ends}: its lines do not count, since the table went on after the "
                "order was given. Order it again on the table's page"
            )
        return None


def start_problem(event: PublicEvent, start: Start) -> str | None:
    """Why a journal with this first line has another start, in one sentence; None for a good one and for later lines."""
    if event.seq != 1:
        return None
    name = f"table {event.table}: journal {event.journal!r}"
    if not isinstance(event.body, StartFixed):
        return f"{name} does not begin with a start: its lines do not count; the event's start is {start.words}"
    code = bytes.fromhex(event.body.code)
    if code == start.code:
        return None
    return f"{name} is of the start {words_of_code(code)}, the event's start is {start.words}: its lines do not count"
