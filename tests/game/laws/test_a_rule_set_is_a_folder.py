"""A rule set is a folder: adding one needs no change elsewhere, and no other module names a rule set."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli import main
from config.reading import DEFAULT_RULES as DEFAULT_OF_SETTINGS
from simulator.players.strategies import player_of
from simulator.players.strategies.player import PatternStrategy, Taste
from tests.support.game.toy_rules.added import NAME, toy_rules_added
from tests.support.simulator.disturbed_hands import whole_hand
from twinwall.game.deals import SEED_SIZE, Deal, Seed, Start, StartedPlan, commit, make_deal, make_slip, plan_sessions, verify_slip
from twinwall.game.documents import pretty_json
from twinwall.game.play_events import HandEnded
from twinwall.game.record import HandRecord
from twinwall.game.replay import replay
from twinwall.game.rules import DEFAULT_RULES, RuleSetError, folder_of, rule_set, rule_set_names, wall_layout
from twinwall.game.tiles import SEATS

TOP = Path(__file__).parents[3]
ROOMS = ("twinwall", "controller", "dashboard", "config", "vision", "firmware_bridge", "centre", "cli", "simulator", "tableside")
SEEDS = {"server": Seed(bytes(range(SEED_SIZE)))}
HAND = {"concealed": "111m 222p 12345p 33p", "winning": "4m", "self_drawn": True, "seat": "S"}


@pytest.fixture(autouse=True)
def added() -> Iterator[None]:
    with toy_rules_added():
        yield


def deal() -> Deal:
    return make_deal(plan_sessions("toy", NAME, sessions=1, hands=1, holders=["server"], public=""), SEEDS, 1, "now")


def test_it_is_known_by_its_folder_and_dealt_as_the_folder_says() -> None:
    assert NAME in rule_set_names()
    dealt = deal()
    assert [(len(dealt.walls[seat].hand), len(dealt.walls[seat].draws)) for seat in SEATS] == [(13, 3)] * 4
    assert len(dealt.rest) == 72 - 4 * 16
    assert Deal.from_json(pretty_json(dealt.to_json())) == dealt
    plan = plan_sessions("toy", NAME, sessions=1, hands=1, holders=["server"], public="")
    started = StartedPlan(plan, Start(plan.digest, commit(plan, SEEDS).root, "now"))
    assert verify_slip(started, make_slip(plan, SEEDS, 1, "now")) == dealt


def test_simulated_players_play_it_and_the_record_replays() -> None:
    toy, dealt = rule_set(NAME, {"points": 5}), deal()
    assert isinstance(player_of(toy, Taste()), PatternStrategy)
    events = whole_hand(toy, dealt.walls, 1, rest=dealt.rest)
    assert isinstance(events[-1], HandEnded)
    scores = events[-1].scores
    record = HandRecord("toy", 1, 1, 1, "1", NAME, {"points": 5}, dict.fromkeys(SEATS, "-"), dealt.check, events, scores, walls=dealt.walls)
    again = replay(HandRecord.from_json(pretty_json({**record.to_json(), "rest": dealt.to_json()["rest"]})))
    assert again.legal
    assert again.scores == scores
    assert sorted(scores.values()) == [-5, -5, -5, 15], "somebody won"


def test_its_hands_are_scored_on_the_command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(HAND).encode())))
    assert main(["score", "--rules", NAME, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["payments"] == {"E": -1, "S": 3, "W": -1, "N": -1}


def test_what_is_not_known_is_refused_with_what_is() -> None:
    with pytest.raises(RuleSetError, match=r"'toy-dice' is not known; known are .*toy-dots"):
        wall_layout("toy-dice")
    with pytest.raises(RuleSetError, match="'toy-dice' is not known"):
        make_deal(plan_sessions("toy", "toy-dice", sessions=1, hands=1, holders=["server"], public=""), SEEDS, 1, "now")


def test_no_module_or_page_outside_its_folder_and_its_strategy_names_a_rule_set() -> None:
    """Forms of other programs are made for one rule set each and say so: another rule set changes nothing there. Texts of the pages
    are optional, so catalogues are not read; the commands' examples name one."""
    names = [name for name in rule_set_names() if name != NAME]
    words = {word.lower() for word in (*names, *map(folder_of, names))}
    own = [TOP / "twinwall/game/rules" / folder_of(name) for name in names]
    strategies = [TOP / "simulator/players/strategies" / f"{folder_of(name)}.py" for name in names]
    forms = TOP / "twinwall/event/forms"
    lines = [
        f"{path.relative_to(TOP)}: {line}"
        for room in ROOMS
        for path in sorted((TOP / room).rglob("*"))
        if path.suffix in (".py", ".html", ".css", ".js")
        and path not in (*strategies, TOP / "cli/commands.py")
        and "tests" not in path.relative_to(TOP).parts
        and not any(folder in path.parents for folder in (*own, forms))
        for line in _lines_with(words, path.read_text(encoding="utf-8"))
    ]
    default = f'DEFAULT_RULES = "{DEFAULT_RULES}"'
    assert sorted(lines) == [f"config/reading.py: {default}", f"twinwall/game/rules/__init__.py: {default}"]
    assert DEFAULT_OF_SETTINGS == DEFAULT_RULES


def _lines_with(words: set[str], text: str) -> list[str]:
    if not any(word in text.lower() for word in words):
        return []
    return [line for line in text.splitlines() if any(word in line.lower() for word in words)]
