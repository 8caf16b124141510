"""What all pages of the set-up have in common: who may see them, their steps, the answer to a form, and what another director changed.

A form carries the version of the event that its page showed. When the event has changed since, the form is refused, nothing is
changed, and the page says in words what the other director did.

What follows from an event's description and its entrants, in sentences, and what can be done with a number of entrants that is no
multiple of four, with who sits out when.
"""

from collections.abc import Callable

from flask import abort, current_app, render_template, request

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.director_desk import DirectorDesk
from dashboard.access.login import require_token, viewer
from dashboard.actions.change_sentences import change_sentence, player_shown
from dashboard.actions.event_changes import Answer, answered, change_all, seated_as_before
from dashboard.i18n.words import Words
from dashboard.pages.setup.setup_steps import TableKinds, setup_steps
from dashboard.session_control import SessionControl
from twinwall.event.management.changes import EventChange
from twinwall.event.management.event_plan import EventPlan, event_plan
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.movements.options import OptionKind
from twinwall.values import frozen
from twinwall.wire.names import plain_number

MOST_FORM_BYTES = 128 * 1024
"""A list of 256 entrants, or the file of an event, is longer than the forms of other pages."""


@frozen
class SetupPages:
    """What every route of the set-up and of the sessions needs.

    ``control`` tells tables and vaults of a change that is stored; None where tables have their sessions in their own settings.
    """

    policy: AccessPolicy
    words: Callable[[], Words]
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
        require_token()
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
            meanwhile=[(step.by, change_sentence(self.words(), step.change, names)) for step in since],
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


def plan_sentence(words: Words, plan: EventPlan) -> str:
    """Players, tables, sessions, how often pairs meet, and the time: one sentence."""
    parts = [
        words.counted("plan.team.one", "plan.team.more", plan.entrants - plan.over) if plan.kind == "team" else "",
        words.counted("plan.player.one", "plan.player.more", plan.players),
        words.counted("plan.table.one", "plan.table.more", plan.tables),
        words.counted("plan.session.one", "plan.session.more", plan.sessions),
        _meetings(words, plan),
    ]
    hours, minutes = divmod(plan.minutes, 60)
    time = words("plan.time", hours=hours, minutes=f"{minutes:02}") if hours else words("plan.minutes", minutes=minutes)
    return words("plan.whole", parts=words("plan.comma").join(filter(None, parts)), time=time)


def over_sentence(words: Words, plan: EventPlan) -> str:
    """What can be done with a number of entrants that is no multiple of four; empty where none is over."""
    if plan.tables == 0:
        return words(f"plan.few.{plan.kind}", entrants=plan.entrants, missing=plan.missing or 4)
    if not plan.over:
        return ""
    return words(f"plan.over.{plan.kind}", entrants=plan.entrants, over=plan.over, missing=plan.missing, playing=plan.entrants - plan.over)


def _meetings(words: Words, plan: EventPlan) -> str:
    met = plan.meetings
    if met is None:
        return words("plan.meet.standing") if plan.tables and plan.by_standing else ""
    whom = plan.kind
    if met.fewest == met.most:
        return words(f"plan.meet.{whom}.once") if met.most == 1 else words(f"plan.meet.{whom}.each", count=met.most)
    if (met.fewest, met.most) == (0, 1):
        return words(f"plan.meet.{whom}.never-twice")
    return words(f"plan.meet.{whom}.range", fewest=met.fewest, most=met.most)


def field_choices(event: ManagedEvent, words: Words) -> list[dict[str, object]]:
    """The choices for the entrants of the next session; none where their number is a multiple of four and no substitutes fill up.

    Each has the form's word for it, a sentence, the entrants who sit out in each session to come, and whether it is chosen. Without
    ``rota`` no entrant sits out, or the standings decide who does.
    """
    described, entrants = event.description, event.entrants(event.next_session)
    if described is None or not entrants:
        return []
    plan = event_plan(described, len(entrants))
    fills = len(event.taking_part(event.next_session)) > len(entrants)
    choices: list[dict[str, object]] = []
    for option in plan.options:
        sits = option.kind is OptionKind.SIT_OUT
        if option.kind is OptionKind.EVERYBODY:
            continue
        known = sits and not plan.by_standing and not event.sessions
        rota = tuple((number, tuple(entrants[who] for who in out)) for number, out in enumerate(option.out, 1)) if known else ()
        key = "field.sit-out.standing" if sits and not known else f"field.{option.kind.value.replace(' ', '-')}"
        sentence = words(
            f"{key}.{described.kind}",
            entrants=len(entrants),
            playing=option.entrants,
            over=plan.over,
            tables=option.tables,
            missing=option.entrants - len(entrants),
            substitutes=option.substitutes,
            most=option.most_out,
        )
        choices.append({"do": "sit-out" if sits else "fill", "sentence": sentence, "rota": rota, "chosen": sits is not fills})
    return choices
