"""The frame of all set-up pages: who may see them, their steps, the answer to a form, and another director's changes.

A form has the version of the event that its page showed. If the event has changed since, the form is refused without effect, and the page
says what the other director did.
"""

import base64
import binascii
from collections.abc import Callable, Collection, Mapping

from flask import abort, current_app, render_template, request

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.director_desk import DirectorDesk
from dashboard.access.login import reader_words, viewer
from dashboard.actions.event_changes import Answer, carry_out, change_sentence, player_shown, refusal_answer, seated_as_before
from dashboard.i18n.words import Values
from dashboard.session_control import SessionControl
from twinwall.event.management.change_checks import refusal
from twinwall.event.management.event_plan import event_plan
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.values import frozen
from twinwall.wire.messages.assignment import TableKind
from twinwall.wire.names import plain_number

TableKinds = Callable[[], Mapping[str, TableKind] | None]
"""Returns the kinds that the hall's tables report; None if the settings say which tables play."""


def are_tables_chosen(event: ManagedEvent, kinds: Mapping[str, TableKind] | None) -> bool:
    """Whether every table of the event has been heard, with the kind that the event has for it."""
    return bool(event.tables) and (kinds is None or all(kinds.get(table) is event.kind_of(table) for table in event.tables))


def setup_steps(
    event: ManagedEvent, deals_made: bool, endpoints: Collection[str], kinds: Mapping[str, TableKind] | None = None
) -> list[Values]:
    """The steps in order; ``deals_made`` if the vault has the event's start; ``endpoints`` are the existing pages. The ``following`` step
    is the first that is not done; ``state`` is the end of a message key."""
    described = event.description is not None
    entrants = len(event.taking_part(event.next_session)) if described else 0
    enough = event.description is not None and event_plan(event.description, entrants).tables > 0
    done = {
        "description": described,
        "entrants": enough,
        "seating": (event.next_session in event.seatings and not event.unseated(event.next_session)) or bool(event.sessions),
        "deals": deals_made,
        "tables": bool(event.sessions) or are_tables_chosen(event, kinds),
        "start": bool(event.sessions),
    }
    first = next((key for key, is_done in done.items() if not is_done), "")
    steps: list[Values] = []
    for key, is_done in done.items():
        page = f"event_{'sessions' if key == 'start' else key}"
        state = "done" if is_done else "following" if key == first else "open"
        steps.append(
            {"key": key, "endpoint": page if page in endpoints else "", "done": is_done, "following": key == first, "state": state}
        )
    return steps


def sent_file(text: str) -> bytes:
    """A file that a page has in Base64; empty if it is damaged."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


@frozen
class SetupPages:
    """What every route of the set-up and of the sessions needs.

    ``control`` informs tables and vaults of a stored change; None if tables have their sessions in their own settings.
    """

    policy: AccessPolicy
    kinds: TableKinds = lambda: None
    control: SessionControl | None = None

    def desk(self) -> DirectorDesk:
        """The event for this director to change; others get 404."""
        desk = self.policy.director_desk(viewer())
        if desk is None:
            abort(404)
        return desk

    def form(self) -> tuple[DirectorDesk, int]:
        """The desk for the sent form, and the version of the event that its page showed; answers 400 to a form without it."""
        desk = self.desk()
        seen = plain_number(request.form.get("seen"))
        return desk, abort(400) if seen is None else seen

    def page(self, template: str, answer: Answer | None = None, **values: object) -> str:
        """A page with the steps beside it, and at the top the answer to a form with another director's later changes."""
        desk = self.desk()
        names = desk.names
        since = desk.since(answer.since) if answer is not None and answer.since is not None else ()
        return render_template(
            template,
            steps=setup_steps(desk.event, desk.hall.programme.custody is not None, current_app.view_functions, self.kinds()),
            answer=answer,
            meanwhile=[(step.by, change_sentence(reader_words(), step.change, names)) for step in since],
            event=desk.event,
            seen=desk.event.version,
            player=lambda number: player_shown(names, number),
            **values,
        )

    def go_on(self, seen: int) -> Answer | None:
        """End the session in play, and seat the next one like it; return why that is refused, or None."""
        desk, control = self.desk(), self.control
        changes = seated_as_before(desk.event)
        if not changes:
            abort(400)
        refused = refusal(desk.event, *changes, seen=seen)
        if refused is None and control is not None:
            refused = control.lacking_deals(desk.event, desk.event.next_session)
        return carry_out(desk, seen, *changes) if refused is None else refusal_answer(refused, desk.names, seen)
