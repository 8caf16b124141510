"""A change of the event in words, for a director who sent a form after another director's change."""

from collections.abc import Sequence

from dashboard.i18n.words import Values, Words
from twinwall.event.management.changes import EventChange, change_document
from twinwall.event.player_names import NamesShown, PlayerNames

NAMED = 4
"""Names in a sentence before it says how many more there are."""


def isolated(text: str) -> str:
    """A name in a sentence, isolated so that it cannot turn the text direction beside it."""
    return f"\u2068{text}\u2069" if text else ""


def player_shown(names: PlayerNames, number: str) -> str:
    """A player's number and name; only the number if the name is unknown."""
    name = names.shown(number, NamesShown.FULL)
    return number if name == number else f"{number} {isolated(name)}"


def change_sentence(words: Words, change: EventChange, names: PlayerNames) -> str:
    return words(f"change.{change_document(change)['type']}", **_values(change, names))


def _values(change: EventChange, names: PlayerNames) -> Values:
    given = {field: getattr(change, field) for field in change.__struct_fields__}
    values: Values = {}
    match given:
        case {"teams": teams, "players": players}:
            entered = [each if isinstance(each, str) else each.name for each in teams]
            numbers = [each if isinstance(each, str) else each.number for each in players]
            return _named([*map(isolated, entered)] or [player_shown(names, number) for number in numbers])
        case {"tables": tables}:
            return _named([*map(isolated, tables)])
        case {"entrant": entrant}:
            values = {"name": player_shown(names, entrant) if entrant in names.by_number else isolated(entrant)}
        case {"player": player, "substitute": substitute}:
            values = {"name": player_shown(names, player), "other": player_shown(names, substitute)}
    if "reason" in given:
        values["reason"] = isolated(given["reason"])
    return values | ({"session": given["session"]} if "session" in given else {})


def _named(shown: Sequence[str]) -> Values:
    more = len(shown) - NAMED
    return {"count": len(shown), "names": " · ".join(shown[:NAMED]) + (f" · +{more}" if more > 0 else "")}
