"""The hall's and a table's page: what is drawn and said, in three languages."""

import html
import re
from datetime import timedelta

import pytest

from controller.state.faults import STAFF_FAULTS, feeder_fault, foreign_tile, no_rear_gate, unread_tile, wrong_port
from dashboard.i18n.words import Words, accepted_language, signed
from dashboard.pages.table.presentation import place_name
from dashboard.pages.table.table_pieces import LARGEST_NAME, LEAST_NAME, name_lines
from dashboard.projections.hall_views import UNHEARD_AFTER_S, Level, ViewerChannel
from dashboard.projections.table_view import TablePhase
from firmware_bridge.messages import FaultCode, Where
from tests.support.dashboard.example import SELF_DRAWN, building, play, whole_hand
from tests.support.dashboard.hall import Hall, must_say
from tests.support.tiers import one_in
from tests.support.wire.streams import START, Line, public_events
from twinwall.art.names import LANGUAGES, Language
from twinwall.wire.events.trouble_events import TableFault, TablePart
from twinwall.wire.messages.commands import FeederLinkQuality
from vision.cameras.port import CameraFault
from vision.mat import Area, Slot

LONG_S = 3600
TOLD = "a <tile> of 5m"
"""A sentence in which a table says something."""


def table_page(hall: Hall, *script: Line, language: str = "en") -> str:
    """The table's page after these lines and the building of its walls."""
    hall.feed([*building(), *script])
    return hall.client.get(f"/table/1?lang={language}").text


def piece(page: str, name: str) -> str:
    """The markup of one group of the board, from its id to the next group with one."""
    start = page.index(f'id="{name}"')
    following = re.search(r'<g id="|</svg>', page[start:])
    return page[start : start + following.start()] if following else page[start:]


def alarms_of(page: str) -> str:
    start = page.index('id="alarms"')
    return page[start : page.index("</ul>", start)]


def tiles(markup: str) -> list[str]:
    return re.findall(r"#t-(\w+)", markup)


def test_a_hall_that_has_heard_nobody_says_so_and_that_the_broker_is_away_until_it_is_there(entered: Hall) -> None:
    must_say(entered.client.get("/").text, "No table has been heard yet…", "twinwall demo", "The broker is not reached")
    entered.views.connection(True)
    assert "The broker is not reached" not in entered.client.get("/").text
    entered.views.restore({"1": public_events(whole_hand())})
    page = entered.client.get("/").text
    assert "No table has been heard yet" not in page, "one is stored"
    assert "not heard since the dashboard was started" in page


def test_a_known_table_has_its_page_before_it_is_heard_and_one_that_nobody_knows_is_named(entered: Hall) -> None:
    hall = Hall(type(entered.views)("boot", ("A", "B")))
    hall.log_in()
    must_say(hall.client.get("/").text, "Table A: Not heard", "not heard yet")
    page = hall.client.get("/table/B").text
    assert "Not heard" in piece(page, "centre")
    assert "Not heard" in page[page.index('id="now"') :]
    assert "The table waits for its deal." not in page
    assert "Waiting" not in page
    hall.heartbeat("B")
    assert "The table waits for its deal." in hall.client.get("/table/B").text
    answer = hall.client.get("/table/%3Cb%3E7")
    assert (answer.status_code, "There is no table “&lt;b&gt;7” here." in answer.text) == (404, True)
    assert hall.client.get("/events?table=9").status_code == 404


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ([*building()][:2], "Deal 1 was opened and agrees with its commitment."),
        ([*building(steps=136)][:89], "87 of 136 tiles are in place."),
        ([*building()][:11], "The wall is ready: every kind counts four."),
        ([*building()][:12], "The players take their thirteen tiles."),
        ([*building()], "All hands are taken; East begins."),
        ([*building(), *play("")], "East draws."),
        ([*building(), *play("E2p")][:-2], "East is to discard."),
        ([*building(), *play("E2p")], "East discarded; the others may call."),
        ([*building(), *play(SELF_DRAWN)], "East declares a win and shows the hand."),
        ([*whole_hand()][:-4], "East has shown the hand."),
        ([*whole_hand()][:-3], "East entered the payments; another seat confirms them."),
        ([*whole_hand()][:-1], "The payments are confirmed."),
        (whole_hand(), "East won. The hand is closed."),
    ],
)
def test_the_phase_is_said_in_a_sentence(entered: Hall, script: list[Line], said: str) -> None:
    entered.feed(script)
    assert said in entered.client.get("/table/1").text


def test_the_newest_discard_is_marked_and_only_it(entered: Hall) -> None:
    page = table_page(entered, *play("E2p SE WW"))
    assert page.count('class="last"') == 1
    assert "West wind, the last discard" in piece(page, "river-W")


def test_no_hand_is_shown_before_its_owner_shows_it(entered: Hall) -> None:
    page = table_page(entered, *play(SELF_DRAWN))
    assert "Concealed hands are not available to anybody during play" in page
    for seat in "SWN":
        assert set(tiles(piece(page, f"hand-{seat}"))) == {"back"}
    assert tiles(piece(page, "hand-E")) == ["back"] * 11 + ["8m", "7m", "9m"]


def test_a_closed_hand_is_drawn_with_its_rivers_its_ghost_its_winning_tile_apart_and_who_entered_and_confirmed(entered: Hall) -> None:
    entered.feed(whole_hand())
    page = entered.client.get("/table/1").text
    north = piece(page, "river-N")
    assert tiles(north) == ["1m", "F", "4p", "5p", "8m", "2m", "1p", "6s"]
    assert "8 of characters, claimed by East" in north
    assert north.count('class="ghost"') == 1
    assert tiles(piece(page, "river-E")) == ["2p", "6m", "4p", "9p", "C", "C", "6m", "6p"]
    assert tiles(piece(page, "hand-E")) == ["7p", "8p", "9p", "1s", "1s", "1s", "2s", "3s", "8s", "9s", "7s", "8m", "7m", "9m"]
    must_say(page, "17 fan", "entered by East", "confirmed by North", '<th scope="row">Mixed triple chow 三色三同顺</th>')
    assert page.count("−25") == 3
    assert len(page) < 150 * 1024
    for language in ("ja", "zh-Hans"):
        assert '<th scope="row">三色三同顺</th>' in entered.client.get(f"/table/1?lang={language}").text


@pytest.mark.parametrize(
    ("name", "two", "lines"),
    [
        ("李娜", True, ["李娜"]),
        ("Moretti Ida", True, ["Moretti", "Ida"]),
        ("Müller-Lüdenscheidt", True, ["Müller-", "Lüdenscheidt"]),
        ("Müller-Lüdenscheidt", False, ["Müller-Lüdenscheidt"]),
        ("Ä" * 64, True, ["ÄÄÄÄÄÄÄÄÄÄÄ…"]),
    ],
)
def test_the_name_on_a_plate_is_broken_where_its_parts_meet_and_never_too_small(name: str, two: bool, lines: list[str]) -> None:
    found = name_lines(name, 98, two=True) if two else name_lines(name, 216, two=False)
    assert [line for line, _ in found] == lines
    assert all(LEAST_NAME <= size <= LARGEST_NAME for _, size in found)


def test_walls_show_gaps_where_tiles_were_drawn_and_the_open_gate(entered: Hall) -> None:
    page = table_page(entered, *play("E2p SE WW N1m"), ("claims-closed", {}), ("passed", {}), ("gate-unlocked", {"seat": "E"}))
    east = piece(page, "wall-E")
    assert (east.count('"gap"'), east.count('"next"'), east.count('"back"')) == (1, 1, 19)
    assert piece(page, "wall-S").count('"next"') == 0
    assert "80 in the walls" in page


@pytest.mark.parametrize(
    "after",
    [
        None,
        ("claim-refused", {"seat": "W"}),
        ("gate-unlocked", {"seat": "S"}),
        ("claimed", {"seat": "S", "meld": "chow", "tiles": "1p 2p 3p", "from": "E"}),
    ],
)
def test_a_call_is_lit_at_the_seat_that_is_bound_until_it_falls_or_is_answered(entered: Hall, after: Line | None) -> None:
    page = table_page(entered, *play("E2p"), ("claim-bound", {"seat": "W", "call": "pung"}), *([after] if after else []))
    assert ("Pung" in piece(page, "plate-W")) is (after is None)
    assert "Pung" not in piece(page, "plate-N")
    assert "cannot be followed" not in page


DRAWN: list[Line] = [("gate-unlocked", {"seat": "E"}), ("tile-drawn", {"seat": "E"})]
CALLED: Line = ("kong-called", {"seat": "E"})
HIDDEN: Line = ("kong-declared", {"seat": "E", "meld": "concealed_kong", "tiles": None})
SHOWN: list[Line] = [
    ("win-declared", {"seat": "E", "from": None, "tile": None}),
    ("hand-shown", {"seat": "E", "concealed": "2p 3p 4p 6p 7p 8p 9s 9s 7s 8s", "winning": "9s", "kongs": "1m"}),
]


def test_a_called_kong_is_lit_and_one_that_lies_face_down_is_four_backs(entered: Hall) -> None:
    entered.feed([*building(), *play(""), *DRAWN, CALLED])
    assert "Kong" in piece(entered.client.get("/table/1").text, "plate-E")
    entered.feed([*building(), *play(""), *DRAWN, CALLED, HIDDEN], table="2")
    page = entered.client.get("/table/2").text
    assert "Kong" not in piece(page, "plate-E")
    assert tiles(piece(page, "hand-E")) == ["back"] * (10 + 4)
    assert page.count("face-down tile") >= 4
    assert "East draws." in page
    entered.feed([*building(), *play(""), *DRAWN, CALLED, HIDDEN, *DRAWN, *SHOWN], table="3")
    page = entered.client.get("/table/3").text
    assert tiles(piece(page, "hand-E"))[-4:] == ["1m"] * 4, "it is turned up with the shown hand"
    assert tiles(page[page.index('id="result"') :])[:4] == ["1m"] * 4


def test_the_list_of_seats_shows_the_tiles_of_each_meld(entered: Hall) -> None:
    entered.feed([*building(), *play("E5s S:chow:4s.5s.6s")])
    (seats,) = re.findall(r'<ul class="seats".*?</ul>', entered.client.get("/table/1").text, re.DOTALL)
    (meld,) = re.findall(r'<span class="meld">(.*?)</span>', seats, re.DOTALL)
    assert re.findall(r"#t-(\w+)", meld) == ["4s", "5s", "6s"]


@pytest.mark.parametrize(("options", "followed"), [({}, False), ({"several_winners": "each-full"}, True)])
def test_a_hand_is_followed_by_the_options_of_its_table(entered: Hall, options: dict[str, object], followed: bool) -> None:
    (_, started), *rest = play("E2p")
    wins: list[Line] = []
    for seat in ("S", "N"):
        wins += [
            ("win-declared", {"seat": seat, "from": "E", "tile": "2p"}),
            ("hand-shown", {"seat": seat, "concealed": "E", "winning": "2p"}),
        ]
    entered.feed([*building(), ("hand-started", {**started, "options": options}), *rest, *wins])
    assert ("cannot be followed" not in entered.client.get("/table/1").text) is followed


def test_a_tile_added_to_a_pung_can_be_robbed_and_lies_with_it(entered: Hall) -> None:
    punged: list[Line] = [
        *play("E2p"),
        ("claim-bound", {"seat": "W", "call": "pung"}),
        ("claims-closed", {}),
        ("claimed", {"seat": "W", "meld": "pung", "tiles": "2p 2p 2p", "from": "E"}),
        ("tile-discarded", {"seat": "W", "tile": "9m"}),
    ]
    around: list[Line] = []
    for seat, tile in (("N", "9s"), ("E", "9p"), ("S", "C")):
        around += [("passed", {}), ("tile-drawn", {"seat": seat}), ("tile-discarded", {"seat": seat, "tile": tile})]
    added: list[Line] = [
        ("passed", {}),
        ("tile-drawn", {"seat": "W"}),
        ("kong-called", {"seat": "W"}),
        ("kong-declared", {"seat": "W", "meld": "added_kong", "tiles": "2p 2p 2p 2p"}),
        ("claims-opened", {"seat": "W", "tile": "2p", "window_s": 3.0}),
    ]
    page = table_page(entered, *punged, *around, *added)
    assert tiles(piece(page, "hand-W"))[-4:] == ["2p"] * 4
    assert "West added a tile to a pung; the others may win on it." in page
    entered.feed([*building(), *punged, *around, *added, ("claims-closed", {}), ("passed", {})], table="2")
    assert "West draws." in entered.client.get("/table/2").text


@pytest.mark.parametrize(
    ("line", "said", "state"),
    [
        (("link-lost", {"what": "table-camera"}), "table camera gives no picture of the mat", "Fault"),
        (("fault", {"code": "x", "where": "Gate", "sentence": "A <flower> tile."}), "Gate: A <flower> tile.", "Fault"),
        (("deal-refused", {"n": 1, "reason": "digest", "sentence": "The digest differs."}), "Deal 1 was refused", "Deal refused"),
        (("referee-called", {"seat": "S"}), "South calls the referee.", "Referee"),
        (("deal-fouled", {"reason": "a fifth 5m"}), "a fifth 5m", "Ready to play"),
    ],
)
def test_trouble_is_an_alarm_at_the_table_and_the_hall_says_what_everybody_may_know(
    entered: Hall, line: Line, said: str, state: str
) -> None:
    page = table_page(entered, line)
    assert said in html.unescape(page)
    assert "<flower>" not in page
    assert f"Table 1: {state}" in entered.client.get("/").text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "line",
    [
        ("fault", {"code": "x", "where": "Gate 3", "sentence": TOLD}),
        ("fault", {"code": "x", "where": TOLD, "sentence": "Clear it."}),
        ("deal-refused", {"n": 1, "reason": "digest", "sentence": TOLD}),
        ("deal-fouled", {"reason": TOLD}),
        ("ruling-refused", {"ruling": "r1", "reason": "not-now", "sentence": TOLD}),
    ],
    ids=["fault", "place of a fault", "refused deal", "fouled deal", "refused ruling"],
)
def test_a_sentence_of_the_table_is_marked_as_english_in_other_languages_and_shown_as_text(
    entered: Hall, line: Line, language: Language
) -> None:
    page = table_page(entered, line, language=language)
    shown = "a &lt;tile&gt; of 5m"
    assert (shown if language == "en" else f'<span lang="en">{shown}</span>') in page
    assert '<span lang="en">' not in page or language != "en"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "The vault of seed holder witness is not heard: look at its machine and its network. The table plays the deals that it has"),
        ("ja", "シード保管者「witness」の保管庫と通信できません。"),
        ("zh-Hans", "收不到种子持有人“witness”的保管库"),
    ],
)
def test_the_table_names_the_seed_holder_whose_vault_it_does_not_hear(entered: Hall, language: str, said: str) -> None:
    missing: Line = ("link-lost", {"what": "vault:witness"})
    entered.feed([*building(), missing])
    assert said in html.unescape(entered.client.get(f"/table/1?lang={language}").text)
    assert said in html.unescape(entered.client.get(f"/calls?lang={language}").text)
    entered.feed([*building(), missing, ("link-restored", {"what": "vault:witness"})])
    assert said not in html.unescape(entered.client.get(f"/calls?lang={language}").text)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            "Drum: The set lacks tiles: put them into the well where it is open, else into the drum through the lid; then press CONFIRM.",
        ),
        ("ja", "ドラム：牌が不足しています。"),
        ("zh-Hans", "滚筒：缺牌："),
    ],
)
def test_a_known_fault_is_said_in_the_pages_language_and_its_tiles_are_shown(entered: Hall, language: Language, said: str) -> None:
    sentence = "The set lacks 3m 5p: put it into the well, then press CONFIRM"
    entered.feed(
        [*building(), ("fault", {"code": "missing-tiles", "where": "drum", "sentence": sentence, "tiles": "3m 5p", "part": "drum"})]
    )
    page = entered.client.get(f"/table/1?lang={language}").text
    alarms = alarms_of(page)
    assert said in alarms
    assert tiles(alarms) == ["3m", "5p"]
    assert Words(language)("log.fault", where=Words(language)("part.drum")) in page


@pytest.mark.parametrize(
    ("code", "sentence", "shown"),
    [
        ("missing-tiles", "The set lacks 3m.", '<span lang="en">The set lacks 3m.</span>'),
        ("extra-tile", "A fifth 7p lies.", '<span lang="en">A fifth 7p lies.</span>'),
        ("new-fault", "Something new.", '<span lang="en">Something new.</span>'),
        ("lid", "The lid is open", ""),
    ],
    ids=["its tiles are missing", "its tile is missing", "its code is new", "of before parts were fields"],
)
def test_a_fault_without_what_the_page_needs_keeps_the_tables_own_place_and_sentence(
    entered: Hall, code: str, sentence: str, shown: str
) -> None:
    page = table_page(entered, ("fault", {"code": code, "where": "place 2 river 5", "sentence": sentence}), language="ja")
    assert f'<span lang="en">place 2 river 5</span>：{shown}' in page


def test_every_fault_part_and_stage_of_the_table_has_its_words() -> None:
    feeder = {f"feeder-{code.name.lower().replace('_', '-')}" for code in FaultCode} - {"feeder-none"}
    for code in {*STAFF_FAULTS, "estop", "lid", "not-a-feeder", "wrong-feeder", "unread-tile", *feeder}:
        assert f"fault.{code}" in Words("en")
    assert not [part for part in TablePart if f"part.{part}" not in Words("en")]
    stages = set(TablePhase)
    assert not [key for key in (f"state.{stage}" for stage in stages) if key not in Words("en")]
    assert not [stage for stage in stages - {TablePhase.PLAYING, TablePhase.CLOSED} if f"phase.{stage}" not in Words("en")]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (foreign_tile(), "剔除格"),
        (wrong_port("It is a modem", another=False), "串口"),
        (feeder_fault(FaultCode.JAM, Where.DRUM), "滚筒"),
        (feeder_fault(FaultCode.JAM, Where.TRAY + 3), "牌盘3"),
        (feeder_fault(FaultCode.JAM, 0x97), '<span lang="en">0x97</span>'),
        (no_rear_gate(2, "seigo"), "2号位的门"),
        (no_rear_gate(5, "seigo"), "1号位的后门"),
        (unread_tile(Slot(2, Area.RIVER, 5)), "2号位牌河第6张"),
        (unread_tile(Slot(2, Area.MELD, 5)), "2号位第2组副露"),
        (unread_tile(Slot(0, Area.SHARED, 3)), "公共牌第4张"),
    ],
)
def test_the_place_of_a_fault_is_named_in_the_language(fault: TableFault, said: str) -> None:
    assert place_name(fault, Words("zh-Hans")) == said


def test_trouble_that_is_over_is_gone_from_the_page(entered: Hall) -> None:
    entered.feed(
        [
            *building(),
            ("fault", {"code": "jam", "where": "Gate", "sentence": "Jammed."}),
            ("link-lost", {"what": "feeder"}),
            ("link-restored", {"what": "feeder"}),
            ("fault-cleared", {"code": "jam"}),
        ]
    )
    page = entered.client.get("/table/1").text
    assert "Gate: Jammed." not in page
    assert "is not heard" not in page
    assert "Table 1: Ready to play" in entered.client.get("/").text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("why", [*one_in(3, CameraFault), "mat-of:12"])
def test_whatever_is_wrong_with_a_camera_the_pages_say_where_to_put_a_hand_until_it_is_back(
    entered: Hall, why: str, language: Language
) -> None:
    lost: list[Line] = [("link-lost", {"what": "table-camera"}), ("camera-trouble", {"what": "table-camera", "why": str(why)})]
    entered.feed([*building(), *lost])
    words = Words(language)
    said = words("camera.other-mat", table="1", named="12") if why == "mat-of:12" else words(f"camera.{why}")
    for page in ("/table/1", "/", "/calls"):
        assert said in html.unescape(entered.client.get(f"{page}?lang={language}").text), page
    entered.feed([*building(), *lost, ("link-restored", {"what": "table-camera"})])
    assert said not in html.unescape(entered.client.get(f"/calls?lang={language}").text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_worn_kind_is_shown_to_the_referee_of_its_table_until_it_is_read_well_again(entered: Hall, language: Language) -> None:
    worn: Line = ("tiles-worn", {"set": "blue", "tiles": "3p E", "looks": 31_415})
    entered.feed([*building(), worn])
    page = html.unescape(entered.client.get(f"/table/1?lang={language}").text)
    assert Words(language)("alarm.worn", set="blue", looks=31_415) in page
    assert tiles(alarms_of(page)) == ["3p", "E"]
    assert "31415" not in html.unescape(entered.client.get(f"/calls?lang={language}").text)
    entered.feed([*building(), worn, ("tiles-worn", {"set": "blue", "tiles": None, "looks": 0})])
    assert tiles(alarms_of(entered.client.get("/table/1").text)) == []


def test_a_table_that_falls_silent_is_shown_with_its_age(entered: Hall) -> None:
    entered.feed([*building()])
    entered.heartbeat()
    entered.views.tick(START + timedelta(seconds=UNHEARD_AFTER_S - 1))
    assert "No link" not in entered.client.get("/").text
    entered.views.tick(START + timedelta(seconds=LONG_S))
    must_say(entered.client.get("/").text, "Table 1: No link", f'data-age="{START:%Y-%m-%dT%H:%M:%S}.123Z"')
    entered.seconds = LONG_S
    entered.heartbeat()
    assert "No link" not in entered.client.get("/").text


def test_an_event_that_the_rules_forbid_is_said_and_not_drawn(entered: Hall) -> None:
    page = table_page(entered, *play("E2p"), ("tile-drawn", {"seat": "W"}), ("tile-discarded", {"seat": "W", "tile": "1m"}))
    must_say(page, "The events cannot be followed: line", "The hand cannot be drawn here; the table plays on.")
    assert tiles(piece(page, "river-E")) == []


def test_names_from_the_table_are_text_and_never_markup(entered: Hall) -> None:
    (_, started), *rest = play("E2p")
    names = {"E": "<script>alert(1)</script>", "S": '" onload="x', "W": "&amp;", "N": "{{ 7 * 7 }}"}
    page = table_page(entered, ("hand-started", {**started, "seats": names}), *rest)
    assert "<script>alert" not in page
    assert '" onload' not in page
    assert "{{ 7 * 7 }}" in page


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("ja,en;q=0.5", "ja"),
        ("de, zh-CN;q=0.8, en;q=0.5", "zh-Hans"),
        ("fr", "en"),
        ("", "en"),
        ("en;q=0, ja;q=0.1", "ja"),
        ("ja;q=x,zh", "zh-Hans"),
    ],
)
def test_the_browsers_languages_are_respected(header: str, language: str) -> None:
    assert accepted_language(header) == language


def test_hands_and_scores_are_written_as_players_write_them() -> None:
    assert [Words("en").hand(number) for number in (1, 4, 5, 16, 17)] == ["E1", "E4", "S1", "N4", "17"]
    for language in ("ja", "zh-Hans"):
        assert [Words(language).hand(number) for number in (1, 4, 5, 16, 17)] == ["東1", "東4", "南1", "北4", "17"]
    assert [signed(amount) for amount in (48, -8, 0)] == ["+48", "−8", "0"]


def test_the_feeders_line_is_told_on_the_tables_page_alone_and_stands_still_while_it_is_the_same(entered: Hall) -> None:
    line = FeederLinkQuality(3, 8, 2, 1, 4)
    entered.feed([*building()])
    entered.heartbeat()
    assert "Line to the feeder" not in entered.client.get("/table/1").text
    entered.heartbeat(line=line)
    page = entered.client.get("/table/1").text
    assert "half of the answers within 3 ms, 99 % within 8 ms · of 10,000 frames 2 damaged, 1 sent again · lost 4 ×" in page
    assert "Line to the feeder" not in entered.client.get("/").text
    here = ViewerChannel(Level.TABLE, "1")
    number = entered.views.sequence(here)
    entered.heartbeat(line=line)
    assert entered.views.sequence(here) == number


def test_a_referee_is_told_why_a_table_cannot_be_opened_when_the_disk_takes_nothing(entered: Hall) -> None:
    entered.feed(whole_hand())
    entered.desk.full = True
    closed = entered.client.get("/table/1").text
    assert "each look is written down first" in html.unescape(closed)
    assert "river-E" not in closed
    entered.desk.full = False
    assert "river-E" in entered.client.get("/table/1").text
