"""News about results that everybody may know, computed from the event's state, so that a restart loses and repeats none."""

from collections.abc import Iterator, Sequence
from enum import Enum

from dashboard.access.viewer_scope import ViewerScope
from twinwall.event.management.changes import ResultsReleased
from twinwall.event.store.store_contents import ManagementStep
from twinwall.values import FrozenStruct


class NewsKind(Enum):
    """What has happened."""

    DEAL_OPENED = "deal-opened"
    """Everybody can see a deal's results."""
    SESSION_ENDED = "session-ended"
    RESULTS_CORRECTED = "results-corrected"
    """A ruling changed public results."""
    RESULTS_RELEASED = "results-released"
    """A director released a session's held-back results."""


class News(FrozenStruct, omit_defaults=True):
    """One piece of news; it names what to read, without results and players' names.

    Attributes:
        key: identifies the piece for good.
        read: the address of what has changed.
    """

    key: str
    kind: NewsKind
    read: str
    session: int
    deal: int = 0
    hand: int = 0


def news_of(scope: ViewerScope, steps: Sequence[ManagementStep]) -> Iterator[News]:
    """All news of an event, in no order; ``scope`` is that of everybody, ``steps`` are the event's changes."""
    for deal in scope.results.deals():
        if not deal.held:
            yield News(f"deal {deal.n}", NewsKind.DEAL_OPENED, f"/api/v1/deals/{deal.n}", deal.session, deal.n, deal.hand)
    for session in scope.event.sessions:
        if session.over:
            read = f"/api/v1/standings?session={session.number}"
            yield News(f"session {session.number}", NewsKind.SESSION_ENDED, read, session.number)
    for each in scope.results.standings().corrections:
        key = f"correction {each.given.ruling.identity} of deal {each.n} at table {each.table}"
        yield News(key, NewsKind.RESULTS_CORRECTED, f"/api/v1/deals/{each.n}", each.session, each.n)
    for version, step in enumerate(steps, 1):
        if isinstance(step.change, ResultsReleased):
            of = step.change.session
            yield News(f"release {version}", NewsKind.RESULTS_RELEASED, f"/api/v1/standings?session={of}", of)
