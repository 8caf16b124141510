"""What goes wrong at an event: a sentence says it, and nothing is lost or overwritten. Each case that is tested elsewhere is named here.

| case | test |
|---|---|
| 13 to 15 and 17 players | ``test_odd_numbers.test_those_sit_out_whom_the_page_has_named_before_anything_was_played`` |
| doubled and missing names | ``test_entrants.test_statement_2_a_list_with_a_doubled_and_a_missing_player_keeps_all_good_lines_…`` |
| a name of 200 characters | ``test_entrants.test_a_player_is_changed_on_a_page_of_his_own_where_a_name_that_cannot_be_is_refused`` |
| right-to-left and emoji names | ``test_entrants.test_a_name_of_any_script_is_kept_and_shown_as_it_is`` |
| late arrival | ``test_entrants.test_a_late_arrival_plays_as_a_substitute_in_a_running_session`` |
| withdrawn during a session | ``test_entrants.test_who_plays_is_not_removed_but_withdraws_with_a_reason`` |
| fixed seats | ``test_description.test_who_needs_a_seat_is_pinned_there`` |
| the same result twice | ``tests/event/test_hands.test_a_result_entered_twice_is_kept_once_and_named`` |
| results in another order | ``tests/event/golden/test_four_teams.test_the_order_in_which_tables_are_heard_changes_nothing`` |
| two directors at once | ``test_description.test_a_page_of_an_earlier_version_overwrites_nothing_and_says_what_another_director_…`` |
| the server's clock jumps | ``tests/dashboard/test_assignments.test_a_table_that_beats_waits_until_it_is_assigned_something_…`` |
| the disk is full | ``test_entrants.test_what_cannot_be_written_leaves_players_and_names_as_they_were`` |
| the database is read-only | ``tests/dashboard/test_serving.py`` |
| an older backup was restored | ``tests/event/store/test_backup.test_a_store_put_back_names_what_the_staff_did_and_takes_nothing_…`` |
| a revoked account in an open tab | ``tests/dashboard/access/test_staff_page.test_an_account_is_out_at_once_and_…`` |
"""

from collections.abc import Sequence

from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.setup import SetUp, says
from tests.support.event.ledgers import TABLES, TEAMS
from tests.support.event.sessions import Play, hand_lines, left_out, paid, release, ruling, take
from tests.support.wire.streams import public_events
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.game.play_events import EndReason, HandEnded
from twinwall.game.tiles import SEATS

HOUR_S = 3600.0


def evening(hands: Sequence[int], tables: Sequence[str] = TABLES) -> list[Play]:
    """These hands at these tables, each won by another seat."""
    return [
        Play(n, 1, n, table, [f"{table}{place}" for place in range(4)], paid((n + int(table)) % 4, 12, None))
        for n in hands
        for table in tables
    ]


def test_a_table_that_drops_out_in_hand_7_is_named_and_the_deals_before_it_count() -> None:
    hall = Hall(desk=MemoryDesk(field_of(EntrantKind.TEAM, TABLES, TEAMS)), settings=OPEN)
    whole = hall.desk.hall
    take(whole, [*evening(range(1, 7)), *evening(range(7, 17), ("1", "2", "4"))])
    release(whole, evening(range(1, 7)))
    for n in range(1, 7):
        hall.views.release(n)
    before = whole.standings().ranking
    release(whole, evening(range(7, 17)))  # the table was withdrawn, so the deals are released without it
    for n in range(7, 17):
        hall.views.release(n)
    assert whole.standings().ranking == before, "no team gains or loses by hands that one table did not play"
    assert "deal 7 in group 1 has no result of table 3" in hall.client.get("/standings").text


def test_two_rulings_at_the_same_moment_both_stand_and_the_table_s_order_decides() -> None:
    given = ruling("one", 1, HandEnded(EndReason.RULED, dict(zip(SEATS, (30, -10, -10, -10), strict=True))), by="Sato")
    out = left_out("two", 1, by="Ota")
    shown = []
    for rulings in ([given, out], [out, given]):
        hall = Hall(desk=MemoryDesk(field_of(EntrantKind.TEAM, TABLES, TEAMS)), settings=OPEN)
        for play in evening([1]):
            lines = [*hand_lines(play), *(rulings if play.table == "1" else [])]
            for event in public_events(lines, play.table, "j"):
                hall.desk.hall.take(event)
        release(hall.desk.hall, evening([1]))
        hall.views.release(1)
        page = hall.client.get("/deal/1").text
        assert "Sato" in page
        assert "Ota" in page
        shown.append(hall.desk.hall.standings().ranking)
    assert shown[0] != shown[1], "the later one in the table's ledger decides, whoever sent it first"


def test_a_tab_from_yesterday_changes_nothing_and_says_why(director: SetUp) -> None:
    director.prepared("Ida", "Jun")
    form = {"token": "", "seen": str(director.event.version), "do": "remove"}
    director.hall.seconds += 20 * HOUR_S
    answer = director.hall.client.post("/event/entrants/1", data=form)
    assert answer.status_code == 401
    assert says(answer, "error.401")
    director.hall.log_in()
    answer = director.hall.client.post("/event/entrants/1", data=form)
    assert answer.status_code == 400, "the form's token is of the login before"
    assert says(answer, "error.400")
    assert list(director.event.players) == ["1", "2"]
