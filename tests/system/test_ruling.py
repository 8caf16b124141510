"""A ruling in a real session: play stops, a form on the page is sent, and play goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.harness import DemoRun, ask, hidden, logged_in, of_type

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


def rule(demo: DemoRun, choice: str) -> str:
    """What a referee does: log in, open the table's page, choose, and press the button; where that leads."""
    jar, address = logged_in(demo), f"http://127.0.0.1:{demo.port}/table/1"
    page, _ = ask(jar, address)
    sent = {name: hidden(page, name) for name in ("token", "form", "n")}
    return ask(jar, f"{address}/rule", choice=choice, seat="S", **sent)[1]


def test_a_call_halts_play_until_the_ruling_from_the_page_reaches_the_table(tmp_path: Path) -> None:
    with DemoRun(tmp_path / "demo") as demo:
        demo.wait(lambda events: len(of_type(events, "tile-discarded")) > 6)
        demo.press(1, "referee")
        demo.wait(lambda events: bool(of_type(events, "play-halted")))
        assert rule(demo, "dead-hand").endswith("?ruled=sent")
        demo.wait(lambda events: bool(of_type(events, "hand-ruled-dead")))
        report = demo.report()
        events = demo.events()
    (ruling,) = of_type(events, "ruling")
    assert (ruling["by"], set(ruling["texts"])) == ("Director", {"en", "ja", "zh-Hans"})
    kinds = [event["type"] for event in events]
    halted, ruled = kinds.index("play-halted"), kinds.index("ruling")
    assert "gate-unlocked" not in kinds[halted:ruled]
    assert "tile-discarded" in kinds[ruled:]
    assert not [event for event in events[ruled:] if event["type"] in ("claimed", "win-declared") and event["seat"] == "S"]
    assert report["reads"]["wrong"] == 0
