"""A whole hall in the middle of its first session, as every page is to be looked at: awkward names, a call, a fault, a sealed deal."""

import json
from pathlib import Path

from cli.demo.command import PUBLIC as TILES
from controller.recorder.violations import RULES
from dashboard.access.seat_codes import seat_code
from dashboard.actions.deal_orders import deal_plan
from tests.dashboard.browser.whole_site import WholeSite
from tests.support.dashboard.custody.vaults import TABLES, second_deal
from tests.support.dashboard.desks import MemoryDesk, teams_of_four
from tests.support.dashboard.example import closed_hand
from tests.support.dashboard.guided_tables import HAND, IDLE
from tests.support.dashboard.hall import SETTINGS, addresses
from tests.support.dashboard.staff import NAME
from tests.support.dashboard.tables.tables_in_play import question, unread
from tests.support.event.managed import PREPARED_TEAMS
from tests.support.wire.streams import Line
from twinwall.event.management.changes import SessionStarted

EVENT = "Autumn"
NAMES = {
    "1": "Wolfeschlegelsteinhausenbergerdorff " * 2 + "Elder",
    "2": "عبد الرحمن بن محمد الخوارزمي",
    "3": "👩‍👩‍👧‍👦 Ada 🀄 Lovelace",
    "4": "李娜",
    "5": "鈴木 花子",
    "6": "X" * 80,
    "7": "Müller-Lüdenscheidt",
    "8": "\u202bשרה\u202c Cohen",
}
"""Names as long as a name may be, from right to left, with pictures, and in Chinese and Japanese."""
TOLD: Line = ("violation", {"seat": "S", "what": "slow-play", "sentence": "South has not drawn within the limit"})
CALLED: Line = ("referee-called", {"seat": "S"})
JAM: Line = ("fault", {"code": "feeder-jam", "where": "0x21", "part": "tray", "number": 1, "sentence": "A tile is stuck."})
DOUBTED: Line = (
    "record-questioned",
    {"n": 1, "number": 6, "held": '{"type":"passed"}', "read": '{"type":"tile-discarded","seat":"S","tile":"6m"}', "margin": 12.0},
)
IN_DOUBT: Line = (
    "record-questioned",
    {
        "n": 1,
        "number": 9,
        "held": "",
        "read": "",
        "margin": 3.0,
        "seat": "W",
        "violations": {kind.value: rule for kind, rule in RULES.items()},
    },
)
OPEN_TABLE = "4"
"""Still plays the second deal, which the other three have closed."""


def hall_in_play(folder: Path, own_tables: str | None = None) -> WholeSite:
    """Deal 1 is released; deal 2 is closed at three tables and played at the fourth.

    There the record of deal 1 is doubted in an event and about a violation, somebody calls, the feeder is stuck, and the camera cannot
    read a discard. ``own_tables`` is the address of ``guided_tables``.
    """
    servers = {} if own_tables is None else {"readiness": own_tables, "phones": own_tables}
    site = WholeSite(folder, MemoryDesk(teams_of_four()), **servers)
    site.begin(EVENT)
    (folder / "names.json").write_text(json.dumps({"format": "twinwall-names-1", "players": NAMES}), encoding="utf-8")
    site.manage(*PREPARED_TEAMS)
    description = site.desk.event.description
    assert description is not None
    assert site.vaults.make_deals(deal_plan(EVENT, description, ("server",), "tiles: 32"), "passphrase of the vault", NAME) is None
    assert site.vaults.fix_start(TILES, NAME) is None
    site.manage(SessionStarted(1))
    for table in TABLES:
        second = second_deal(table) if table != OPEN_TABLE else [*second_deal(table)[:60], DOUBTED, IN_DOUBT, TOLD, CALLED, JAM, unread()]
        site.feed(_by_number([*closed_hand(table), *second], site.desk.event.seats(1)[table]), table)
        site.heartbeat(table)
    site.views.ask(OPEN_TABLE, question(n=2))
    site.release()
    return site


def _by_number(script: list[Line], players: tuple[str, str, str, str]) -> list[Line]:
    """The ledger of a table that knows its players by their numbers, as in an event."""
    seats = dict(zip("ESWN", players, strict=True))
    return [(name, {**fields, "seats": seats} if "seats" in fields else fields) for name, fields in script]


def addresses_in_play(site: WholeSite) -> dict[str, str]:
    values = {
        "name": OPEN_TABLE,
        "table": OPEN_TABLE,
        "n": "2",
        "number": "1",
        "player": "1",
        "event_player.name": "1",
        "event_team.name": "A",
        "place": "0",
        "kind": "record",
    }
    own = {f"{page}.table": IDLE for page in ("ready_table", "ready_mat", "record_only", "recorded_hand", "recorded_file")}
    numbers = {"earlier_hand.n": "1", "record_question.n": "1", "replay.n": "1", "recorded_hand.name": HAND}
    found = addresses(site.app, {**values, **own, **numbers})
    code = seat_code(SETTINGS.secret, EVENT, OPEN_TABLE, 0)
    return {**found, "seat": f"{found['seat']}?code={code}", "released deal": "/deal/1", "one session": "/standings?session=1"}
