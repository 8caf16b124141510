"""A ruling in a real session: play stops, a form on the page is sent, and play goes on."""

from __future__ import annotations

import http.client
import http.cookiejar
import json
import re
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from tests.system.harness import DemoRun, of_type

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

LONG_S = 240.0


def press_referee(demo: DemoRun, place: int) -> None:
    """Somebody at a place presses the key that calls the referee."""
    port = re.search(r"^port = (\d+)", demo.settings("world").read_text(), re.MULTILINE)
    assert port is not None
    connection = http.client.HTTPConnection("127.0.0.1", int(port[1]), timeout=10)
    connection.request("POST", "/press", json.dumps({"place": place, "key": "referee"}), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    connection.close()


def rule(demo: DemoRun, choice: str) -> str:
    """What a referee does: log in, open the table's page, choose, and press the button; where that leads."""
    jar = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    address = f"http://127.0.0.1:{demo.port}"

    def ask(path: str, **form: str) -> tuple[str, str]:
        content = urllib.parse.urlencode(form).encode() if form else None
        with jar.open(f"{address}{path}", content, timeout=20) as answer:
            return answer.read().decode(), answer.url

    def hidden(page: str, name: str) -> str:
        found = re.search(rf'name="{name}" value="([^"]+)"', page)
        assert found is not None, page[:2000]
        return found[1]

    ask("/login", name="Director", password=demo.password(), token=hidden(ask("/login")[0], "token"))
    page, _ = ask("/table/1")
    sent = {"token": hidden(page, "token"), "form": hidden(page, "form"), "n": hidden(page, "n")}
    return ask("/table/1/rule", choice=choice, seat="S", **sent)[1]


def test_a_call_halts_play_until_the_ruling_from_the_page_reaches_the_table(tmp_path: Path) -> None:
    with DemoRun(tmp_path / "demo") as demo:
        demo.wait(lambda events: len(of_type(events, "tile-discarded")) > 6, LONG_S)
        press_referee(demo, 1)
        demo.wait(lambda events: bool(of_type(events, "play-halted")), LONG_S)
        assert rule(demo, "dead-hand").endswith("?ruled=sent")
        demo.wait(lambda events: bool(of_type(events, "hand-ruled-dead")), LONG_S)
        report = demo.report(LONG_S)
        events = demo.events()
    (ruling,) = of_type(events, "ruling")
    assert (ruling["by"], set(ruling["texts"])) == ("Director", {"en", "ja", "zh-Hans"})
    kinds = [event["type"] for event in events]
    halted, ruled = kinds.index("play-halted"), kinds.index("ruling")
    assert "gate-unlocked" not in kinds[halted:ruled]
    assert "tile-discarded" in kinds[ruled:]
    assert not [event for event in events[ruled:] if event["type"] in ("claimed", "win-declared") and event["seat"] == "S"]
    assert report["reads"]["wrong"] == 0
