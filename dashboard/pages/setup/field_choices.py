"""What can be done with a number of entrants that is no multiple of four, as the page of the entrants offers it, with who sits out when."""

from __future__ import annotations

from dashboard.i18n.words import Words
from twinwall.event.management.event_plan import event_plan
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.movements.options import OptionKind


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
