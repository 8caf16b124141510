"""Whether a table's journal is of the event's start: its first public line says so.

The vault and the hall's server ask this of each journal before they act on its lines.
"""

from __future__ import annotations

from twinwall.game.deals import Start, words_of_code
from twinwall.wire.ledger import PublicEvent, UnknownEvent

FIRST_TYPE = "start-fixed"


def start_problem(event: PublicEvent, start: Start) -> str | None:
    """Why a journal with this line is not of the start, in one sentence; None when the line does not contradict it.

    Only the first line of a journal tells.
    """
    if event.seq != 1:
        return None
    name = f"table {event.table}: journal {event.journal!r}"
    if isinstance(event, UnknownEvent) or event.type != FIRST_TYPE:
        return f"{name} does not begin with a start: its lines do not count; the event's start is {start.words}"
    code = bytes.fromhex(str(event.fields["code"]))
    if code == start.code:
        return None
    return f"{name} is of the start {words_of_code(code)}, the event's start is {start.words}: its lines do not count"
