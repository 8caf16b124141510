"""The frame of all set-up pages: who may see them, their steps, the answer to a form, another director's changes, and sentences about the
event's plan. A form has the version of the event that its page showed. If the event has changed since, the form is refused without effect,
and the page says what the other director did."""

import base64
import binascii
from collections.abc import Callable, Collection, Mapping

from flask import abort, current_app, render_template, request

from dashboard.access.access_policy import AccessPolicy
from dashboard.access.director_desk import DirectorDesk
from dashboard.access.login import reader_words, viewer
from dashboard.actions.event_changes import Answer, carry_out, change_sentence, player_shown, refusal_answer, seated_as_before
from dashboard.i18n.words import Values, Words
from dashboard.session_control import SessionControl
from twinwall.event.management.change_checks import refusal
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.management.seating_proposal import EventPlan, event_plan
from twinwall.event.movements.options import OptionKind
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
    """What every route of the set-up and of the sessions needs. ``control`` informs tables and vaults of a stored change; None if tables
    have their sessions in their own settings."""

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


def plan_sentence(words: Words, plan: EventPlan) -> str:
    """Players, tables, sessions, meetings of pairs, and the time in one sentence; empty if no table can play."""
    if not plan.tables:
        return ""
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
    """What can be done with a number of entrants that is no multiple of four; empty if none is left over."""
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


def field_choices(event: ManagedEvent, words: Words) -> list[Values]:
    """The choices for the next session's entrants; empty if their number is a multiple of four without substitutes. Each has the form's
    word, a sentence, the entrants who sit out in each coming session, and whether it is chosen. Without ``rota`` none sits out, or the
    standings decide."""
    described, entrants = event.description, event.entrants(event.next_session)
    if described is None or not entrants:
        return []
    plan = event_plan(described, len(entrants))
    fills = len(event.taking_part(event.next_session)) > len(entrants)
    choices: list[Values] = []
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
