"""What all pages of the set-up have in common: who may see them, their steps, the answer to a form, and what another director changed.

A form carries the version of the event that its page showed. When the event has changed since, the form is refused, nothing is
changed, and the page says in words what the other director did.
"""

import base64
import binascii

from flask import abort, current_app, render_template, request

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.director_desk import DirectorDesk
from dashboard.access.login import reader_words, viewer
from dashboard.actions.change_sentences import change_sentence, player_shown
from dashboard.actions.event_changes import Answer, answered, change_all, seated_as_before
from dashboard.pages.setup.setup_steps import TableKinds, setup_steps
from dashboard.session_control import SessionControl
from twinwall.event.management.changes import EventChange
from twinwall.values import frozen
from twinwall.wire.names import plain_number


def sent_file(text: str) -> bytes:
    """A file that a page carries in Base64; empty where it is damaged."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


@frozen
class SetupPages:
    """What every route of the set-up and of the sessions needs.

    ``control`` tells tables and vaults of a change that is stored; None where tables have their sessions in their own settings.
    """

    policy: AccessPolicy
    kinds: TableKinds = lambda: None
    control: SessionControl | None = None

    def desk(self) -> DirectorDesk:
        """The event as this director may change it; others do not find the page."""
        desk = self.policy.director_desk(viewer())
        if desk is None:
            abort(404)
        return desk

    def form(self) -> tuple[DirectorDesk, int]:
        """The desk for the form just sent, and the version of the event that the form's page showed; answers 400 to a form without."""
        desk = self.desk()
        seen = plain_number(request.form.get("seen"))
        return desk, abort(400) if seen is None else seen

    def page(self, template: str, desk: DirectorDesk, answer: Answer | None = None, **values: object) -> str:
        """A page with the steps beside it and, at its head, the answer to a form and what another director changed since it was made."""
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

    def manage(self, change: EventChange, seen: int) -> Answer | None:
        """Take a director's change; why it is refused or cannot be stored, None where it was stored."""
        desk = self.desk()
        return answered(desk, seen, lambda: desk.manage(change, seen))

    def go_on(self, seen: int) -> Answer | None:
        """End the last session where it is played, and seat the next one as it. Why not, where it is refused."""
        desk, control = self.desk(), self.control
        changes = seated_as_before(desk.event)
        if not changes:
            abort(400)
        return change_all(desk, changes, seen, lambda after: None if control is None else control.lacking_deals(after, after.next_session))
