"""Orders to change the accounts of the staff: who gives one, which state it is meant for, why it is refused, what it changed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from dashboard.access.staff_schema import StaffFileError


class ChangeKind(Enum):
    """What was done to an account."""

    INVITED = "invited"
    ENTERED = "entered"
    REPLACED = "replaced-password"
    WITHDRAWN = "withdrawn"
    SESSIONS_ENDED = "sessions-ended"
    TOKEN_MADE = "token-made"  # noqa: S105 - a word for a change
    TOKEN_WITHDRAWN = "token-withdrawn"  # noqa: S105


class OrderRefusal(Enum):
    """Why an order is not carried out; its value ends the key of the page's sentence."""

    NAME = "name"
    TAKEN = "taken"
    ROLES = "roles"
    CHANGED = "changed"
    LAST_DIRECTOR = "last-director"
    LABEL = "label"
    LABEL_TAKEN = "label-taken"
    TOKENS = "tokens"


class OrderRefusedError(StaffFileError):
    """An order that is not carried out, and nothing was changed."""

    def __init__(self, why: OrderRefusal, sentence: str) -> None:
        super().__init__(sentence)
        self.why = why


@dataclass(frozen=True, slots=True)
class StaffOrder:
    """When an order is given, and by whom: an account's name, empty for the command ``twinwall hall staff``.

    ``seen`` is the account's state (``StaffEntry.state``) that the person at the page has seen, 0 for no account: an order
    that was given to another state is refused, and so is one that leaves no director who can enter. The command, which
    cannot be locked out, has ``None`` and is carried out in any state.
    """

    at: int
    by: str = ""
    seen: int | None = None
