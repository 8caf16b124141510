"""What the open ledger holds back: lines that would reveal that a hand is over before every table has played its deal.

Everybody may see that a table builds and plays; the end of a hand is secret until its deal is released. The walls of the next hand rise,
its sheets are opened, and other players are asked who they are only after the hand before. So from then on each line of the table's
progress waits, and is published at the release, in order and with that time. Lines unrelated to play, such as a lost link or a call for the
referee, never wait. Deals that no vault gave are never released, and nothing of theirs waits. A fold of the journal without I/O, like the
ledger itself.
"""

from dataclasses import replace

from controller.ledger.journal import JournalEntry
from twinwall.values import frozen
from twinwall.wire.events.hand_events import DealReleased, HandStarted
from twinwall.wire.events.seat_events import ClockPaused, ClockResumed, SeatsAwaited
from twinwall.wire.events.trouble_events import CameraTrouble, LinkLost, LinkRestored, RefereeCalled
from twinwall.wire.events.wall_events import ControllerStarted, DealOpened, SheetsDue, WallRaised

NEVER_WAITS = (ControllerStarted, ClockPaused, ClockResumed, LinkLost, CameraTrouble, LinkRestored, RefereeCalled)
"""Events that happen to a table whether its hand is over or not."""


@frozen
class Withheld:
    """``custody``: deals opened now are in custody; ``kept`` are the unreleased ones of these.

    ``standing`` is the deal with the last raised walls, ``begun`` that of the last begun hand; ``over`` are the deals in custody that the
    table is known to have finished. ``waiting`` are entries that would reveal it, each with the deals whose release it waits for.
    """

    custody: bool = False
    kept: frozenset[int] = frozenset()
    standing: int | None = None
    begun: int | None = None
    over: frozenset[int] = frozenset()
    waiting: tuple[tuple[frozenset[int], JournalEntry], ...] = ()


def pass_on(withheld: Withheld, entry: JournalEntry) -> tuple[Withheld, tuple[JournalEntry, ...]]:
    """Take the next journal entry: return what is held back, and the entries to publish with their times."""
    event, freed = entry.event, list[JournalEntry]()
    if isinstance(event, DealOpened | SheetsDue) and withheld.standing is not None and withheld.standing != withheld.begun:
        withheld, (_, *freed) = _release(withheld, withheld.standing, entry)  # left for another session: no release will come
    match event:
        case ControllerStarted():
            return replace(withheld, custody=event.custody), (entry,)
        case DealReleased():
            return _release(withheld, event.n, entry)
        case DealOpened() if withheld.custody:
            withheld = replace(withheld, kept=withheld.kept | {event.n})
        case WallRaised():
            withheld = replace(_hand_over(withheld), standing=event.n)
        case HandStarted():
            withheld = replace(withheld, begun=event.n)
        case SheetsDue():
            withheld = _hand_over(withheld)
            kept = withheld.kept | {event.n} if withheld.custody else withheld.kept
            withheld = replace(withheld, standing=event.n, kept=kept)
        case SeatsAwaited():
            withheld = _hand_over(withheld)
    if not withheld.over or isinstance(event, NEVER_WAITS):
        return withheld, (*freed, entry)
    return replace(withheld, waiting=(*withheld.waiting, (withheld.over, entry))), tuple(freed)


def _hand_over(withheld: Withheld) -> Withheld:
    """What comes now reveals that the hand of the present deal is over."""
    ended = {withheld.standing} & withheld.kept
    return replace(withheld, over=withheld.over | frozenset(n for n in ended if n is not None))


def _release(withheld: Withheld, n: int, entry: JournalEntry) -> tuple[Withheld, tuple[JournalEntry, ...]]:
    """Publish the release of a deal at once, with all that waited for nothing else."""
    waiting = tuple((deals - {n}, held) for deals, held in withheld.waiting)
    published = tuple(replace(held, at=entry.at) for deals, held in waiting if not deals)
    left = tuple((deals, held) for deals, held in waiting if deals)
    return replace(withheld, kept=withheld.kept - {n}, over=withheld.over - {n}, waiting=left), (entry, *published)
