"""First lines of a table's journal (``first_lines``): the start of its event, and, if it replaces a lost journal, how far that one was.

The staff order the replacement of a controller that was lost with its disk. The deals that the table had finished stay finished, and the
hand in play is annulled, because only the lost journal had its concealed tiles.
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
"""A controller's first start is within this many lines of its journal."""


@frozen
class LostJournal:
    """The journal of a controller that was lost with its disk, by the staff's order; ``signed`` is that order as received."""

    order: ReplacementOrder
    signed: bytes


def journal_id(journal: Journal, fresh: str) -> str:
    """The id under which a journal is published: that of a controller's first start in it, or ``fresh`` for a new one."""
    started = (entry.event for entry in journal.entries[:MOST_FIRST_LINES] if isinstance(entry.event, ControllerStarted))
    return next((event.journal for event in started), fresh)


def first_lines(journal: Journal, start: Start, lost: LostJournal | None = None) -> Events:
    """The first lines of a new journal, empty for one that has begun. The hand in play of a ``lost`` journal is annulled.

    Raises JournalError for a journal of another start: an event has only one, so that no holder of the seeds can choose its deals.
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
