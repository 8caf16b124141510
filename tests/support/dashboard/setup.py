"""A director before the pages of the set-up: forms filled in as a browser would, and what an event then is."""

import html
import re
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from werkzeug.test import TestResponse

from dashboard.assignments import HallTables
from dashboard.i18n.words import Words
from dashboard.pages.setup.description_form import NEW_EVENT, shown_values
from tests.support.dashboard.hall import SETTINGS, Hall
from tests.support.narrowed import present
from twinwall.event.management.changes import EventChange, EventDescribed
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.player_names import read_names

_FIRST_NAMES = ("Ada", "Ben", "Cleo", "Dov", "Eve", "Finn", "Gao", "Hana", "Ivo", "Jun", "Kei", "Lev", "Mona", "Nils", "Olga", "Pia")
SIXTEEN = [f"Player {name}" for name in _FIRST_NAMES]

TEAM_LIST = "\n".join(["team,name", *(f"{team},{team} {number}" for team in ("Plum", "Orchid", "Bamboo", "Rose") for number in "1234")])


class SetUp:
    """A director who has logged in, with a names file of the event."""

    def __init__(self, folder: Path, hall_tables: HallTables | None = None) -> None:
        self.names_file = folder / "players.json"
        self.hall = Hall(settings=replace(SETTINGS, names=self.names_file), hall_tables=hall_tables)
        assert self.hall.log_in().status_code == 303

    @property
    def event(self) -> ManagedEvent:
        return self.hall.desk.event

    @property
    def names(self) -> dict[str, str]:
        return dict(read_names(self.names_file.read_bytes()).by_number) if self.names_file.exists() else {}

    def page(self, path: str) -> str:
        answer = self.hall.client.get(path)
        assert answer.status_code == 200, (path, answer.status_code)
        return answer.text

    def send(self, path: str, seen: int | None = None, /, **form: object) -> TestResponse:
        return self.hall.submit(path, {"seen": str(self.event.version if seen is None else seen), **form})

    def describe(self, described: EventDescribed = NEW_EVENT, /, **fields: str) -> TestResponse:
        return self.send("/event/description", do="save", **{**shown_values(described), **fields})

    def upload(self, content: bytes, **form: object) -> TestResponse:
        return self.send("/event/entrants", do="check", file=(BytesIO(content), "list.csv"), **form)

    def paste(self, text: str) -> TestResponse:
        return self.send("/event/entrants", do="check", list=text)

    def enter(self, text: str) -> TestResponse:
        """Paste a list, and press the button on the page that checks it."""
        return self.press(self.paste(text), "enter")

    def press(self, answer: TestResponse, do: str, **instead: str) -> TestResponse:
        """Press a button of the page of a list that is checked; ``instead`` are lines that were corrected, as ``line7="…"``."""
        lines = listed_lines(answer.text)
        lines |= {int(key.removeprefix("line")): text for key, text in instead.items()}
        columns = re.findall(r'<option value="(\w+)" selected>', answer.text)
        seen = present(re.search(r'name="seen" value="(\d+)"', answer.text))
        return self.send(
            "/event/entrants", int(seen[1]), do=do, at=[str(line) for line in lines], line=list(lines.values()), column=columns
        )

    def prepared(self, *names: str) -> None:
        """Describe an individual event and enter these players, sixteen unless given."""
        assert self.describe().status_code == 303
        assert self.enter("\n".join(names or SIXTEEN)).status_code == 303

    def manage(self, *changes: EventChange) -> None:
        self.hall.manage(*changes)

    def plan(self, session: int = 1) -> str:
        """The seats that the page of a session shows, as its form carries them."""
        return plan_in(self.page(f"/event/seating?session={session}"))


def plan_in(page: str) -> str:
    """The seats that a page shows, as its form carries them."""
    return html.unescape(present(re.search(r'name="plan" value="([^"]+)"', page))[1])


def listed_lines(page: str) -> dict[int, str]:
    """The lines that the page of a checked list carries, by number."""
    found = re.findall(r'name="at" value="(\d+)">.*?name="line" value="([^"]*)"', page, re.DOTALL)
    return {int(number): html.unescape(text) for number, text in found}


def says(answer: TestResponse | str, key: str, **values: object) -> bool:
    """Whether a page has the sentence of a key."""
    text = answer if isinstance(answer, str) else answer.text
    return Words("en")(key, **values) in html.unescape(text)


def refused(answer: TestResponse, key: str, status: int = 409, **values: object) -> None:
    """An order is not carried out, and the page says why with the sentence of a key."""
    assert answer.status_code == status
    assert says(answer, key, **values)
