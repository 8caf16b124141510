"""Access policy: decides what an output (page, stream, download) may show, and to whom. ``may_see`` decides by secrecy class: P is public;
T is shown to the referee who opened the table (each look is recorded), to players at their own table, and to all after release; C is secret
before release. ``AccessPolicy`` gives pages, streams and downloads a ``ViewerScope``, never the hall's views; a test checks that no other
module reads them."""

import logging
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from dashboard.access.director_desk import Changed, DirectorDesk, NotYet
from dashboard.access.seat_scope import SeatScope
from dashboard.access.shown_history import ShownHistory
from dashboard.access.shown_names import NamesFile, ShownNames
from dashboard.access.staff_schema import Role
from dashboard.access.viewer_scope import TableScope, ViewerScope
from dashboard.projections.hall_views import HallViews, HallWait, Level, ViewerChannel
from twinwall.event.management.changes import EventChange
from twinwall.event.management.managed_event import ManagedEvent
from twinwall.event.player_names import NamesShown
from twinwall.event.results import EntrantKind
from twinwall.event.store.databases.port import StoreError
from twinwall.event.store.hall import TableReached
from twinwall.event.store.store_contents import Acknowledgement, RefereeLook, ReplacementStep, RulingGiven, StaffChange, WithdrawalStep
from twinwall.event.store.store_writer import StoreWriter
from twinwall.values import frozen
from twinwall.wire.events.definitions import Secrecy

_LOG = logging.getLogger(__name__)


@frozen
class Viewer:
    """Who asks for an output; a spectator has no role."""

    roles: frozenset[Role] = frozenset()
    name: str = ""

    @property
    def staff(self) -> bool:
        return bool(self.roles)


SPECTATOR = Viewer()


def may_see(viewer: Viewer, secrecy: Secrecy, *, released: bool = False, at_table: bool = False, sits_there: bool = False) -> bool:
    """Whether something of a secrecy class may reach the viewer. ``viewer``: who asks. ``secrecy``: class of what is asked for.
    ``released``: whether its deal is finished at every table, with the slip published. ``at_table``: whether the viewer has opened its
    table. ``sits_there``: whether the viewer's browser has shown the code of a seat at that table."""
    match secrecy:
        case Secrecy.PUBLIC:
            return True
        case Secrecy.TABLE:
            return released or sits_there or (at_table and Role.REFEREE in viewer.roles)
        case Secrecy.CONCEALED:
            return released


def may_see_held_results(viewer: Viewer) -> bool:
    """Whether the viewer sees results that a director holds back: only directors do."""
    return Role.DIRECTOR in viewer.roles


class AccessPolicy:
    """Gives each viewer the scope that the viewer may see."""

    def __init__(
        self, views: HallViews, desk: StoreWriter, now: Callable[[], datetime], public_names: NamesShown, names: Path | None
    ) -> None:
        """``names`` is the players' names file; the staff see names in full, others as ``public_names`` says."""
        self._views = views
        self._public_names = public_names
        self._names = NamesFile(names, views.touch)
        self._desk = desk
        self.now = now
        self._noted: set[tuple[str, str, int]] = set()
        self.carry_out: Changed = lambda _event, _change, _by: None
        """Informs tables and vaults of a stored change by a director."""
        self.problem: NotYet = lambda _event, _change: None
        """Why a change must wait although the event could take it, or None."""

    def scope(self, viewer: Viewer) -> ViewerScope:
        """What the viewer may see of the whole hall: class P; staff also see which hands are over and which parts fail."""
        return self._scope(viewer, ViewerChannel(_level(viewer)))

    def results(self, viewer: Viewer) -> ViewerScope:
        """The same for pages about deals and standings, which need no update for every tile of a wall."""
        return self._scope(viewer, ViewerChannel(_level(viewer), results=True))

    def open_table(self, viewer: Viewer, name: str) -> TableScope | None:
        """The play of one table for a referee; the look is recorded, once for each deal. None for everybody else, for an unknown table, and
        when the look cannot be recorded."""
        status = self._views.table(name)
        if status is None or not self.may_open(viewer, name):
            return None
        n = 0 if status.view.hand is None else status.view.hand.n
        if (viewer.name, name, n) not in self._noted:
            try:
                self._desk.note(RefereeLook(name, n, viewer.name, self.now()))
            except StoreError as error:
                _LOG.error(
                    "table %s is not opened for a referee, because that cannot be written down: %s", name, error, extra={"table": name}
                )
                return None
            self._noted.add((viewer.name, name, n))
        return TableScope(self._views, self._desk.hall, name, self._shown(viewer), sees_held=may_see_held_results(viewer))

    def look_everywhere(self, viewer: Viewer) -> bool:
        """Whether the viewer may take everything that tables have played, like a referee who opens each table of an unreleased deal; each
        look is recorded."""
        hall = self._desk.hall
        unreleased = [
            table.name
            for table in self._views.tables()
            if any(hall.released(hand.n) is None for hand in hall.hands(as_referee_of=table.name))
        ]
        return all(self.open_table(viewer, name) is not None for name in unreleased)

    def machines(self, viewer: Viewer) -> ViewerScope | None:
        """The state of the tables' machines, for staff; None for everybody else."""
        return self._scope(viewer, ViewerChannel(Level.STAFF, machines=True)) if viewer.staff else None

    def history(self, viewer: Viewer) -> ShownHistory | None:
        """What has happened at tables and to players, for staff; None for everybody else."""
        if not viewer.staff:
            return None
        return ShownHistory(self._desk.hall, self._shown(viewer), self._desk.steps, self.results(viewer).results.hidden())

    def at_seat(self, table: str, place: int) -> SeatScope | None:
        """What a player sees at a seat after the browser has shown its code; None for an unknown table. Names are as everybody sees them,
        because one page serves all phones at a seat."""
        if self._views.table(table) is None or not may_see(SPECTATOR, Secrecy.TABLE, sits_there=True):
            return None
        return SeatScope(self._views, self._desk.hall, table, place, self._shown(SPECTATOR))

    def _scope(self, viewer: Viewer, channel: ViewerChannel) -> ViewerScope:
        return ViewerScope(
            self._views,
            self._desk.hall,
            channel,
            self._shown(viewer),
            sees_held=may_see_held_results(viewer),
            steps=lambda: self._desk.steps,
        )

    def director_desk(self, viewer: Viewer) -> DirectorDesk | None:
        """The event for a director to change; None for everybody else."""
        if Role.DIRECTOR not in viewer.roles:
            return None
        return DirectorDesk(self._desk, self._names, viewer.name, self.now, self._changed, self.problem)

    def _changed(self, event: ManagedEvent, change: EventChange, by: str) -> None:
        self.carry_out(event, change, by)
        self._views.touch()

    def _shown(self, viewer: Viewer) -> ShownNames:
        staff = viewer.staff

        def rule() -> tuple[NamesShown, bool]:
            described = self._desk.event.description
            public = self._public_names if described is None else NamesShown(described.names)
            return NamesShown.FULL if staff else public, self._desk.hall.programme.field.kind is EntrantKind.INDIVIDUAL

        return ShownNames(self._names, rule)

    def may_open(self, viewer: Viewer, name: str) -> bool:
        """Whether the viewer may see the play of this table, once the look has been recorded."""
        return self._views.table(name) is not None and may_see(viewer, Secrecy.TABLE, at_table=True)

    def wait(self, source: str, waits: tuple[HallWait, ...]) -> None:
        """Set everything from one source that waits for a person, for the staff's pages."""
        self._views.wait(source, waits)

    def note(self, act: RulingGiven | WithdrawalStep | ReplacementStep | StaffChange) -> None:
        """Record what staff do, before it is done; raises StoreError."""
        self._desk.note(act)

    def reached(self, viewer: Viewer, table: str) -> TableReached | None:
        """How far a table is by what is stored, for staff; None for everybody else and for a table that has sent nothing."""
        return self._desk.hall.reached(table) if viewer.staff else None

    def acknowledge(self, viewer: Viewer, table: str, journal: str, seq: int) -> bool:
        """Note that a member of staff answers a call; False without such a call or for other viewers. Raises StoreError."""
        if not viewer.staff or not self._desk.acknowledge(Acknowledgement(table, journal, seq, viewer.name, self.now())):
            return False
        self._views.touch()
        return True


def _level(viewer: Viewer) -> Level:
    return Level.STAFF if viewer.staff else Level.EVERYBODY
