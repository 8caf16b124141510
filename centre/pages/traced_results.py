"""Spans of results at the publisher: from their change in the store, through the wait for other tables, to the page of all venues."""

from centre.comparison.following import FollowedComparison
from centre.store.centre_reading import CentreReader
from twinwall.wire.line_traces import LineTraces, Traced, TraceStep


class TracedResults:
    """The results that one reader has found since its first look and that are on no page yet."""

    def __init__(self, traces: LineTraces | None, reader: CentreReader, followed: FollowedComparison) -> None:
        """``followed`` reads with ``reader``."""
        self._traces, self._reader, self._followed = traces, reader, followed
        self._known: set[tuple[str, str, int]] | None = None
        """Table by venue, and deal, of the results found; None before the first look, whose results are on the pages already."""
        self._waiting: dict[tuple[str, str, int], tuple[Traced, int]] = {}
        """Each with the time at which it was found."""
        self._looked_ns = self._ranked_ns = 0

    def look(self) -> None:
        """Let the comparison read what was stored since. Raises StoreError."""
        if self._traces is None:
            self._followed.look()
            return
        self._looked_ns = self._traces.now_ns()
        self._followed.look()
        found = {(change.venue, change.table, change.n) for change in self._followed.taken}
        if self._known is None:
            self._known = set()
        else:
            for venue, table, n in found - self._known:
                of = Traced(table, self._reader.last_journal(venue, table), deal=n)
                self._waiting[venue, table, n] = of, self._looked_ns
        self._known |= found
        self._followed.compared.ranking()
        self._ranked_ns = self._traces.now_ns()

    def published(self) -> None:
        """Note that the pages show what was found."""
        compared = frozenset(self._followed.compared.compared) if self._waiting else ()
        for (venue, table, n), (of, found_ns) in list(self._waiting.items()):
            if self._traces is not None and n in compared:
                del self._waiting[venue, table, n]
                if found_ns < self._looked_ns:
                    self._traces.span(of, TraceStep.CENTRE_WAIT, found_ns, self._looked_ns, venue)
                self._traces.span(of, TraceStep.CENTRE_RANKING, self._looked_ns, self._ranked_ns, venue)
                self._traces.span(of, TraceStep.CENTRE_PAGE, self._ranked_ns, self._traces.now_ns(), venue)
