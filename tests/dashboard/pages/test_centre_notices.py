"""What staff read of a hall: tables that need somebody first, and what a centre of many venues tells them."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from dashboard.projections.hall_views import EVERYBODY, MOST_NOTICES, NOTICE_S, STAFF, HallViews
from tests.support.dashboard.desks import MemoryDesk
from tests.support.dashboard.example import building, closed_hand, play
from tests.support.dashboard.hall import OPEN, Hall, must_say
from tests.support.dashboard.tables.tables_in_play import words_of
from tests.support.wire.streams import START, Line
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.game.deals import FieldTerms, ReleaseRule, SessionTimes, Start, StartedPlan, plan_sessions
from twinwall.game.deals.encoding import Sha256
from twinwall.wire.messages.commands import CameraCondition, FeederLinkQuality, Health, MachineCondition

SENTENCE = "venue 'Kyoto' plays by another <b>plan</b>"
SHOWN = "From the centre of all venues: venue &#39;Kyoto&#39; plays by another &lt;b&gt;plan&lt;/b&gt;"


def test_the_staff_alone_read_what_the_centre_says() -> None:
    hall = Hall(settings=OPEN)
    hall.views.tell_staff(SENTENCE, START)
    assert "Kyoto" not in hall.ask("/").text
    hall.log_in()
    for path in ("/calls", "/"):
        assert SHOWN in hall.ask(path).text


def test_the_latest_sentences_are_shown_to_the_staff_for_as_long_as_the_centre_says_them() -> None:
    views = HallViews("boot")
    for number in range(MOST_NOTICES + 2):
        views.tell_staff(f"sentence {number}", START)
    assert list(views.notices) == [f"sentence {number}" for number in range(2, MOST_NOTICES + 2)]
    again = START + timedelta(seconds=NOTICE_S)
    views.tell_staff("sentence 5", again)
    views.tick(again + timedelta(seconds=NOTICE_S))
    assert views.notices == {"sentence 5": again}
    before = views.sequence(STAFF)
    views.tick(again + timedelta(seconds=NOTICE_S + 1))
    assert views.notices == {}
    assert views.sequence(STAFF) > before
    assert views.sequence(EVERYBODY) == 0


def venue(rule: ReleaseRule) -> Hall:
    """A venue of a field whose two tables have finished the first deal, the second one later; another session is not open yet."""
    times = SessionTimes(1, "2026-11-22T18:00Z", "2026-11-22T22:00Z" if rule is ReleaseRule.DEADLINE else None)
    plan = plan_sessions("Autumn", "mcr-duplicate", sessions=1, hands=2, holders=["server"], public="", field=FieldTerms(rule, (times,)))
    started = StartedPlan(plan, Start(plan.digest, Sha256(b"\x01" * 32), "1m 2p 3s"))
    hall = Hall(desk=MemoryDesk(field_of(EntrantKind.INDIVIDUAL, ["1", "2"]), custody=started), settings=OPEN)
    for table in ("1", "2"):
        hall.feed(closed_hand(table), table)
    return hall


@pytest.mark.parametrize(
    ("rule", "when"),
    [
        (ReleaseRule.ALL_FINISHED, "The centre releases a slip when every venue has finished the deal."),
        (ReleaseRule.DEADLINE, 'at the deadline: <time data-minute="2026-11-22T22:00:00.000Z"'),
    ],
)
def test_the_staff_read_which_slips_have_not_come_from_the_centre_and_since_when(rule: ReleaseRule, when: str) -> None:
    hall = venue(rule)
    last = max(closed for table in ("1", "2") if (closed := hall.desk.hall.deal(1, for_officials=True).tables[int(table) - 1].since))
    assert "Finished at all tables here" not in hall.ask("/").text, "the staff alone read it"
    assert "Opens when its slip comes from the centre" in hall.ask("/deal/1").text
    hall.log_in()
    shown = hall.ask("/").text
    waited = f'waited for since <time data-minute="{last:%Y-%m-%dT%H:%M}:00.000Z"'
    must_say(shown, "Finished at all tables here: Deal 1. ", waited, when)
    assert "Opens when its slip comes from the centre" in hall.ask("/deal/1").text
    hall.release()
    assert "Finished at all tables here" not in hall.ask("/").text


CAMERAS = CameraCondition("gate-camera", 0), CameraCondition("table-camera", 1, 50, 2, 14)
WELL = MachineCondition("0.1.0", 62, 52_000, 55, 4000, CAMERAS, written_gib_a_day=2, worn_percent=10)
LINE = FeederLinkQuality(2, 7, 3, 1, 0)
JAM: Line = ("fault", {"code": "feeder-jam", "where": "0x21", "part": "tray", "number": 1, "sentence": "A tile is stuck."})


@pytest.fixture
def hall() -> Hall:
    hall = Hall(settings=OPEN)
    for table in "123":
        hall.feed([*building(), *play("E2p")], table)
        hall.heartbeat(table, LINE, WELL)
    hall.log_in()
    return hall


def machines(hall: Hall) -> str:
    return words_of(hall.client.get("/machines").text)


def test_a_hall_in_which_all_is_well_says_so_and_shows_every_figure(hall: Hall) -> None:
    page = machines(hall)
    assert "No machine needs anybody." in page
    must_say(
        page,
        "light 50 %",
        "edges 1.4 mm wide",
        "2 mm from where it was calibrated",
        "4000 operations",
        "50.8 GiB 2 GiB a day 10 % worn",
        "55 0.1.0 1:02",
    )
    assert 'aria-label="1 machines' not in hall.client.get("/machines").text


@pytest.mark.parametrize(
    ("line", "machine", "said"),
    [
        (LINE, replace(WELL, disk_free_mib=400), "400 MiB free on the disk: make room"),
        (LINE, replace(WELL, temperature_c=81), "The processor has 81 °C: free its air vents"),
        (LINE, replace(WELL, weak_power=True, slowed=True), "the power has been too weak: use a Raspberry Pi's own"),
        (LINE, replace(WELL, slowed=True), "the processor has been slowed down: cool it"),
        (LINE, replace(WELL, disk_fails=True), "Its disk has errors, or cannot be written"),
        (LINE, replace(WELL, worn_percent=80), "Its card is worn to 80 %"),
        (LINE, replace(WELL, written_gib_a_day=20), "It writes 20 GiB a day to its card"),
        (LINE, replace(WELL, version="0.0.9"), "It runs version 0.0.9, most tables 0.1.0"),
        (LINE, replace(WELL, cameras=(CameraCondition("table-camera", 0, 10, 0),)), "the picture is dark: switch the lamp on"),
        (LINE, replace(WELL, cameras=(CameraCondition("table-camera", 0, 100, 0),)), "the picture is washed out"),
        (
            LINE,
            replace(WELL, cameras=(CameraCondition("table-camera", 0, 50, 0, 34),)),
            "the picture is not sharp, a marker's edge is 3.4 mm wide: clean the lens, focus it on the mat",
        ),
        (LINE, replace(WELL, cameras=(CameraCondition("table-camera", 0, 50, 14),)), "14 mm from where it was calibrated: put mat"),
        (replace(LINE, damaged_per_10000=101), WELL, "damages frames: check its cable"),
        (replace(LINE, repeated_per_10000=500), WELL, "damages frames: check its cable"),
        (replace(LINE, losses=3), WELL, "was lost 3 times: check the plugs"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(hall: Hall, line: FeederLinkQuality, machine: MachineCondition, said: str) -> None:
    hall.heartbeat("2", line, machine)
    page = machines(hall)
    assert said in page
    assert page.index(said) < page.index("All tables")
    assert 'aria-label="1 machines need somebody"' in hall.client.get("/machines").text


def test_a_clock_that_differs_by_more_than_some_seconds_is_shown_with_both_dates_until_it_is_right(hall: Hall) -> None:
    said = "Its clock shows 2026-05-09 14:00:03, the hall's 2026-11-20 10:02:03 (UTC)"
    for at, shown in ((hall.now() + timedelta(seconds=4), False), (datetime(2026, 5, 9, 14, tzinfo=UTC), True), (hall.now(), False)):
        hall.views.hear(Health("2", "j1", 1, at), hall.now())
        assert (said in machines(hall)) is shown
    for at, second in ((datetime(1, 1, 1, tzinfo=UTC), 6), (datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC), 3)):
        hall.views.hear(Health("2", "j1", 1, at), hall.now().replace(second=second))
        assert "Its clock shows" in machines(hall), "the first and the last second of all are shown too"


def test_the_worst_stands_first_and_a_silent_table_before_all_others(hall: Hall) -> None:
    hall.heartbeat("1", LINE, replace(WELL, temperature_c=90))
    hall.feed([*building(), *play("E2p"), JAM], "3")
    hall.feed([*building(), *play("E2p"), ("link-lost", {"what": "table-camera"})], "2")
    page = machines(hall)
    places = [page.index(said) for said in ("A tile is jammed", "The table camera gives no picture", "90 °C")]
    assert places == sorted(places)
    hall.seconds = 100.0
    for table in "23":
        hall.heartbeat(table, LINE, WELL)
    hall.views.tick(hall.now())
    page = machines(hall)
    assert page.index("Not heard: see whether its computer has power") < page.index("A tile is jammed")


def test_the_page_changes_by_itself_when_a_figure_does_and_no_other_page_of_the_hall(hall: Hall) -> None:
    scope = hall.views.sequence
    before, sequences = hall.stream("/events?page=machines"), [scope(EVERYBODY), scope(STAFF)]
    hall.heartbeat("2", LINE, replace(WELL, temperature_c=77))
    assert "77 °C" in hall.stream("/events?page=machines")
    assert "77 °C" not in before
    assert [scope(EVERYBODY), scope(STAFF)] == sequences


def test_a_table_that_tells_nothing_of_its_machine_is_listed_with_dashes() -> None:
    hall = Hall(settings=OPEN)
    hall.feed([*building()])
    hall.log_in()
    assert "1 – – – – – – –" in machines(hall)
