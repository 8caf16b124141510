"""Four simulated people, the world over HTTP, real pins: whole hands against a toy controller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.game.tables import walls_with_kongs
from tests.support.simulator.toy_table import rehearse, toy_table, walls_of
from tests.support.simulator.world_fakes import Walls
from tests.support.tiers import some
from twinwall.game.play_events import Claimed, KongDeclared, MeldType, PlayEvent
from twinwall.game.rule_set import Win
from twinwall.game.tiles import SEATS

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Played:
    events: tuple[PlayEvent, ...]
    score: Win | None
    confirmed_by: Sequence[int]


def play_hand(folder: Path, monkeypatch: pytest.MonkeyPatch, walls: Walls, *, faints: bool = False, restarts: bool = False) -> Played:
    """One whole hand through every wire that players have."""
    with toy_table(folder, monkeypatch) as (table, crew):
        controller = table.controller(faints=faints, disturb=crew.restart_now_and_then if restarts else lambda: None)
        controller.play(walls=walls)
        assert not restarts or crew.restarts >= 2
    return Played(tuple(controller.events), controller.score, controller.confirmed_by)


OFF_A_DISCARD, SELF_DRAWN, NOT_WON, SHORT = 30, 31, 10, 20
"""Wall seeds of hands that end in different ways, and of one that is won early."""
KONGS = tuple(tuple(wall.tiles for wall in walls_with_kongs(seed).values()) for seed in (61, 68))


@pytest.mark.parametrize("wall_seed", some([OFF_A_DISCARD, SELF_DRAWN, NOT_WON], 1))
def test_four_people_play_the_hand_that_their_strategies_would_play_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wall_seed: int
) -> None:
    played = play_hand(tmp_path, monkeypatch, walls_of(wall_seed))
    rehearsed = rehearse(walls_of(wall_seed))
    assert played.events == rehearsed.events
    assert played.score == rehearsed.win
    proposer = SEATS[0].index if rehearsed.winner is None else rehearsed.winner.index
    assert played.confirmed_by == [proposer, (proposer + 1) % 4]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("walls", "made"),
    some(
        [
            (KONGS[0], [MeldType.CONCEALED_KONG, MeldType.ADDED_KONG, MeldType.CONCEALED_KONG, "out-with-replacement-tile"]),
            (KONGS[1], [MeldType.KONG, MeldType.ADDED_KONG, "robbing-the-kong"]),
        ],
        1,
    ),
)
def test_kongs_are_made_replaced_robbed_and_turned_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, walls: Walls, made: list[str]
) -> None:
    played = play_hand(tmp_path, monkeypatch, walls)
    rehearsed = rehearse(walls)
    assert played.events == rehearsed.events
    kongs = [event.meld.type for event in played.events if isinstance(event, Claimed | KongDeclared) and "kong" in event.meld.type]
    assert kongs == made[:-1]
    assert played.score is not None
    assert made[-1] in {fan.id for fan in played.score.fans}


@pytest.mark.nightly
def test_a_claim_that_the_controller_forgot_is_pressed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = play_hand(tmp_path, monkeypatch, walls_of(SHORT), faints=True)
    assert played.events == rehearse(walls_of(SHORT)).events
    assert played.score is not None


@pytest.mark.nightly
@pytest.mark.parametrize("walls", some([walls_of(SHORT), KONGS[1], KONGS[0]], 1))
def test_players_who_leave_again_and_again_and_are_replaced_play_the_same_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, walls: Walls
) -> None:
    played = play_hand(tmp_path, monkeypatch, walls, restarts=True)
    rehearsed = rehearse(walls)
    assert played.events == rehearsed.events
    assert played.score == rehearsed.win
