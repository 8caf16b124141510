"""First lines of a table's journal: the start of its event, and where the journal goes on for a lost one, what that one had reached.

A controller that was lost with its disk is replaced by the order of the staff. The deals that the table had finished stay finished, and
the hand that was in play is annulled: its concealed tiles stood in the lost journal alone.
"""

from controller.ledger.journal import Journal, JournalError
from controller.ledger.journal_events import Events
from twinwall.game.deals import Start, words_of_code
from twinwall.game.play_events import EndReason, HandEnded
from twinwall.game.tiles import SEATS
from twinwall.values import frozen
from twinwall.wire.events.hand_events import HandClosed
from twinwall.wire.events.wall_events import ControllerStarted, StartFixed
from twinwall.wire.messages.staff_orders import ReplacementOrder

MOST_FIRST_LINES = 4
"""A controller's first start stands within this many lines of its journal."""


@frozen
class LostJournal:
    """The journal of a controller that was lost with its disk, as the staff's order says; ``signed`` is that order as it came."""

    order: ReplacementOrder
    signed: bytes


def journal_id(journal: Journal, fresh: str) -> str:
    """The id under which a journal is published: its own from the first start of a controller, or ``fresh`` for a new one."""
    started = (entry.event for entry in journal.entries[:MOST_FIRST_LINES] if isinstance(entry.event, ControllerStarted))
    return next((event.journal for event in started), fresh)


def first_lines(journal: Journal, start: Start, lost: LostJournal | None = None) -> Events:
    """What a new journal begins with, nothing for one that has begun. The hand that a ``lost`` journal had in play is annulled.

    Raises JournalError for a journal of another start: an event has one, or a holder of the seeds could choose its deals.
    """
    if not journal.entries:
        if lost is None:
            return (StartFixed(start.code.hex()),)
        order = lost.order
        goes_on = StartFixed(start.code.hex(), lost.signed.decode(), order.finished)
        return (goes_on, HandEnded(EndReason.ANNULLED, dict.fromkeys(SEATS, 0)), HandClosed(order.n)) if order.n else (goes_on,)
    first = journal.entries[0].event
    if not isinstance(first, StartFixed):
        raise JournalError(f"{journal.path} does not begin with the start of its event: start the table with an empty ledger folder")
    if first.code != start.code.hex():
        raise JournalError(
            f"{journal.path} is of the start {words_of_code(bytes.fromhex(first.code))}, the settings name the start {start.words}: "
            "an event has one start; name the first one, or an empty ledger folder for another event"
        )
    return ()
