"""What goes wrong at an event: a sentence says it, and nothing is lost or overwritten."""

from collections.abc import Sequence

from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.hall import OPEN, Hall, must_say
from tests.support.dashboard.setup import SetUp, refused, says
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
            for event in public_events([*hand_lines(play), *(rulings if play.table == "1" else [])], play.table, "j"):
                hall.desk.hall.take(event)
        release(hall.desk.hall, evening([1]))
        hall.views.release(1)
        must_say(hall.client.get("/deal/1").text, "Sato", "Ota")
        shown.append(hall.desk.hall.standings().ranking)
    assert shown[0] != shown[1], "the later one in the table's ledger decides, whoever sent it first"


def test_a_tab_from_yesterday_changes_nothing_and_says_why(director: SetUp) -> None:
    director.prepared("Ida", "Jun")
    form = {"token": "", "seen": str(director.event.version), "do": "remove"}
    director.hall.seconds += 20 * HOUR_S
    refused(director.hall.client.post("/event/entrants/1", data=form), "error.401", status=401)
    director.hall.log_in()
    answer = director.hall.client.post("/event/entrants/1", data=form)
    assert answer.status_code == 400, "the form's token is of the login before"
    assert says(answer, "error.400")
    assert list(director.event.players) == ["1", "2"]
