"""What all pages of the set-up have in common: who may see them, their steps, the answer to a form, and what another director changed.

A form carries the version of the event that its page showed. When the event has changed since, the form is refused, nothing is
changed, and the page says in words what the other director did.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flask import abort, current_app, render_template

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.director_desk import DirectorDesk
from dashboard.access.login import viewer
from dashboard.actions.change_sentences import change_sentence, player_shown
from dashboard.actions.event_changes import Answer
from dashboard.i18n.words import Words
from dashboard.pages.setup.setup_steps import TableKinds, setup_steps

MOST_FORM_BYTES = 128 * 1024
"""A list of 256 entrants, or the file of an event, is longer than the forms of other pages."""


@dataclass(frozen=True, slots=True)
class SetupPages:
    """What every route of the set-up needs."""

    policy: AccessPolicy
    words: Callable[[], Words]
    kinds: TableKinds = lambda: None

    def desk(self) -> DirectorDesk:
        """The event as this director may change it; others do not find the page."""
        desk = self.policy.director_desk(viewer())
        if desk is None:
            abort(404)
        return desk

    def page(self, template: str, desk: DirectorDesk, answer: Answer | None = None, **values: object) -> str:
        """A page with the steps beside it, and an answer at its head."""
        names = desk.names
        return render_template(
            f"setup/{template}",
            steps=setup_steps(desk.event, desk.hall.programme.custody is not None, current_app.view_functions, self.kinds()),
            **answer_values(desk, answer, self.words()),
            event=desk.event,
            seen=desk.event.version,
            player=lambda number: player_shown(names, number),
            **values,
        )


def answer_values(desk: DirectorDesk, answer: Answer | None, words: Words) -> dict[str, object]:
    """The values of ``setup/answer.html``: the answer to a form, and what another director changed since it was made."""
    since = desk.since(answer.since) if answer is not None and answer.since is not None else ()
    return {"answer": answer, "meanwhile": [(step.by, change_sentence(words, step.change, desk.names)) for step in since]}
