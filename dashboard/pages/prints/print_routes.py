"""The files for paper, and the page that lists them for the staff. Slips and cards are for staff, with full names. Prints of results are
for everybody and public: a sheet hangs on a wall, so names are as the event shows them, and held-back results are left out."""

import logging
import shlex
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from flask import Flask, Response, current_app, render_template
from flask.typing import ResponseReturnValue

from dashboard.access.access_policy import SPECTATOR, AccessPolicy
from dashboard.access.login import missing, reader_words, viewer
from dashboard.access.seat_codes import SeatCode
from dashboard.access.staff_schema import Role
from dashboard.access.viewer_scope import ViewerScope
from dashboard.api.result_operations import results_document
from dashboard.pages.page_routes import asked_session
from dashboard.pages.players.player_pages import card_values
from dashboard.pages.setup.setup_frame import TableKinds, are_tables_chosen
from dashboard.prints.paper import paper
from dashboard.prints.press import PrintError, PrintPress
from dashboard.prints.results_file import results_file
from dashboard.prints.sheets import deals_page, standings_sheet, verification_sheet
from dashboard.prints.slips import score_slips, seating_slips, slip_form, table_cards
from dashboard.publishing.club_site import NothingToPublishError, club_site
from dashboard.web_app import download, shown_pdf, site_address
from twinwall.event.bundle.bundle_files import write_zip
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.results_csv import write_results
from twinwall.game.rules import DEFAULT_RULES
from twinwall.values import frozen
from twinwall.wire.messages.assignment import TableKind

_LOG = logging.getLogger(__name__)


@frozen
class PrintOffice:
    """What every print needs; ``code`` makes that of a seat."""

    policy: AccessPolicy
    code: SeatCode
    press: PrintPress
    kinds: TableKinds = lambda: None

    def staff_scope(self) -> ViewerScope:
        return self.policy.scope(viewer())

    def public_scope(self) -> ViewerScope:
        return self.policy.results(SPECTATOR)

    def seat_address(self, table: str, place: int) -> str:
        """The full address of a seat's page with its code."""
        return f"{site_address()}/seat/{quote(table)}/{place}?code={self.code(table, place)}"

    def printed(self, template: str, name: str, **values: object) -> Response:
        """The PDF file of a template."""
        words = reader_words()
        return self.pressed(paper(current_app.jinja_env, template, words, event=self.public_scope().event_name, **values), name)

    def pressed(self, html: str, name: str) -> Response:
        """The PDF file of a page for paper."""
        return shown_pdf(self.press.pdf(html), name)


def add_prints(app: Flask, office: PrintOffice) -> None:
    """Add the prints and their page, and the page that says why there is no print."""

    @app.errorhandler(PrintError)
    def not_printed(problem: PrintError) -> ResponseReturnValue:
        _LOG.error("%s", problem)
        return missing(problem.key, 503)

    _add_page(app, office)
    _add_slips(app, office)
    _add_standings(app, office)
    _add_deals(app, office)
    _add_results(app, office)


def _add_page(app: Flask, office: PrintOffice) -> None:
    @app.get("/event/prints")
    def event_prints() -> str:
        scope = office.staff_scope()
        public = office.public_scope()
        seated = [session for session in sorted(scope.event.seatings) if scope.players.at_tables(session)]
        return render_template(
            "events/event_prints.html",
            seated=seated,
            sheets={session: list(_sheet_commands(scope.event, session, reader_words().language)) for session in seated},
            sessions=public.results.sessions(),
            held=public.results.hidden(),
            tables=scope.event.tables,
            directs=Role.DIRECTOR in viewer().roles,
            started=public.started(),
            chosen=are_tables_chosen(scope.event, office.kinds()),
        )


def _sheet_commands(event: ManagedEvent, session: int, language: str) -> Iterator[str]:
    """The commands to type at the vault for each paper table's building sheets: no wall may come to this server."""
    for table in event.seats(session):
        if event.kind_of(table) is TableKind.PAPER:
            what = f"{shlex.quote(table)} --settings vault.toml --session {session} --language {language}"
            yield f"twinwall vault sheets {what} --printer NAME"


def _add_slips(app: Flask, office: PrintOffice) -> None:
    @app.get("/print/seating/<int:session>.pdf")
    def print_seating(session: int) -> ResponseReturnValue:
        slips = seating_slips(office.staff_scope(), session, reader_words())
        if not slips:
            return missing("refusal.not-seated", session=session)
        return office.printed("seating_slips.html", f"seating-{session}", slips=slips, session=session)

    @app.get("/print/tables.pdf")
    def print_tables() -> ResponseReturnValue:
        cards = table_cards(office.staff_scope(), office.seat_address, reader_words())
        return office.printed("table_cards.html", "tables", cards=cards)

    @app.get("/print/scores/<int:session>.pdf")
    def print_scores(session: int) -> ResponseReturnValue:
        scope, words = office.staff_scope(), reader_words()
        if not scope.players.at_tables(session):
            return missing("refusal.not-seated", session=session)
        description = scope.event.description
        names_width_mm, form = slip_form(DEFAULT_RULES if description is None else description.rules, words)
        slips = score_slips(scope, session, names_width_mm, words)
        return office.printed("score_slips.html", f"scores-{session}", pages=slips, session=session, form=form)


def _add_standings(app: Flask, office: PrintOffice) -> None:
    @app.get("/print/standings.pdf")
    def print_standings() -> ResponseReturnValue:
        scope, session = office.public_scope(), asked_session()
        if session not in (None, *scope.results.sessions()):
            return missing("error.session")
        sheet = standings_sheet(scope, session, reader_words())
        if sheet["empty"]:
            return missing("standings.none")
        name = "standings" if session is None else f"standings-{session}"
        return office.printed("standings.html", name, sheet=sheet, session=session)

    @app.get("/print/player/<number>.pdf")
    def print_player(number: str) -> ResponseReturnValue:
        players = office.public_scope().players
        card = players.card(number)
        if card is None:
            return missing("refusal.unknown-player", name=number)
        if not card.hands:
            return missing("player.no-hands")
        return office.printed("player.html", f"player-{number}", **card_values(players, card, reader_words()))


def _add_deals(app: Flask, office: PrintOffice) -> None:
    def sheets_of(numbers: Sequence[int], name: str) -> ResponseReturnValue:
        page = deals_page(current_app.jinja_env, office.public_scope(), numbers, reader_words())
        return missing("standings.none") if page is None else office.pressed(page, name)

    @app.get("/print/deals.pdf")
    def print_deals() -> ResponseReturnValue:
        scope, session = office.public_scope(), asked_session()
        named = scope.progress.released_deals()
        return sheets_of([name.n for name in named if session in (None, name.session)], "deals" if session is None else f"deals-{session}")

    @app.get("/print/deal/<int:n>.pdf")
    def print_deal(n: int) -> ResponseReturnValue:
        return sheets_of([n], f"deal-{n:04d}") if n in office.public_scope().released() else missing("error.slip", n=n)

    @app.get("/print/verification.pdf")
    def print_verification() -> ResponseReturnValue:
        scope = office.public_scope()
        started = scope.started()
        if started is None:
            return missing("error.404")
        return office.printed("verification.html", "verification", sheet=verification_sheet(started, scope))


def _add_results(app: Flask, office: PrintOffice) -> None:
    @app.get("/results.pdf")
    def results_pdf() -> ResponseReturnValue:
        scope, words = office.public_scope(), reader_words()
        if standings_sheet(scope, None, words)["empty"]:
            return missing("standings.none")
        return office.printed("results.html", "results", results=results_file(scope, words))

    @app.get("/results.csv")
    def results_csv() -> Response:
        results = office.public_scope().results
        return download(write_results(results.compared_results(), results.kind), "results.csv", "text/csv")

    @app.get("/results.json")
    def results_json() -> Response:
        return download(results_document(office.public_scope()), "results.json")

    @app.get("/event/site.zip")
    def event_site() -> ResponseReturnValue:
        try:
            site = club_site(office.public_scope(), reader_words().language, office.press.pdf)
        except NothingToPublishError:
            return missing("standings.none")
        return download(write_zip(site), "site.zip", "application/zip")
