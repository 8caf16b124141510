"""Which accounts may order what takes two persons, and confirm it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from dashboard.access.access_policy import Role, Viewer
from dashboard.access.staff_file import StaffFile

CONFIRM_WITHIN = timedelta(minutes=10)
NEW_FOR = timedelta(hours=24)
"""An account neither orders nor confirms for so long after it was invited or entered by an invitation: who invites could be both."""
MAY_ORDER = frozenset({Role.DIRECTOR, Role.REFEREE})


@dataclass(frozen=True, slots=True)
class OrderingStaff:
    """The directors and referees whose accounts are old enough."""

    staff: StaffFile
    now: Callable[[], datetime]

    def others(self, who: Viewer) -> tuple[str, ...]:
        """The other accounts that may confirm."""
        return tuple(name for name in self._settled() if name != who.name)

    def is_new(self, who: Viewer) -> bool:
        """Whether this account was invited too short a time ago to order or to confirm."""
        return who.name not in self._settled()

    def is_in_time(self, at: datetime) -> bool:
        """Whether what was ordered then may still be confirmed."""
        return self.now() - at <= CONFIRM_WITHIN

    def _settled(self) -> tuple[str, ...]:
        """The accounts that may order and confirm."""
        now_s = int(self.now().timestamp())
        latest = now_s - int(NEW_FOR.total_seconds())
        entries = [entry for entry in self.staff.entries(now_s) if entry.admitted is None or entry.admitted <= latest]
        accounts = [entry.account for entry in entries]
        return tuple(each.name for each in accounts if each.has_password and not each.revoked and each.roles & MAY_ORDER)
