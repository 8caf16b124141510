"""Prints: PDF files that have every name right, and QR codes that a phone reads."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.dashboard.at_seat import seat_address
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.printed import codes_in, pictures_of, text_of
from tests.support.dashboard.staff import log_in
from tests.support.event.managed import PREPARED
from tests.support.wire.streams import START
from twinwall.event.store.store_file import ManagementStep

NAMES = {"1": "李娜", "2": "鈴木 一郎", "3": "Müller-Lüdenscheidt", "4": "x" * 80}


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    names = tmp_path / "names.json"
    players = ", ".join(f'"{number}": "{name}"' for number, name in NAMES.items())
    names.write_text(f'{{"format": "twinwall-names-1", "players": {{{players}}}}}', encoding="utf-8")
    hall = Hall(settings=replace(OPEN, names=names))
    for change in PREPARED:
        hall.desk.manage(ManagementStep(change, "Li Na", START), None)
    log_in(hall.client)
    return hall


@pytest.mark.parametrize(("language", "wind"), [("en", "East"), ("ja", "東"), ("zh-Hans", "东")])
def test_seating_slips_have_every_player_with_table_and_wind(hall: Hall, language: str, wind: str) -> None:
    hall.client.get(f"/?lang={language}")
    answer = hall.client.get("/print/seating/1.pdf")
    assert answer.mimetype == "application/pdf"
    text = unicodedata.normalize("NFKC", text_of(answer.data))
    for name in ("李娜", "鈴木", "Müller-Lüdenscheidt", "16"):
        assert name in text, name
    assert wind in text


def test_a_table_card_has_a_code_for_each_seat_that_a_phone_reads(hall: Hall) -> None:
    content = hall.client.get("/print/tables.pdf").data
    pages = pictures_of(content)
    assert len(pages) == 4
    assert codes_in(pages[1]) == {f"http://localhost{seat_address(place, '2')}" for place in range(4)}


def test_a_session_without_seats_is_said_in_a_sentence(hall: Hall) -> None:
    answer = hall.client.get("/print/seating/2.pdf")
    assert answer.status_code == 404
    assert "Session 2 is not seated yet." in answer.text


def test_prints_of_seats_are_for_the_staff(hall: Hall) -> None:
    visitor = hall.app.test_client()
    assert visitor.get("/print/seating/1.pdf").status_code == 404
    assert visitor.get("/print/tables.pdf").status_code == 404
