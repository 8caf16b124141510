"""Accounts of a demo's staff: a director who is referee too, and a referee."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from pathlib import Path

from dashboard.access.staff_orders import StaffOrder


@dataclass(frozen=True, slots=True)
class DemoLogin:
    """An account of the demo's staff, and the file that holds it."""

    name: str
    password: str
    staff_file: Path


def make_staff(folder: Path) -> tuple[DemoLogin, DemoLogin]:
    """Make the demo's accounts: one person who is director and referee, and one who is referee alone."""
    from dashboard.access.access_policy import Role  # noqa: PLC0415 - the web framework is slow to import
    from dashboard.access.staff_file import StaffFile  # noqa: PLC0415

    folder.mkdir(parents=True, exist_ok=True)
    logins = tuple(DemoLogin(name, secrets.token_urlsafe(9), folder / "staff.sqlite") for name in ("Director", "Referee"))
    staff, now = StaffFile(folder / "staff.sqlite"), int(time.time())
    for login, roles in zip(logins, ({Role.DIRECTOR, Role.REFEREE}, {Role.REFEREE}), strict=True):
        staff.accept(staff.invite(login.name, roles, now, StaffOrder(now)), login.password, now)
    staff.close()
    return logins[0], logins[1]
