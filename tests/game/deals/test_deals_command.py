"""``twinwall deals``: its files, what is printed, its refusals, and its exit codes."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from controller.adapters.deal_folder import DealFolder
from controller.state.sides import OpenDeal
from tests.support.commands import Output, Twinwall
from twinwall.game.deals import Deal, Plan, Start, StartedPlan, words_of_code

PUBLIC, OTHER = "5p 3s E", "5p 3s W"


class Organiser:
    """A folder with a plan of three deals, two seeds and their commitments; no start yet."""

    def __init__(self, twinwall: Twinwall, folder: Path, event: str = "Sanya", public: str = "tiles drawn in the room") -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self._twinwall = folder, twinwall
        holders = ["--holder", "server", "--holder", "witness"]
        of_plan = ["--event", event, "--rules", "mcr-duplicate", "--sessions", "1", "--hands", "3", "--public", public]
        twinwall("deals", "plan", *of_plan, *holders, "--out", self["plan.json"])
        self.seeds: list[str] = []
        for number, name in enumerate(("server", "witness")):
            (folder / f"{name}.seed").write_bytes(bytes(range(80 * number, 80 * number + 80)))
            self.seeds += ["--seed", f"{name}={folder / f'{name}.seed'}"]
        self("commit", *self.seeds, "--out", self["commitments.json"])
        self.root: str = json.loads((folder / "commitments.json").read_text())["root"]

    def __getitem__(self, name: str) -> str:
        return str(self.folder / name)

    def __call__(self, verb: str, *words: object, code: int = 0) -> Output:
        return self._twinwall("deals", verb, self["plan.json"], *words, code=code)

    def start(self, public: str = PUBLIC, out: str = "start.json", code: int = 0) -> Output:
        return self("start", "--commitments", self["commitments.json"], "--public", public, "--out", self[out], code=code)

    @property
    def started(self) -> Start:
        if not Path(self["start.json"]).exists():
            self.start()
        return Start.from_bytes(Path(self["start.json"]).read_bytes())

    def slip(self, n: int, public: str = PUBLIC) -> str:
        path = self[f"slip-{n}-{public[-1]}.json"]
        self("slip", n, *self.seeds, "--public", public, "--out", path)
        return path

    def make(self, *words: str, code: int = 0) -> Output:
        return self("make", *self.seeds, "--public", PUBLIC, "--out", self["deals"], *words, code=code)


@pytest.fixture
def event(tmp_path: Path, twinwall: Twinwall) -> Organiser:
    return Organiser(twinwall, tmp_path)


# The plan and its commitments.


def test_a_plan_has_one_holder_by_default_and_counts_through_the_sessions(tmp_path: Path, twinwall: Twinwall) -> None:
    out = tmp_path / "plan.json"
    twinwall("deals", "plan", "--event", "Socie\u0301te\u0301", "--rules", "sichuan", "--sessions", "2", "--hands", "16", "--out", out)
    plan = Plan.from_bytes(out.read_bytes())
    assert (plan.event, plan.holders) == ("Soci\u00e9t\u00e9", ("server",))
    assert [(deal.n, deal.session, deal.hand) for deal in plan.deals][15:17] == [(16, 1, 16), (17, 2, 1)]


TIMED = ["--release", "all-finished", "--times"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rules", "poker"], "poker"),
        (["--sessions", "0"], "session"),
        (["--hands", "17"], "17"),
        (["--event", " "], "no name"),
        (["--public", "beacon: drand"], "must name a beacon and its pulse"),
        (["--times", "1=2999-11-22T18:00Z"], "say with --release when its slips are released"),
        (["--release", "deadline", "--times", "1=2999-11-22T18:00Z"], "has no deadline: give it one"),
        (["--release", "deadline", "--times", "1=2000-11-22T18:00Z/2000-11-22T22:00Z"], "opens at 2000-11-22T18:00Z, which has passed"),
        ([*TIMED, "1=2999-11-22T18:00"], "has no time zone"),
        ([*TIMED, "2999-11-22T18:00Z"], "write the session first"),
        *(([*TIMED, f"{number}=2999-11-22T18:00Z"], "write the session first") for number in ("²", "9" * 5000, "")),
        *(([*TIMED, words], "write each time with its zone") for words in ("1=noon", "1=", "1=/2999-11-22T18:00Z", "1")),
        ([*TIMED, "1=9999-12-31T23:00-12:00"], "not a date of the calendar in UTC"),
        ([*TIMED, "1=2999-11-22T18:00+00:00:30"], "between two minutes"),
        (["--release", "all-finished"], "gives times for none"),
    ],
)
def test_a_plan_that_cannot_be_followed_is_wrong_use(tmp_path: Path, twinwall: Twinwall, words: list[str], said: str) -> None:
    given = ["--event", "E", "--rules", "sichuan", "--sessions", "1", "--hands", "16", *words, "--out", tmp_path / "plan.json"]
    err = twinwall("deals", "plan", *given, code=2).err
    assert said in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "plan.json").exists()


def test_the_times_of_many_venues_are_given_in_any_zone_and_written_in_utc(tmp_path: Path, twinwall: Twinwall) -> None:
    out = tmp_path / "plan.json"
    words = ["deals", "plan", "--event", "E", "--rules", "sichuan", "--sessions", "1", "--release", "deadline", "--out", out]
    said = twinwall(*words, "--times", "1=2999-11-22T18:00+09:00/2999-11-22T13:00Z").err
    terms = Plan.from_bytes(out.read_bytes()).field
    assert terms is not None
    assert (terms.sessions[0].opens, terms.sessions[0].deadline) == ("2999-11-22T09:00Z", "2999-11-22T13:00Z")
    assert "session 1 opens at 2999-11-22T09:00Z, its slips are released at 2999-11-22T13:00Z (UTC)" in said


def test_commitments_are_not_written_over_without_force(event: Organiser) -> None:
    path = event.folder / "commitments.json"
    path.write_text("something else")
    words = [*event.seeds, "--out", path]
    assert "--force" in event("commit", *words, code=2).err
    assert path.read_text() == "something else"
    event("commit", *words, "--force")
    assert json.loads(path.read_text())["root"] == event.root


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        (["server"], "NAME=FILE"),
        (["server=nowhere"], "nowhere"),
        (["server=server.seed", "server=server.seed"], "twice"),
        (["server=server.seed"], "'witness'"),
        (["server=server.seed", "witness=long.seed"], "long.seed: a seed is exactly 80 bytes, not 81: head -c 80 /dev/urandom makes"),
    ],
    ids=["without a file", "no file", "twice", "a holder is missing", "of another length"],
)
def test_a_seed_that_is_not_given_right_is_wrong_use(
    event: Organiser, seeds: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(event.folder)
    Path("long.seed").write_bytes(bytes(81))
    assert message in event("commit", *[word for seed in seeds for word in ("--seed", seed)], "--out", "other.json", code=2).err


# The start.


def test_start_writes_the_document_once_and_prints_code_and_words(event: Organiser) -> None:
    assert event.start().out.splitlines() == [event.started.code.hex(), event.started.words]
    assert (event.started.root.hex(), event.started.public) == (event.root, PUBLIC)
    written = Path(event["start.json"]).read_bytes()
    assert "a start is written once" in event.start(code=2).err
    assert Path(event["start.json"]).read_bytes() == written


def test_a_second_start_of_a_plan_is_refused_beside_the_commitments(event: Organiser) -> None:
    event.start()
    (event.folder / "later").mkdir()
    said = event.start(OTHER, "later/start.json", code=2).err
    assert f"'{PUBLIC}'" in said
    assert "an event has one start" in said
    event.start(PUBLIC, "later/start.json")


def test_a_value_that_cannot_come_from_the_plan_s_source_makes_no_start(tmp_path: Path, twinwall: Twinwall) -> None:
    event = Organiser(twinwall, tmp_path, public="beacon: drand quicknet, round 12345678")
    assert "64 or 128 lower-case hex digits" in event.start("a good one", code=2).err
    event.start("0f" * 32)


def test_commitments_of_another_plan_make_no_start(event: Organiser, twinwall: Twinwall) -> None:
    other = Organiser(twinwall, event.folder / "other", "Tokyo")
    words = ["--commitments", other["commitments.json"], "--public", PUBLIC, "--out", event["start.json"]]
    assert "of another plan" in event("start", *words, code=2).err


# What verifies.


def spellings(event: Organiser) -> list[Sequence[str]]:
    """The start as people name it: by file, words, words as read out, code, and root with value."""
    words = event.started.words
    read_out = words.lower().replace("0", "o").replace("-", " ")
    named = [["--start", spelling] for spelling in (event["start.json"], words, read_out, event.started.code.hex())]
    return [*named, ["--root", event.root, "--public", PUBLIC]]


def test_slips_and_seeds_re_make_every_deal_and_agree_however_the_start_is_named(event: Organiser) -> None:
    slips = [event.slip(n) for n in (1, 2, 3)]
    assert Path(slips[0]).stat().st_mode & 0o777 == 0o600
    made = set()
    for start in spellings(event):
        from_slips = json.loads(event("verify", *start, *slips, "--json").out)
        value = () if start[1] == event["start.json"] or "--public" in start else ("--public", PUBLIC)
        from_seeds = json.loads(event("verify", *start, *value, *event.seeds, "--json").out)
        assert from_slips["good"]
        made |= {tuple(line["digest"] for line in document["checked"]) for document in (from_slips, from_seeds)}
    assert len(made) == 1


def test_options_may_stand_before_between_and_after_the_files(event: Organiser, twinwall: Twinwall) -> None:
    slip, plan, start = event.slip(1), event["plan.json"], ["--start", event.started.words]
    ways = ([plan, *start, slip], [plan, slip, *start], [*start, plan, slip])
    assert len({twinwall("deals", "verify", *words).out for words in ways}) == 1


@pytest.mark.parametrize("part", ["key", "path", "digest", "check", "public"])
def test_verify_says_which_slip_differs_in_what(event: Organiser, part: str) -> None:
    good, bad = event.slip(1), event.slip(2, OTHER if part == "public" else PUBLIC)
    if part != "public":
        slip, other, field = json.loads(Path(bad).read_text()), json.loads(Path(event.slip(3)).read_text()), {"key": "keys"}.get(part, part)
        Path(bad).write_text(json.dumps({**slip, field: slip["path"][::-1] if part == "path" else other[field]}))
    for start in spellings(event):
        first, second = event("verify", *start, good, bad, code=1).out.splitlines()
        assert first.startswith(f"{good}: deal 1 re-made")
        assert second.startswith(f"{bad}: deal 2, {part}")
        assert part != "public" or (f"'{OTHER}'" in second and f"'{PUBLIC}'" in second)


@pytest.mark.parametrize("by_code", [True, False], ids=["by code", "by file"])
@pytest.mark.parametrize("longer", [False, True], ids=["too short", "too long"])
def test_a_path_of_another_length_is_named(event: Organiser, longer: bool, by_code: bool) -> None:
    slip, words = Path(event.slip(1)), event.started.words
    document = json.loads(slip.read_text())
    path = document["path"]
    slip.write_text(json.dumps({**document, "path": [*path, path[0]] if longer else path[:-1]}))
    assert "a plan of 3 deals needs 2" in event("verify", "--start", words if by_code else event["start.json"], slip, code=1).out


def test_seeds_that_do_not_lead_to_root_or_start_are_a_no(event: Organiser) -> None:
    assert event.root in event("verify", "--root", "00" * 32, "--public", PUBLIC, *event.seeds, code=1).out
    words = event.started.words
    assert words in event("verify", "--start", words, "--public", OTHER, *event.seeds, code=1).out
    assert "does not say the public value" in event("verify", "--start", words, *event.seeds, code=2).err


def test_slips_that_all_have_another_start_are_a_no_by_the_code_alone(event: Organiser) -> None:
    code = words_of_code(bytes(32))
    (checked,) = json.loads(event("verify", "--start", code, event.slip(1), "--json", code=1).out)["checked"]
    assert checked["part"] == "start"
    assert f"'{PUBLIC}'" in checked["sentence"]
    assert code in checked["sentence"]


def test_slips_of_another_event_are_refused(event: Organiser, twinwall: Twinwall) -> None:
    event.start()
    other = Organiser(twinwall, event.folder / "other", "Tokyo")
    slip = other.slip(1)
    assert "another event's" in event("verify", "--start", event["start.json"], slip, code=1).out
    assert "of another plan" in other("verify", "--start", event["start.json"], slip, code=2).err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(*case, id=why)
        for *case, why in (
            ([], "", "nothing"),
            (["--root", "12", "--public", "noon"], "", "a root of two digits"),
            (["--root", "00" * 32, "--public", "noon"], "", "nothing to verify"),
            (["--root", "00" * 32, "slip"], "the root alone does not fix the deals", "the root alone"),
            (["--root", "00" * 32, "--start", "00" * 32, "--public", PUBLIC, "slip"], "", "root and start"),
            (["--start", "nowhere.json", "slip"], "there is no file of this name", "no file"),
            (["--start", "5PHC-HMHS", "slip"], "not 8", "a short code"),
            (["--start", "plan", "slip"], "there is no file of this name", "no code"),
            (["--start", "UUUU", "slip"], "no 'U'", "no symbol"),
            (["--start", "plan.json", "slip"], "twinwall-start-1", "no start"),
            (["--start", "5PHC-HMHS-VS5A-JBJQ-S7FW-EC9W-ZR06-KA92", "plan.json"], "twinwall-slip-1", "no slip"),
        )
    ],
)
def test_verify_used_wrongly_says_how(event: Organiser, words: list[str], message: str) -> None:
    slip = event.slip(1)
    given = [slip if word == "slip" else event[word] if word == "plan.json" else word for word in words]
    assert message in event("verify", *given, code=2).err


# Deals in the clear.


def test_deals_made_in_the_clear_are_for_their_owner_alone_and_come_with_a_warning(event: Organiser) -> None:
    said, folder = event.make(), event.folder / "deals"
    assert "in the clear" in said.err
    assert said.out == ""
    assert {path.name for path in folder.iterdir()} == {f"{kind}-000{n}.json" for kind in ("deal", "slip") for n in (1, 2, 3)}
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert Deal.from_json((folder / "deal-0002.json").read_bytes()).root.hex() == event.root
    event.make(code=2)
    event.make("--force")


def test_a_table_plays_from_the_folder_that_was_made(event: Organiser) -> None:
    event.make()
    started = StartedPlan(Plan.from_bytes((event.folder / "plan.json").read_bytes()), event.started)
    found = DealFolder(started, 1, range(1, 17), event.folder / "deals").after((1,))
    assert isinstance(found, OpenDeal), found


def test_reveal_prints_the_deal_that_was_made_and_nothing_for_a_slip_that_lies(event: Organiser) -> None:
    event.make()
    slip, start = Path(event.slip(2)), ("--start", event.started.words)
    assert event("reveal", slip, *start, "--json").out == (event.folder / "deals" / "deal-0002.json").read_text()
    assert "E  " in event("reveal", slip, *start).out
    slip.write_text(slip.read_text().replace(PUBLIC, "another value"))
    said = event("reveal", slip, *start, code=1)
    assert said.out == ""
    assert "deal 2, " in said.err


def test_a_deal_outside_the_plan_has_no_slip(event: Organiser) -> None:
    assert "deals 1 to 3, not 4" in event("slip", 4, *event.seeds, "--public", PUBLIC, code=2).err
