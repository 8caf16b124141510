"""From every state of a hand, and after every ruling in it, the pages of its players and its referee offer a way on."""

import html
import re
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path

import pytest

from controller.state.messages import Message
from dashboard.i18n.words import Words
from tests.support.controller.fixtures import make_rig
from tests.support.controller.game import E, Game, N, S, W, walls_of
from tests.support.controller.paper_rig import PaperRig
from tests.support.controller.rigs import MakeRig
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import submit
from tests.support.dashboard.tables.tables_in_play import seat_address
from tests.support.narrowed import present
from tests.support.tiers import one_in, pairs
from twinwall.art.names import LANGUAGES, Language
from twinwall.event.store.staff_calls import Call
from twinwall.wire.events.trouble_events import CallSubject
from twinwall.wire.ledger import parse
from twinwall.wire.messages.commands import Command, Resend
from twinwall.wire.shapes.panel import Key

RESULT = {"winner": "S", "source": "W", "total": "24"}
"""How the hand at a table without cameras ends, as its players enter it."""


class PagesOfTable:
    """The pages of the four seats and of the referee of a table whose controller writes into ``folder`` and takes what is ``told``."""

    def __init__(self, folder: Path, tell: Callable[[Message], None]) -> None:
        self._ledger, self._tell, self._known = folder / "events.jsonl", tell, 0
        self.hall = Hall(settings=OPEN, send=self._take)
        self.hall.views.connection(True)
        self.hall.views.begin("1")
        self.hall.log_in()
        self._phones = [self.hall.new_client() for _ in range(4)]
        for place, phone in enumerate(self._phones):
            phone.get(seat_address(place))
        self.hear()

    def hear(self) -> None:
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
        submit(self._phones[place], f"/seat/1/{place}", form)

    def tasks(self) -> set[str]:
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
        return present(re.search(r'name="n" value="([0-9]+)"', self.hall.client.get("/table/1").text))[1]

    def choices(self) -> list[str]:
        return re.findall(r'name="choice" id="[^"]*" value="([^"]*)"', self.hall.client.get("/table/1").text)

    def rule(self, choice: str, seat: str = "S") -> None:
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
        self.hall.submit("/table/1/rule", {**form, **scores})


__all__ = ["make_rig"]
CALLS = walls_of({E: "123456789p 123s 5s", W: "55s 147m 258p 39s E S N", N: "123m 456m 789m 46s CC"})
"""On East's 5s West has a pung and North the win."""
SELF_DRAW = walls_of({E: "123m 456m 789m 46s FF 5s"})
CHOICES = ("play-on", "warning", "dead-hand", "false-win:4:0", "penalty", "average", "annulled", "adjusted")


def call(pages: PagesOfTable) -> None:
    pages.press(3, call=CallSubject.SCORE)


def entered(pages: PagesOfTable) -> None:
    pages.press(1, result="1", winner="S", source="W", total="24")


def disputed(pages: PagesOfTable) -> None:
    entered(pages)
    pages.press(2, result="1", winner="S", source="E", total="24")


def begun(pages: PagesOfTable) -> None:
    pages.press(0, begin="1")


def open_calls(pages: PagesOfTable) -> list[Call]:
    return [call for call in pages.hall.desk.hall.calls() if call.is_open]


Step = Callable[[PagesOfTable], None]
PAPER: Mapping[str, tuple[Step, ...]] = {
    "sheets": (),
    "sheets, called": (call,),
    "playing": (begun,),
    "playing, called": (begun, call),
    "entered": (begun, entered),
    "entered, called": (begun, entered, call),
    "disputed": (begun, disputed),
    "disputed twice": (begun, disputed, lambda pages: pages.rule("play-on"), disputed),
}


@pytest.mark.parametrize(("state", "choice"), one_in(3, product(PAPER, CHOICES)))
def test_a_table_without_cameras_goes_on_after_every_ruling(tmp_path: Path, state: str, choice: str) -> None:
    rig = PaperRig(tmp_path)
    pages = PagesOfTable(tmp_path, rig.tell)
    for step in PAPER[state]:
        step(pages)
    if choice not in pages.choices():
        assert state.startswith("sheets")
        pages.rule("play-on")
    pages.rule(choice)
    pages.go_on(lambda: "hand-closed" in rig.types())
    assert "hand-closed" in rig.types(), pages.tasks()
    assert pages.tasks() == {"sheets"}
    assert not open_calls(pages)


def _shown(make: MakeRig) -> Game:
    return Game(make, SELF_DRAW).take_hands().draw(E).press(E, Key.WIN).lay_open(E, "123m 456m 789m 46s FF", "5s")


GAMES: Mapping[str, Callable[[MakeRig], Game]] = {
    "drawing": lambda make: Game(make, CALLS).take_hands(),
    "discarding": lambda make: Game(make, CALLS).take_hands().draw(E),
    "claims": lambda make: Game(make, CALLS).take_hands().draw(E).discard(E, "5s"),
    "fouled": lambda make: Game(make, CALLS).take_hands().draw(E).discard(E, "N"),
    "to be shown": lambda make: Game(make, SELF_DRAW).take_hands().draw(E).press(E, Key.WIN),
    "to be entered": _shown,
    "to be confirmed": lambda make: _shown(make).press(E, Key.CONFIRM),
}


@pytest.mark.parametrize(
    ("state", "choice", "called"), [(*ruled, called) for ruled, called in pairs(one_in(2, product(GAMES, CHOICES)), [False, True])]
)
def test_a_table_with_cameras_goes_on_after_every_ruling(make_rig: MakeRig, state: str, choice: str, called: bool) -> None:
    game = GAMES[state](make_rig)
    rig = game.rig

    def tell(message: Message) -> None:
        rig.post(message)
        rig.settle()

    pages = PagesOfTable(rig.folder, tell)
    if called:
        call(pages)
    if called or state == "fouled":
        assert pages.tasks() == {"halted"}
    pages.rule(choice, "E")
    pages.go_on(lambda: False)
    assert not open_calls(pages)
    dead = choice in ("dead-hand", "false-win:4:0")
    if choice in ("annulled", "adjusted") or (state in ("to be entered", "to be confirmed") and not dead):
        assert pages.tasks() == {"recorded"}
    else:
        assert pages.tasks() == {"playing"}
        assert game.unlocked or rig.lamps.window or rig.eye.watching, "the table waits for something that players can do"


@pytest.mark.parametrize("choice", ["warning", "penalty", "average", "adjusted", "exchanged"])
def test_a_call_after_the_last_hand_is_over_with_a_ruling_on_it(tmp_path: Path, choice: str) -> None:
    rig = PaperRig(tmp_path)
    rig.play(1, (0, 0, 0, 0))
    rig.play(2, (0, 0, 0, 0))
    pages = PagesOfTable(tmp_path, rig.tell)
    call(pages)
    assert len(open_calls(pages)) == 1
    assert choice in pages.choices()
    pages.rule(choice)
    assert not open_calls(pages)
    assert pages.tasks() == {"recorded"}


@pytest.mark.parametrize("accepted", ["S", "W"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_dispute_shows_the_referee_both_results_and_either_is_accepted(tmp_path: Path, language: Language, accepted: str) -> None:
    rig, words = PaperRig(tmp_path), Words(language)
    pages = PagesOfTable(tmp_path, rig.tell)
    begun(pages)
    disputed(pages)
    page = html.unescape(pages.hall.client.get(f"/table/1?lang={language}").text)
    for entered_by, source in ((S, W), (W, E)):
        outcome = words("confirm.win.discard", seat=words.seat(S), other=words.seat(source))
        assert page.count(f"{outcome} (24)") >= 2, "beside the payments, and as a ruling"
        assert words("rule.label.entry", seat=words.seat(entered_by)) in page
    (choice,) = (choice for choice in pages.choices() if choice.startswith(f"entry:{accepted}"))
    pages.rule(choice)
    assert rig.scores() == [(-8, 48, -32, -8) if accepted == "S" else (-32, 48, -8, -8)]
    assert not open_calls(pages)


def test_the_result_that_a_player_has_corrected_since_is_not_accepted(tmp_path: Path) -> None:
    rig = PaperRig(tmp_path)
    pages = PagesOfTable(tmp_path, rig.tell)
    begun(pages)
    entered(pages)
    (old,) = (choice for choice in pages.choices() if choice.startswith("entry:"))
    pages.press(1, result="1", winner="S", source="W", total="30")
    pages.rule(old)
    assert rig.scores() == []
