"""The page of ``feeder pins``, for this computer only: its addresses. ``LivePins`` reads and drives."""

import threading

from cli.feeder.live_pins import LivePins
from cli.usage import tell
from tableside.station_screen.screen_files import page_file
from twinwall.values import Shape
from twinwall.web.http_server import check_json_object, json_body, known_version, page_app, refuse_other_hosts
from twinwall.web.loopback_server import HttpServer

_MOST_BYTES = 256
_WAIT_S = 10.0


class _WantedDrive(Shape):
    """``/drive``: an output, and its time in ms or its steps."""

    number: int
    amount: int


def pins_page(pins: LivePins) -> HttpServer:
    """The page's server, at a free port."""
    app = page_app("pins", _MOST_BYTES)
    refuse_other_hosts(app, "this page drives motors: it is for this computer alone")
    html = page_file("cli.feeder", "pins.html")
    outputs = [
        {"number": each.number, "name": each.name, "at": each.at, "unit": each.unit}
        | {"least": each.amounts[0], "most": each.amounts[-1], "step": each.amounts.step}
        for each in pins.outputs
    ]

    @app.get("/")
    def page() -> str:
        return html

    @app.get("/outputs")
    def board() -> dict[str, object]:
        return {"uid": pins.uid, "outputs": outputs}

    @app.get("/now")
    def now() -> dict[str, object]:
        return pins.now(known_version(), _WAIT_S)

    @app.post("/drive")
    def drive() -> tuple[dict[str, str], int]:
        check_json_object()
        wanted = json_body(_WantedDrive)
        refused = pins.drive(wanted.number, wanted.amount)
        return ({"error": refused}, 409) if refused else ({}, 200)

    @app.post("/forget")
    def forget() -> dict[str, str]:
        check_json_object()
        pins.forget()
        return {}

    return HttpServer(app, 0)


def serve(pins: LivePins, stop: threading.Event) -> None:
    """Serve the page until ``stop`` is set; raises what ``LivePins.read`` raises, after the page has shown it."""
    page = pins_page(pins)
    page.start()
    tell(f"pins: {page.url}\nCtrl-C ends it")
    try:
        while not stop.is_set():
            pins.read()
    finally:
        pins.end("twinwall feeder pins has ended")
        page.stop()
