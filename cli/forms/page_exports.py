"""Exports as pages: replays as HTML files that need no network, and hand records on paper as one PDF file.

They are the files that the dashboard gives to everybody: released deals, no results that are held back.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from cli.event.stores import UnreleasedError
from cli.forms.text_forms import NamedFile
from cli.usage import UsageError
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import Words
from dashboard.pages.page_links import SiteLinks
from dashboard.pages.replay.replay_pieces import replay_file, replay_views, view_of_document
from dashboard.prints.deal_sheets import deals_page
from dashboard.prints.pdf_writer import write_pdf
from dashboard.publishing.club_site import site_environment, site_links
from twinwall.event.replay.steps import replay_document
from twinwall.game.deals.uncommitted import is_imported
from twinwall.game.record import HandRecord

HTML, PDF = "html", "pdf"


def replays_of_store(scope: ViewerScope, deals: Sequence[int], words: Words) -> list[NamedFile]:
    """A replay for each group and deal. Raises UnreleasedError for a deal whose results are held back."""
    return [file for n in deals for file in _of_deal(scope, n, words)]


def replays_of_records(records: Sequence[HandRecord], words: Words) -> list[NamedFile]:
    """A replay for each deal of the records; their walls tell deals apart."""
    environment = site_environment(SiteLinks({}, {}))
    deals: dict[tuple[str, int, bytes | None], list[HandRecord]] = {}
    for record in records:
        deals.setdefault((record.event, record.n, record.digest), []).append(record)
    seen: Counter[int] = Counter()
    files = []
    for (event, n, _), of_deal in deals.items():
        seen[n] += 1
        imported = all(is_imported(record.n, record.check, record.digest) for record in of_deal)
        view = view_of_document(replay_document(_told_apart(of_deal)), words, imported=imported)
        files.append((f"replay-{n:04d}-{seen[n]}.html", replay_file(environment, view, event, words).encode()))
    return files


def _told_apart(records: Sequence[HandRecord]) -> list[HandRecord]:
    """The records of a deal with a number behind a table that comes again, since its records differ."""
    seen: Counter[str] = Counter()
    named = []
    for record in records:
        seen[record.table] += 1
        again = seen[record.table]
        named.append(record if again == 1 else replace(record, table=f"{record.table} ({again})"))
    return named


def paper_of_store(scope: ViewerScope, deals: Sequence[int], words: Words) -> list[NamedFile]:
    """The hand records of these deals, a page for four tables. Raises UsageError where this machine cannot print."""
    page = deals_page(site_environment(site_links(scope)), scope, deals, words)
    if page is None:
        raise UnreleasedError("no deal of this event is released: there is nothing to print yet")
    try:
        return [("deals.pdf", write_pdf(page))]
    except OSError as error:
        raise UsageError(f"this machine cannot print ({error}): install libpangoft2-1.0-0 and fonts-noto-cjk") from None


def _of_deal(scope: ViewerScope, n: int, words: Words) -> Iterator[NamedFile]:
    links = site_links(scope)
    found = scope.results.deal(n)
    if found is None:
        return
    if found.held:
        raise UnreleasedError(f"deal {n}: the results of session {found.session} are held back by the director")
    for group, view in replay_views(found, words):
        html = replay_file(site_environment(links), view, scope.event_name, words)
        yield links.replay(n, group, view.table), html.encode()
