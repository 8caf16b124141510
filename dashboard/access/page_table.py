"""The page table (``_ROWS``): who may open which route of the dashboard, which routes stream, the templates of pages that update
themselves, and the navigation. Routes that it does not name are refused to all. A row names a route by its endpoint.
``dashboard.api.api_routes`` has the API's own table, by scopes of tokens."""

from collections.abc import Collection, Mapping
from enum import Enum
from urllib.parse import unquote

from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map

from dashboard.access.staff_schema import Role
from twinwall.values import frozen


class Audience(Enum):
    """Who may open a route."""

    PROGRAMS = "programs and files: the session is not looked up"
    ANYBODY = "anybody, also where spectators are not admitted"
    SEAT = "a browser that has shown the code of the seat; the page itself looks at the code"
    SPECTATORS = "anybody where spectators are admitted, else the staff"
    STAFF = "everybody who has logged in"
    REFEREES = "referees"
    LEADERS = "directors and referees"
    DIRECTORS = "directors"

    @property
    def roles(self) -> frozenset[Role] | None:
        """The roles of which one is needed; None if no login is needed (a hall may still not admit spectators)."""
        return _ROLES.get(self)


_ROLES = {
    Audience.STAFF: frozenset(Role),
    Audience.REFEREES: frozenset({Role.REFEREE}),
    Audience.LEADERS: frozenset({Role.DIRECTOR, Role.REFEREE}),
    Audience.DIRECTORS: frozenset({Role.DIRECTOR}),
}


@frozen
class PageRow:
    """The row of a route. A ``live`` route streams while the page is open. ``template`` is that of a page that updates itself. A
    ``long_form`` has a list or a file."""

    audience: Audience
    live: bool = False
    template: str = ""
    long_form: bool = False

    @property
    def is_returned_to(self) -> bool:
        return not self.live and self.audience not in (Audience.PROGRAMS, Audience.ANYBODY)


_LIVE = frozenset({"events", "seat_events"})
_LONG_FORMS = frozenset({"enter_entrants", "seat_session", "read_file"})
_ROWS = {
    Audience.PROGRAMS: "static tiles alive metrics api.openapi",
    Audience.ANYBODY: "login invitation",
    Audience.SEAT: "seat:people/my_table.html answer_seat seat_events",
    Audience.SPECTATORS: """
        hall:hall.html table:table.html deal:deal.html projector:projector.html standings:standings.html events
        seats player replay replay_as_file decisions overlay overlay_feed trust verify_page
        slip plan start commitments results_csv results_json results_pdf
        print_standings print_player print_deals print_deal print_verification
    """,
    Audience.STAFF: """
        logout calls:calls.html take_call machines:machines.html table_history player_history ruling_texts
        event_prints print_seating print_tables print_scores
    """,
    Audience.REFEREES: """
        earlier_hand:earlier_hand.html rule question:rulings/which_tile.html answer_question record_question answer_record
        violations:rulings/violations.html
    """,
    Audience.LEADERS: """
        key_slip_form read_key_request key_slip
        withdrawal withdraw withdrawal_order replacement replace replacement_order
    """,
    Audience.DIRECTORS: """
        hall_events change_event staff change_staff
        event_setup event_description describe_event event_entrants enter_entrants event_player change_player event_team change_team
        event_seating seat_session event_file event_file_content read_file event_store take_backup give_up_lost
        event_sessions change_sessions event_tables change_tables rehearse_table event_deals change_deals event_site
        table_phones phone_code dismiss_phone
        ready_tables ready_table get_ready tile_question ready_mat mat_print mat_picture
        record_only change_recording recorded_hand answer_recorded recorded_file
    """,
}
PAGES: Mapping[str, PageRow] = {
    endpoint: PageRow(audience, endpoint in _LIVE, template, endpoint in _LONG_FORMS)
    for audience, rows in _ROWS.items()
    for endpoint, _, template in (row.partition(":") for row in rows.split())
}
NAVIGATION = (
    ("hall", "gh", "hall", ()),
    ("seats", "gt", "seats.title", ("player",)),
    ("standings", "gs", "standings", ()),
    ("calls", "gc", "calls", ()),
    ("machines", "gm", "machines.title", ()),
    ("event_prints", "gf", "prints.title", ()),
    ("event_setup", "gn", "setup.title", ()),
    ("event_sessions", "ge", "sessions.title", ("change_sessions",)),
    ("staff", "gp", "staff.title", ("change_staff",)),
)
"""The pages that every page links to: endpoint, keys, the title's key, further routes of the page. Each is shown to those who may open it.
"""

ASSETS = frozenset(endpoint for endpoint, page in PAGES.items() if page.audience is Audience.PROGRAMS)
"""Endpoints without a session look-up; ``metrics`` checks its own readers."""


def page_at(routes: Map, path: str) -> tuple[PageRow, str] | None:
    """The row of a decoded path for GET, and the path rebuilt from its parts; None if there is none."""
    adapter = routes.bind("localhost")
    try:
        endpoint, parts = adapter.match(path, method="GET")
    except HTTPException:
        return None
    return (PAGES[endpoint], adapter.build(endpoint, parts)) if endpoint in PAGES else None


def may_open(routes: Map, roles: Collection[Role], address: str) -> bool:
    """Whether these roles may open an address of this site, so that it is linked."""
    found = page_at(routes, unquote(address.partition("?")[0]))
    return found is not None and (found[0].audience.roles is None or not found[0].audience.roles.isdisjoint(roles))
