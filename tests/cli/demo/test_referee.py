"""The referee of a demo whose people disturb: answers what tables ask, and says when that is not enough."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest
from flask import Flask, Response

from cli.demo.browser import DemoLogin
from cli.demo.director import LOOK_S, REFEREE_PATIENCE_S, UNREAD_TILE, DemoReferee
from cli.demo.progress import DemoTableProgress
from tests.support.answering import served
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import NAME, PASSWORD
from tests.support.dashboard.tables.tables_in_play import IN_DOUBT, IN_PLAY, NUMBER, question
from tests.support.simulator.disturbed_hands import VISIBLE
from tests.support.wire.streams import public_events
from twinwall.wire.messages.commands import AnswerTile, Command

LOGIN = DemoLogin(NAME, PASSWORD, Path("staff.sqlite"))


class Rounds(DemoReferee):
    """A referee's rounds at table 1; ``answered`` are the tables whose questions he answered."""

    def __init__(self) -> None:
        super().__init__(0, LOGIN, {})
        self.answered: list[str] = []
        self.table = DemoTableProgress("1", Path("events.jsonl"))

    def answer(self, table: str) -> bool:
        self.answered.append(table)
        return True

    def fault(self, code: str) -> None:
        self.table.fault, self.table.code = "A part needs a person", code

    def looks(self, now_s: float, *, grew: bool = False) -> bool:
        return self.look(self.table, now_s, grew=grew)


@pytest.fixture
def rounds() -> Rounds:
    return Rounds()


def test_a_table_without_a_fault_is_asked_nothing(rounds: Rounds) -> None:
    assert rounds.looks(0.0)
    assert rounds.looks(10 * REFEREE_PATIENCE_S)
    assert rounds.answered == []


def test_an_unread_tile_is_answered_now_and_then_until_it_is_read(rounds: Rounds) -> None:
    rounds.fault(UNREAD_TILE)
    looks = [step * LOOK_S / 10 for step in range(1, 40)]
    assert all(rounds.looks(now_s + 100) for now_s in looks)
    assert rounds.answered == ["1"] * 4


def test_a_fault_of_another_kind_is_left_alone_and_ends_the_patience_when_nothing_happens(rounds: Rounds) -> None:
    rounds.fault("jam")
    assert rounds.looks(1.0)
    assert rounds.looks(REFEREE_PATIENCE_S)
    assert not rounds.looks(REFEREE_PATIENCE_S + 2)
    assert rounds.answered == []


def test_a_table_whose_deal_is_fouled_is_not_waited_for_until_a_ruling_has_come(rounds: Rounds, tmp_path: Path) -> None:
    rounds.table.ledger = tmp_path / "events.jsonl"
    for told, goes_on in (("deal-fouled", False), ("ruling", True)):
        with rounds.table.ledger.open("a") as file:
            file.write(json.dumps({"type": told}) + "\n")
        assert rounds.table.update()
        assert rounds.looks(1.0, grew=True) is goes_on


def test_a_table_that_goes_on_beside_its_fault_is_waited_for(rounds: Rounds) -> None:
    rounds.fault("")
    assert rounds.looks(1.0)
    assert rounds.looks(REFEREE_PATIENCE_S, grew=True)
    assert rounds.looks(2 * REFEREE_PATIENCE_S - 1)


@pytest.fixture
def world_url() -> Iterator[str]:
    """A world in which 5m lies on the place that the question is about."""
    world, asked = Flask("world"), question()
    rivers = tuple(("1m", "1m", "1m", "1m", "5m") if place == asked.place else () for place in range(4))
    seen = msgspec.json.encode(replace(VISIBLE, rivers=rivers))
    world.add_url_rule("/view", view_func=lambda: Response(seen, mimetype="application/json"))
    with served(world) as url:
        yield url


def test_the_tables_question_is_answered_over_its_page_with_the_tile_that_lies_there(world_url: str) -> None:
    sent: list[Command] = []

    def send(_table: str, command: Command) -> bool:
        sent.append(command)
        return True

    hall = Hall(settings=OPEN, send=send)
    hall.feed(IN_DOUBT)
    hall.views.ask("1", question())
    with served(hall.app) as url:
        referee = DemoReferee(urlsplit(url).port or 0, LOGIN, {"1": world_url})
        referee.enter()
        assert referee.answer("1")
    assert sent == [AnswerTile(1, NUMBER, question().where, "5m", NAME)]


def test_nothing_is_answered_before_anything_is_asked(world_url: str) -> None:
    hall = Hall(settings=OPEN, send=lambda _table, _command: True)
    hall.feed(IN_PLAY)
    with served(hall.app) as url:
        referee = DemoReferee(urlsplit(url).port or 0, LOGIN, {"1": world_url})
        referee.enter()
        assert not referee.answer("1")
        hall.add(public_events(IN_DOUBT, "1")[len(IN_PLAY) :])
        hall.views.ask("1", question())
        assert referee.answer("1")
