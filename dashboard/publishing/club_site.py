"""A club's own site of an event: standings, deals, players, the verify page and files to download, in three languages.

The files are the same bytes for the same store: no time of making, no chance. They hold what everybody may see and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from jinja2 import Environment

from dashboard.access.viewer_scope import ViewerScope
from dashboard.api.results_document import results_document
from dashboard.i18n.exact_numbers import brief, exact
from dashboard.i18n.words import NATIVE_NAMES, WIND_CHARACTERS, Words, signed
from dashboard.prints.deal_sheets import deals_page
from dashboard.prints.paper import paper
from dashboard.prints.results_file import results_file
from dashboard.prints.verification import verification_sheet
from dashboard.publishing.site_links import FILES
from dashboard.publishing.site_pages import DASHBOARD, SitePages, site_environment, site_links
from dashboard.verify_page.page import page as verify_page
from twinwall.art.names import LANGUAGES, Language
from twinwall.event.results_csv import write_results
from twinwall.game.documents import canonical_json

Printer = Callable[[str], bytes]
"""Makes the PDF file of a page for paper."""


class NothingToPublishError(ValueError):
    """An event without a released deal."""


def club_site(scope: ViewerScope, language: Language, pdf: Printer | None) -> dict[str, bytes]:
    """The files of the site by path.

    Args:
        scope: what everybody may see.
        language: of the first page and of the PDF files.
        pdf: makes PDF files; None for a site without them.

    Raises:
        NothingToPublishError: when no deal is released.
    """
    if not scope.released():
        raise NothingToPublishError("no deal of this event is released: there is nothing to publish yet")
    environment = site_environment(site_links(scope))
    downloads = dict(_downloads(scope, Words(language), environment, pdf))
    listed = tuple(name for name in downloads if name.startswith("results"))
    site = {f"{FILES}/{name}": content for name, content in downloads.items()}
    for tag in LANGUAGES:
        site |= {f"{tag}/{name}": content for name, content in SitePages(scope, Words(tag), listed, environment).pages()}
    first = environment.get_template("site/first.html")
    site["index.html"] = first.render(words=Words(language), event=scope.event_name, languages=NATIVE_NAMES).encode()
    site["style.css"] = (DASHBOARD / "static" / "style.css").read_bytes()
    site["verify.html"] = verify_page().encode()
    return dict(sorted(site.items()))


def _downloads(scope: ViewerScope, words: Words, environment: Environment, pdf: Printer | None) -> Iterator[tuple[str, bytes]]:
    yield "results.csv", write_results(scope.results.compared_results(), scope.results.kind)
    yield "results.json", results_document(scope)
    if (started := scope.started()) is not None:
        yield "plan.json", started.plan.canonical
        yield "start.json", started.start.canonical
    for n in scope.released():
        deal = scope.results.deal(n)
        if deal is not None:
            yield f"slip-{n:04d}.json", canonical_json(deal.opening.slip.to_json())
    if pdf is not None:
        for name, html in _papers(scope, words, environment):
            yield name, pdf(html)


def _papers(scope: ViewerScope, words: Words, environment: Environment) -> Iterator[tuple[str, str]]:
    def of(template: str, **values: object) -> str:
        shared = {"event": scope.event_name, "exact": exact, "brief": brief, "signed": signed, "winds": WIND_CHARACTERS}
        return paper(environment, template, words, **shared, **values)

    yield "results.pdf", of("results.html", results=results_file(scope, words))
    if (deals := deals_page(environment, scope, scope.released(), words)) is not None:
        yield "deals.pdf", deals
    if (started := scope.started()) is not None:
        yield "verification.pdf", of("verification.html", sheet=verification_sheet(started, scope))
