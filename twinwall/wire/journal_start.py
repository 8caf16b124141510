"""Whether a table's journal counts: it is of the event's start, and where it goes on for another one, the staff have ordered that.

The first line of a journal says both. The vault, the hall's server and the centre ask this of each line before they act on it.
"""

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
    """Which journals of an event's tables count; a journal whose first line does not count is refused as a whole.

    Under ``server`` the dashboard signs the staff's orders; it is None where it is not known. ``earlier``: an order counts that names an
    earlier line than the reader has. The vault may have more lines than the server that signs, and judges the order by the deals that it
    names.
    """

    event: str
    server: bytes | None
    earlier: bool = False
    _refused: dict[str, str] = field(default_factory=dict)
    """The journal of each table that does not count."""

    def problem(self, line: PublicEvent, start: Start, former: LedgerPosition | None) -> str | None:
        """Why the journal that begins with this line does not count, in one sentence; None for every other line.

        ``former`` is where another journal of the table ends in which it has played; None where it may begin any.
        """
        if line.seq != 1:
            return None
        sentence = start_problem(line, start) or self._not_ordered(line, former)
        if sentence is not None:
            self.refuse(line)
        return sentence

    def refuse(self, line: PublicEvent) -> None:
        """The journal of this line does not count."""
        self._refused[line.table] = line.journal

    def count(self, line: PublicEvent) -> bool:
        """Whether the line is of a journal that counts, or at least not of the one that was refused last."""
        return self._refused.get(line.table) != line.journal

    def order(self, line: PublicEvent) -> ReplacementOrder | None:
        """The staff's order by which the journal that begins with this line goes on for another one.

        Raises DocumentError for one that the server has not signed for this table.
        """
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
    """Why a journal with this line is not of the start, in one sentence; None when the line does not contradict it.

    Only the first line of a journal tells.
    """
    if event.seq != 1:
        return None
    name = f"table {event.table}: journal {event.journal!r}"
    if not isinstance(event.body, StartFixed):
        return f"{name} does not begin with a start: its lines do not count; the event's start is {start.words}"
    code = bytes.fromhex(event.body.code)
    if code == start.code:
        return None
    return f"{name} is of the start {words_of_code(code)}, the event's start is {start.words}: its lines do not count"
