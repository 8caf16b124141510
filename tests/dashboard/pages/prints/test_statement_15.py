"""Statement 15 of the acceptance list, as far as paper: names, digits, tiles and QR codes of the prints are right.

That the verify page re-makes a deal from its slip is in ``tests/verify_page``.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from dataclasses import replace

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.printed import codes_in, pictures_of, text_of
from tests.support.dashboard.staff import log_in
from tests.support.event.stored_event import STARTED
from tests.support.wire.streams import public_events
from twinwall.art.designs import CLASSIC
from twinwall.art.raster import raster
from twinwall.game.tiles import ALL_TILES, COPIES, Tile

NAMES = {"1": "李娜", "2": "鈴木 一郎", "3": "Müller"}
SCALE = 4.0
"""Pixels of a rendered page for each point."""
WALL_TILE_MM = 6.7
WALLS = slice(0, 620), slice(175, None)
"""Where the walls stand in the page's picture, without the winds beside them."""


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Hall:
    """Four tables that have played the example deal; its players are named by number."""
    names = tmp_path_factory.mktemp("names") / "names.json"
    names.write_text(json.dumps({"format": "twinwall-names-1", "players": NAMES}), encoding="utf-8")
    hall = Hall(desk=MemoryDesk(teams_of_four()), settings=replace(OPEN, names=names))
    for table in "1234":
        numbered = dict(zip("ESWN", NAMES | {"4": "吴敏"}, strict=True))
        script = [(kind, {**fields, "seats": numbered} if "seats" in fields else fields) for kind, fields in closed_hand(table)]
        hall.feed(script, table)
    hall.release()
    log_in(hall.client)
    return hall


@pytest.fixture(scope="module")
def record(hall: Hall) -> bytes:
    content: bytes = hall.client.get("/print/deal/1.pdf").data
    return content


def plain_text(content: bytes) -> str:
    return unicodedata.normalize("NFKC", text_of(content))


def tiles_in(picture: NDArray[np.uint8]) -> Counter[Tile]:
    """The tiles of the height of a wall's tile that stand in a picture, each read as the face that fits best."""
    height = round(WALL_TILE_MM / 25.4 * 72 * SCALE)
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    maps = []
    for kind in ALL_TILES:
        face = cv2.resize(np.ascontiguousarray(raster(CLASSIC, kind, 128)[:, :, 2::-1]), (round(height * 0.75), height))
        inner = cv2.cvtColor(face, cv2.COLOR_BGR2GRAY)[4:-4, 4:-4]
        maps.append(cv2.matchTemplate(grey, inner, cv2.TM_CCOEFF_NORMED))
    best, fits = np.max(maps, axis=0), np.argmax(maps, axis=0)
    found: Counter[Tile] = Counter()
    while best.max() > 0.75:
        y, x = np.unravel_index(int(best.argmax()), best.shape)
        found[ALL_TILES[int(fits[y, x])]] += 1
        best[max(y - height // 2, 0) : y + height // 2, max(x - height // 3, 0) : x + height // 3] = 0
    return found


def test_statement_15_a_hand_record_has_names_and_digits_right(record: bytes) -> None:
    text = plain_text(record)
    for name in NAMES.values():
        assert text.count(name) == 4, name
    for figures in ("+75", "−32", "10.75", "−24.25", "+107", "+16", "−10", "−14"):
        assert figures in text, figures


def test_statement_15_a_hand_record_shows_all_tiles_of_the_walls(record: bytes) -> None:
    assert tiles_in(pictures_of(record, SCALE)[0][WALLS]) == dict.fromkeys(ALL_TILES, COPIES)


def test_statement_15_control_a_page_without_tiles_shows_none() -> None:
    assert tiles_in(np.full((400, 900, 3), 255, np.uint8)) == {}


def test_statement_15_a_verification_sheet_has_a_start_code_that_a_phone_reads() -> None:
    desk = MemoryDesk()
    desk.hall.follow(replace(desk.hall.programme, event=STARTED.plan.event, custody=STARTED))
    sheet = Hall(desk=desk, settings=OPEN).client.get("/print/verification.pdf").data
    assert codes_in(pictures_of(sheet)[0]) == {STARTED.start.words}
    text = text_of(sheet)
    assert all(group in text for group in STARTED.start.words.split("-"))
    assert STARTED.start.root.hex()[:8] in text
    assert text.count("Its slip is released when every table has finished it.") == len(STARTED.plan.deals)


def test_a_verification_sheet_has_the_line_with_which_each_table_closed_its_last_released_hand() -> None:
    desk = MemoryDesk(teams_of_four())
    desk.hall.follow(replace(desk.hall.programme, event=STARTED.plan.event, custody=STARTED))
    hall = Hall(desk=desk, settings=OPEN)
    for table in "12":
        hall.feed(closed_hand(table), table)
    sealed = text_of(hall.client.get("/print/verification.pdf").data)
    hall.release()
    text = text_of(hall.client.get("/print/verification.pdf").data)
    for table in "12":
        closed = [event for event in public_events(list(closed_hand(table)), table) if event.type == "hand-closed"][-1].position
        assert closed.digest[:8] in text and closed.digest[:8] not in sealed
        assert f"{closed.seq}" in text
