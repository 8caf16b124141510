"""A table's controller and the hall's pages joined: each hears at once what the other says, and people have nothing but the pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from controller.state.messages import Message
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import form_token
from tests.support.dashboard.tables.at_seat import seat_address
from twinwall.wire.ledger import parse
from twinwall.wire.messages.commands import Command, Resend

RESULT = {"winner": "S", "source": "W", "total": "24"}
"""How the hand at a table without cameras ends, as its players enter it."""


class PagesOfTable:
    """The pages of the four seats and of the referee of a table whose controller writes into ``folder`` and takes what is ``told``."""

    def __init__(self, folder: Path, tell: Callable[[Message], None]) -> None:
        self._ledger, self._tell, self._known = folder / "events.jsonl", tell, 0
        self.hall = Hall(settings=OPEN, send=self._take)
        self.hall.store.connection(True)
        self.hall.store.begin("1")
        self.hall.log_in()
        self._phones = [self.hall.new_client() for _ in range(4)]
        for place, phone in enumerate(self._phones):
            phone.get(seat_address(place))
        self.hear()

    def hear(self) -> None:
        """Everything that the table has written since."""
        lines = self._ledger.read_bytes().splitlines(keepends=True)
        self.hall.add(parse(line) for line in lines[self._known :])
        self._known = len(lines)

    def _take(self, _table: str, command: Command) -> bool:
        assert not isinstance(command, Resend)
        self._tell(command)
        self.hear()
        return True

    def seat(self, place: int) -> str:
        return self._phones[place].get(f"/seat/1/{place}").text

    def press(self, place: int, **form: str) -> None:
        phone = self._phones[place]
        token = form_token(phone.get("/login").text)
        phone.post(f"/seat/1/{place}", data={"token": token, **form})

    def tasks(self) -> set[str]:
        """What the pages of the four seats are about."""
        return {found[1] for place in range(4) if (found := re.search(r'data-task="([a-z]+)"', self.seat(place))) is not None}

    def go_on(self, done: Callable[[], bool]) -> None:
        """Press what the pages of the seats offer until ``done``, or until a round of presses brings nothing."""
        known = -1
        while known != self._known and not done():
            known = self._known
            for place in range(4):
                if not done():
                    self._press_offered(place)

    def _press_offered(self, place: int) -> None:
        page = self.seat(place)
        if found := re.search(r'name="(begin|enter|confirm)" value="([^"]*)"', page):
            self.press(place, **{found[1]: found[2]})
        elif 'data-task="result"' in page and 'href="?result=1"' in page:
            self.press(place, result=self.deal(), **RESULT)

    def deal(self) -> str:
        """The deal of which the referee's form rules."""
        found = re.search(r'name="n" value="([0-9]+)"', self.hall.client.get("/table/1").text)
        assert found is not None
        return found[1]

    def choices(self) -> list[str]:
        """What the referee's form offers."""
        return re.findall(r'name="choice" id="[^"]*" value="([^"]*)"', self.hall.client.get("/table/1").text)

    def rule(self, choice: str, seat: str = "S") -> None:
        """The referee rules about a seat."""
        form = {
            "n": self.deal(),
            "choice": choice,
            "seat": seat,
            "reason": "seen",
            "imp": "3",
            "points": "0",
            "other": "W",
            "form": str(self._known),
        }
        scores = {"score-E": "30", "score-S": "-10", "score-W": "-10", "score-N": "-10"}
        token = form_token(self.hall.client.get("/table/1").text)
        self.hall.client.post("/table/1/rule", data={"token": token, **form, **scores})
