"""Players as a process: four people at each of several tables.

Each person is a thread with a connection of its own to its table's world. The process may be killed and started again
in the middle of a hand: people continue from what they see, and only their pauses differ.
"""

import threading
from collections.abc import Mapping

from simulator.players.client import WorldClient
from simulator.players.person import Habits, Person
from simulator.tabletop import PLACES
from twinwall.game.rule_set import RuleSet


def serve(worlds: Mapping[str, str], rules: RuleSet, habits: Habits, stop: threading.Event) -> None:
    """Let four people play at each table until ``stop`` is set; an error in one of them ends all and is raised.

    ``worlds`` has the addresses of the tables' worlds by the tables' names.
    """
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
            args=(Person(table, place, habits, rules, client=WorldClient(world, place, stop), stop=stop),),
            name=f"table {table} place {place}",
        )
        for table, world in worlds.items()
        for place in PLACES
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
