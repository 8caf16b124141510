"""The staff of a demo: director and referee do on the pages what people would, form by form, with the accounts that the demo makes. Nothing
of an event is made in another way: what the pages refuse, the demo cannot do either. The referee of a demo whose people disturb says which
tile it is where a table asks about a river. Of the simulated world this referee sees what is in the rivers, and nothing concealed."""

import base64
import html
import re
import threading
import time
from collections.abc import Callable, Mapping
from urllib.parse import quote

from cli.demo.browser import PATIENCE_S, DemoBrowser, DemoLogin
from cli.demo.progress import DemoTableProgress
from cli.usage import UsageError
from simulator.players.client import WorldClient

UNREAD_TILE = "unread-tile"
"""The code of the fault with which a table asks."""
LOOK_S = 0.5
REFEREE_PATIENCE_S = 180.0
"""A table whose fault stands for so long while nothing happens there needs more than this referee."""
_ASKED = re.compile(r'id="pictures" data-where="(\d) river (\d+)"')


class DemoReferee(DemoBrowser):
    """A referee at one hall's pages on this computer, who looks after tables whose people disturb."""

    def __init__(self, port: int, login: DemoLogin, worlds: Mapping[str, str]) -> None:
        """``worlds`` are the worlds' addresses by their tables' names."""
        super().__init__(port, login)
        self._worlds = worlds
        self._quiet_since_s: dict[str, float] = {}
        self._looked_s: dict[str, float] = {}

    def answer(self, table: str) -> bool:
        """Answer the question of a table; False where none is asked, or nothing has been laid there."""
        page = f"/table/{quote(table)}/which-tile"
        asked = _ASKED.search(self._get(page))
        if asked is None:
            return False
        world = WorldClient(self._worlds[table], 0, threading.Event())
        face = world.look().rivers[int(asked[1])][int(asked[2])]
        world.close()
        if face is None:
            return False
        self._post(page, {"tile": face})
        return True

    def look(self, table: DemoTableProgress, now_s: float, *, grew: bool) -> bool:
        """Answer what a table asks; False where its deal is fouled, or its fault has stood for too long. ``grew``: something has
        happened there just now."""
        if grew or not table.fault:
            self._quiet_since_s[table.name] = now_s
        if table.code == UNREAD_TILE and now_s >= self._looked_s.get(table.name, 0.0) + LOOK_S:
            self._looked_s[table.name] = now_s
            self.answer(table.name)
        return not table.fouled and now_s < self._quiet_since_s.setdefault(table.name, now_s) + REFEREE_PATIENCE_S


class DemoDirector(DemoBrowser):
    """A director at one hall's pages on this computer; ``look_after`` is called while it waits."""

    def __init__(self, port: int, login: DemoLogin, look_after: Callable[[], None] = lambda: None) -> None:
        super().__init__(port, login)
        self._look_after = look_after

    def begin(self, event: str, file: bytes) -> None:
        """Begin an event and read its description, entrants and names from an event file."""
        self._get("/hall-events")
        self._post("/hall-events", {"do": "new", "name": event})
        self.until("/event/file", lambda page: "multipart/form-data" in page, "the new event is open")
        self._post("/event/file", {"do": "import", "content": base64.b64encode(file).decode()})

    def choose_tables(self, count: int) -> None:
        """Wait until this many tables have joined the hall, and play at all of them."""
        joined = self.until("/event/tables", lambda page: page.count("<small>Twinwall ") >= count, f"{count} tables have joined the hall")
        names = re.findall(r'name="table" value="([^"]*)"', joined)
        self._post("/event/tables", {"table": tuple(html.unescape(name) for name in names)})

    def make_deals(self, passphrase: str, public: str) -> None:
        """Let the vault make the deals and commit to them, and fix the public value."""
        # A passphrase is sealed to the vault's present start and kept nowhere: it must have been heard.
        self.until("/event/deals", lambda page: ">Ready<" in page, "the vault is heard")
        self._post("/event/deals", {"do": "make", "source": "tiles: 32", "passphrase": passphrase, "again": passphrase})
        self.until("/event/deals", lambda page: 'id="public"' in page, "the deals are made")
        self._post("/event/deals", {"do": "start", "public": public})
        self.until("/event/deals", lambda page: 'id="code-title"' in page, "the start is fixed")

    def seat(self, session: int) -> None:
        """Save the seats that are proposed."""
        self._get(f"/event/seating?session={session}")
        self._post("/event/seating", {"do": "save"})

    def start(self, session: int) -> None:
        self._order("start", session)

    def end(self, session: int) -> None:
        self._order("end", session)

    def announce(self, texts: Mapping[str, str]) -> None:
        """Announce something to everybody, by language."""
        self._get("/event/sessions")
        self._post("/event/sessions", {"do": "announce", **{f"text-{tag}": text for tag, text in texts.items()}})

    def wait_for_release(self, deal: int) -> None:
        """Wait, however long it takes, until everybody may see a deal."""
        while f'href="/deal/{deal}/slip.json"' not in self._get(f"/deal/{deal}"):
            self._look_after()
            time.sleep(LOOK_S)

    def write_ruling(self, table: str, deal: int, reason: str) -> Callable[[], None]:
        """Fill in a penalty of 4 IMP for East in a hand that is over; what is returned sends it."""
        self._get(f"/table/{table}/hand/{deal}")
        form = {"seat": "E", "choice": "penalty", "imp": "4", "reason": reason}
        return lambda: self._post(f"/table/{table}/rule", form)

    def until(self, path: str, seen: Callable[[str], bool], meaning: str) -> str:
        """Look at a page again until it shows something; raises UsageError when it does not come to that."""
        end_s = time.monotonic() + PATIENCE_S
        while True:
            page = self._get(path)
            if seen(page):
                return page
            if time.monotonic() > end_s:
                raise UsageError(f"the demo waited {PATIENCE_S:.0f} s and it is not so that {meaning}: see the logs in its folder")
            self._look_after()
            time.sleep(LOOK_S)

    def _order(self, do: str, session: int) -> None:
        self._get("/event/sessions")
        self._post("/event/sessions", {"do": do, "session": str(session)})
