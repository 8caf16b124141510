"""``twinwall deals start`` and how the other commands are told a start: what is printed, what is refused, and the exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cli import main
from twinwall.game.deals import Start, words_of_code

PUBLIC = "5p 3s E"
OTHER = "5p 3s W"


class Organiser:
    """A folder with a plan of three deals, a seed and its commitments; no start yet."""

    def __init__(self, folder: Path, event: str = "Sanya") -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        words = ["--event", event, "--rules", "mcr-duplicate", "--sessions", "1", "--hands", "3"]
        assert main(["deals", "plan", *words, "--public", "tiles drawn in the room", "--out", self["plan.json"]]) == 0
        (folder / "server.seed").write_bytes(bytes(range(80)))
        self.seed = ["--seed", f"server={folder / 'server.seed'}"]
        assert main(["deals", "commit", self["plan.json"], *self.seed, "--out", self["commitments.json"]]) == 0

    def __getitem__(self, name: str) -> str:
        return str(self.folder / name)

    @property
    def root(self) -> str:
        return str(json.loads(Path(self["commitments.json"]).read_text())["root"])

    def start(self, public: str = PUBLIC, out: str = "start.json") -> int:
        return main(
            ["deals", "start", self["plan.json"], "--commitments", self["commitments.json"], "--public", public, "--out", self[out]]
        )

    def slip(self, n: int, public: str = PUBLIC) -> str:
        path = self[f"slip-{n}-{public[-1]}.json"]
        assert main(["deals", "slip", self["plan.json"], str(n), *self.seed, "--public", public, "--out", path]) == 0
        return path

    def verify(self, *words: str) -> int:
        return main(["deals", "verify", self["plan.json"], *words])


@pytest.fixture
def organiser(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Organiser:
    made = Organiser(tmp_path)
    capsys.readouterr()
    return made


def test_start_writes_the_document_and_prints_code_and_words(organiser: Organiser, capsys: pytest.CaptureFixture[str]) -> None:
    assert organiser.start() == 0
    written = Start.from_bytes(Path(organiser["start.json"]).read_bytes())
    assert capsys.readouterr().out.splitlines() == [written.code.hex(), written.words]
    assert (written.root.hex(), written.public) == (organiser.root, PUBLIC)


def test_a_start_is_never_written_over(organiser: Organiser, capsys: pytest.CaptureFixture[str]) -> None:
    Path(organiser["start.json"]).write_text("a note")
    assert organiser.start() == 2
    assert "a start is written once" in capsys.readouterr().err
    assert Path(organiser["start.json"]).read_text() == "a note"


def test_a_second_start_of_a_plan_is_refused_beside_the_commitments(organiser: Organiser, capsys: pytest.CaptureFixture[str]) -> None:
    assert organiser.start() == 0
    (organiser.folder / "later").mkdir()
    capsys.readouterr()
    assert organiser.start(OTHER, "later/start.json") == 2
    said = capsys.readouterr().err
    assert f"'{PUBLIC}'" in said
    assert "an event has one start" in said
    assert organiser.start(PUBLIC, "later/start.json") == 0


@pytest.mark.parametrize("public", ["", " ", f" {PUBLIC}", f"{PUBLIC} ", "5p\n3s"])
def test_a_public_value_with_stray_blanks_is_wrong_use(organiser: Organiser, public: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert organiser.start(public) == 2
    assert "--public: the public value" in capsys.readouterr().err
    assert not Path(organiser["start.json"]).exists()


def test_commitments_of_another_plan_make_no_start(organiser: Organiser, capsys: pytest.CaptureFixture[str]) -> None:
    other = Organiser(organiser.folder / "other", "Tokyo")
    capsys.readouterr()
    words = ["--commitments", other["commitments.json"], "--public", PUBLIC, "--out", organiser["start.json"]]
    assert main(["deals", "start", organiser["plan.json"], *words]) == 2
    assert "of another plan" in capsys.readouterr().err


@pytest.mark.parametrize("numbers", [(1, 1, 3), (1, 3, 4), (2, 3, 4)], ids=["doubled", "missing", "from two"])
def test_a_plan_with_doubled_or_missing_numbers_makes_no_start(
    organiser: Organiser, numbers: tuple[int, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    plan = json.loads(Path(organiser["plan.json"]).read_text())
    for deal, n in zip(plan["deals"], numbers, strict=True):
        deal["n"] = n
    Path(organiser["plan.json"]).write_text(json.dumps(plan, sort_keys=True, separators=(",", ":")) + "\n")
    assert organiser.start() == 2
    assert "deals are numbered 1, 2, 3 … without gaps" in capsys.readouterr().err


def test_slips_are_verified_by_file_by_words_by_code_and_by_root_with_value(organiser: Organiser) -> None:
    organiser.start()
    start = Start.from_bytes(Path(organiser["start.json"]).read_bytes())
    slips = [organiser.slip(n) for n in (1, 2, 3)]
    for given in (organiser["start.json"], start.words, start.words.lower().replace("0", "o").replace("-", " "), start.code.hex()):
        assert organiser.verify("--start", given, *slips) == 0
    assert organiser.verify("--root", organiser.root, "--public", PUBLIC, *slips) == 0


def test_seeds_are_verified_by_file_by_code_with_value_and_by_root_with_value(
    organiser: Organiser, capsys: pytest.CaptureFixture[str]
) -> None:
    organiser.start()
    words = Start.from_bytes(Path(organiser["start.json"]).read_bytes()).words
    assert organiser.verify("--start", organiser["start.json"], *organiser.seed) == 0
    assert organiser.verify("--start", words, "--public", PUBLIC, *organiser.seed) == 0
    assert organiser.verify("--root", organiser.root, "--public", PUBLIC, *organiser.seed) == 0
    capsys.readouterr()
    assert organiser.verify("--start", words, *organiser.seed) == 2
    assert "does not say the public value" in capsys.readouterr().err
    assert organiser.verify("--start", words, "--public", OTHER, *organiser.seed) == 1
    assert words in capsys.readouterr().out


def test_the_root_alone_is_not_enough(organiser: Organiser, capsys: pytest.CaptureFixture[str]) -> None:
    assert organiser.verify("--root", organiser.root, organiser.slip(1)) == 2
    assert "the root alone does not fix the deals" in capsys.readouterr().err
    assert organiser.verify("--root", organiser.root, "--start", organiser.root, "--public", PUBLIC, organiser.slip(2)) == 2


def test_a_slip_under_another_public_value_is_a_no_and_both_values_are_named(
    organiser: Organiser, capsys: pytest.CaptureFixture[str]
) -> None:
    organiser.start()
    start = Start.from_bytes(Path(organiser["start.json"]).read_bytes())
    good, bad = organiser.slip(1), organiser.slip(2, OTHER)
    capsys.readouterr()
    for words in (["--start", organiser["start.json"]], ["--start", start.words], ["--root", organiser.root, "--public", PUBLIC]):
        assert organiser.verify(*words, good, bad) == 1
        first, second = capsys.readouterr().out.splitlines()
        assert "deal 1 re-made" in first
        assert second.startswith(f"{bad}: deal 2, public")
        assert f"'{OTHER}'" in second
        assert f"'{PUBLIC}'" in second


def test_slips_that_all_have_another_start_are_a_no_by_the_code_alone(organiser: Organiser, capsys: pytest.CaptureFixture[str]) -> None:
    code = words_of_code(bytes(32))
    assert organiser.verify("--start", code, organiser.slip(1), "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert document["checked"][0]["part"] == "start"
    assert f"'{PUBLIC}'" in document["checked"][0]["sentence"]
    assert code in document["checked"][0]["sentence"]


def test_slips_of_another_event_are_refused(organiser: Organiser, capsys: pytest.CaptureFixture[str]) -> None:
    organiser.start()
    other = Organiser(organiser.folder / "other", "Tokyo")
    slip = other.slip(1)
    capsys.readouterr()
    assert organiser.verify("--start", organiser["start.json"], slip) == 1
    assert "another event's" in capsys.readouterr().out
    assert main(["deals", "verify", other["plan.json"], "--start", organiser["start.json"], slip]) == 2
    assert "of another plan" in capsys.readouterr().err


@pytest.mark.parametrize("change", [lambda path: path[:-1], lambda path: [*path, path[0]]], ids=["too short", "too long"])
@pytest.mark.parametrize("by_code", [True, False], ids=["by code", "by file"])
def test_a_path_of_another_length_is_named(
    organiser: Organiser, change: Callable[[list[str]], list[str]], by_code: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    organiser.start()
    start = Start.from_bytes(Path(organiser["start.json"]).read_bytes())
    slip = Path(organiser.slip(1))
    document = json.loads(slip.read_text())
    slip.write_text(json.dumps({**document, "path": change(document["path"])}))
    capsys.readouterr()
    assert organiser.verify("--start", start.words if by_code else organiser["start.json"], str(slip)) == 1
    assert "a plan of 3 deals needs 2" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "message"),
    [("nowhere.json", "no file, and no code"), ("5PHC-HMHS", "not 8"), ("plan", "no file, and no code"), ("UUUU", "no 'U'")],
)
def test_what_is_neither_file_nor_code_is_wrong_use(
    organiser: Organiser, given: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert organiser.verify("--start", given, organiser.slip(1)) == 2
    assert message in capsys.readouterr().err


def test_a_file_that_is_no_start_is_named(organiser: Organiser, capsys: pytest.CaptureFixture[str]) -> None:
    assert organiser.verify("--start", organiser["plan.json"], organiser.slip(1)) == 2
    assert "twinwall-start-1" in capsys.readouterr().err
