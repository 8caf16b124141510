"""Staff for tests: accounts with cheap hashes, and a browser's way through the login."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from dashboard.access.staff_file import StaffFile, StaffOrder
from dashboard.access.staff_schema import Role

NAME = "Ota"
"""Director and referee in one, as at a small event."""
PASSWORD = "correct horse"
CHEAP = {"memory_cost": 8, "iterations": 1, "lanes": 1}
EVERYTHING = frozenset({Role.DIRECTOR, Role.REFEREE})


def new_staff(path: Path | str = ":memory:") -> StaffFile:
    """A staff file in which ``NAME`` may enter with ``PASSWORD``."""
    staff = StaffFile(path, CHEAP)
    enrol(staff, NAME, PASSWORD)
    return staff


def enrol(staff: StaffFile, name: str, password: str = PASSWORD, roles: Collection[Role] = EVERYTHING) -> None:
    """An account whose invitation was used, in a moment when nobody else has one."""
    staff.accept(staff.invite(name, roles, 0, StaffOrder(0)), password, 0)


def form_token(page: str) -> str:
    """The token in a page's first form."""
    found = re.search(r'name="token" value="([^"]+)"', page)
    assert found is not None, page[:500]
    return found[1]


def submit(
    client: FlaskClient, path: str, form: Mapping[str, object] = MappingProxyType({}), *, follow: bool = False, address: str = "127.0.0.1"
) -> TestResponse:
    """Send a form from an address with its session's token, as the page of the form has it."""
    with client.session_transaction() as session:
        token = session.setdefault("token", "of a form")
    return client.post(path, data={**form, "token": token}, follow_redirects=follow, environ_base={"REMOTE_ADDR": address})


def log_in(client: FlaskClient, name: str = NAME, password: str = PASSWORD, address: str = "127.0.0.1") -> TestResponse:
    """Send the form of the login without its page: making that takes two fifths of a login."""
    return submit(client, "/login", {"name": name, "password": password}, address=address)
