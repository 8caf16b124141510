"""The page on which a referee says which tile it is; every page of the referee refuses an answer where the table would refuse it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from html import unescape
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from controller.core.decide import decide
from controller.core.outputs import outputs_of
from controller.hand.watching import watched
from controller.state.faults import unread_tile
from controller.state.messages import Refused
from controller.state.sides import Hand, Playing, PlayStage, Window
from controller.state.table_state import Setup, TableState, replace
from controller.state.watches import Watch
from dashboard.access.staff_schema import Role
from dashboard.access.viewer_scope import TableScope
from dashboard.actions.answers import SENT, give_answer
from dashboard.i18n.words import Words
from dashboard.projections.hall_views import Level, ViewerChannel
from dashboard.projections.table_view import HandView
from tests.support.controller.rigs import START, opened, set_up
from tests.support.dashboard.example import building, play
from tests.support.dashboard.referee import Referee
from tests.support.dashboard.staff import enrol
from tests.support.dashboard.tables.tables_in_play import IN_DOUBT, IN_PLAY, KINDS, NUMBER, READ, question, unread
from tests.support.game.random_hands import any_mcr, seigo, sichuan, yangzhou
from tests.support.game.tables import RandomTable
from tests.support.narrowed import present
from tests.support.tiers import examples
from tests.support.wire.streams import Line, public_events
from twinwall.art.names import LANGUAGES, Language
from twinwall.game.play import Phase, PlayState
from twinwall.game.play_events import Claim
from twinwall.game.tiles import ALL_TILES, SEATS, Tile, format_tiles
from twinwall.wire.messages.commands import AnswerTile
from twinwall.wire.messages.tile_question import AskedArea, AskedTile
from vision.mat import Area, Slot

PAGE = "/table/1/which-tile"
AFTER_A_CHOW_IN_SEIGO: list[Line] = [
    *((kind, {**fields, "rules": "seigo"} if "rules" in fields else fields) for kind, fields in [*building(), *play("")]),
    ("shared-tile-turned", {"place": 10, "tile": "5m"}),
    ("tile-drawn", {"seat": "E"}),
    ("tile-discarded", {"seat": "E", "tile": "4s"}),
    ("claims-closed", {}),
    ("passed", {}),
    ("claimed", {"seat": "S", "meld": "chow", "tiles": "4s 5s 6s", "from": "E"}),
]
KONG_CALLED_ON_A_PUNG: list[Line] = [
    *building(),
    *play("E2p S:pung:2p.2p.2p S1m WW N1m E6m"),
    ("claims-closed", {}),
    ("passed", {}),
    ("gate-unlocked", {"seat": "S"}),
    ("tile-drawn", {"seat": "S"}),
    ("kong-called", {"seat": "S"}),
]


def asking(script: list[Line], asked: AskedTile | None = None) -> Referee:
    """A referee at a table that asks this, or about the discard of its third place."""
    referee = Referee(PAGE, script)
    referee.hall.views.ask("1", asked or question())
    return referee


def answer(referee: Referee, tile: str, n: int = 1, number: int = NUMBER, where: str = question().where) -> str:
    return referee.answer(tile=tile, n=n, number=number, where=where)


@pytest.fixture
def referee() -> Referee:
    return asking(IN_DOUBT)


def kinds(page: str) -> list[str]:
    return re.findall(r'name="tile" id="[^"]+" value="([^"]+)"', page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_pictures_and_every_kind_in_the_order_of_the_camera_are_on_the_page(referee: Referee, language: str) -> None:
    page = referee.page(language)
    assert referee.pictures(language) == [question().before, question().after]
    assert kinds(page) == [tile.text for tile in KINDS]
    assert "checked" not in page, "nobody has chosen yet"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("area", ["meld", "hand"])
def test_a_tile_of_a_meld_or_a_shown_hand_is_asked_about_as_well(area: AskedArea, language: Language) -> None:
    asked = asking([*IN_PLAY, unread(area=area)], question(area, before=b"" if area == "hand" else None))
    words = Words(language)
    page = asked.page(language)
    assert words(f"which.{area}") in page
    assert (words("which.before.hand") in page) is (area == "hand")
    assert kinds(page) == [tile.text for tile in KINDS]
    assert answer(asked, "5m", where=f"2 {area} 4") == "sent"
    assert asked.sent == [AnswerTile(1, NUMBER, f"2 {area} 4", "5m", "Abe")]


def test_the_tables_page_and_the_list_of_calls_lead_a_referee_there_until_the_tile_is_read(referee: Referee) -> None:
    pages = ("/table/1", "/calls")
    assert all(f'href="{PAGE}"' in referee.hall.client.get(page).text for page in pages)
    director = referee.hall.new_client()
    enrol(referee.hall.staff, "Dee", roles={Role.DIRECTOR})
    referee.hall.log_in("Dee", client=director)
    assert PAGE not in director.get("/calls").text, "a director sees no play of an unreleased deal"
    answered: Line = ("tile-answered", {"seat": "E", "tile": "5m", "by": "Abe"})
    referee.hall.feed([*IN_DOUBT, answered, READ])
    assert not any(PAGE in referee.hall.client.get(page).text for page in pages)
    assert "no doubt about a tile" in referee.page()
    assert present(referee.hall.views.table("1")).asked is None, "the pictures are forgotten"
    assert "Abe says which tile East laid:" in referee.hall.client.get("/table/1").text


def test_an_answer_is_sent_with_the_accounts_name_and_is_not_yet_a_fact_and_none_to_nothing_or_an_older_question(referee: Referee) -> None:
    assert [answer(referee, tile) for tile in ("", "0z")] == ["choose"] * 2
    assert answer(referee, "5m", number=NUMBER - 1) == answer(referee, "5m", n=2) == answer(referee, "5m", where="2 meld 4") == "over"
    assert referee.sent == []
    assert answer(referee, "5m") == "sent"
    assert referee.sent == [AnswerTile(1, NUMBER, question().where, "5m", "Abe")]
    assert question().after in referee.pictures(), "the table has not said yet that it is read"
    referee.hall.reached = False
    assert answer(referee, "5m") == "offline"


PUNG_OR_CHOW: list[Line] = [*building(), *play("E2p")]
REFUSED: dict[str, tuple[list[Line], AskedTile, str, str]] = {
    **{
        f"after a chow in Seigo, {what}": (AFTER_A_CHOW_IN_SEIGO, question(place=1, slot=0), tile, how)
        for what, tile, how in (("the tile of the chow", "4s", "barred"), ("its other end", "7s", "barred"), ("another", "1m", "sent"))
    },
    **{
        f"a kong of {what}": (KONG_CALLED_ON_A_PUNG, question("meld", slot, place=1), tile, how)
        for what, tile, slot, how in (
            ("another tile than the pung's", "5m", 3, "no-kong"),
            ("the pung's tile", "2p", 3, "sent"),
            ("five tiles", "2p", 7, "no-kong"),
            ("four concealed tiles", "5m", 7, "sent"),
            ("a tile that is not the fourth", "5m", 1, "sent"),
        )
    },
    **{
        f"a claim with a tile {what}": (PUNG_OR_CHOW, question("meld", 1, place=place), tile, how)
        for what, tile, place, how in (
            ("of a chow", "3p", 1, "sent"),
            ("of a pung", "2p", 2, "sent"),
            ("of another seat's chow", "3p", 2, "no-meld"),
            ("of no meld", "5m", 1, "no-meld"),
        )
    },
}


@pytest.mark.parametrize(("script", "asked", "tile", "how"), REFUSED.values(), ids=REFUSED)
def test_an_answer_that_the_rules_do_not_allow_is_refused_with_a_sentence(
    script: list[Line], asked: AskedTile, tile: str, how: str
) -> None:
    """After a chow in Seigo neither the claimed tile nor the other end may be discarded (swap calling)."""
    referee = asking([*script, unread(asked.place, asked.area, asked.slot)], asked)
    assert answer(referee, tile, where=asked.where) == how
    assert len(referee.sent) == (how == "sent")
    page = unescape(referee.hall.client.get(f"{PAGE}?answered={how}").text)
    assert [key for key in ("barred", "no-kong", "no-meld") if Words("en")(f"which.{key}") in page] == [how] * (how != "sent")


def test_an_answer_about_a_discard_is_refused_while_no_discard_is_awaited() -> None:
    """After a restart the table looks whether the last discard still lies there."""
    asked = asking([*IN_PLAY, ("tile-discarded", {"seat": "W", "tile": "3p"}), unread()])
    assert answer(asked, "3p") == "barred"
    assert asked.sent == []


def test_newer_pictures_change_the_pictures_alone_so_that_nothing_moves_under_a_finger(referee: Referee) -> None:
    since = referee.first("/events?table=1&page=which-tile")
    referee.hall.views.ask("1", question(after=question().before))
    then = referee.hall.stream(since)
    assert 'id="pictures"' in then
    assert 'id="kinds"' not in then


def test_each_referee_who_looks_is_written_down_and_where_that_fails_nothing_is_shown() -> None:
    referee = asking(IN_DOUBT)
    referee.hall.desk.full = True
    assert referee.hall.client.get(PAGE).status_code == 404
    referee.hall.desk.full = False
    referee.page()
    assert [(look.table, look.n, look.by) for look in referee.hall.desk.looks] == [("1", 1, "Abe")]


def test_a_question_is_shown_with_the_tables_line_about_its_tile_and_none_about_another_tile(referee: Referee) -> None:
    for other in (question(n=2), question(place=1), question(slot=5), question("meld")):
        referee.hall.views.ask("1", other)
        assert kinds(referee.page()) == [], other
    asked = asking(IN_PLAY)
    assert kinds(asked.page()) == []
    asked.hall.add(public_events(IN_DOUBT)[-1:])
    assert kinds(asked.page()) == [tile.text for tile in KINDS]


HANDS: Mapping[str, Callable[[int], RandomTable]] = {"mcr": any_mcr, "seigo": seigo, "sichuan": sichuan, "yangzhou": yangzhou}
ASKED_AREAS = (Area.RIVER, Area.MELD, Area.HAND, Area.WIN)


@cache
def played(rules: str, seed: int) -> RandomTable:
    return HANDS[rules](seed)


@dataclass(frozen=True)
class Asking:
    """A table that asks about a slot, and what a referee's page knows of it."""

    setup: Setup
    state: TableState
    asked: AskedTile
    hand: HandView

    def _answer(self, tile: Tile) -> AnswerTile:
        return AnswerTile(self.asked.n, self.asked.number, self.asked.where, tile.text, "Ota")

    def table_refuses(self, tile: Tile) -> bool:
        return isinstance(decide(self.setup, self.state, self._answer(tile)), Refused)

    def page_refuses(self, tile: Tile) -> bool:
        return give_answer(fake_scope(self.asked, self.hand), self._answer(tile), lambda _table, _command: True) != SENT


def fake_scope(asked: AskedTile, hand: HandView) -> TableScope:
    play = SimpleNamespace(view=SimpleNamespace(hand=hand))
    scope = SimpleNamespace(question=asked, connected=True, channel=ViewerChannel(Level.TABLE, "1"), play=lambda: play)
    return cast(TableScope, scope)


@st.composite
def askings(draw: st.DrawFn) -> Asking:
    """A table at any moment of a hand, after any call, that cannot read one of the tiles for which it waits."""
    hand = played(draw(st.sampled_from(sorted(HANDS))), draw(st.integers(0, 3)))
    events = tuple(hand.events[: draw(st.integers(1, len(hand.events) - 1))])
    play = hand.rules.start()
    for event in events:
        play = hand.rules.apply(play, event)
    setup = set_up(rules=hand.rules, options=dict(hand.options))
    deal = opened(hand.walls, rules=hand.rules.name, rest=hand.rest)
    at_table = _called(draw, setup, Hand(play=play, events=events), play)
    state = TableState(playing=Playing(PlayStage.PLAYING, deal, None, at_table))
    awaited = _awaited(watched(setup, state))
    assume(awaited)
    slot = draw(st.sampled_from(awaited))
    state = replace(state, faults=(unread_tile(slot),))
    question = present(outputs_of(setup, state).asked.question)
    area = cast(AskedArea, slot.area.value)
    asked = AskedTile(question.n, question.number, slot.place, area, slot.index, format_tiles(ALL_TILES), b"\xff\xd8\xff")
    draws = {seat: play.seat(seat).draws_left for seat in SEATS}
    return Asking(setup, state, asked, HandView(1, 1, hand.rules, {}, draws, START, START, play))


def _awaited(watch: Watch | None) -> list[Slot]:
    return [] if watch is None else [slot for slot in watch.slots if slot.area in ASKED_AREAS]


def _called(draw: st.DrawFn, setup: Setup, hand: Hand, play: PlayState) -> Hand:
    """The hand after a call that the rules offer now, or after none; where a discard lies there, perhaps after a restart."""
    allowed = setup.rules.permissions(play)
    claims = [(seat, claim) for seat, offered in (allowed.claims or {}).items() for claim in sorted(offered - {Claim.WIN})]
    choices: list[Hand] = [hand]
    if play.phase is Phase.DISCARD and allowed.kong is not None:
        choices.append(replace(hand, kong=allowed.kong))
    if play.phase is Phase.DISCARD and allowed.win is not None and allowed.face_up:
        choices.append(replace(hand, win=allowed.win))
    if play.phase is Phase.DRAW:
        choices.extend(replace(hand, claim=claim) for _, claim in claims)
    if play.phase is Phase.CLAIMS:
        choices.extend(replace(hand, window=Window(1, open=False, bound={seat: claim}, granted=(seat,))) for seat, claim in claims)
    if play.phase in (Phase.DRAW, Phase.CLAIMS):
        choices.append(replace(hand, unseen=True))
    return draw(st.sampled_from(choices))


@settings(max_examples=examples(300))
@given(askings())
def test_the_page_refuses_what_the_table_would_refuse_and_nothing_else(asking: Asking) -> None:
    by_table = {tile for tile in ALL_TILES if asking.table_refuses(tile)}
    assert {tile for tile in ALL_TILES if asking.page_refuses(tile)} == by_table
