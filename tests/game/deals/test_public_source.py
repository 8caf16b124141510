"""The source of the public value: which values can come from what a plan names."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from cli import main
from twinwall.game.deals import DealError, check_drawn, check_random, check_source
from twinwall.game.tiles import ALL_TILES, format_tiles

DRAND = "beacon: drand quicknet, round 12345678"
TILES = "1m 5p 9s E S W N C"


@pytest.mark.parametrize(
    ("source", "value"),
    [
        (DRAND, "0f" * 32),
        ("beacon: NIST 2.0, 2026-11-20T12:00Z", "0f" * 64),
        ("tiles: 8", TILES),
        ("tiles drawn in the room", "5p 3s E"),
        ("", "anything"),
        ("vector: given in the test", "2026-11-20 12:00 UTC"),
    ],
)
def test_a_value_of_the_form_that_the_plan_names_is_taken_and_a_sentence_fits_every_value(source: str, value: str) -> None:
    check_drawn(source, value)


@pytest.mark.parametrize(
    ("source", "value", "said"),
    [
        (DRAND, "5p 3s E", "64 or 128 lower-case hex digits"),
        (DRAND, "0F" * 32, "in lower case"),
        (DRAND, "0f" * 31, "64 or 128"),
        ("tiles: 8", TILES.replace(" C", ""), "8 tiles are drawn, these are 7"),
        ("tiles: 8", TILES.replace("1m 5p", "1m5p"), "one blank between: '1m 5p 9s E"),
        ("tiles: 8", "0f" * 32, "8 tiles are drawn"),
    ],
)
def test_a_value_that_cannot_come_from_the_source_is_refused(source: str, value: str, said: str) -> None:
    with pytest.raises(DealError, match=said):
        check_drawn(source, value)


@pytest.mark.parametrize("source", ["beacon:", "beacon: drand", "beacon: drand, soon", "beacon: , round 5", "tiles: 7", "tiles: many"])
def test_a_source_without_its_pulse_or_its_number_of_tiles_is_refused(source: str) -> None:
    with pytest.raises(DealError, match="must"):
        check_source(source)


def test_plan_and_start_refuse_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--event", "Sanya", "--rules", "mcr-duplicate", "--sessions", "1", "--hands", "3", "--out", str(tmp_path / "plan.json")]
    assert main(["deals", "plan", *words, "--public", "beacon: drand"]) == 2
    assert "must name a beacon and its pulse" in capsys.readouterr().err
    assert main(["deals", "plan", *words, "--public", DRAND]) == 0
    (tmp_path / "seed").write_bytes(bytes(80))
    made = [str(tmp_path / name) for name in ("plan.json", "commitments.json", "start.json")]
    assert main(["deals", "commit", made[0], "--seed", f"server={tmp_path / 'seed'}", "--out", made[1]]) == 0
    start = ["deals", "start", made[0], "--commitments", made[1], "--out", made[2], "--public"]
    assert main([*start, "a good one"]) == 2
    assert "64 or 128 lower-case hex digits" in capsys.readouterr().err
    assert main([*start, "0f" * 32]) == 0


@pytest.mark.parametrize(("drawn", "kinds", "refused"), [(32, 1, True), (32, 10, True), (32, 11, False), (8, 2, True), (8, 3, False)])
def test_tiles_that_no_draw_shows_are_refused_before_they_are_fixed(drawn: int, kinds: int, refused: bool) -> None:
    value = format_tiles([ALL_TILES[number % kinds] for number in range(drawn)])
    check_drawn(f"tiles: {drawn}", value)
    with pytest.raises(DealError, match="no draw") if refused else nullcontext():
        check_random(f"tiles: {drawn}", value)
    check_random("drawn in the room", value)
