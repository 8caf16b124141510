"""What all pages of the set-up have in common: who may see them, their steps, the answer to a form, and what another director changed.

A form carries the version of the event that its page showed. When the event has changed since, the form is refused, nothing is
changed, and the page says in words what the other director did.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from flask import abort, current_app, render_template

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.director_desk import DirectorDesk, NamesNotKeptError
from dashboard.access.login import viewer
from dashboard.i18n.words import Words
from dashboard.pages.setup.change_sentences import change_sentence, isolated, player_shown
from dashboard.pages.setup.setup_steps import TableKinds, setup_steps
from twinwall.event.management.change_checks import ChangeRefusal, ChangeRefusedError, Why
from twinwall.event.management.changes import EventChange
from twinwall.event.player_names import PlayerNames
from twinwall.event.store.databases.port import StoreError

_LOG = logging.getLogger(__name__)
MOST_FORM_BYTES = 128 * 1024
"""A list of 256 entrants, or the file of an event, is longer than the forms of other pages."""


@dataclass(frozen=True, slots=True)
class SetupAnswer:
    """What is said at the head of a page: a sentence's key with its values, and whether something was refused."""

    key: str
    values: Mapping[str, str] = field(default_factory=dict)
    refused: bool = True
    since: int | None = None
    """The version after which another director changed something, when that is why."""


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

    def page(self, template: str, desk: DirectorDesk, answer: SetupAnswer | None = None, **values: object) -> str:
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


def answer_values(desk: DirectorDesk, answer: SetupAnswer | None, words: Words) -> dict[str, object]:
    """The values of ``setup/answer.html``: the answer to a form, and what another director changed since it was made."""
    since = desk.since(answer.since) if answer is not None and answer.since is not None else ()
    return {"answer": answer, "meanwhile": [(step.by, change_sentence(words, step.change, desk.names)) for step in since]}


def carry_out(desk: DirectorDesk, change: EventChange, seen: int, names: Mapping[str, str] | None = None) -> SetupAnswer | None:
    """Change the event; why not, where that is refused, and then nothing has changed."""
    return answered(desk, seen, lambda: desk.enter(change, names or {}, seen))


def answered(desk: DirectorDesk, seen: int, do: Callable[[], object]) -> SetupAnswer | None:
    """Do something to the event; why not, where that is refused or cannot be stored: the page is then shown again, with what was typed."""
    try:
        do()
    except ChangeRefusedError as refused:
        return refusal_answer(refused.refusal, desk.names, seen)
    except NamesNotKeptError:
        return SetupAnswer("setup.names-not-kept")
    except StoreError as error:
        _LOG.error("a change of the event is not stored: %s", error)
        return SetupAnswer("error.store")
    return None


def refusal_answer(refused: ChangeRefusal, names: PlayerNames, seen: int) -> SetupAnswer:
    """The sentence for a refusal, with players by name."""
    values = {"name": "", "session": "", **refused.values}
    values["name"] = player_shown(names, values["name"]) if values["name"] in names.by_number else isolated(values["name"])
    return SetupAnswer(f"refusal.{refused.why.value}", values, since=seen if refused.why is Why.CHANGED else None)
