"""A change of the event in words, for a director whose form came after another's."""

from collections.abc import Sequence

from dashboard.i18n.words import Values, Words
from twinwall.event.management.changes import EventChange, change_document
from twinwall.event.player_names import NamesShown, PlayerNames

NAMED = 4
"""A sentence has this many names before it says how many more there are."""


def isolated(text: str) -> str:
    """A name in a sentence, kept from turning the direction of the words beside it."""
    return f"\u2068{text}\u2069" if text else ""


def player_shown(names: PlayerNames, number: str) -> str:
    """A player with number and name; the number alone where no name is known."""
    name = names.shown(number, NamesShown.FULL)
    return number if name == number else f"{number} {isolated(name)}"


def change_sentence(words: Words, change: EventChange, names: PlayerNames) -> str:
    """What somebody did."""
    return words(f"change.{change_document(change)['type']}", **_values(change, names))


def _values(change: EventChange, names: PlayerNames) -> Values:
    """What the sentence names, by the fields that the change has."""
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
