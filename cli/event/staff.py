"""``twinwall hall staff``: accounts of the people who may do something at the dashboard, also while it runs."""

import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import closing, contextmanager

from cli.terminal import draw_qr
from cli.usage import JSON, PASSPHRASE_FD, UsageError, answer, argument, passphrases, say, settings_file, takes
from config import DashboardSettings, load
from config.services import DashboardSection
from dashboard.access.staff_file import INVITATION_HOURS, StaffAccount, StaffFile, StaffOrder
from dashboard.access.staff_schema import Role

LONGEST_HOURS = 24 * 7

_DASHBOARD = settings_file("the dashboard's")
_NAME = argument("name", "the person's name, as it stands under rulings")


@contextmanager
def _staff_of(page: DashboardSection) -> Iterator[StaffFile]:
    with closing(StaffFile(page.staff)) as staff:
        yield staff


def _page(arguments: Namespace) -> DashboardSection:
    return load(arguments.settings, DashboardSettings).dashboard


@takes(
    _NAME,
    _DASHBOARD,
    argument("--role", "what the person is; several may be given", action="append", required=True, choices=[role.value for role in Role]),
    argument("--hours", "how long the link can be used (24)", type=int, default=INVITATION_HOURS),
)
def invite(arguments: Namespace) -> None:
    if not 1 <= arguments.hours <= LONGEST_HOURS:
        raise UsageError(f"--hours {arguments.hours}: a number from 1 to {LONGEST_HOURS}")
    page, now = _page(arguments), int(time.time())
    with _staff_of(page) as staff:
        token = staff.invite(arguments.name, set(map(Role, arguments.role)), now + 3600 * arguments.hours, StaffOrder(now))
    link = f"{page.browser_address}/invitation/{token}"
    print(link)
    say(f"the first visitor of this link is {arguments.name}; it works once, within {arguments.hours} h")
    if sys.stderr.isatty():
        draw_qr(link, sys.stderr)


@takes(JSON, _DASHBOARD)
def list_staff(arguments: Namespace) -> None:
    with _staff_of(_page(arguments)) as staff:
        accounts = staff.accounts()
    rows = [{"name": each.name, "roles": _roles(each), "state": _state(each)} for each in accounts]
    words = "\n".join(f"{each.name}\t{', '.join(_roles(each))}\t{_state(each)}" for each in accounts)
    answer(rows, words, as_json=arguments.json)


@takes(_NAME, _DASHBOARD)
def revoke(arguments: Namespace) -> None:
    with _staff_of(_page(arguments)) as staff:
        staff.revoke(arguments.name, StaffOrder(int(time.time())))


@takes(_NAME, _DASHBOARD, PASSPHRASE_FD)
def password(arguments: Namespace) -> None:
    with _staff_of(_page(arguments)) as staff:
        name = staff.known(arguments.name).name
        staff.set_password(name, passphrases(arguments.passphrase_fd, twice=True)(f"the account of {name}"), StaffOrder(int(time.time())))


def _roles(account: StaffAccount) -> list[str]:
    return sorted(role.value for role in account.roles)


def _state(account: StaffAccount) -> str:
    if account.revoked:
        return "withdrawn"
    return "active" if account.has_password else "invited"
