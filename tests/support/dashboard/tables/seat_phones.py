"""A table at the pages of its four seats: a phone at each place, and the table's end of what people press."""

from collections.abc import Callable, Sequence

from dashboard.web_settings import WebSettings
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import submit
from tests.support.dashboard.tables.at_seat import seat_address, words_of
from tests.support.wire.streams import Line, public_events
from twinwall.wire.messages.commands import Command


class SeatPhones:
    """A hall with one table and a phone at each place; the table says at once what ``answers`` has for a command."""

    def __init__(
        self, script: Sequence[Line], answers: Callable[[Command], list[Line]] = lambda _command: [], settings: WebSettings = OPEN
    ) -> None:
        self.script, self.answers, self.sent = list(script), answers, list[Command]()
        self.hall = Hall(settings=settings, send=self._take)
        self.hall.feed(self.script)
        self.phones = [self.hall.new_client() for _ in range(4)]

    def _take(self, _table: str, command: Command) -> bool:
        self.sent.append(command)
        self.feed(*self.answers(command))
        return True

    def feed(self, *lines: Line) -> None:
        known = len(self.script)
        self.script += lines
        self.hall.add(public_events(self.script)[known:])

    def scan(self, place: int) -> str:
        """What the page says to which the code of a place leads; the phone is that of the place from now on."""
        return words_of(self.phones[place].get(seat_address(place), follow_redirects=True).text)

    def page(self, place: int, query: str = "") -> str:
        return self.phones[place].get(f"/seat/1/{place}{query}").text

    def look(self, place: int, query: str = "") -> str:
        return words_of(self.page(place, query))

    def press(self, place: int, **form: str) -> str:
        """What the page says that comes back."""
        came = submit(self.phones[place], f"/seat/1/{place}", form, follow=True)
        assert came.status_code == 200
        return words_of(came.text)
