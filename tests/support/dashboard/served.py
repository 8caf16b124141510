"""The served dashboard in a process of its own, and a browser's end without a browser."""

import http.client
import pickle
import socket
import subprocess
import sys
import urllib.parse
from dataclasses import dataclass

from dashboard.events_folder import EventsFolder
from dashboard.serving import StoredEvent
from dashboard.web_settings import WebSettings
from tests.support.children import Program
from tests.support.dashboard.staff import NAME, PASSWORD, form_token
from tests.support.patience import PATIENCE_S
from tests.support.wire.brokers import eventually

SERVE = "import pickle, sys; from dashboard.serving import serve; serve(*pickle.load(sys.stdin.buffer))"
"""The program: it imports what ``twinwall hall dashboard`` imports, and nothing of the tests."""


@dataclass
class Browsing:
    """A browser's end without a browser: one cookie, one address."""

    host: str
    port: int
    cookie: str = ""

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(self.host, self.port, timeout=PATIENCE_S)

    def ask(self, method: str, path: str, form: dict[str, str] | None = None) -> tuple[int, str]:
        connection = self.connection()
        headers = {"Cookie": self.cookie} | ({"Content-Type": "application/x-www-form-urlencoded"} if form else {})
        connection.request(method, path, urllib.parse.urlencode(form) if form else None, headers)
        with connection.getresponse() as response:
            text = response.read().decode()
            cookie = response.headers.get("Set-Cookie")
        connection.close()
        if cookie:
            self.cookie = cookie.split(";")[0]
        return response.status, text

    def page(self, path: str) -> str:
        """The page; empty while nobody answers in time, or the process that was killed still holds the port."""
        try:
            status, text = self.ask("GET", path)
        except OSError:
            return ""
        return text if status == 200 else ""


class Served(Browsing, Program):
    """A dashboard in a process of its own, and a browser's end without a browser."""

    def __init__(self, settings: WebSettings, event: StoredEvent | EventsFolder) -> None:
        super().__init__(settings.host, settings.port)
        self.settings, self.event = settings, event

    def start(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", SERVE], stdin=subprocess.PIPE)
        assert self.process.stdin is not None
        with self.process.stdin as asked:
            pickle.dump((self.settings, self.event), asked)
        eventually(self._listens, "the dashboard listens")

    def _listens(self) -> bool:
        with socket.socket() as asked:
            return asked.connect_ex((self.settings.host, self.settings.port)) == 0

    def log_in(self) -> None:
        status, _ = self.ask("POST", "/login", {"name": NAME, "password": PASSWORD, "token": form_token(self.ask("GET", "/login")[1])})
        assert status == 303
