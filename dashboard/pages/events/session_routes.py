"""The sessions of an event, for directors: start and end them, pause all clocks, hold or release results, announce, close the event.

A form carries the version of the event that its page showed; where another director has changed the event since, the order is
refused and the page shows the event as it is now.
"""

import logging
from collections.abc import Callable, Mapping

from flask import Flask, abort, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from dashboard.access.login import viewer
from dashboard.actions.event_changes import Answer
from dashboard.pages.setup.setup_frame import SetupPages
from dashboard.web_app import see_other
from twinwall.art.names import LANGUAGES
from twinwall.event.management.changes import (
    LONGEST_TEXT,
    MOST_SESSIONS,
    Announced,
    ClocksPaused,
    ClocksResumed,
    EventChange,
    EventClosed,
    ResultsHeld,
    ResultsReleased,
    SessionEnded,
    SessionReopened,
    SessionStarted,
)
from twinwall.event.management.managed_event import PlayedSession
from twinwall.event.store.deal_progress import DealProgress
from twinwall.event.store.hall import DealState, Hall
from twinwall.wire.names import plain_number

_LOG = logging.getLogger(__name__)


def add_sessions(app: Flask, setup: SetupPages) -> None:
    """Add the page ``/event/sessions``."""

    @app.get("/event/sessions")
    def event_sessions() -> str:
        return _page(setup)

    @app.post("/event/sessions")
    def change_sessions() -> ResponseReturnValue:
        if request.form.get("do") == "again":
            if setup.control is not None:
                setup.control.tell_again(setup.desk().event, viewer().name)
            return see_other("event_sessions")
        _, seen = setup.form()
        if request.form.get("do") == "go-on":
            problem = setup.go_on(seen)
            return see_other("event_sessions") if problem is None else (_page(setup, problem, request.form), 409)
        change = _change(request.form)
        answer = setup.manage(change, seen)
        if answer is not None:
            return _page(setup, answer, request.form), 409
        _LOG.info("%s changed the event: %s", viewer().name, type(change).__name__)
        return see_other("event_sessions")


def _page(setup: SetupPages, answer: Answer | None = None, form: Mapping[str, str] | None = None) -> str:
    desk = setup.desk()
    event = desk.event
    stands = {f"text-{tag}": event.announcement.get(tag, "") for tag in LANGUAGES}
    texts = stands | dict(form) if form is not None and form.get("do") == "announce" else stands
    return setup.page(
        "events/event_sessions.html",
        desk,
        answer,
        rows=_rows(desk.hall),
        texts=texts,
        tags=LANGUAGES,
        longest=LONGEST_TEXT,
        unreached=() if setup.control is None else setup.control.unreached(event),
        refusing={} if setup.control is None else setup.control.refusing(event),
        here="start",
    )


def _rows(hall: Hall) -> list[dict[str, object]]:
    played = {session.number: session for session in hall.event.sessions}
    return [_row(hall, number, played.get(number)) for number in hall.event.session_numbers]


def _row(hall: Hall, number: int, played: PlayedSession | None) -> dict[str, object]:
    """A session as the page lists it; ``played`` is None for one that has not begun, ``planned`` is its number of deals."""
    custody, event = hall.programme.custody, hall.event
    of_session = [] if custody is None else [deal for deal in custody.plan.deals if deal.session == number]
    unplayed = [] if played is None else [_unplayed(deal.hand, hall.deal(deal.n, for_officials=True)) for deal in of_session]
    return {
        "number": number,
        "seated": number in event.seatings,
        "played": played,
        "held": number in event.held,
        "planned": len(of_session),
        "unplayed": [deal for deal in unplayed if deal["tables"]],
    }


def _unplayed(hand: int, deal: DealState) -> dict[str, object]:
    """A deal by its hand of the session, and the tables that have not finished it; ``nowhere``: no table has."""
    lacking = [at.table for at in deal.tables if at.progress is not DealProgress.FINISHED]
    return {"hand": hand, "tables": lacking if deal.released is None else [], "nowhere": len(lacking) == len(deal.tables)}


_OF_SESSION: Mapping[str, Callable[[int], EventChange]] = {
    "start": SessionStarted,
    "end": SessionEnded,
    "reopen": SessionReopened,
    "hold": ResultsHeld,
    "release": ResultsReleased,
}
_OF_EVENT: Mapping[str, EventChange] = {"pause": ClocksPaused(), "resume": ClocksResumed(), "close": EventClosed()}


def _change(form: MultiDict[str, str]) -> EventChange:
    """The change that a form asks for; answers 400 to a form that no page of ours sends."""
    what, session = form.get("do", ""), plain_number(form.get("session", "1")) or 0
    if not 1 <= session <= MOST_SESSIONS:
        abort(400)
    if what == "announce":
        texts = {tag: " ".join(form.get(f"text-{tag}", "").split())[:LONGEST_TEXT] for tag in LANGUAGES}
        return Announced({tag: text for tag, text in texts.items() if text})
    return _OF_SESSION[what](session) if what in _OF_SESSION else _OF_EVENT.get(what) or abort(400)
