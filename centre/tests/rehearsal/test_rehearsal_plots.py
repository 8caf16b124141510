"""The picture and the costs of a rehearsal, from its report."""

from xml.etree import ElementTree

import msgspec

from benchmarks.centre.rehearsal_plots import costs, picture
from tools.rehearsal.report import KilledParts, PartCost, Progress, RankedDeal, RehearsalReport

REPORT = RehearsalReport(
    venues=2,
    tables=4,
    hands=2,
    lines=400,
    stored=400,
    lost=0,
    doubled=0,
    caught_up_venues=2,
    same_ranking=True,
    sent_again=0,
    start_s=20.0,
    session_s=40.0,
    caught_up_s=1.0,
    ranking_p95_s=8.0,
    deals=(RankedDeal(1, 20.0, 0.5), RankedDeal(2, 40.0, None)),
    killed=(KilledParts(("nginx-1", "consumer-1"), 10.0, 5.0, 6.0, 1.0),),
    progress=(Progress(0.0, 0, 0), Progress(40.0, 400, 400)),
    costs=(PartCost("consumer", 2, 1.0, 0.8, 170.0),),
    notices=(),
)


def test_the_picture_names_what_was_killed_and_draws_each_deal_that_was_shown() -> None:
    drawn = ElementTree.fromstring(picture(REPORT))
    words = [each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert "nginx-1+consumer-1" in words
    filled = [each.get("fill") for each in drawn.iter("{http://www.w3.org/2000/svg}rect")]
    assert filled.count("#1b7f4b") == 1, "the second deal was never on the page"


def test_a_report_without_a_line_counted_is_drawn_all_the_same() -> None:
    drawn = ElementTree.fromstring(picture(msgspec.structs.replace(REPORT, deals=(), killed=(), progress=())))
    assert drawn.tag == "{http://www.w3.org/2000/svg}svg"
    assert "#1b7f4b" not in {each.get("fill") for each in drawn.iter()}, "a deal that was never shown is drawn"


def test_costs_are_those_of_a_line_and_of_a_table_and_hand() -> None:
    assert list(costs(REPORT))[2:] == ["| consumer | 2 | 2.00 | 100.0 | 85 |"]
