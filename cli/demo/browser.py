"""Browser of a demo: opens pages and sends their forms with an account of the demo's staff, as a person's browser does. The accounts are a
director who is referee too, and a referee."""

import html
import http.client
import re
import secrets
import time
from collections.abc import Mapping
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlencode

from cli.usage import UsageError
from dashboard.access.staff_file import StaffFile, StaffOrder
from twinwall.values import frozen


@frozen
class DemoLogin:
    """An account of the demo's staff, and the file that holds it."""

    name: str
    password: str
    staff_file: Path


def make_staff(folder: Path) -> tuple[DemoLogin, DemoLogin]:
    """Make the demo's accounts: one person who is director and referee, and one who is referee alone."""
    from dashboard.access.staff_schema import Role  # noqa: PLC0415 - the web framework is slow to import

    folder.mkdir(parents=True, exist_ok=True)
    logins = tuple(DemoLogin(name, secrets.token_urlsafe(9), folder / "staff.sqlite") for name in ("Director", "Referee"))
    staff, now = StaffFile(folder / "staff.sqlite"), int(time.time())
    for login, roles in zip(logins, ({Role.DIRECTOR, Role.REFEREE}, {Role.REFEREE}), strict=True):
        staff.accept(staff.invite(login.name, roles, now, StaffOrder(now)), login.password, now)
    staff.close()
    return logins[0], logins[1]


PATIENCE_S = 120.0
_HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)"')
_ALERT = re.compile(r'role="alert"[^>]*>(.*?)</p>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


class DemoBrowser:
    """One account at one hall's pages on this computer."""

    def __init__(self, port: int, login: DemoLogin) -> None:
        self._port, self._login = port, login
        self._cookies: dict[str, str] = {}
        self._page = ""

    def enter(self) -> None:
        self._get("/login")
        self._post("/login", {"name": self._login.name, "password": self._login.password})

    def _get(self, path: str) -> str:
        status, self._page = self._ask("GET", path)
        return self._page if status == http.client.OK else ""

    def _post(self, path: str, form: Mapping[str, str | tuple[str, ...]]) -> None:
        """Send a form, with the hidden fields of the page that was shown last; raises UsageError."""
        hidden = {name: html.unescape(value) for name, value in _HIDDEN.findall(self._page)}
        status, self._page = self._ask("POST", path, urlencode({**hidden, **form}, doseq=True))
        if status >= http.client.BAD_REQUEST:
            said = _ALERT.search(self._page)
            sentence = html.unescape(_TAG.sub("", said[1])).strip() if said else f"status {status}"
            raise UsageError(f"the demo's {self._login.name} was refused at {path}: {sentence}")

    def _ask(self, method: str, path: str, body: str = "") -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items()), "Accept-Language": "en"}
        if body:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        try:
            connection.request(method, path, body or None, headers)
            answer = connection.getresponse()
            for each in answer.headers.get_all("Set-Cookie") or ():
                self._cookies |= {name: morsel.value for name, morsel in SimpleCookie(each).items()}
            return answer.status, answer.read().decode()
        except OSError:
            return http.client.SERVICE_UNAVAILABLE, ""
        finally:
            connection.close()
