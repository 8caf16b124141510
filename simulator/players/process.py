"""Players as a process: four people at each of several tables.

Each person is a thread with a connection of its own to its table's world. The process may be killed and started again
in the middle of a hand: people continue from what they see, and only their pauses differ.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import field

from simulator.players.client import WorldClient
from simulator.players.person import Habits, Person
from simulator.tabletop import PLACES
from twinwall.game.rules import DEFAULT_RULES, rule_set
from twinwall.values import frozen


@frozen
class PlayersProcess:
    """``worlds`` are the addresses of the tables' worlds by the tables' names."""

    worlds: Mapping[str, str]
    rules: str = DEFAULT_RULES
    habits: Habits = field(default_factory=Habits)


def serve(settings: PlayersProcess, stop: threading.Event) -> None:
    """Let four people play at each table until ``stop`` is set; an error in one of them ends all and is raised."""
    rules = rule_set(settings.rules)
    failures: list[BaseException] = []

    def run(person: Person) -> None:
        try:
            person.play()
        except BaseException as problem:  # a person's thread must not die unheard
            failures.append(problem)
            stop.set()

    threads = [
        threading.Thread(
            target=run,
            args=(Person(table, place, settings.habits, rules, client=WorldClient(world, place, stop), stop=stop),),
            name=f"table {table} place {place}",
        )
        for table, world in settings.worlds.items()
        for place in PLACES
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
