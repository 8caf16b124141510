"""The events of a hall: a director begins a new one, opens another, or leaves the open one. The dashboard serves one event at a time. To
open another, the application ends and is made again with that event within a second or two; until then every page says so and reloads."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from flask import Flask, abort, make_response, render_template, request, url_for
from flask.typing import ResponseReturnValue
from msgspec import structs

from dashboard.access.login import API, viewer
from dashboard.access.page_table import ASSETS
from dashboard.access.staff_schema import Role
from dashboard.actions.event_changes import Answer
from dashboard.events_folder import LONGEST_EVENT_NAME, NO_PEOPLE, EventNameError, EventsFolder, FolderEvent
from dashboard.hall_requests import DemoRequest
from dashboard.web_app import see_other
from twinwall.event.management.managed_event import EventFile, ManagedEvent, event_document, event_file
from twinwall.event.player_names import PlayerNames
from twinwall.wire.messages.signing import Signer
from twinwall.wire.names import name_key

_LOG = logging.getLogger(__name__)
FIRST_STEP = "/event/description"
"""The first page for a new event."""


@dataclass(slots=True)
class EventChoice:
    """What the page needs: the folder, the time, the signer of a new store, and how to serve another event. ``managed`` returns the open
    event, or None, and ``names`` its players' names."""

    folder: EventsFolder
    now: Callable[[], datetime]
    signer: Signer | None
    restart: Callable[[], None]
    managed: Callable[[], ManagedEvent | None] = lambda: None
    names: Callable[[], PlayerNames] = lambda: PlayerNames({})
    demo: DemoRequest | None = None
    """The demo championship; None if no page offers one."""
    going_to: str | None = None
    """The address for browsers when the other event is served; None while this one is."""
    lock: threading.Lock = field(default_factory=threading.Lock)


def add_event_choice(app: Flask, choice: EventChoice, *, at_home: bool) -> None:
    """Add the page ``/hall-events``, for directors. ``at_home``: it is also the page ``/``, which tells others that no event is open."""

    @app.before_request
    def wait_for_the_event() -> str | None:
        if choice.going_to is None or request.endpoint in ASSETS:
            return None
        if request.blueprint == API:
            abort(503)
        return render_template("events/event_opening.html", going_to=choice.going_to)

    if at_home:

        @app.get("/")
        def hall() -> str:
            return _page(choice) if Role.DIRECTOR in viewer().roles else render_template("events/no_event.html")

    @app.get("/hall-events")
    def hall_events() -> str:
        return _page(choice)

    @app.post("/hall-events")
    def change_event() -> ResponseReturnValue:
        if request.form.get("do") == "demo" and choice.demo is not None:
            choice.demo.ask()
            return see_other("hall_events")
        return _answer(choice)


def _answer(choice: EventChoice) -> ResponseReturnValue:
    """Switch to the form's event; the process restarts after the answer."""
    with choice.lock:
        problem = _carry_out(choice)
    if problem is not None:
        return _page(choice, problem), 409
    answer = make_response(render_template("events/event_opening.html", going_to=choice.going_to))
    answer.call_on_close(choice.restart)
    return answer


def _page(choice: EventChoice, problem: Answer | None = None) -> str:
    return render_template(
        "events/events.html",
        events=choice.folder.events(),
        opened=choice.folder.opened(),
        demo=None if choice.demo is None or choice.managed() is not None else choice.demo.read(),
        problem=problem,
        same=(managed := choice.managed()) is not None and bool(managed.players or managed.teams),
        name=request.form.get("name", "") if problem else "",
        longest=LONGEST_EVENT_NAME,
    )


def _carry_out(choice: EventChoice) -> Answer | None:
    managed = choice.managed()
    if managed is not None and managed.in_play:
        return Answer("events.problem.playing")
    name = request.form.get("name", "")
    match request.form.get("do"):
        case "new":
            try:
                people = NO_PEOPLE if not request.form.get("same") or managed is None else _people(managed, choice.names())
                begun = choice.folder.begin(name, choice.now(), choice.signer, people, viewer().name)
            except EventNameError:
                return Answer("events.problem.name", {"name": f"\u2068{name}\u2069", "longest": LONGEST_EVENT_NAME})
            _LOG.info("event %r is begun in %s by %s", begun.name, begun.folder, viewer().name)
            choice.going_to = FIRST_STEP
        case "open":
            choice.folder.open(_named(choice.folder, name))
            choice.going_to = url_for("hall")
        case "leave":
            choice.folder.open(None)
            choice.going_to = url_for("hall")
        case _:
            abort(400)
    return None


def _people(event: ManagedEvent, names: PlayerNames) -> EventFile:
    """The event's description, entrants, names, tables and first session's seats, to begin another event with."""
    if event.description is None:
        return NO_PEOPLE
    document = event_document(event, names.by_number)
    return event_file(structs.replace(document, seatings=document.seatings[:1]))


def _named(folder: EventsFolder, name: str) -> FolderEvent:
    found = next((event for event in folder.events() if name_key(event.name) == name_key(name)), None)
    if found is None:
        abort(404)
    return found
