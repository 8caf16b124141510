"""The pages on which a director sets an event up: description, entrants, seating, the event as one file, and its store."""

from flask import Flask, request

from dashboard.access.login import viewer
from dashboard.access.staff_schema import Role
from dashboard.pages.setup.description_routes import add_description
from dashboard.pages.setup.entrant_page import add_entrant_pages
from dashboard.pages.setup.entrant_routes import add_entrants
from dashboard.pages.setup.event_files import add_event_file, add_store_pages
from dashboard.pages.setup.plan_sentences import over_sentence, plan_sentence
from dashboard.pages.setup.seating_routes import add_seating
from dashboard.pages.setup.setup_frame import MOST_FORM_BYTES, SetupPages
from dashboard.web_app import missing
from twinwall.event.management.event_plan import event_plan

LONG_FORMS = frozenset({"enter_entrants", "seat_session", "read_file"})


def add_setup(app: Flask, setup: SetupPages) -> None:
    """Add ``/event`` and the pages of its steps; only directors find them."""

    @app.before_request
    def take_long_forms() -> None:
        if request.endpoint in LONG_FORMS and Role.DIRECTOR in viewer().roles:
            request.max_content_length = MOST_FORM_BYTES

    @app.errorhandler(413)
    def too_long(_problem: Exception) -> tuple[str, int]:
        return missing(setup.words()("error.413"), 413)

    @app.get("/event")
    def event_setup() -> str:
        desk = setup.desk()
        event = desk.event
        plan = None if event.description is None else event_plan(event.description, len(event.taking_part(event.next_session)))
        summary = "" if plan is None or not plan.tables else plan_sentence(setup.words(), plan)
        return setup.page("setup/overview.html", desk, summary=(summary, "" if plan is None else over_sentence(setup.words(), plan)))

    add_description(app, setup)
    add_entrants(app, setup)
    add_entrant_pages(app, setup)
    add_seating(app, setup)
    add_event_file(app, setup)
    add_store_pages(app, setup)
