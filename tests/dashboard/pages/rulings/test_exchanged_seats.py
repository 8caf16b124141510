"""Two players who sat in each other's seats in a hand: a ruling puts names and results right, and everybody sees it as a correction."""

import html
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from dashboard.access.api_tokens import TokenScope
from dashboard.i18n.words import Words
from tests.support.controller.paper_rig import PaperRig
from tests.support.dashboard.api import Program
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.tables.at_seat import words_of
from tests.support.dashboard.two_sessions import TABLES, play_two_sessions, rule_late
from twinwall.art.names import LANGUAGES, Language
from twinwall.event.field import EventField, Group, SessionGroups, results_of
from twinwall.event.results import EntrantKind
from twinwall.game.documents import DocumentError
from twinwall.game.play_events import SeatsExchanged
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.messages.commands import Command
from twinwall.wire.messages.ruling import Ruling, read_ruling, ruling_fields

E, S, W, N = SEATS


@dataclass
class Individuals:
    """Sixteen players, two deals released; East has won at table 1, so its player leads there."""

    hall: Hall = field(init=False)
    sent: list[Ruling] = field(default_factory=list)

    def __post_init__(self) -> None:
        sessions = tuple(SessionGroups(session, (Group("1", TABLES),)) for session in (1, 2))
        desk = MemoryDesk(EventField(EntrantKind.INDIVIDUAL, (), sessions))
        self.hall = Hall(desk=desk, settings=OPEN, send=self._take)
        play_two_sessions(self.hall)
        self.hall.log_in()

    def _take(self, table: str, command: Command) -> bool:
        assert isinstance(command, Ruling)
        self.sent.append(command)
        rule_late(self.hall, table, ("ruling", ruling_fields(command)))
        return True

    def rule(self, **form: str) -> TestResponse:
        return self.hall.submit("/table/1/rule", {"n": "1", "seat": "E", "reason": "both say so", "form": "f", **form})

    def seats(self) -> dict[str, int]:
        """Who gets what in deal 1 at table 1."""
        hall = self.hall.desk.hall
        results = results_of([hand for hand in hall.hands(1) if hand.table == "1"], hall.programme.field)
        return {result.entrant: result.score for result in results}


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_and_results_are_exchanged_and_everybody_sees_old_and_new_who_when_and_why(language: Language) -> None:
    event, words = Individuals(), Words(language)
    before = event.seats()
    first, second = (list(before)[place] for place in (0, 1))
    answer = event.rule(choice="exchanged", other="S")
    assert answer.status_code == 303
    assert event.sent[0].effects == (SeatsExchanged(E, S),)
    assert event.seats() == {**before, first: before[second], second: before[first]}
    hand = event.hall.desk.hall.hand("1", 1)
    assert hand is not None
    assert (hand.names[E], hand.names[S]) == (second, first)
    (correction,) = event.hall.desk.hall.corrections()
    assert {change.entrant for change in correction.changes if change.points != change.points_before} == {first, second}
    page = words_of(event.hall.new_client().get(f"/standings?lang={language}").text)
    for said in (words("rule.exchanged", seat=words.seat(E), other=words.seat(S)), "both say so", "Ota", first, second):
        assert said in page, said


def test_the_exchange_is_revoked_like_any_ruling() -> None:
    event = Individuals()
    before = event.seats()
    event.rule(choice="exchanged", other="S")
    assert event.seats() != before
    event.rule(choice=f"revoke:{event.sent[0].identity}", form="g")
    assert event.seats() == before


def test_the_page_of_the_hand_offers_it_and_the_api_does_it_too() -> None:
    event = Individuals()
    assert Words("en")("rule.label.exchanged") in html.unescape(event.hall.client.get("/table/1/hand/1").text)
    order = {"deal": 1, "choice": "exchanged", "seat": "E", "other": "N", "reason": "both say so"}
    Program(event.hall, TokenScope.REFEREE).do("/tables/1/rulings", order)
    assert event.sent[0].effects == (SeatsExchanged(E, N),)


@pytest.mark.parametrize("form", [{"other": ""}, {"other": "E"}, {"other": "X"}], ids=str)
def test_two_different_seats_are_named(form: dict[str, str]) -> None:
    event = Individuals()
    assert event.rule(choice="exchanged", **form).headers["Location"].endswith("rule.problem.other")
    assert event.sent == []


def test_the_table_takes_it_once_the_hand_is_over_and_not_before(tmp_path: Path) -> None:
    rig = PaperRig(tmp_path)
    rig.begin()

    def rule(identity: str) -> str:
        rig.tell(Ruling(identity, 1, "Ota", {"en": "Exchanged."}, (SeatsExchanged(E, S),)))
        return rig.types()[-1]

    assert rule("r1") == "ruling-refused"
    rig.enter(Seat.EAST, None)
    rig.confirm(S, (0, 0, 0, 0))
    assert rule("r2") == "ruling"
    rig.kill()
    assert "r2" in rig.state.rulings, "the journal is read again"


@pytest.mark.parametrize(
    "effect",
    [
        {"type": "seats-exchanged", "seat": "E", "other": "E"},
        {"type": "seats-exchanged", "seat": "E"},
        {"type": "seats-exchanged", "seat": "E", "other": "Q"},
        {"type": "seats-exchanged", "seat": "E", "other": "S", "player": "12"},
    ],
    ids=str,
)
def test_an_exchange_that_makes_no_sense_is_no_ruling(effect: dict[str, object]) -> None:
    whole = ruling_fields(Ruling("r1", 1, "Ota", {"en": "Exchanged."}, (SeatsExchanged(N, W),)))
    assert read_ruling(whole).effects == (SeatsExchanged(N, W),)
    with pytest.raises(DocumentError):
        read_ruling({**whole, "effects": [effect]})
