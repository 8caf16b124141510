"""``twinwall deals``: its files, its refusals, and its exit codes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli import main
from twinwall.game.deals import Deal, Plan

PUBLIC = "2026-11-20 12:00 UTC"


@dataclass(frozen=True)
class Event:
    """A folder with a plan of three deals, two seeds and the published commitments."""

    folder: Path
    root: str

    @property
    def plan(self) -> str:
        return str(self.folder / "plan.json")

    @property
    def seeds(self) -> list[str]:
        return ["--seed", f"server={self.folder / 'server.seed'}", "--seed", f"witness={self.folder / 'witness.seed'}"]

    @property
    def start(self) -> str:
        return str(self.folder / "start.json")

    @property
    def starting(self) -> list[str]:
        return ["deals", "start", self.plan, "--commitments", str(self.folder / "commitments.json")]

    def slip(self, n: int, public: str = PUBLIC) -> Path:
        path = self.folder / f"slip-{n}.json"
        assert main(["deals", "slip", self.plan, str(n), *self.seeds, "--public", public, "--out", str(path)]) == 0
        return path


@pytest.fixture
def event(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Event:
    words = ["--event", "Sanya", "--rules", "mcr-duplicate", "--sessions", "1", "--hands", "3"]
    holders = ["--holder", "server", "--holder", "witness", "--public", "noon"]
    assert main(["deals", "plan", *words, *holders, "--out", str(tmp_path / "plan.json")]) == 0
    (tmp_path / "server.seed").write_bytes(bytes(range(80)))
    (tmp_path / "witness.seed").write_bytes(bytes(range(80, 160)))
    made = Event(tmp_path, "")
    assert main(["deals", "commit", made.plan, *made.seeds, "--out", str(tmp_path / "commitments.json")]) == 0
    assert main([*made.starting, "--public", PUBLIC, "--out", made.start]) == 0
    capsys.readouterr()
    return Event(tmp_path, json.loads((tmp_path / "commitments.json").read_text())["root"])


def test_a_plan_has_one_holder_by_default_and_counts_through_the_sessions(tmp_path: Path) -> None:
    out = tmp_path / "plan.json"
    assert (
        main(
            ["deals", "plan", "--event", "Socie\u0301te\u0301", "--rules", "sichuan", "--sessions", "2", "--hands", "16", "--out", str(out)]
        )
        == 0
    )
    plan = Plan.from_bytes(out.read_bytes())
    assert (plan.event, plan.holders) == ("Soci\u00e9t\u00e9", ("server",))
    assert [(deal.n, deal.session, deal.hand) for deal in plan.deals][15:17] == [(16, 1, 16), (17, 2, 1)]


@pytest.mark.parametrize("words", [["--rules", "poker"], ["--sessions", "0"], ["--hands", "17"], ["--event", " "]])
def test_a_plan_that_cannot_be_followed_is_wrong_use(tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--event", "E", "--rules", "mcr-duplicate", "--sessions", "1", "--hands", "16", *words]
    assert main(["deals", "plan", *given, "--out", str(tmp_path / "plan.json")]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not (tmp_path / "plan.json").exists()


def test_commitments_are_not_written_over_without_force(event: Event, capsys: pytest.CaptureFixture[str]) -> None:
    path = event.folder / "commitments.json"
    path.write_text("something else")
    words = ["deals", "commit", event.plan, *event.seeds, "--out", str(path)]
    assert main(words) == 2
    assert path.read_text() == "something else"
    assert "--force" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0
    assert json.loads(path.read_text())["root"] == event.root


def test_a_seed_of_another_length_is_refused_by_its_file(event: Event, capsys: pytest.CaptureFixture[str]) -> None:
    (event.folder / "witness.seed").write_bytes(bytes(81))
    assert main(["deals", "commit", event.plan, *event.seeds, "--out", str(event.folder / "other.json")]) == 2
    message = capsys.readouterr().err
    assert "witness.seed" in message
    assert "exactly 80 bytes, not 81" in message


@pytest.mark.parametrize(
    ("seeds", "message"),
    [(["server"], "NAME=FILE"), (["server=nowhere"], "nowhere"), (["server=server.seed", "server=server.seed"], "twice")],
)
def test_a_seed_that_is_not_given_right_is_wrong_use(
    event: Event, seeds: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(event.folder)
    words = [word for seed in seeds for word in ("--seed", seed)]
    assert main(["deals", "commit", event.plan, *words, "--out", "other.json"]) == 2
    assert message in capsys.readouterr().err


def test_a_missing_holder_is_named(event: Event, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deals", "commit", event.plan, *event.seeds[:2], "--out", str(event.folder / "other.json")]) == 2
    assert "'witness'" in capsys.readouterr().err


def test_deals_made_in_the_clear_are_for_their_owner_alone_and_come_with_a_warning(
    event: Event, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = event.folder / "deals"
    words = ["deals", "make", event.plan, *event.seeds, "--public", PUBLIC, "--out", str(folder)]
    assert main(words) == 0
    said = capsys.readouterr()
    assert "in the clear" in said.err
    assert said.out == ""
    assert sorted(path.name for path in folder.iterdir()) == ["deal-0001.json", "deal-0002.json", "deal-0003.json"]
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert Deal.from_json((folder / "deal-0002.json").read_bytes()).root.hex() == event.root
    assert main(words) == 2
    assert main([*words, "--force"]) == 0


def test_slips_and_seeds_re_make_every_deal_and_agree(event: Event, capsys: pytest.CaptureFixture[str]) -> None:
    slips = [str(event.slip(n)) for n in (1, 2, 3)]
    assert Path(slips[0]).stat().st_mode & 0o777 == 0o600
    capsys.readouterr()
    assert main(["deals", "verify", event.plan, "--start", event.start, *slips, "--json"]) == 0
    from_slips = json.loads(capsys.readouterr().out)
    assert main(["deals", "verify", event.plan, "--root", event.root, *event.seeds, "--public", PUBLIC, "--json"]) == 0
    from_seeds = json.loads(capsys.readouterr().out)
    assert from_slips["good"]
    assert [line["digest"] for line in from_slips["checked"]] == [line["digest"] for line in from_seeds["checked"]]


def test_options_may_stand_before_between_and_after_the_files(event: Event) -> None:
    slip = str(event.slip(1))
    for words in (
        [event.plan, "--start", event.start, slip],
        [event.plan, slip, "--start", event.start],
        ["--start", event.start, event.plan, slip],
    ):
        assert main(["deals", "verify", *words]) == 0


@pytest.mark.parametrize("part", ["key", "path", "digest", "check"])
def test_verify_says_which_slip_differs_in_what(event: Event, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    good, path = event.slip(1), event.slip(2)
    slip = json.loads(path.read_text())
    other = event.folder / "other.json"
    assert main(["deals", "slip", event.plan, "3", *event.seeds, "--public", PUBLIC, "--out", str(other)]) == 0
    field = {"key": "keys"}.get(part, part)
    path.write_text(json.dumps({**slip, field: list(reversed(slip["path"])) if part == "path" else json.loads(other.read_text())[field]}))
    capsys.readouterr()
    assert main(["deals", "verify", event.plan, "--start", event.start, str(good), str(path)]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{good}: deal 1 re-made")
    assert second.startswith(f"{path}: deal 2, {part}")


def test_seeds_that_do_not_lead_to_the_root_are_a_no(event: Event, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deals", "verify", event.plan, "--root", "00" * 32, "--public", PUBLIC, *event.seeds]) == 1
    assert event.root in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["--root", "12", "--public", "noon"], ["--root", "00" * 32, "--public", "noon"]])
def test_verify_without_start_or_without_anything_to_verify_is_wrong_use(event: Event, words: list[str]) -> None:
    assert main(["deals", "verify", event.plan, *words]) == 2


def test_a_slip_that_is_not_one_is_wrong_use_and_named(event: Event, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deals", "verify", event.plan, "--start", event.start, event.plan]) == 2
    assert "twinwall-slip-1" in capsys.readouterr().err


def test_reveal_prints_the_deal_that_was_made_and_nothing_for_a_slip_that_lies(event: Event, capsys: pytest.CaptureFixture[str]) -> None:
    folder = event.folder / "deals"
    assert main(["deals", "make", event.plan, *event.seeds, "--public", PUBLIC, "--out", str(folder)]) == 0
    slip = event.slip(2)
    capsys.readouterr()
    assert main(["deals", "reveal", event.plan, str(slip), "--start", event.start, "--json"]) == 0
    assert capsys.readouterr().out == (folder / "deal-0002.json").read_text()
    assert main(["deals", "reveal", event.plan, str(slip), "--start", event.start]) == 0
    assert "E  " in capsys.readouterr().out
    slip.write_text(slip.read_text().replace(PUBLIC, "another value"))
    assert main(["deals", "reveal", event.plan, str(slip), "--start", event.start]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "deal 2, public" in said.err


def test_a_deal_outside_the_plan_has_no_slip(event: Event, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deals", "slip", event.plan, "4", *event.seeds, "--public", PUBLIC]) == 2
    assert "deals 1 to 3, not 4" in capsys.readouterr().err


def test_the_times_of_many_venues_are_given_in_any_zone_and_written_in_utc(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "plan.json"
    words = ["deals", "plan", "--event", "E", "--rules", "sichuan", "--sessions", "1", "--release", "deadline", "--out", str(out)]
    assert main([*words, "--times", "1=2999-11-22T18:00+09:00/2999-11-22T13:00Z"]) == 0
    terms = Plan.from_bytes(out.read_bytes()).field
    assert terms is not None
    assert (terms.sessions[0].opens, terms.sessions[0].deadline) == ("2999-11-22T09:00Z", "2999-11-22T13:00Z")
    assert "session 1 opens at 2999-11-22T09:00Z, its slips are released at 2999-11-22T13:00Z (UTC)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--times", "1=2999-11-22T18:00Z"], "say with --release when its slips are released"),
        (["--release", "deadline", "--times", "1=2999-11-22T18:00Z"], "has no deadline: give it one"),
        (["--release", "deadline", "--times", "1=2000-11-22T18:00Z/2000-11-22T22:00Z"], "opens at 2000-11-22T18:00Z, which has passed"),
        (["--release", "all-finished", "--times", "1=2999-11-22T18:00"], "has no time zone"),
        (["--release", "all-finished", "--times", "2999-11-22T18:00Z"], "write the session first"),
        (["--release", "all-finished", "--times", "1=noon"], "write each time with its zone"),
        (["--release", "all-finished"], "gives times for none"),
    ],
)
def test_times_of_many_venues_that_nobody_could_keep_are_wrong_use(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["deals", "plan", "--event", "E", "--rules", "sichuan", "--sessions", "1", *words, "--out", str(tmp_path / "plan.json")]
    assert main(given) == 2
    assert said in capsys.readouterr().err
