"""The pages on which a director sets an event up: description, entrants, seating, the event as one file, and its store."""

from flask import Flask

from dashboard.pages.setup.description_routes import add_description
from dashboard.pages.setup.entrant_page import add_entrant_pages
from dashboard.pages.setup.entrant_routes import add_entrants
from dashboard.pages.setup.event_file_routes import add_event_file
from dashboard.pages.setup.plan_sentences import over_sentence, plan_sentence
from dashboard.pages.setup.seating_routes import add_seating
from dashboard.pages.setup.setup_frame import SetupPages
from dashboard.pages.setup.store_routes import add_store_pages
from dashboard.web_app import missing
from twinwall.event.management.event_plan import event_plan


def add_setup(app: Flask, setup: SetupPages) -> None:
    """Add ``/event`` and the pages of its steps; only directors find them."""

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
