"""The real application before a real browser, fed by the test. ``TWINWALL_SCREENSHOTS=FOLDER`` keeps pictures of what was seen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page

from dashboard.app import HallLinks, create_app
from dashboard.prints.pdf_writer import write_pdf
from dashboard.web_settings import WebSettings
from tests.support.dashboard.hall import SETTINGS, Hall
from tests.support.dashboard.staff import NAME, PASSWORD, log_in
from tests.support.wire.streams import START, Line, public_events
from twinwall.web.loopback_server import HttpServer
from twinwall.wire.messages.commands import Command

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


@dataclass
class Site(Hall):
    """The application on a port; it can be switched off and on again."""

    answer: Callable[[str, Command], None] = lambda _table, _command: None
    """A table's end of what is sent to it."""
    started: datetime = START
    """When the tables began."""

    def __post_init__(self) -> None:
        self.views.connection(True)
        self._stopped = threading.Event()
        self.port = 0
        self.on()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def on(self, settings: WebSettings = SETTINGS) -> None:
        stopped = self._stopped = threading.Event()
        self.app = self.new_app(settings, lambda: not stopped.is_set())
        front = Flask("site")
        front.wsgi_app = self._answer  # type: ignore[method-assign]  # as Flask wants it; the application may change meanwhile
        self._server = HttpServer(front, self.port)
        self.port = self._server.port
        self._server.start()

    def new_app(self, settings: WebSettings, alive: Callable[[], bool]) -> Flask:
        """The application that answers; its streams end when it is no longer alive."""
        return create_app(settings, self.views, self.desk, self.staff, HallLinks(alive=alive, send=self._send, write_pdf=write_pdf))

    def _answer(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return self.app(environ, start_response)

    def _send(self, table: str, command: Command) -> bool:
        self.sent.append((table, command))
        self.answer(table, command)
        return True

    def off(self) -> None:
        self._stopped.set()
        self._server.stop()

    def feed(self, script: Sequence[Line], table: str = "1", first: int = 0, last: int | None = None) -> None:
        self.add(public_events(list(script), table, start=self.started)[first:last])


@pytest.fixture
def site() -> Iterator[Site]:
    running = Site()
    yield running
    running.off()


def hall_page(browser: Browser, site: Site) -> Page:
    """A page of desktop size that stands in the hall, of an account that has logged in."""
    page = new_page(browser, site)
    page.goto(site.address)
    page.wait_for_selector("#cards")
    return page


def new_page(browser: Browser, site: Site, name: str = NAME) -> Page:
    """A page of desktop size on which nothing is loaded yet, of an account that has logged in.

    Its login is asked without the form in a page, which takes a third of the processor time of a test that only looks at a page.
    """
    context = _context(browser)
    client = site.app.test_client()
    log_in(client, name)
    cookie = client.get_cookie(site.app.config["SESSION_COOKIE_NAME"])
    assert cookie is not None
    context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": site.address}])
    return context.new_page()


def log_in_page(browser: Browser, site: Site, name: str = NAME) -> Page:
    """A page of desktop size that has logged in with the form."""
    page = _context(browser).new_page()
    page.goto(f"{site.address}/login")
    enter(page, name)
    page.wait_for_url(f"{site.address}/")
    return page


def enter(page: Page, name: str = NAME) -> None:
    page.fill("#name", name)
    page.fill("#password", PASSWORD)
    page.click("button.main")


def _context(browser: Browser) -> BrowserContext:
    """A browser of desktop size without cookies."""
    return browser.new_context(viewport={"width": 1440, "height": 900}, locale="en")
