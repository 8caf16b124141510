"""Names of players: what stands for a number, the names file, and its commands."""

from dataclasses import replace
from pathlib import Path

import pytest

from cli import main
from config import write
from config.services import DashboardSettings
from tests.support.narrowed import of_type
from tools.default_settings import EXAMPLES
from twinwall.event.player_names import NamesShown, PlayerNames, read_names
from twinwall.game.documents import DocumentError

NAMES = PlayerNames({"7": "Ada van Okafor", "12": "李娜"})


@pytest.mark.parametrize(
    ("player", "full", "initials", "number"),
    [("7", "Ada van Okafor", "A. v. O. 7", "7"), ("12", "李娜", "李. 12", "12"), ("8", "8", "8", "8")],
)
def test_a_number_is_shown_as_the_event_says(player: str, full: str, initials: str, number: str) -> None:
    assert [NAMES.shown(player, how) for how in NamesShown] == [full, initials, number]


def test_a_name_that_a_ledger_recorded_is_shown_in_full_or_by_a_tag_that_tells_two_apart() -> None:
    names = PlayerNames()
    assert names.shown("Anna Berg", NamesShown.FULL) == "Anna Berg"
    initials = {names.shown(name, NamesShown.INITIALS) for name in ("Anna Berg", "Anton Blau")}
    assert len(initials) == 2
    assert all(text.startswith("A. B. #") for text in initials)
    assert names.shown("Anna Berg", NamesShown.NUMBER).startswith("#")


def test_the_names_file_reads_as_it_was_written() -> None:
    assert read_names(NAMES.document) == NAMES


PLAYERS = ('{"x": "A"}', '{"1": ""}', '{"01": "A"}', '{"1": "A", "2": "A"}', '{"1": "A", "1": "B"}', '{}, "more": 1', "[]", '{"1": 1}')


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"format": "twinwall-names-2", "players": {}}',
        *(f'{{"format": "twinwall-names-1", "players": {each}}}' for each in PLAYERS),
    ],
)
def test_what_is_no_names_file_or_has_players_who_cannot_be_told_apart_or_numbered_is_refused(content: str) -> None:
    with pytest.raises(DocumentError):
        read_names(content.encode())


BAD_NUMBERS = ("0", "x", "10000", "1\n")
BAD_NAMES = ("", "A\x07B", "A\u202e", "李娜", "李\u200b娜", "ＡＤＡ VAN okafor")


@pytest.mark.parametrize(("number", "name"), [*((number, "A") for number in BAD_NUMBERS), *(("1", name) for name in BAD_NAMES)])
def test_a_number_or_name_that_cannot_be_entered_is_refused(number: str, name: str) -> None:
    with pytest.raises(DocumentError):
        NAMES.with_name(number, name)


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    dashboard = of_type(DashboardSettings, EXAMPLES["dashboard.toml"])
    write(tmp_path / "dashboard.toml", replace(dashboard, event=replace(dashboard.one_event, players=tmp_path / "players.json")))
    return tmp_path / "dashboard.toml"


def test_names_are_entered_corrected_listed_and_forgotten(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def players(*words: str) -> int:
        return main(["hall", "players", *words, "--settings", str(settings)])

    assert players("list") == 0
    assert players("name", "12", "Li Na") == 0
    assert players("name", "7", "Ada Okafor") == 0
    assert players("name", "12", "李娜") == 0
    assert players("name", "8", "李娜") == 2
    assert (settings.parent / "players.json").stat().st_mode & 0o777 == 0o600
    capsys.readouterr()
    assert players("list") == 0
    assert capsys.readouterr().out == "7\tAda Okafor\n12\t李娜\n"
    assert players("forget", "12") == 0
    assert players("forget", "12") == 2
    assert "李".encode() not in (settings.parent / "players.json").read_bytes()


def test_settings_that_name_no_file_are_told_how(settings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(settings, of_type(DashboardSettings, EXAMPLES["dashboard.toml"]))
    assert main(["hall", "players", "forget", "12", "--settings", str(settings)]) == 2
    assert "players.json" in capsys.readouterr().err
