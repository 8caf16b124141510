"""Sentences about an event's plan, and the choices for a number of entrants that is no multiple of four."""

from dashboard.i18n.words import Values, Words
from twinwall.event.management.event_plan import EventPlan, event_plan
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.movements.options import OptionKind


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
    """The choices for the next session's entrants; empty if their number is a multiple of four without substitutes.

    Each has the form's word, a sentence, the entrants who sit out in each coming session, and whether it is chosen. Without ``rota`` none
    sits out, or the standings decide.
    """
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
