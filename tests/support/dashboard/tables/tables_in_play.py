"""Tables in play, for the pages: one that asks about a discard, one without cameras, and one with a phone at each seat."""

import html
import re
from collections.abc import Callable, Sequence

import cv2
import numpy as np

from dashboard.access.seat_codes import seat_code
from dashboard.web_settings import WebSettings
from tests.support.dashboard.example import BY_DISCARD, CHECK, NAMES, ON_A_DISCARD, SELF_DRAWN, building, ending, play
from tests.support.dashboard.hall import OPEN, SETTINGS, Hall
from tests.support.dashboard.staff import submit
from tests.support.game.tables import RandomTable
from tests.support.narrowed import present
from tests.support.wire.streams import Line, hand_started, public_events
from twinwall.game.play_events import HandEnded, totals
from twinwall.game.play_json import to_json
from twinwall.game.tiles import ALL_TILES, SEATS, Seat, Tile, format_tiles, place_of, round_wind
from twinwall.wire.messages.commands import BeginHand, Command, ConfirmScore, EnterResult
from twinwall.wire.messages.tile_question import AskedArea, AskedTile

SHOWN: list[Line] = [*building(), *play(ON_A_DISCARD), next(iter(ending(BY_DISCARD)))]
"""South has won with West's discard and has shown the hand."""
ENTERED: list[Line] = [*SHOWN, list(ending(BY_DISCARD))[1]]
"""South has entered the score."""
RECORDED: list[Line] = [*building(), *play(ON_A_DISCARD), *ending(BY_DISCARD), ("hand-closed", {"n": 1})]
PAID = (-8, 48, -32, -8)


def words_of(page: str) -> str:
    """What a page says between its header and its end, in one line."""
    return text_of(present(re.search(r"<main.*</main>", page, re.DOTALL))[0])


def text_of(markup: str) -> str:
    """The words of a part of a page, in one line."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", markup))).strip()


def seat_address(place: int, table: str = "1") -> str:
    """The address that the card of a table has for a place, at the event of the tests' settings."""
    return f"/seat/{table}/{place}?code={seat_code(SETTINGS.secret, SETTINGS.event, table, place)}"


def hand_entered(played: RandomTable) -> list[Line]:
    """The first hand of a session that has been played, up to its score, which is entered and not confirmed."""
    payments = {seat.value: gain for seat, gain in totals(played.rules.payments(played.state, played.wins)).items()}
    fans = [{"id": fan.id, "name": fan.name, "value": fan.value, "count": fan.count} for win in played.wins.values() for fan in win.fans]
    entered = {
        "seat": next(iter(played.wins), Seat.EAST).value,
        "fans": fans,
        "total": sum(win.total for win in played.wins.values()),
        "payments": payments,
    }
    written = [to_json(event) for event in played.events if not isinstance(event, HandEnded)]
    rules = played.rules.name
    of_hand: dict[str, object] = {"hand": 1, "rules": rules, "round": round_wind(1).value, "options": dict(played.options)}
    places = {seat.value: place_of(seat, 1) for seat in SEATS}
    return [
        ("controller-started", {"version": "0.1.0", "resumed": False}),
        ("deal-opened", {"n": 1, "session": 1, "hand": 1, "rules": rules, "check": CHECK}),
        ("wall-raised", {"n": 1}),
        hand_started(1, NAMES, places, played.rules.walls.draws, **of_hand),
        *((str(event["type"]), {key: value for key, value in event.items() if key != "type"}) for event in written),
        ("payments-proposed", entered),
    ]


NUMBER = 55
"""Events of the hand at the moment of the question, as the table counts them."""
SEEN_FIRST = (Tile.M6, Tile.M5, Tile.S1)
"""What the camera thinks likeliest, in its order."""
KINDS = (*SEEN_FIRST, *(tile for tile in ALL_TILES if tile not in SEEN_FIRST))


def unread(place: int = 2, area: AskedArea = "river", slot: int = 4) -> Line:
    """The table's fault while a tile is in doubt."""
    where = {"where": f"place {place} {area} {slot}", "part": area, "place": place, "number": slot}
    return "fault", {"code": "unread-tile", "sentence": "A tile on the table cannot be read", **where}


READ: Line = ("fault-cleared", {"code": "unread-tile"})
IN_PLAY: list[Line] = [*building(), *[*play(SELF_DRAWN)][:111]]
IN_DOUBT: list[Line] = [*IN_PLAY, unread()]


def picture(level: int) -> bytes:
    """A JPEG file of the size that a table sends: a place on grey cloth, ``level`` bright."""
    image = np.full((342, 252, 3), (60, 80, 30), np.uint8)
    cv2.rectangle(image, (84, 114), (162, 222), (level, level, level), -1)
    return cv2.imencode(".jpg", image)[1].tobytes()


def question(
    area: AskedArea = "river", slot: int = 4, *, n: int = 1, place: int = 2, before: bytes | None = None, after: bytes | None = None
) -> AskedTile:
    """What the table asks: the pictures show cloth, and something bright on it."""
    shown = {"before": picture(70) if before is None else before, "after": picture(235) if after is None else after}
    return AskedTile(n, NUMBER, place, area, slot, format_tiles(KINDS), **shown)


PAYMENTS = {"E": -8, "S": 48, "W": -32, "N": -8}
SHEETS: list[Line] = [
    ("controller-started", {"version": "0.1.0", "resumed": False}),
    ("sheets-due", {"n": 1, "session": 1, "hand": 1, "rules": "mcr-duplicate"}),
]
STARTED: list[Line] = [*SHEETS, next(iter(play("")))]


def entered(seat: str, payments: dict[str, int] = PAYMENTS) -> list[Line]:
    """A player enters the result: South off West, 24 fan."""
    return [
        ("result-entered", {"seat": seat, "winner": "S", "source": "W", "total": 24, "payments": payments}),
        ("payments-proposed", {"seat": seat, "fans": [], "total": 24, "payments": payments}),
    ]


def answers(command: Command) -> list[Line]:
    """What the table says when a player at place 1 enters that result and another one confirms it."""
    match command:
        case BeginHand():
            return STARTED[len(SHEETS) :]
        case EnterResult():
            return entered("S")
        case ConfirmScore():
            return [
                ("payments-confirmed", {"seat": "W"}),
                ("settled", {"payments": PAYMENTS}),
                ("hand-ended", {"reason": "entered", "scores": PAYMENTS}),
                ("hand-closed", {"n": 1}),
            ]
        case _:
            return []


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
