"""A hall in which two persons order something of a table: the server signs, and the second account may confirm."""

from dataclasses import replace

from dashboard.access.staff_schema import Role
from tests.support.custody.hall import PLAN
from tests.support.dashboard.example import SELF_DRAWN, building, play
from tests.support.dashboard.hall import OPEN, Hall
from tests.support.dashboard.staff import enrol
from twinwall.wire.messages.signing import Signer

SERVER = Signer("server", b"\x0a" * 32)
OTHER = "Abe"


def staffed_hall(*roles: Role) -> Hall:
    """A table that plays deal 1; ``OTHER`` has an account with these roles, where any are given."""
    hall = Hall(settings=replace(OPEN, event=PLAN.event, signer=SERVER))
    if roles:
        enrol(hall.staff, OTHER, roles=roles)
    hall.feed([*building(), *[*play(SELF_DRAWN)][:30]])
    hall.log_in()
    return hall


def as_other(hall: Hall) -> None:
    """The second account has logged in with a browser of its own."""
    hall.client = hall.new_client()
    hall.log_in(OTHER)
