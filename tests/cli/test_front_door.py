"""The ``twinwall`` command: its output and exit codes, for any result of a command."""

import json
import os
import re
import shlex
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

import cli
from cli import FORMER, SHORT, command_named, entries_of, overview
from cli.commands import COMMANDS, GROUPS
from cli.usage import UsageError, takes
from config import SettingsError
from tests.support.commands import Twinwall
from tests.support.patience import PATIENCE_S
from twinwall.free_ports import free_ports


def code_of(body: Callable[[], int]) -> int:
    return cli.run(takes()(lambda _: body()), Namespace())


def fail_with(error: BaseException) -> Callable[[], int]:
    def body() -> int:
        raise error

    return body


def test_the_version_is_the_package_s(twinwall: Twinwall) -> None:
    assert twinwall("--version").out == f"twinwall {version('twinwall')}\n"


@pytest.mark.parametrize("path", ["", *GROUPS])
def test_help_of_a_group_names_its_commands_without_importing_one(path: str, twinwall: Twinwall) -> None:
    shown = twinwall(*path.split(), "--help").out
    assert all(re.search(rf"^    {word} ", shown, re.MULTILINE) for word in entries_of(path))
    assert f"example: twinwall {path}" in shown


def test_help_fits_a_screen_and_names_fourteen_commands_at_most() -> None:
    lines = overview("").splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert len(entries_of("")) <= 14


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", "usage: twinwall [-h]"),
        ("hall staff", "usage: twinwall hall staff [-h]"),
        ("fly", "there is no 'fly'; twinwall --help lists the commands"),
        ("enrl", "there is no 'enrl'; did you mean 'enrol'?"),
        ("vault statu", "there is no 'statu'; did you mean 'status'?"),
        ("demo --rules seigi", "there is no 'seigi'; did you mean 'seigo'?"),
    ],
)
def test_an_unknown_word_or_none_is_wrong_use_and_the_nearest_is_named(words: str, sentence: str, twinwall: Twinwall) -> None:
    assert sentence in twinwall(*words.split(), code=2).err


@pytest.mark.parametrize(("former", "now"), FORMER.items())
def test_a_spelling_of_an_earlier_version_is_refused_with_the_present_one(former: str, now: str, twinwall: Twinwall) -> None:
    assert twinwall(*former.split(), "--settings", "file.toml", code=2).err == f"twinwall: twinwall {former} is now twinwall {now}\n"
    assert now in COMMANDS or now in GROUPS


@pytest.mark.parametrize(("short", "full"), [*SHORT.items(), ("table --verbose", "table run"), ("rules mcr-duplicate", "rules show")])
def test_a_spelling_on_which_other_programs_rely_is_the_full_one(short: str, full: str) -> None:
    words = short.split()
    assert command_named(words) == (full, words[1:])


@pytest.mark.parametrize("path", sorted(COMMANDS))
def test_every_command_explains_itself_and_takes_its_example(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*path.split(), "--help"]) == 0
    example = COMMANDS[path].example
    assert capsys.readouterr().out.endswith(f"example:\n  twinwall {path} {example}\n")
    cli.CommandParser(path, cli.action_of(path)).parse_intermixed_args(shlex.split(example.partition(" < ")[0]))


def test_a_hall_without_a_command_is_served(tmp_path: Path, twinwall: Twinwall) -> None:
    ports = [f"--{name}={port}" for name, port in zip(("port", "broker-port"), free_ports(2), strict=True)]
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "evening"
    shown = twinwall("hall", "--folder", folder, "--headless", *ports, code=2)
    assert f"everything is kept in {folder}" in shown.out + shown.err
    assert "--tables 0: a number from 1 to 64" in twinwall("hall", "--tables", "0", code=2).err
    assert "name one folder" in twinwall("hall", "--headless", "one", "--folder", "another", code=2).err


@pytest.mark.parametrize("code", [0, 1])
def test_the_command_s_code_is_the_exit_code(code: int) -> None:
    assert code_of(lambda: code) == code


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (UsageError("deal 3 does not match its check; fetch it again."), "deal 3 does not match its check; fetch it again."),
        (SettingsError("t.toml: there is no key x; known here: y."), "t.toml: there is no key x; known here: y."),
        (FileNotFoundError(2, "No such file or directory", "plan.json"), "plan.json: there is no such file"),
        (OSError(28, "No space left on device"), "No space left on device"),
    ],
)
def test_an_error_of_the_user_s_is_one_sentence_and_wrong_use(capsys: pytest.CaptureFixture[str], error: Exception, sentence: str) -> None:
    assert code_of(fail_with(error)) == 2
    assert capsys.readouterr() == ("", f"twinwall: {sentence}\n")


def test_names_in_a_document_from_elsewhere_neither_act_on_the_terminal_nor_forge_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (b"\x1b[8m\nall of it is proved\n\x1b]0;", "\u202eproved".encode(), b"\xff"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).touch()
    words = ["verify", str(tmp_path), "--start", "5PHC-HMHS-VS5A-JBJQ-S7FW-EC9W-ZR06-KA92"]
    assert cli.main(words) == 1
    shown = capsys.readouterr().out
    assert not set(shown) & {"\x1b", "\u202e", "\udcff"}
    assert r"\u001b[8m\nall of it is proved\n\u001b]0;: this is no file of a bundle" in shown
    assert shown.endswith("5 things are not proved\n")
    assert cli.main([*words, "--json"]) == 1
    assert "\udcff" in [each["file"] for each in json.loads(capsys.readouterr().out)["unproved"]]


def test_a_defect_keeps_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError):
        code_of(lambda: 1 // 0)


def test_an_interrupted_command_ends_quietly_with_130(capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(fail_with(KeyboardInterrupt())) == 130
    assert capsys.readouterr() == ("", "")


def test_output_that_nobody_reads_any_more_is_no_traceback(tmp_path: Path) -> None:
    program = (
        "import sys, argparse; import cli, cli.usage\n"
        "def show(_):\n    [print('x' * 80) for _ in range(9999)]\n    return 0\n"
        "sys.exit(cli.run(cli.usage.takes()(show), argparse.Namespace()))\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(PATIENCE_S) == 1


def test_a_command_whose_distribution_is_not_installed_names_what_to_install() -> None:
    program = (
        "import sys; from importlib.machinery import PathFinder; find = PathFinder.find_spec\n"
        "PathFinder.find_spec = lambda name, *where: None if name == 'centre' else find(name, *where)\n"
        "from cli import main; sys.exit(main(['centre', 'progress']))"
    )
    refused = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    assert refused.returncode == 2
    assert refused.stderr.startswith("twinwall: centre is a package of its own, which is not installed: install twinwall-centre of")


@pytest.mark.parametrize(
    "loads", ["from cli import main; main(['--version'])", "import cli.run_settings"], ids=["the version", "event mode"]
)
def test_what_every_program_does_at_its_start_loads_no_library_of_a_code_of(loads: str) -> None:
    program = f"import sys; {loads}\nprint(sorted({{'cv2', 'numpy', 'flask', 'amqtt'}} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert shown.stdout.endswith("[]\n")
