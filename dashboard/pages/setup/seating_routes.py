"""The page that seats a session: a proposal, any number of swaps, and the change that saves it. Unsaved seats are only in the page. A
session that has begun is shown as seated."""

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from flask import Flask, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response as AnyResponse

from dashboard.access.director_desk import DirectorDesk
from dashboard.access.login import reader_words
from dashboard.actions.event_changes import (
    EFFORT,
    Answer,
    carry_out,
    draws_by_standing,
    new_tables,
    seating_changes,
    standing_before,
    waits_for_standing,
)
from dashboard.pages.setup.setup_frame import SetupPages, over_sentence
from dashboard.web_app import see_other
from twinwall.event.management.changes import SessionSeated, change_document, read_change
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.management.seating_proposal import event_plan, proposed_seating, reached, swapped, unmet_needs
from twinwall.event.movements.next_session import out_by_construction
from twinwall.event.movements.seating import MovementError
from twinwall.event.movements.solver import solver_is_installed
from twinwall.game.documents import DocumentError, canonical_json, parse_object
from twinwall.values import frozen
from twinwall.wire.names import plain_number


@frozen
class ShownSeating:
    """A session's seats on the page, whether they are saved and may change, and who is ``chosen`` to swap."""

    seating: SessionSeated
    saved: bool
    open: bool
    chosen: tuple[str, ...] = ()

    @property
    def document(self) -> str:
        """The seats as the form has them."""
        return canonical_json(change_document(self.seating)).decode()


@dataclass(slots=True)
class LastProposal:
    """The last proposal, so that opening its page again does not run the solver again."""

    key: tuple[object, ...] = ()
    seating: SessionSeated | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def seats(self, event: ManagedEvent, session: int, standing: tuple[str, ...]) -> SessionSeated | None:
        key = (event.version, session, standing)
        with self.lock:
            if key != self.key:
                try:
                    self.seating = proposed_seating(event, session, standing, EFFORT)
                except MovementError:
                    self.seating = None
                self.key = key
            return self.seating


def add_seating(app: Flask, setup: SetupPages) -> None:
    last = LastProposal()

    @app.get("/event/seating")
    def event_seating() -> AnyResponse:
        desk = setup.desk()
        if desk.event.description is None:
            return redirect(url_for("event_description"))
        session = _session(desk.event, request.args.get("session", ""))
        return app.make_response(_page(setup, desk, session, _shown(desk, last, session)))

    @app.post("/event/seating")
    def seat_session() -> ResponseReturnValue:
        desk, seen = setup.form()
        draft = _draft(desk.event)
        session = draft.session
        match request.form.get("do"):
            case "propose":
                return _page(setup, desk, session, _proposed(desk, last, session)), 200
            case "swap":
                chosen = request.form.getlist("seat")
                if len(chosen) != 2 or not set(chosen) <= {*draft.players, *draft.sitting_out}:
                    return _page(setup, desk, session, _drafted(desk, draft, chosen), Answer("seating.choose-two")), 409
                return _page(setup, desk, session, _drafted(desk, swapped(draft, *chosen))), 200
            case "save":
                problem = carry_out(desk, seen, *seating_changes(desk.event, draft, setup.kinds() or {}))
            case _:
                abort(400)
        if problem is not None:
            return _page(setup, desk, session, _drafted(desk, draft), problem), 409
        return see_other("event_seating", session=session)


def _page(setup: SetupPages, desk: DirectorDesk, session: int, shown: ShownSeating | None, answer: Answer | None = None) -> str:
    event = desk.event
    plan = None if event.description is None else event_plan(event.description, len(event.taking_part(session)))
    return setup.page(
        "setup/seating.html",
        answer,
        session=session,
        sessions=range(1, max(session, event.next_session, event.description.sessions if event.description else 1) + 1),
        beyond=event.description is not None and not event.is_planned(session),
        shown=shown,
        over="" if plan is None or (plan.tables and not plan.over) else over_sentence(reader_words(), plan),
        balances=() if shown is None else reached(event, shown.seating),
        unmet=() if shown is None else unmet_needs(event, shown.seating),
        fixed={player.number for player in event.players.values() if player.table is not None or player.place is not None},
        moved=() if shown is None else new_tables(event, shown.seating),
        why_none=_none(event, session),
        without_solver=shown is not None and shown.open and _wants_solver(event, session) and not solver_is_installed(),
    )


def _wants_solver(event: ManagedEvent, session: int) -> bool:
    """Whether no construction has all sessions up to this one, so that the solver would find seats with fewer repeats."""
    constrained = any(player.table is not None or player.place is not None for player in event.players.values())
    return draws_by_standing(event) or constrained or out_by_construction(len(event.taking_part(session)), session) is None


def _session(event: ManagedEvent, text: str) -> int:
    """The requested session; otherwise the next one, or the last if all planned ones have begun."""
    planned = event.description.sessions if event.description else 1
    if not text:
        return min(event.next_session, max(planned, *event.seatings, 1))
    session = plain_number(text)
    if not session or session > max(event.next_session, planned):
        abort(404)
    return session


def _shown(desk: DirectorDesk, last: LastProposal, session: int) -> ShownSeating | None:
    saved = desk.event.seatings.get(session)
    if saved is not None:
        return ShownSeating(saved, saved=True, open=session >= desk.event.next_session)
    return _proposed(desk, last, session)


def _proposed(desk: DirectorDesk, last: LastProposal, session: int) -> ShownSeating | None:
    """A proposal; None if no seats can be found, or if they depend on the standing of a session that is not over."""
    event = desk.event
    if waits_for_standing(event, session):
        return None
    seating = last.seats(event, session, standing_before(desk))
    return None if seating is None else _drafted(desk, seating)


def _drafted(desk: DirectorDesk, draft: SessionSeated, chosen: Sequence[str] = ()) -> ShownSeating:
    """Seats that may still change; unchanged ones count as saved."""
    return ShownSeating(draft, saved=desk.event.seatings.get(draft.session) == draft, open=True, chosen=tuple(chosen))


def _draft(event: ManagedEvent) -> SessionSeated:
    try:
        draft = read_change(parse_object(request.form.get("plan", "").encode()))
    except (DocumentError, json.JSONDecodeError, UnicodeEncodeError):
        abort(400)
    if not isinstance(draft, SessionSeated) or draft.session < 1 or event.description is None:
        abort(400)
    return draft


def _none(event: ManagedEvent, session: int) -> str:
    if waits_for_standing(event, session):
        return "seating.later"
    return "seating.none" if len(event.taking_part(session)) >= 4 else "seating.too-few"
