"""What follows from an event's description and its entrants, in sentences."""

from __future__ import annotations

from dashboard.i18n.words import Words
from twinwall.event.management.event_plan import EventPlan


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
