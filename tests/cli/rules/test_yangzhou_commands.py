"""``twinwall rules score`` and ``twinwall record settle`` for Yangzhou: exact answers, and who is liable."""

import json
import random
from dataclasses import replace

import pytest

from tests.cli.rules.test_score_command import asked
from tests.cli.rules.test_settle_command import settled
from tests.support.game.tables import Table, random_walls
from twinwall.game.play_events import HandEnded
from twinwall.game.record import HandRecord
from twinwall.game.rules import rule_set

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
    total = each["total"]
    assert isinstance(total, int)
    assert each["payments"] == {"E": 2 * total, "S": 0, "W": -2 * total, "N": 0}
    assert liable["payments"] == {"E": 2 * total, "S": 0, "W": 0, "N": -2 * total}


@pytest.fixture(scope="module")
def record() -> HandRecord:
    """A hand that was won on a discard."""
    options = {"minimum": 0, "values": 13}
    for seed in range(60):
        table = Table(rule_set("yangzhou", options), random_walls(seed), random.Random(seed), eager=True, options=options).played()
        if table.wins and min(table.state.ended.scores.values() if table.state.ended else [0]) < -5 and table.state.turn not in table.wins:
            return table.record()
    raise AssertionError("no such hand")


def test_a_hand_is_settled_and_a_stake_limits_it(record: HandRecord) -> None:
    code, text = settled(record, "--json", rules="yangzhou")
    assert code == 0
    (payment,) = json.loads(text)["payments"]
    assert payment["reason"] == "win"
    assert payment["amount"] == max(record.scores.values())
    limited = {seat: max(-5, min(5, score)) for seat, score in record.scores.items()}
    ended = record.events[-1]
    assert isinstance(ended, HandEnded)
    staked = replace(
        record, options={**record.options, "stake": 5}, scores=limited, events=(*record.events[:-1], replace(ended, scores=limited))
    )
    code, text = settled(staked, "--json", rules="yangzhou")
    assert code == 0
    assert json.loads(text)["scores"] == {seat.value: score for seat, score in limited.items()}
    assert settled(replace(staked, options=record.options), "--json", rules="yangzhou")[0] == 1
