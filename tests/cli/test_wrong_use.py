"""Wrong use: ends at once, in one sentence and exit 2, and no existing file is lost."""

import os
from pathlib import Path

import pytest

import config
from cli import main

TABLE = str(Path(config.__path__[0]) / "default" / "table.toml")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a file of somebody's, a pipe that nobody writes to, and a folder of crops that holds one as well."""
    monkeypatch.chdir(tmp_path)
    Path("mine").write_text("mine")
    os.mkfifo("pipe.jpg")
    Path("crops/1m").mkdir(parents=True)
    os.mkfifo("crops/1m/pipe.jpg")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("read pipe.jpg", "pipe.jpg cannot be read: it is no file"),
        ("read /dev/zero", "/dev/zero cannot be read: it is no file"),
        ("evaluate crops", "crops holds 1m/pipe.jpg: no whole picture"),
        ("calibrate --print mat --out /", "/ cannot be written: name a file in this folder"),
        ("calibrate --print mat --out mine/mat.pdf", "mine/mat.pdf cannot be written: name a file"),
        (f"calibrate --camera gate --settings {TABLE} --out nowhere/day.json", "nowhere/day.json cannot be written"),
        (f"calibrate --camera table --settings {TABLE} --out day.json --height-mm nan", "--height-mm nan: a camera hangs from 300"),
        ("enrol --from crops --out nowhere/blue.json", "nowhere/blue.json cannot be written"),
        (f"enrol --table {TABLE} --out crops", "crops cannot be written"),
        (f"feeder test-deal --settings {TABLE} --patience nan", "--patience is nan, but must be a time above 0 s"),
        ("feeder simulate --link mine", "mine: a link to the feeder can only stand where nothing else is"),
        ("feeder simulate --link crops", "crops: a link to the feeder can only stand where nothing else is"),
        ("feeder simulate --speed nan", "speed is nan, but must be above 0 and at most 1000"),
        ("feeder link simulator --speed inf", "speed is inf, but must be above 0 and at most 1000"),
        ("feeder check simulator --speed 0", "speed is 0.0, but must be above 0 and at most 1000"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_leaves_everything_as_it_was(words: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(str(path) for path in Path().rglob("*"))
    assert main(words.split()) == 2
    said = capsys.readouterr()
    assert says in said.err
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert sorted(str(path) for path in Path().rglob("*")) == before
    assert Path("mine").read_text() == "mine"


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("table run", "deals.plan names /etc/twinwall/plan.json, which is not there (to make it: twinwall deals plan)"),
        ("hall dashboard", "mqtt.password_file names /etc/twinwall/server.password, which is not there"),
        ("vault run", "vault.signing_key names /etc/twinwall/vault.key, which is not there (to make it: twinwall vault key FILE)"),
        ("hall broker", "broker.passwords names /etc/twinwall/broker.passwords, which is not there (to make it: mosquitto_passwd"),
    ],
)
def test_a_default_settings_file_whose_files_are_not_made_yet_says_which_and_how(
    command: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Path(TABLE).with_name(f"{command.removesuffix(' run').split()[-1]}.toml")
    assert main([*command.split(), "--settings", str(settings)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"twinwall: {settings}: ")
    assert says in said
