"""The ``twinwall`` command: its output and exit codes, for any result of a command."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

import cli
from cli.errors import UsageError
from config import SettingsError
from tests.support.patience import PATIENCE_S
from twinwall.free_ports import free_ports


@pytest.fixture
def command() -> Iterator[Callable[[Callable[[], int]], int]]:
    """Runs a function as if it were the command ``twinwall probe``."""
    module = ModuleType("probe_command")

    def run(body: Callable[[], int]) -> int:
        def register(subparsers: cli.Subparsers) -> None:
            subparsers.add_parser("probe").set_defaults(func=lambda _: body())

        module.register = register  # type: ignore[attr-defined]  # a module made by hand
        return cli.main(["probe"])

    sys.modules["probe_command"] = module
    cli.COMMANDS["probe"] = cli.Command("probe_command", "only for this test")
    yield run
    del cli.COMMANDS["probe"], sys.modules["probe_command"]


def fail_with(error: BaseException) -> Callable[[], int]:
    def body() -> int:
        raise error

    return body


def test_the_version_is_the_package_s(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"twinwall {version('twinwall')}\n"


def test_help_names_every_command_without_importing_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in cli.COMMANDS)


@pytest.mark.parametrize("words", [[], ["fly"], ["--fly"]])
def test_no_command_or_an_unknown_one_is_wrong_use(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words) == 2
    assert capsys.readouterr().err.startswith("usage: twinwall")


@pytest.mark.parametrize(("words", "near"), [(["scor"], "score"), (["feeder", "chek"], "check"), (["demo", "--rules", "seigi"], "seigo")])
def test_an_unknown_word_is_told_with_the_nearest_known_one(words: list[str], near: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words) == 2
    assert f"there is no {words[-1]!r}; did you mean {near!r}?" in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(cli.COMMANDS))
def test_every_command_is_registered_by_its_module_with_a_function(name: str) -> None:
    subparsers = cli.CommandParser().add_subparsers()
    import_module(cli.COMMANDS[name].module).register(subparsers)
    assert name in subparsers.choices


@pytest.mark.parametrize("name", sorted(cli.COMMANDS))
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([name, "--help"]) == 0
    assert f"twinwall {name}" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["hall"], ["hall", "serve"]])
def test_a_hall_without_a_command_is_served(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ports = [f"--{name}={port}" for name, port in zip(("port", "broker-port"), free_ports(2), strict=True)]
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "evening"
    assert cli.main([*words, "--folder", str(folder), "--headless", *ports]) == 2
    shown = capsys.readouterr()
    assert f"everything is kept in {folder}" in shown.out + shown.err
    assert cli.main([*words, "--tables", "0"]) == 2
    assert "--tables 0: a number from 1 to 64" in capsys.readouterr().err
    assert cli.main([*words, "--headless", "one", "--folder", "another"]) == 2
    assert "name one folder" in capsys.readouterr().err


@pytest.mark.parametrize("code", [0, 1])
def test_the_command_s_code_is_the_exit_code(command: Callable[[Callable[[], int]], int], code: int) -> None:
    assert command(lambda: code) == code


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (UsageError("deal 3 does not match its check; fetch it again."), "deal 3 does not match its check; fetch it again."),
        (SettingsError("t.toml: there is no key x; known here: y."), "t.toml: there is no key x; known here: y."),
        (FileNotFoundError(2, "No such file or directory", "plan.json"), "plan.json: there is no such file"),
    ],
)
def test_an_error_of_the_user_s_is_one_sentence_and_wrong_use(
    command: Callable[[Callable[[], int]], int], capsys: pytest.CaptureFixture[str], error: Exception, sentence: str
) -> None:
    assert command(fail_with(error)) == 2
    assert capsys.readouterr() == ("", f"twinwall: {sentence}\n")


def test_a_defect_keeps_its_traceback(command: Callable[[Callable[[], int]], int]) -> None:
    with pytest.raises(ZeroDivisionError):
        command(lambda: 1 // 0)


def test_an_interrupted_command_ends_quietly_with_130(
    command: Callable[[Callable[[], int]], int], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(fail_with(KeyboardInterrupt())) == 130
    assert capsys.readouterr() == ("", "")


def test_output_that_nobody_reads_any_more_is_no_traceback(tmp_path: Path) -> None:
    program = (
        "import sys, types; import cli\n"
        "def show(_):\n    [print('x' * 80) for _ in range(9999)]\n    return 0\n"
        "module = types.ModuleType('flood'); sys.modules['flood'] = module\n"
        "module.register = lambda subparsers: subparsers.add_parser('flood').set_defaults(func=show)\n"
        "cli.COMMANDS['flood'] = cli.Command('flood', '')\n"
        "sys.exit(cli.main(['flood']))\n"
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


@pytest.mark.parametrize("loads", ["from cli import main; main(['--version'])", "import cli.event_mode"], ids=["the version", "event mode"])
def test_what_every_program_does_at_its_start_loads_no_library_of_a_command(loads: str) -> None:
    program = f"import sys; {loads}\nprint(sorted({{'cv2', 'numpy', 'flask', 'amqtt'}} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert shown.stdout.endswith("[]\n")
