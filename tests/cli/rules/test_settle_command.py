"""``twinwall record settle``, and ``rules score`` of Yangzhou: a hand in; verdicts, fans, payments and who is liable out."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cli.rules.test_score_command import asked, fed
from tests.support.commands import Twinwall
from tests.support.game.seigo_tables import SeigoTable, seigo_deal
from tests.support.game.sichuan_tables import SichuanTable, sichuan_walls
from tests.support.game.tables import Table, random_walls
from tests.support.narrowed import of_type
from twinwall.game.play_events import HandEnded, TileDiscarded
from twinwall.game.record import HandRecord
from twinwall.game.rules import rule_set
from twinwall.game.tiles import SEATS, Tile


def settled(record: HandRecord | str, *words: str, rules: str = "sichuan") -> tuple[int, str]:
    return fed(record if isinstance(record, str) else json.dumps(record.to_json()), "settle", "--rules", rules, *words)


@pytest.fixture(scope="module")
def record() -> HandRecord:
    """A hand of Sichuan with two wins, a kong and a hand that was not ready."""
    for seed in range(100):
        table = SichuanTable(rule_set("sichuan"), sichuan_walls(seed, alike=20), random.Random(seed), eager=True).played()
        reasons = {payment.reason for payment in table.rules.payments(table.state, table.wins)}
        if len(table.wins) == 2 and {"kong", "not-ready"} <= reasons:
            return table.record()
    raise AssertionError("no such hand")


def test_a_hand_is_settled_with_reasons_and_zero_sum(record: HandRecord) -> None:
    code, text = settled(record, "--json")
    document = json.loads(text)
    assert code == 0
    assert document["events"] == [{"seq": number, "legal": True} for number in range(1, len(record.events) + 1)]
    assert document["scores"] == {seat.value: record.scores[seat] for seat in SEATS}
    gains = dict.fromkeys("ESWN", 0)
    for payment in document["payments"]:
        gains[payment["from"]] -= payment["amount"]
        gains[payment["to"]] += payment["amount"]
    assert gains == document["scores"]
    assert {payment["reason"] for payment in document["payments"]} >= {"win", "kong", "not-ready"}
    assert all(fan.keys() == {"id", "name", "value", "count"} for fan in document["fan"])


def test_a_hand_of_seigo_is_settled_with_its_riichi_and_indicators() -> None:
    walls, rest = seigo_deal(4)
    table = SeigoTable(rule_set("seigo"), walls, random.Random(4), eager=True, rest=rest).played()
    assert table.wins
    code, out = settled(table.record(), "--json", rules="seigo")
    answer = json.loads(out)
    assert code == 0
    assert answer["scores"] == {seat.value: table.record().scores[seat] for seat in SEATS}
    assert {payment["reason"] for payment in answer["payments"]} == {"win"}
    assert "riichi" in {fan["id"] for fan in answer["fan"]}


def test_wrong_scores_are_named_and_what_the_rules_pay_is_said(record: HandRecord) -> None:
    ended = of_type(HandEnded, record.events[-1])
    scores = dict.fromkeys(SEATS, 0)
    code, text = settled(replace(record, events=(*record.events[:-1], HandEnded(ended.reason, scores)), scores=scores), "--json")
    document = json.loads(text)
    assert code == 1
    assert document["events"][-1] == {"seq": len(record.events), "legal": False, "reason": "wrong-scores"}
    assert document["scores"] == {seat.value: record.scores[seat] for seat in SEATS}


def test_the_illegal_event_that_made_the_others_illegal_is_named(record: HandRecord, capsys: pytest.CaptureFixture[str]) -> None:
    """A discard of a tile that is not held does not count: nor does what everybody did after it."""
    at = next(number for number, event in enumerate(record.events) if isinstance(event, TileDiscarded))
    discard = of_type(TileDiscarded, record.events[at])
    other = next(tile for tile in map(Tile, range(27)) if record.walls and tile not in record.walls[discard.seat].tiles)
    wrong = replace(record, events=(*record.events[:at], TileDiscarded(discard.seat, other), *record.events[at + 1 :]))
    assert json.loads(settled(wrong, "--json")[1])["events"][at] == {"seq": at + 1, "legal": False, "reason": "not-held"}
    assert settled(replace(wrong, walls=None))[0] == 0, "without walls nobody can tell"
    wrong = replace(record, events=(*record.events[:at], *record.events[at + 1 :]), walls=None)
    capsys.readouterr()
    code, text = settled(wrong)
    first, *others = [line for line in text.splitlines() if "is not legal" in line]
    assert code == 1
    assert first.startswith(f"event {at + 1} is not legal: ")
    assert "because" not in first
    assert others[0].endswith(f"(because event {at + 1}, which is not legal, does not count)")
    settled(wrong, "--json")
    assert capsys.readouterr().err.splitlines() == [first, *others]


def test_people_read_who_pays_whom(record: HandRecord) -> None:
    code, text = settled(record)
    assert code == 0
    assert "(not-ready)" in text
    assert text.splitlines()[-1].startswith("scores   E ")


def test_options_of_a_file_hold_where_the_record_says_nothing(record: HandRecord, tmp_path: Path) -> None:
    (tmp_path / "options.toml").write_text("rate = 10\n")
    _, text = settled(record, "--json", "--options", str(tmp_path / "options.toml"))
    assert json.loads(text)["scores"] == {seat.value: 10 * record.scores[seat] for seat in SEATS}
    _, text = settled(replace(record, options={"rate": 1}), "--json", "--options", str(tmp_path / "options.toml"))
    assert json.loads(text)["scores"] == {seat.value: record.scores[seat] for seat in SEATS}


@pytest.mark.parametrize("text", ["", "[]", "{}"])
def test_what_is_no_record_is_wrong_use(text: str) -> None:
    assert settled(text, "--json") == (2, "")


def test_a_record_of_other_rules_is_wrong_use(record: HandRecord) -> None:
    assert settled(record, "--json", rules="mcr-duplicate") == (2, "")


def test_an_empty_list_of_records_is_not_a_list_that_holds(tmp_path: Path, twinwall: Twinwall) -> None:
    (tmp_path / "hands.json").write_text("[]")
    assert "holds no hand records" in twinwall("replay", tmp_path / "hands.json", code=2).err


STRAIGHT: dict[str, object] = {
    "concealed": "456m 456m 789m 5p",
    "melds": [{"type": "chow", "tiles": "123m", "from": "N"}],
    "winning": "5p",
    "self_drawn": False,
    "from": "W",
    "seat": "E",
    "round": "S",
    "flags": ["last_of_kind"],
    "options": {"minimum": 18},
}


def test_bonuses_stand_among_the_fans_so_that_they_add_up() -> None:
    """板龍 with 平胡 is 51; 欠一 and 独吊 come on top."""
    code, (answer,) = asked([STRAIGHT], rules="yangzhou")
    assert code == 0
    assert answer == {
        "win": True,
        "fan": [
            {"id": "pure-straight", "name": "一条龍", "value": 20, "count": 1},
            {"id": "pure-double-chow", "name": "一板", "value": 15, "count": 1},
            {"id": "one-voided-suit", "name": "欠一", "value": 1, "count": 1},
            {"id": "all-chows", "name": "平胡", "value": 1, "count": 1},
            {"id": "single-wait", "name": "独吊", "value": 1, "count": 1},
            {"id": "double-chow-straight", "name": "板龍", "value": 15, "count": 1},
        ],
        "total": 53,
        "payments": {"E": 106, "S": 0, "W": -106, "N": 0},
    }


def test_melds_are_taken_in_the_order_made() -> None:
    """The chow of 345m is third by its ``order``, the pung by its place: whoever fed the third is liable only for a chow."""
    chows = [{"type": "chow", "tiles": tiles, "from": "N"} for tiles in ("123m", "345m")]
    pung = {"type": "pung", "tiles": "777m", "from": "S"}
    hand = {**STRAIGHT, "concealed": "99m 55m", "winning": "5m", "melds": [*chows, pung]}
    last = {**hand, "melds": [{**chows[0], "order": 1}, {**chows[1], "order": 3}, {**pung, "order": 2}]}
    _, (each, liable) = asked([hand, last], rules="yangzhou")
    total = of_type(int, each["total"])
    assert each["payments"] == {"E": 2 * total, "S": 0, "W": -2 * total, "N": 0}
    assert liable["payments"] == {"E": 2 * total, "S": 0, "W": 0, "N": -2 * total}


@pytest.fixture(scope="module")
def record_of_yangzhou() -> HandRecord:
    options = {"minimum": 0, "values": 13}
    for seed in range(60):
        table = Table(rule_set("yangzhou", options), random_walls(seed), random.Random(seed), eager=True, options=options).played()
        if table.wins and min(table.state.ended.scores.values() if table.state.ended else [0]) < -5 and table.state.turn not in table.wins:
            return table.record()
    raise AssertionError("no such hand")


def test_a_hand_is_settled_and_a_stake_limits_it(record_of_yangzhou: HandRecord) -> None:
    code, text = settled(record_of_yangzhou, "--json", rules="yangzhou")
    assert code == 0
    (payment,) = json.loads(text)["payments"]
    assert payment["reason"] == "win"
    assert payment["amount"] == max(record_of_yangzhou.scores.values())
    limited = {seat: max(-5, min(5, score)) for seat, score in record_of_yangzhou.scores.items()}
    ended = of_type(HandEnded, record_of_yangzhou.events[-1])
    staked = replace(
        record_of_yangzhou,
        options={**record_of_yangzhou.options, "stake": 5},
        scores=limited,
        events=(*record_of_yangzhou.events[:-1], replace(ended, scores=limited)),
    )
    code, text = settled(staked, "--json", rules="yangzhou")
    assert code == 0
    assert json.loads(text)["scores"] == {seat.value: score for seat, score in limited.items()}
    assert settled(replace(staked, options=record_of_yangzhou.options), "--json", rules="yangzhou")[0] == 1
