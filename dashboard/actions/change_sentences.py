"""A change of the event in words, for a director whose form came after another's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from dashboard.i18n.words import Words
from twinwall.event.management.changes import (
    Announced,
    ClocksPaused,
    ClocksResumed,
    EntrantAbsent,
    EntrantPresent,
    EntrantsEntered,
    EntrantsRemoved,
    EntrantWithdrawn,
    EventChange,
    EventClosed,
    EventDescribed,
    ResultsHeld,
    ResultsReleased,
    SessionEnded,
    SessionReopened,
    SessionSeated,
    SessionStarted,
    SubstituteSeated,
    TablesChosen,
    change_document,
)
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


def _values(change: EventChange, names: PlayerNames) -> dict[str, object]:
    match change:
        case EntrantsEntered(players, teams):
            return _named([isolated(team.name) for team in teams] or [player_shown(names, player.number) for player in players])
        case EntrantsRemoved(players, teams):
            return _named([isolated(team) for team in teams] or [player_shown(names, player) for player in players])
        case EntrantWithdrawn(entrant, session, reason) | EntrantAbsent(entrant, session, reason):
            return {"name": _entrant_shown(names, entrant), "session": session, "reason": isolated(reason)}
        case EntrantPresent(entrant, session):
            return {"name": _entrant_shown(names, entrant), "session": session}
        case TablesChosen(tables=tables):
            return _named([isolated(table) for table in tables])
        case SubstituteSeated(session, player, substitute, reason):
            shown, other = player_shown(names, player), player_shown(names, substitute)
            return {"name": shown, "other": other, "session": session, "reason": isolated(reason)}
        case SessionSeated() | SessionStarted() | SessionEnded() | SessionReopened() | ResultsHeld() | ResultsReleased():
            return {"session": change.session}
        case EventDescribed() | ClocksPaused() | ClocksResumed() | Announced() | EventClosed():
            return {}
        case _:
            assert_never(change)


def _entrant_shown(names: PlayerNames, entrant: str) -> str:
    return player_shown(names, entrant) if entrant in names.by_number else isolated(entrant)


def _named(shown: Sequence[str]) -> dict[str, object]:
    more = len(shown) - NAMED
    return {"count": len(shown), "names": " · ".join(shown[:NAMED]) + (f" · +{more}" if more > 0 else "")}
