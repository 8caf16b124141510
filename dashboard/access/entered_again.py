"""Who was entered again after having sat in a session, for everybody to see.

Entering somebody again touches no result. It may give a player another name, and the names file keeps no history, so this is what
shows it.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from twinwall.event.management.changes import EntrantsEntered
from twinwall.event.management.managed_event import ManagedEvent, apply
from twinwall.event.store.store_contents import ManagementStep
from twinwall.values import frozen


@frozen
class EnteredAgain:
    """A change of entrants who had sat; players are named by number and by what stands for them now."""

    at: datetime
    by: str
    entrants: tuple[str, ...]


def entered_again(steps: Iterable[ManagementStep], shown: Callable[[str], str]) -> Iterator[EnteredAgain]:
    """The changes of an event that entered again somebody who had sat; ``shown`` is what stands for a player."""
    event = ManagedEvent()
    for step in steps:
        if isinstance(step.change, EntrantsEntered):
            sat = {player for session in event.sessions for player in event.sat(session.number)}
            players = (_named(player.number, shown(player.number)) for player in step.change.players if player.number in sat)
            teams = (team.name for team in step.change.teams if sat & {*team.players})
            if named := (*teams, *players):
                yield EnteredAgain(step.at, step.by, named)
        event = apply(event, step.change)


def _named(number: str, name: str) -> str:
    return name if number in name.split() else f"{number} {name}"
