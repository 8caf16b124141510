"""A club's own site of an event: standings, deals, players, the verify page and downloads, in three languages. The same store always gives
the same bytes: no time and no chance enter. The pages use the same pieces as the served pages and show what everybody may see: released
deals, and results that are not held back. They need no network and no font; only replays have a script."""

from collections.abc import Callable, Iterator

from jinja2 import Environment
from markupsafe import Markup

from dashboard.access.shown_results import ReleasedDeal
from dashboard.access.viewer_scope import ViewerScope
from dashboard.api.result_operations import results_document
from dashboard.i18n.words import IN_TEMPLATES, NATIVE_NAMES, Words, brief
from dashboard.pages.deals import deal_pieces
from dashboard.pages.deals.deal_pieces import standings
from dashboard.pages.page_links import FILES, SiteLinks
from dashboard.pages.players.player_pages import card_values
from dashboard.pages.rendering import Renderer
from dashboard.pages.replay.replay_page import drawings, replay_file, replay_views
from dashboard.prints.paper import paper, qr_picture
from dashboard.prints.results_file import results_file
from dashboard.prints.sheets import deals_page, templates, verification_sheet
from dashboard.verify_page.page import page as verify_page
from dashboard.web_app import STATIC
from twinwall.art.names import LANGUAGES, Language
from twinwall.event.natural_order import natural
from twinwall.event.points import Points
from twinwall.event.results_csv import write_results
from twinwall.game.deals.plan import PlannedDeal
from twinwall.game.documents import canonical_json

Printer = Callable[[str], bytes]
"""Makes the PDF file of a page for paper."""


class NothingToPublishError(ValueError):
    """An event without a released deal."""


def club_site(scope: ViewerScope, language: Language, pdf: Printer | None) -> dict[str, bytes]:
    """The files of the site by path. ``scope``: what everybody may see. ``language``: of the first page and of the PDF files. ``pdf``:
    makes PDF files; None for a site without them. Raises NothingToPublishError when no deal is released."""
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
    site["style.css"] = (STATIC / "style.css").read_bytes()
    site["verify.html"] = verify_page().encode()
    return dict(sorted(site.items()))


def _downloads(scope: ViewerScope, words: Words, environment: Environment, pdf: Printer | None) -> Iterator[tuple[str, bytes]]:
    yield "results.csv", write_results(scope.results.compared_results(), scope.results.kind)
    yield "results.json", results_document(scope)
    if (started := scope.started()) is not None:
        yield "plan.json", started.plan.canonical
        yield "start.json", started.start.canonical
    for deal in scope.results.deals():
        yield f"slip-{deal.n:04d}.json", canonical_json(deal.opening.slip.to_json())
    if pdf is not None:
        for name, html in _papers(scope, words, environment):
            yield name, pdf(html)


def _papers(scope: ViewerScope, words: Words, environment: Environment) -> Iterator[tuple[str, str]]:
    def of(template: str, **values: object) -> str:
        return paper(environment, template, words, event=scope.event_name, **values)

    yield "results.pdf", of("results.html", results=results_file(scope, words))
    if (deals := deals_page(environment, scope, scope.released(), words)) is not None:
        yield "deals.pdf", deals
    if (started := scope.started()) is not None:
        yield "verification.pdf", of("verification.html", sheet=verification_sheet(started, scope))


def site_environment(links: SiteLinks) -> Environment:
    """The templates with a site's addresses."""
    environment = templates()
    environment.globals |= {**IN_TEMPLATES, "links": links}
    return environment


class SitePages:
    """Makes the pages of one language; ``files`` are the names of the downloads, in order. The languages share an ``environment``, which
    compiles each template once."""

    def __init__(self, scope: ViewerScope, words: Words, files: tuple[str, ...], environment: Environment) -> None:
        self._scope, self._words, self._files = scope, words, files
        self._links = site_links(scope)
        self._environment = environment
        self._render = Renderer(environment, self._words)

    def pages(self) -> Iterator[tuple[str, bytes]]:
        yield from self._standings()
        yield from self._deals()
        yield from self._entrants()
        yield self._verification()

    def _page(self, name: str, template: str, title: str, **values: object) -> tuple[str, bytes]:
        text = self._environment.get_template(f"site/{template}").render(
            words=self._words,
            title=title,
            name=name,
            event=self._scope.event_name,
            languages=NATIVE_NAMES,
            start=None if (started := self._scope.started()) is None else started.start.words,
            players=bool(self._scope.event.players),
            **{"drawings": "", "files": (), "wide": False} | values,
        )
        return name, text.encode()

    def _standings(self) -> Iterator[tuple[str, bytes]]:
        title = self._words("standings")
        yield self._page("index.html", "piece.html", title, piece=self._standings_piece(), files=self._files, drawings=drawings("icons"))
        for session in self._scope.results.sessions():
            name, of = self._links.standings(session), f"{title} · {self._words('session.numbered', number=session)}"
            yield self._page(name, "piece.html", of, piece=self._standings_piece(session), drawings=drawings("icons"))
            for group in self._links.groups.get(session, ()):
                piece = self._standings_piece(session, group)
                yield self._page(self._links.standings(session, group), "piece.html", of, piece=piece, drawings=drawings("icons"))

    def _standings_piece(self, session: int | None = None, group: str | None = None) -> Markup:
        fragments = standings(self._render, self._scope, self._words, session=session, group=group)
        return next(fragment.html for fragment in fragments if fragment.id == "standings")

    def _deals(self) -> Iterator[tuple[str, bytes]]:
        yield self._page("deals.html", "deals.html", self._words("print.deals"), deals=self._scope.progress.released_deals())
        for found in self._scope.results.deals():
            groups = enumerate(deal_pieces.played_groups(found), 1) if deal_pieces.has_many_tables(found) else ()
            yield self._deal(found.n)
            yield from (self._deal(found.n, name, number) for number, (name, _) in groups)
            yield from self._replays(found.n, found)

    def _deal(self, n: int, group: str | None = None, number: int = 0) -> tuple[str, bytes]:
        """A deal's page, or that of one of its groups if many tables have played it."""
        fragments = deal_pieces.DealPage(n, group)(self._render, self._scope, self._words)
        piece, title = next(fragment.html for fragment in fragments if fragment.id == "deal"), self._words("deal.title", n=n)
        name = self._links.deal(n, group, number)
        return self._page(name, "piece.html", title, piece=piece, drawings=drawings("icons", "tiles"), wide=True)

    def _replays(self, n: int, found: ReleasedDeal) -> Iterator[tuple[str, bytes]]:
        for group, table, values in replay_views(found, self._words):
            html = replay_file(self._environment, values, self._scope.event_name, self._words)
            yield self._links.replay(n, group, table), html.encode()

    def _entrants(self) -> Iterator[tuple[str, bytes]]:
        players = [card for number in self._scope.event.players if (card := self._scope.players.card(number)) is not None]
        for card in players:
            piece = self._render("players/card.html", coming=None, **card_values(self._scope.players, card, self._words))
            yield self._page(_player_page(card.number), "piece.html", card.name, piece=piece)
        teams = [name for name, page in self._links.entrants.items() if page.startswith("team-")]
        if players or teams:
            listed = [(card.name, card.team, _player_page(card.number)) for card in sorted(players, key=lambda card: natural(card.name))]
            yield self._page("players.html", "players.html", self._words("seats.title"), listed=listed, teams=teams)
        for team in teams:
            members = self._scope.event.teams[team].players if team in self._scope.event.teams else ()
            of_team = [(card.name, _player_page(card.number)) for card in players if card.number in members]
            yield self._page(self._links.entrant(team), "team.html", team, team=team, members=of_team, hands=list(self._team_hands(team)))

    def _team_hands(self, team: str) -> Iterator[tuple[PlannedDeal, str]]:
        for session in self._scope.results.sessions():
            found = self._scope.results.standings(session)
            for group in found.groups:
                for n, gains in group.deals:
                    deal = self._scope.progress.released_deal(n)
                    for gain in gains:
                        if gain.entrant == team and deal is not None:
                            yield deal, brief(gain.points, found.points is not Points.RANK)

    def _verification(self) -> tuple[str, bytes]:
        started = self._scope.started()
        sheet = None if started is None else verification_sheet(started, self._scope)
        code = "" if started is None else qr_picture(started.start.words)
        return self._page("verification.html", "verification.html", self._words("print.verify"), sheet=sheet, code=code)


def site_links(scope: ViewerScope) -> SiteLinks:
    """The addresses of an event's pages; teams are numbered in the order of the sessions' groups."""
    sessions = scope.results.sessions()
    found = {session: scope.results.groups_of(session) for session in sessions}
    teams = dict.fromkeys(team for groups in found.values() for group in groups for team in group.teams)
    entrants = {team: f"team-{number}.html" for number, team in enumerate(teams, 1)}
    if not teams:
        cards = (scope.players.card(number) for number in scope.event.players)
        entrants = {card.name: _player_page(card.number) for card in cards if card is not None}
    several = {session: tuple(group.name for group in groups) for session, groups in found.items() if len(groups) > 1}
    return SiteLinks(entrants, several)


def _player_page(number: str) -> str:
    return f"player-{number}.html"
