"""The page on which an event is described: what is played, in how many sessions, and how it is compared."""

from collections import defaultdict
from collections.abc import Mapping

from flask import Flask, request
from flask.typing import ResponseReturnValue

from dashboard.access.director_desk import DirectorDesk
from dashboard.access.login import reader_words
from dashboard.actions.event_changes import Answer, carry_out
from dashboard.pages.setup.description_form import CHOICES, NEW_EVENT, NUMBERS, FieldProblems, all_options, read_description, shown_values
from dashboard.pages.setup.plan_sentences import over_sentence, plan_sentence
from dashboard.pages.setup.setup_frame import SetupPages
from dashboard.web_app import see_other
from twinwall.event.management.change_checks import fixed_fields
from twinwall.event.management.changes import EventDescribed
from twinwall.event.management.event_plan import event_plan
from twinwall.event.management.managed_event import ManagedEvent

EXAMPLE_ENTRANTS = 16
"""For how many the summary is made while no entrant is there."""


def add_description(app: Flask, setup: SetupPages) -> None:
    """Add ``/event/description``."""

    @app.get("/event/description")
    def event_description() -> str:
        desk = setup.desk()
        described = desk.event.description or NEW_EVENT
        return _page(setup, desk, shown_values(described), described)

    @app.post("/event/description")
    def describe_event() -> ResponseReturnValue:
        desk, seen = setup.form()
        form = _fixed_values(desk.event) | request.form.to_dict()
        described = read_description(form)
        if not isinstance(described, EventDescribed):
            shown = desk.event.description or NEW_EVENT
            return _page(setup, desk, form, shown, Answer("describe.problem"), wrong=described), 409
        if form.get("do") == "look":
            return _page(setup, desk, form, described), 200
        problem = carry_out(desk, described, seen)
        if problem is not None:
            return _page(setup, desk, form, described, problem), 409
        return see_other("event_entrants")


def _fixed_values(event: ManagedEvent) -> dict[str, str]:
    """The values of fields that are fixed: a browser sends none for them."""
    fixed = fixed_fields(event)
    shown = {} if event.description is None else shown_values(event.description)
    return {name: value for name, value in shown.items() if name in fixed or ("." in name and "options" in fixed)}


def _page(
    setup: SetupPages,
    desk: DirectorDesk,
    fields: Mapping[str, str],
    described: EventDescribed,
    answer: Answer | None = None,
    *,
    wrong: FieldProblems | None = None,
) -> str:
    event = desk.event
    entered = len(event.teams if described.kind == "team" else event.players)
    plan, words = event_plan(described, entered or EXAMPLE_ENTRANTS), reader_words()
    problems = {name: words(f"describe.problem.{key}", **values) for name, (key, values) in (wrong or {}).items()}
    return setup.page(
        "setup/description.html",
        desk,
        answer,
        fields=defaultdict(str, fields),  # a browser sends nothing for a box that is not ticked
        fixed=fixed_fields(event),
        choices=CHOICES,
        numbers=NUMBERS,
        options=all_options(),
        problems=defaultdict(str, problems),
        summary=(plan_sentence(words, plan), over_sentence(words, plan)),
        example=0 if entered else EXAMPLE_ENTRANTS,
    )
