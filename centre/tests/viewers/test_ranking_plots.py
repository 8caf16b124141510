"""The picture of the centre's figures: what was measured is drawn, in proportion."""

from __future__ import annotations

from xml.etree import ElementTree

from benchmarks.centre.ranking_plots import CentreFigures, FieldSize, RankingFigures, StreamFigures, ViewerRun, picture

SVG = "{http://www.w3.org/2000/svg}"
RANKING = RankingFigures(16, (FieldSize(1000, 50, 1.0), FieldSize(5000, 300, 5.0), FieldSize(10000, 500, 9.0)))
STREAMS = StreamFigures((ViewerRun(1000, 16.0), ViewerRun(10000, 12.0)))


def test_every_point_is_drawn_and_twice_as_much_is_twice_as_high() -> None:
    drawn = ElementTree.fromstring(picture(CentreFigures(RANKING, STREAMS)))
    heights = [float(each.get("cy", "0")) for each in drawn.iter(f"{SVG}circle")]
    assert len(heights) == 3 + 3 + 2
    ground = next(float(str(each.get("d")).split()[1].split("h")[0]) for each in drawn.iter(f"{SVG}path"))
    seconds = [ground - height for height in heights[:3]]
    assert round(seconds[1] / seconds[0], 1) == 5.0
    assert round(seconds[2] / seconds[0], 1) == 9.0


def test_a_part_that_was_not_run_has_no_plot() -> None:
    words = [each.text for each in ElementTree.fromstring(picture(CentreFigures(streams=STREAMS))).iter(f"{SVG}text")]
    assert "nginx: ms a change and 1,000 viewers" in words
    assert "MiB" not in words
