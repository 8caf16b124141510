"""Pages of players: everybody finds the own seat, and each player's card shows released hands alone."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from tests.support.dashboard.hall import OPEN, Hall, must_say
from tests.support.dashboard.printed import text_of
from tests.support.event.managed import PREPARED, PREPARED_TEAMS
from tests.support.event.sessions import Play, hand_lines, paid
from tests.support.narrowed import present
from tests.support.wire.streams import Line
from twinwall.event.management.changes import EntrantWithdrawn, EventChange, SessionEnded, SessionSeated, SessionStarted


def hall_of(changes: Iterable[EventChange] = PREPARED) -> Hall:
    hall = Hall(settings=OPEN)
    hall.manage(*changes)
    return hall


def after_a_deal(changes: Iterable[EventChange]) -> Hall:
    """The first deal of session 1 is played at every table, and released."""
    hall = hall_of((*changes, SessionStarted(1)))
    for table, players in hall.desk.event.seats(1).items():
        hall.feed([*hand_lines(Play(1, 1, 1, table, players, paid(int(table) % 2, 16, None))), ("deal-released", {"n": 1})], table)
    hall.release(1, 1, 1)
    return hall


def after_a_win(winner: str | None, source: str | None) -> Hall:
    """The first deal of session 1 at table 1, with an entered result; the other tables drew."""
    hall = hall_of((*PREPARED, SessionStarted(1)))
    for table, players in hall.desk.event.seats(1).items():
        scores = (32, -16, -8, -8) if table == "1" else (0, 0, 0, 0)
        started, ended, closed = hand_lines(Play(1, 1, 1, table, players, scores, reason="entered" if table == "1" else ""))
        payments = dict(zip("ESWN", scores, strict=True))
        entered: tuple[str, dict[str, object]] = (
            "result-entered",
            {"seat": "E", "winner": winner, "source": source, "total": 8, "payments": payments},
        )
        hall.feed([started, *([entered] if table == "1" else []), ended, closed, ("deal-released", {"n": 1})], table)
    hall.release(1, 1, 1)
    return hall


def columns(page: str) -> list[str]:
    return re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', page.partition('id="met-title"')[0])


def test_everybody_finds_table_and_wind_of_every_player_in_a_session_that_is_seated() -> None:
    client = hall_of().client
    page = client.get("/seats").text
    for number in range(1, 17):
        assert f'href="/player/{number}"' in page
    assert "Session 1" in page
    assert page.count("<td>北 North</td>") == 4
    assert "Session 2 is not seated yet." in client.get("/seats?session=2").text
    assert "not seated" in hall_of(()).client.get("/seats").text


def test_a_name_or_number_is_found() -> None:
    client = hall_of(PREPARED_TEAMS).client
    page = client.get("/seats?name=7").text
    assert 'href="/player/7"' in page
    assert 'href="/player/8"' not in page
    assert client.get("/seats?name=７").text.count('href="/player/') == page.count('href="/player/')
    assert client.get("/seats?name=ｂ%E2%80%8B").text.count('href="/player/') == 4
    assert client.get("/seats?name=b").text.count('href="/player/') == 4, "by team"
    assert "Nobody of that name" in client.get("/seats?name=%3Cscript%3E").text


def test_a_player_s_card_has_the_next_seat_in_large_letters_and_of_another_it_says_that_there_is_none() -> None:
    client = hall_of().client
    must_say(client.get("/player/6").text, '<p class="next-seat">Table 2 南 South</p>', "as soon as every table has finished")
    answer = client.get("/player/99")
    assert answer.status_code == 404
    assert "Player 99 is not in this event." in answer.text
    withdrawn = hall_of([*PREPARED, SessionStarted(1), SessionEnded(1), EntrantWithdrawn("6", 2, "ill")])
    assert "withdr" in withdrawn.client.get("/player/6").text.lower()


def test_the_hands_of_a_player_have_points_and_those_of_a_team_s_player_the_score_alone() -> None:
    assert columns(after_a_deal(PREPARED).client.get("/player/6").text) == ["Deal", "Table", "Seat", "Score", "Points"]
    assert columns(after_a_deal(PREPARED_TEAMS).client.get("/player/6").text) == ["Deal", "Table", "Seat", "Score"]


@pytest.mark.parametrize(("kind", "gains"), [(PREPARED, ("+14", "−14")), (PREPARED_TEAMS, ("+72", "−24"))])
def test_the_best_and_the_worst_hand_are_named_with_their_session_and_what_they_brought(
    kind: Sequence[EventChange], gains: tuple[str, str]
) -> None:
    seated = next(change for change in kind if isinstance(change, SessionSeated))
    hall = hall_of((*kind, SessionStarted(1), SessionEnded(1), msgspec.structs.replace(seated, session=2), SessionStarted(2)))
    plays = [
        Play(n, session, 1, table, players, paid(0 if (table == "1") == (session == 1) else 1, 16, None))
        for n, session in ((1, 1), (2, 2))
        for table, players in hall.desk.event.seats(1).items()
    ]
    for table in hall.desk.event.seats(1):
        lines: list[Line] = []
        for play in plays:
            lines += [*hand_lines(play), ("deal-released", {"n": play.n})] if play.table == table else []
        hall.feed(lines, table)
    for n, session in ((1, 1), (2, 2)):
        hall.release(n, session, 1)
    east = next(iter(hall.desk.event.seats(1)["1"]))
    assert f"Best: 1·E1 {gains[0]} · Worst: 2·E1 {gains[1]}" in re.sub(r"<[^>]+>", "", hall.client.get(f"/player/{east}").text)


def met(hall: Hall, number: str) -> dict[str, list[int]]:
    """By the number of each player met: hands, wins on their discards, their wins on this player's."""
    page = hall.client.get(f"/player/{number}").text
    rows = re.findall(r'<tr><th scope="row"><bdi>(\d+)</bdi></th>((?:<td class="number">\d+</td>)+)</tr>', page)
    return {name: [int(cell) for cell in re.findall(r">(\d+)<", cells)] for name, cells in rows}


@pytest.mark.parametrize(("source", "of_south", "own"), [("S", [1, 1, 0], 0), (None, [1, 0, 0], 1)], ids=["on a discard", "self-drawn"])
def test_a_card_tells_who_won_on_whose_discard(source: str | None, of_south: list[int], own: int) -> None:
    hall = after_a_win("E", source)
    east, south, west, north = hall.desk.event.seats(1)["1"]
    assert met(hall, east) == {south: of_south, west: [1, 0, 0], north: [1, 0, 0]}
    assert met(hall, south) == {east: [1, 0, 1 - own], west: [1, 0, 0], north: [1, 0, 0]}
    page = hall.client.get(f"/player/{east}").text
    must_say(page, f"Won with a tile of the own wall: {own}", "the better player need not be ahead")


def test_a_name_in_the_standings_leads_to_the_player_s_card() -> None:
    ranking = after_a_deal(PREPARED).client.get("/standings").text
    assert sorted(re.findall(r'<th scope="row"><a href="/player/(\d+)">', ranking), key=int) == [str(number) for number in range(1, 17)]
    assert 'href="/player/' not in after_a_deal(PREPARED_TEAMS).client.get("/standings").text


def test_a_page_that_is_open_shows_names_as_the_director_says_from_then_on(tmp_path: Path) -> None:
    names = tmp_path / "names.json"
    names.write_text('{"format": "twinwall-names-1", "players": {"3": "Alice Example"}}', encoding="utf-8")
    hall = Hall(settings=replace(OPEN, names=names))
    hall.manage(*PREPARED)
    hall.views.touch()
    assert "Alice Example" in hall.client.get("/projector").text
    hall.manage(msgspec.structs.replace(present(hall.desk.event.description), names="number"))
    hall.views.touch()
    assert "Alice Example" not in hall.client.get("/projector").text
    assert "Alice Example" not in hall.client.get("/seats").text


def test_a_card_is_printed_with_hands_and_opponents() -> None:
    hall = after_a_win("E", "S")
    east, south, *_ = hall.desk.event.seats(1)["1"]
    text = text_of(hall.client.get(f"/print/player/{east}.pdf").data)
    assert "+32" in text
    assert re.search(rf"\b{south}\s+1\s+1\s+0\b", text), text
    assert hall.client.get("/print/player/nobody.pdf").status_code == 404
