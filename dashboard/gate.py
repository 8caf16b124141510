"""The one place that decides what an output may show, and to whom.

Every page, stream and export asks here before anything of a table reaches it: what is not let
through is not folded, not rendered and not sent. Today there is one viewer, the referee who has
logged in, and he sees all that anybody at the table could see; nobody else sees anything.
"""

from __future__ import annotations

from enum import Enum

from twinwall.wire.events import EVENT_TYPES, Secrecy
from twinwall.wire.ledger import PublicEvent, UnknownEvent


class Viewer(Enum):
    """Whom an output is for."""

    NOBODY = "nobody"
    """Not logged in."""
    REFEREE = "referee"


_MAY_SEE: dict[Viewer, frozenset[Secrecy]] = {
    Viewer.NOBODY: frozenset(),
    Viewer.REFEREE: frozenset({Secrecy.PUBLIC, Secrecy.TABLE}),
}


def may_enter(viewer: Viewer) -> bool:
    """Whether the viewer may see any page of the hall at all."""
    return bool(_MAY_SEE[viewer])


def may_see(viewer: Viewer, event: PublicEvent) -> bool:
    """Whether anything of the event may reach this viewer; an event of an unknown type is treated as the table's own."""
    known = None if isinstance(event, UnknownEvent) else EVENT_TYPES.get(event.type)
    return (known.secrecy if known else Secrecy.TABLE) in _MAY_SEE[viewer]
