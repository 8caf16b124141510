"""Prints and the club's own site: pages, bytes and processor seconds in one process.

Slips are those of a session of 64 tables; hand record, standings and site are those of an individual event of 16 tables with two sessions
of 16 hands. Ledgers hold only the lines that say who sat where and what was scored: rivers are empty, walls are whole.
"""

import random
from collections.abc import Iterator, Mapping, Sequence

import pypdfium2

from benchmarks.support.measuring import drawn_scores, timed
from cli.event.publish import public_scope
from dashboard.access.viewer_scope import ViewerScope
from dashboard.i18n.words import WIND_CHARACTERS, Words, brief, exact, signed
from dashboard.prints.paper import paper
from dashboard.prints.pdf_writer import write_pdf
from dashboard.prints.results_file import results_file
from dashboard.prints.sheets import deal_sheets, standings_sheet
from dashboard.prints.slips import score_slips, seating_slips, slip_form, table_cards
from dashboard.publishing.club_site import club_site, site_environment, site_links
from tests.support.dashboard.desks import MemoryDesk, released
from tests.support.event.sessions import Play, hand_lines
from tests.support.wire.streams import START, Line, public_events
from twinwall.event.bundle.bundle_files import write_zip
from twinwall.event.management.changes import (
    EnteredPlayer,
    EntrantsEntered,
    EventChange,
    EventDescribed,
    SeatedGroup,
    SeatedPlayers,
    SessionSeated,
    TablesChosen,
)
from twinwall.event.player_names import NamesShown
from twinwall.event.store.store_contents import ManagementStep
from twinwall.game.rules import DEFAULT_RULES

SLIP_TABLES, TABLES, SESSIONS, HANDS = 64, 16, 2, 16
_Four = tuple[str, str, str, str]
_Seats = Mapping[str, _Four]


def measure() -> dict[str, object]:
    """Measure all prints and the site."""
    write_pdf("<p>fonts and library are read once</p>")
    words, slips, event = Words("en"), _event(SLIP_TABLES, 1, 0), _event(TABLES, SESSIONS, HANDS)
    names_width_mm, form = slip_form(DEFAULT_RULES, words)
    shared = {"exact": exact, "brief": brief, "signed": signed, "winds": WIND_CHARACTERS}
    return {
        "slip_tables": SLIP_TABLES,
        "seating_slips": _printed(slips, "seating_slips.html", slips=seating_slips(slips, 1, words), session=1),
        "table_cards": _printed(slips, "table_cards.html", cards=table_cards(slips, _seat_address, words)),
        "score_slips": _printed(slips, "score_slips.html", pages=list(score_slips(slips, 1, names_width_mm, words)), session=1, form=form),
        "tables": TABLES,
        "sessions": SESSIONS,
        "hand_record": _printed(event, "deals.html", sheets=[next(deal_sheets(event.results.deals(), words))], **shared),
        "standings": _printed(event, "standings.html", sheet=standings_sheet(event, None, words), session=None, **shared),
        "results": _printed(event, "results.html", results=results_file(event, words), **shared),
        "site_without_pdf": _site(event),
    }


def _printed(scope: ViewerScope, template: str, **values: object) -> dict[str, float]:
    """Measure the print of a template."""
    environment, words = site_environment(site_links(scope)), Words("en")
    seconds, content = timed(lambda: write_pdf(paper(environment, template, words, event=scope.event_name, **values)))
    document = pypdfium2.PdfDocument(content)
    pages = len(document)
    document.close()
    return {"pages": pages, "bytes": len(content), "processor_s": round(seconds, 2)}


def _seat_address(table: str, place: int) -> str:
    return f"https://192.168.178.20:8443/seat/{table}/{place}?code={table:0>3}{place}abcdefghijkl"


def _site(scope: ViewerScope) -> dict[str, float]:
    seconds, site = timed(lambda: club_site(scope, "en", None))
    largest = max(len(content) for name, content in site.items() if name.endswith(".html"))
    sizes = {"bytes": sum(map(len, site.values())), "zip_bytes": len(write_zip(site)), "largest_page": largest}
    return {"files": len(site), **sizes, "processor_s": round(seconds, 2)}


def _event(tables: int, sessions: int, hands: int) -> ViewerScope:
    """Return a managed event of individuals with random seats, four tables a group, all deals released."""
    chance, desk = random.Random(1), MemoryDesk()
    names = [str(number) for number in range(1, tables + 1)]
    players = [str(number) for number in range(1, 4 * tables + 1)]
    seats = {session: _seats(names, chance.sample(players, len(players))) for session in range(1, sessions + 1)}
    for change in _changes(names, players, seats):
        desk.manage(ManagementStep(change, "Li Na", START), None)
    for table in names:
        for event in public_events(list(_script(table, seats, hands, chance)), table):
            desk.hall.take(event)
    for session in seats:
        for hand in range(1, hands + 1):
            desk.hall.release(released((session - 1) * hands + hand, START, session, hand))
    return public_scope(desk.hall, None, NamesShown.FULL)


def _seats(tables: Sequence[str], players: Sequence[str]) -> _Seats:
    fours = (players[4 * index : 4 * index + 4] for index in range(len(tables)))
    return {table: (one, two, three, four) for table, (one, two, three, four) in zip(tables, fours, strict=True)}


def _changes(tables: Sequence[str], players: Sequence[str], seats: Mapping[int, _Seats]) -> Iterator[EventChange]:
    yield EventDescribed("individual", DEFAULT_RULES, sessions=len(seats))
    yield EntrantsEntered(tuple(map(EnteredPlayer, players)))
    yield TablesChosen(tuple(tables))
    for session, of in seats.items():
        seated = [SeatedPlayers(table, of[table]) for table in tables]
        groups = (SeatedGroup(str(first // 4 + 1), tuple(seated[first : first + 4])) for first in range(0, len(seated), 4))
        yield SessionSeated(session, tuple(groups))


def _script(table: str, seats: Mapping[int, _Seats], hands: int, chance: random.Random) -> Iterator[Line]:
    for session, of in seats.items():
        for hand in range(1, hands + 1):
            yield from hand_lines(Play((session - 1) * hands + hand, session, hand, table, of[table], drawn_scores(chance)))
