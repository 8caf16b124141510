"""History of a table and of a player: rulings, calls, substitutions; and two players in each other's seats, whom a ruling puts right."""

import html
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from dashboard.access.api_tokens import TokenScope
from dashboard.access.staff_schema import Role
from dashboard.i18n.words import Words
from tests.support.controller.paper_rig import PaperRig
from tests.support.dashboard.api import Program
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.example import building, closed_hand, play
from tests.support.dashboard.hall import OPEN, Hall, must_say
from tests.support.dashboard.staff import enrol
from tests.support.dashboard.tables.tables_in_play import words_of
from tests.support.dashboard.two_sessions import TABLES, play_two_sessions, rule_late
from tests.support.event.managed import PREPARED
from tests.support.wire.streams import Line
from twinwall.art.names import LANGUAGES, Language
from twinwall.event.field import EventField, Group, SessionGroups, results_of
from twinwall.event.management import changes
from twinwall.event.results import EntrantKind
from twinwall.game.documents import DocumentError
from twinwall.game.play_events import ResultExcluded, SeatsExchanged
from twinwall.game.tiles import SEATS, Seat
from twinwall.wire.messages.commands import Command
from twinwall.wire.messages.ruling import Effect, Ruling, read_ruling, ruling_fields


def ruled(identity: str, text: str, n: int, *effects: Effect, revokes: str = "") -> Line:
    return "ruling", ruling_fields(Ruling(identity, n, "Aono", {"en": text, "ja": f"裁定{identity}"}, effects, revokes))


CALLED: Line = ("referee-called", {"seat": "S"})
SCRIPT = [
    *closed_hand("1"),
    ruled("r1", "Average for all four.", 1, ResultExcluded()),
    ruled("r2", "That ruling is revoked.", 1, revokes="r1"),
    *building(2),
    *play("E2p", 2),
    CALLED,
    ruled("r3", "Warning: South.", 2),
]


@pytest.fixture
def hall() -> Hall:
    """Deal 1 is released; in deal 2 the referee was called and has ruled."""
    hall = Hall(settings=OPEN)
    hall.feed(SCRIPT)
    hall.release()
    return hall


def test_a_referee_sees_everything_that_happened_at_the_table_he_opens_the_newest_first(hall: Hall) -> None:
    hall.log_in()
    page = hall.client.get("/table/1/history").text
    words = words_of(page)
    places = [
        words.index(said) for said in ("Warning: South.", "The referee is called.", "That ruling is revoked.", "Average for all four.")
    ]
    assert places == sorted(places)
    assert "<del>Average for all four.</del>" in page
    assert "By Aono" in words
    assert any(look.table == "1" for look in hall.desk.looks), "the look at an unreleased deal is written down"


def test_others_of_the_staff_see_no_ruling_on_an_unreleased_deal(hall: Hall) -> None:
    enrol(hall.staff, "Dir", roles={Role.DIRECTOR})
    hall.log_in("Dir")
    words = words_of(hall.client.get("/table/1/history").text)
    must_say(words, "Average for all four.", "The referee is called.")
    assert "Warning: South." not in words


def test_a_players_history_has_who_played_for_whom_and_the_sessions_in_which_his_entrant_is_absent() -> None:
    hall = Hall(settings=OPEN)
    more = changes.EntrantsEntered((changes.EnteredPlayer("17", substitute=True),))
    away = (changes.EntrantAbsent("1", 2, "a train"), changes.EntrantPresent("1", 2))
    hall.manage(*PREPARED, more, changes.SessionStarted(1), changes.SubstituteSeated(1, "1", "17", "fell ill"), *away)
    hall.log_in()
    for number in ("1", "17"):
        words = words_of(hall.client.get(f"/player/{number}/history").text)
        assert "Session 1: 17 plays for 1. fell ill By Ota" in words
        assert ("1 is absent in session 2. a train By Ota" in words) is (number == "1")
        assert ("1 plays session 2 after all. By Ota" in words) is (number == "1")
    assert "Nothing has happened here." in words_of(hall.client.get("/player/2/history").text)
    assert '<a href="/player/1/history">History</a>' in hall.client.get("/player/1").text
    assert "/history" not in hall.new_client().get("/player/1").text
    for path in ("/table/9/history", "/player/999/history"):
        assert hall.client.get(path).status_code == 404


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_texts_of_rulings_stand_in_three_languages_on_one_page(hall: Hall, language: str) -> None:
    hall.log_in()
    page = words_of(hall.client.get(f"/rulings?lang={language}").text)
    must_say(page, "Warning: South. Play goes on.", "南家", "The hand is annulled: average for all four.")


E, S, W, N = SEATS


@dataclass
class Individuals:
    """Sixteen players, two deals released; East has won at table 1, so its player leads there."""

    hall: Hall = field(init=False)
    sent: list[Ruling] = field(default_factory=list)

    def __post_init__(self) -> None:
        sessions = tuple(SessionGroups(session, (Group("1", TABLES),)) for session in (1, 2))
        self.hall = Hall(desk=MemoryDesk(EventField(EntrantKind.INDIVIDUAL, (), sessions)), settings=OPEN, send=self._take)
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
    assert event.rule(choice="exchanged", other="S").status_code == 303
    assert event.sent[0].effects == (SeatsExchanged(E, S),)
    assert event.seats() == {**before, first: before[second], second: before[first]}
    hand = event.hall.desk.hall.hand("1", 1)
    assert hand is not None
    assert (hand.names[E], hand.names[S]) == (second, first)
    (correction,) = event.hall.desk.hall.corrections()
    assert {change.entrant for change in correction.changes if change.points != change.points_before} == {first, second}
    page = words_of(event.hall.new_client().get(f"/standings?lang={language}").text)
    must_say(page, words("rule.exchanged", seat=words.seat(E), other=words.seat(S)), "both say so", "Ota", first, second)


def test_the_exchange_is_of_two_seats_is_revoked_like_any_ruling_and_the_api_does_it_too() -> None:
    event = Individuals()
    before = event.seats()
    assert Words("en")("rule.label.exchanged") in html.unescape(event.hall.client.get("/table/1/hand/1").text)
    for wrong in ("", "E", "X"):
        assert event.rule(choice="exchanged", other=wrong).headers["Location"].endswith("rule.problem.other")
    assert event.sent == []
    event.rule(choice="exchanged", other="S")
    assert event.seats() != before
    event.rule(choice=f"revoke:{event.sent[0].identity}", form="g")
    assert event.seats() == before
    order = {"deal": 1, "choice": "exchanged", "seat": "E", "other": "N", "reason": "both say so"}
    Program(event.hall, TokenScope.REFEREE).do("/tables/1/rulings", order)
    assert event.sent[-1].effects == (SeatsExchanged(E, N),)


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
