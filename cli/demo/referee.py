"""The referee of a demo whose people disturb: where a table asks about a river, says which tile it is, as a person who looks there would.

The answer goes over the page on which a real referee gives it. Of the simulated world this referee sees what lies in the rivers, and
nothing concealed.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from urllib.parse import quote

from cli.demo.browser import DemoBrowser
from cli.demo.progress import DemoTableProgress
from simulator.players.client import WorldClient

UNREAD_TILE = "unread-tile"
"""The code of the fault with which a table asks."""
LOOK_S = 1.0
PATIENCE_S = 180.0
"""A table whose fault stands for so long while nothing happens there needs more than this referee."""
_ASKED = re.compile(r'id="pictures" data-where="(\d) river (\d+)"')


class DemoReferee(DemoBrowser):
    """A referee at one hall's pages on this computer."""

    def answer(self, table: str, world_url: str) -> bool:
        """Answer the question of a table, which stands above the world of this address; False where none is asked, or nothing has been
        laid there."""
        page = f"/table/{quote(table)}/which-tile"
        asked = _ASKED.search(self._get(page))
        if asked is None:
            return False
        world = WorldClient(world_url, 0, threading.Event())
        face = world.look().rivers[int(asked[1])][int(asked[2])]
        world.close()
        if face is None:
            return False
        self._post(page, {"tile": face})
        return True


class RefereeRounds:
    """Looks after the tables of a demo whose people disturb."""

    def __init__(self, answer: Callable[[str, str], bool], worlds: Mapping[str, str]) -> None:
        """``answer`` is that of a ``DemoReferee`` who has logged in; ``worlds`` are the worlds' addresses by their tables' names."""
        self._answer, self._worlds = answer, worlds
        self._quiet_since_s: dict[str, float] = {}
        self._looked_s: dict[str, float] = {}

    def look(self, table: DemoTableProgress, now_s: float, *, grew: bool) -> bool:
        """Answer what a table asks; False where its deal is fouled, or its fault has stood for too long. ``grew``: something has
        happened there just now."""
        if grew or not table.fault:
            self._quiet_since_s[table.name] = now_s
        if table.code == UNREAD_TILE and now_s >= self._looked_s.get(table.name, 0.0) + LOOK_S:
            self._looked_s[table.name] = now_s
            self._answer(table.name, self._worlds[table.name])
        return not table.fouled and now_s < self._quiet_since_s.setdefault(table.name, now_s) + PATIENCE_S
