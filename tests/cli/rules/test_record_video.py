"""``twinwall record SOURCE``: files that it writes, what it says, and how it goes on."""

import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import redirect_stderr
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from playwright.sync_api import Browser

import cli
from cli.rules.answer import Evening
from cli.rules.record import RecordingFolder
from cli.rules.video import record, recorded
from cli.usage import UsageError
from controller.recorder.video_hands import VideoHand
from dashboard.readiness.local_servers import RECORDED
from tableside.readiness.recorded_hands import GivenAnswers, RecordedHands
from tests.support.disks import full_disk
from tests.support.narrowed import present
from tests.support.patience import PATIENCE_S
from tests.support.recorder.filmed_hands import FilmCamera, KnowingClassifier, KnowingFinder, filmed
from tests.support.recorder.played_hands import messages_of, only, played
from twinwall.game.rules import RuleSetError
from twinwall.game.tiles import Seat
from twinwall.wire.shapes.readiness import WantedAnswer
from vision.anytable.sources import TimedFrame
from vision.cameras.file_camera import picture_in
from vision.finder.found import FoundTable
from vision.mat_observation import MatObservation, ObservedTile

EMPTY_MS = 8000
CORNERS_PX = ((210, 90), (760, 96), (830, 640), (150, 650))


@dataclass
class Film:
    """A source of frames that a finder knows; ``stops``: somebody presses Ctrl-C after so many in one run, or ``early``, while the set is
    learnt; a finger is on the lens in those that are ``hidden``."""

    seen: Sequence[MatObservation]
    stops: int = 10**9
    early: bool = False
    cut: type[BaseException] = KeyboardInterrupt
    lasts_ms: int | None = 1
    cut_short: str = ""
    finder: KnowingFinder = field(default_factory=KnowingFinder)
    passes: int = 0
    cameras: Sequence[FilmCamera] = ()
    hidden: range = range(0)

    def frames(self, every_ms: int, from_ms: int = 0) -> Iterator[TimedFrame]:
        if every_ms == 500:  # those in which the table is looked for
            yield from filmed(self.seen[:8], self.finder, self.cameras[:1])
            return
        self.passes += 1
        for number, frame in enumerate(filmed([each for each in self.seen if each.at_ms >= from_ms], self.finder, self.cameras)):
            if number == self.stops and self.early is (self.passes == 1):
                raise self.cut
            if number in self.hidden:
                frame.image[8:] = 70, 85, 140  # above are the numbers of frames
                self.finder.looks[-1] = FoundTable((), self.finder.looks[-1].covering)
            yield frame


def hand_of(number: int, from_ms: int = 0, first: int = 12) -> list[MatObservation]:
    """So many events of a simulated hand of Sichuan, once a second."""
    observed = messages_of(played("sichuan", number).at_table(only(), first), frame_ms=1000)
    return [MatObservation(each.at_ms + from_ms, each.tiles, each.covered) for each in observed if isinstance(each, MatObservation)]


def run(film: Film, folder: Path, *words: str, source: str = "table.mp4") -> int:
    arguments = cli.CommandParser("record video", record).parse_args(
        [source, "--rules", "sichuan", "--out", str(folder / "hand.json"), *words]
    )
    return int(not recorded(arguments, film, film.finder, KnowingClassifier()))


@pytest.mark.parametrize("lasts_ms", [1, None], ids=["a file", "a camera"])
def test_a_hand_is_written_with_a_picture_of_what_was_read(
    lasts_ms: int | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(Film(hand_of(0, first=20), lasts_ms=lasts_ms), tmp_path, "--keep", str(tmp_path / "kept"))
    said = capsys.readouterr().err
    record_of = json.loads((tmp_path / "hand.json").read_text())
    assert record_of["format"] == "twinwall-hand-1"
    assert len(record_of["events"]) > 15
    assert present(picture_in(tmp_path / "hand.jpg")).shape == (720, 960, 3)
    assert "hand 1:" in said
    assert f"twinwall record replay {tmp_path / 'hand.json'}" in said
    pictures = {path.name for path in (tmp_path / "kept").glob("question-*.jpg")}
    assert pictures
    assert code == 1
    assert f"twinwall record answer {tmp_path / 'kept'} --out {tmp_path / 'hand.json'}" in said.splitlines()[-1]
    evening = Evening(tmp_path / "kept", tmp_path / "hand.json")
    evening.begin()
    asked = RECORDED.decode(evening.document("hand-1") or b"").questions
    assert {name for each in asked for name in evening.pictures("hand-1", each)} == pictures
    assert not list((tmp_path / "kept").glob("frames/*"))
    assert cli.main(["record", "decode", str(tmp_path / "kept" / "hand-1.jsonl")]) == code
    assert json.loads(capsys.readouterr().out) == record_of


def test_where_first_discards_may_be_of_any_seat_the_whole_hand_tells_east_and_it_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    records = list[str]()
    for _ in range(2):
        run(Film(hand_of(0)), tmp_path, "--force")
        records.append((tmp_path / "hand.json").read_text())
        monkeypatch.setattr(VideoHand, "first_places", lambda *_: list(range(4)))
    assert records[0] == records[1]
    assert capsys.readouterr().err.count("it is decoded with East at each of them") == 1


def test_a_camera_that_is_moved_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand = hand_of(0, first=20)
    run(Film(hand, cameras=(FilmCamera(), FilmCamera(turned_deg=9.0, moved_px=(35.0, -20.0)))), tmp_path)
    said, half = capsys.readouterr().err, hand[len(hand) // 2].at_ms // 1000
    assert said.count("the camera was moved") == 1
    assert f"0:{half:02}: the camera was moved; what was laid meanwhile is in doubt" in said


@pytest.mark.parametrize(
    "moved", [[FilmCamera()] * 5 + [FilmCamera(turned_deg=12.0)] * 35, [FilmCamera(moved_px=(2.0 * step, 0.0)) for step in range(40)]]
)
def test_a_move_soon_after_the_beginning_is_said_and_so_is_a_slow_one_once(
    moved: Sequence[FilmCamera], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(Film([replace(each, at_ms=each.at_ms // 4) for each in hand_of(0, first=20)[:40]], cameras=moved), tmp_path)
    assert capsys.readouterr().err.count("the camera was moved") == 1


def test_a_time_in_which_the_table_is_not_in_sight_is_said_and_parts_no_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand = hand_of(0, first=24)
    hidden = range(22, 32)
    run(Film(hand, hidden=hidden), tmp_path)
    said = capsys.readouterr().err
    assert f"0:{hidden[0] - 1:02} to 0:{hidden[-1] + 1:02}: the table was not in sight; what was laid then is in doubt" in said
    assert "hand 1: " in said
    assert "hand 2" not in said


def test_a_piece_of_a_video_that_is_missing_is_asked_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand = hand_of(0, first=24)
    first, later = hand[:13], [replace(each, at_ms=each.at_ms - 15_000) for each in hand[28:]]
    assert run(Film([*first, *later]), tmp_path) == 1
    assert "is in doubt (margin 5.0)" in capsys.readouterr().err


def test_a_second_run_goes_on_after_the_last_observation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand, keep = hand_of(0, first=20), ("--keep", str(tmp_path / "kept"))
    run(Film(hand, stops=24), tmp_path, *keep)
    assert "stopped" in capsys.readouterr().err
    log = tmp_path / "kept" / "observations.jsonl"
    log.write_bytes(log.read_bytes() + b'{"line":"mat","at_')
    run(Film(hand), tmp_path, *keep, "--force")
    lines = [json.loads(line) for line in log.read_text().splitlines()[1:]]
    assert [line["at_ms"] for line in lines] == [each.at_ms for each in hand]
    other = Film(hand)
    other.finder.looks.append(FoundTable((), np.zeros((1, 1), bool)))  # the first picture has another number
    with pytest.raises(UsageError, match="another video"):  # of the same name
        run(other, tmp_path, *keep, "--force")
    with pytest.raises(UsageError, match="another video"):
        run(Film(hand), tmp_path, *keep, "--force", source="other.mp4")
    with RecordingFolder(tmp_path / "held", "table.mp4"), pytest.raises(UsageError, match="another twinwall record writes to"):
        run(Film(hand), tmp_path, "--keep", str(tmp_path / "held"), "--force")


def test_what_a_camera_showed_before_a_power_cut_is_decoded_by_a_second_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand, keep = hand_of(0, first=20), ("--keep", str(tmp_path / "kept"))
    with pytest.raises(MemoryError):
        run(Film(hand, lasts_ms=None, stops=24, early=True, cut=MemoryError), tmp_path, *keep)
    assert len(list((tmp_path / "kept").glob("frames/*.jpg"))) == 24
    run(Film(hand, lasts_ms=None), tmp_path, *keep)
    said = capsys.readouterr().err
    assert "kept holds a recording of this camera, which is decoded" in said
    assert "hand 1: " in said
    assert len((tmp_path / "kept" / "observations.jsonl").read_text().splitlines()) == 25
    assert not list((tmp_path / "kept").glob("frames/*"))


def test_a_recording_that_is_stopped_while_the_set_is_learnt_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="stopped while the faces of the set were learnt: nothing was recorded yet"):
        run(Film(hand_of(0), stops=14, early=True), tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("lasts_ms", "passes"), [(1, 2), (None, 1)], ids=["a file", "a camera"])
def test_a_set_is_learnt_before_a_recording_from_what_can_be_seen_twice(tmp_path: Path, lasts_ms: int | None, passes: int) -> None:
    film = Film(hand_of(0), lasts_ms=lasts_ms)
    run(film, tmp_path)
    assert film.passes == passes


def test_hands_of_an_evening_are_a_list(tmp_path: Path) -> None:
    first = hand_of(0)
    end_ms = first[-1].at_ms
    shuffle = [MatObservation(end_ms + 500 * number) for number in range(1, EMPTY_MS // 500)]
    run(Film([*first, *shuffle, *hand_of(1, end_ms + EMPTY_MS)]), tmp_path)
    assert [each["n"] for each in json.loads((tmp_path / "hand.json").read_text())] == [1, 2]


def test_the_next_hand_is_watched_while_one_is_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watched, seen, east = Event(), list[bool](), VideoHand.east

    class Watched(Film):
        def frames(self, every_ms: int, from_ms: int = 0) -> Iterator[TimedFrame]:
            yield from super().frames(every_ms, from_ms)
            if self.passes:
                watched.set()

    def later(video: VideoHand, wind: Seat) -> int | None:
        seen.append(watched.wait(PATIENCE_S))
        return east(video, wind)

    monkeypatch.setattr(VideoHand, "east", later)
    first = hand_of(0, first=20)
    shuffle = [MatObservation(first[-1].at_ms + 500 * number) for number in range(1, EMPTY_MS // 500)]
    run(Watched([*first, *shuffle, *hand_of(1, first[-1].at_ms + EMPTY_MS)], lasts_ms=None), tmp_path)
    assert seen == [True, True]


@pytest.mark.parametrize("keep", [(), ("--keep", "kept")])
def test_a_hand_that_was_begun_before_needs_east_and_a_second_run(
    keep: Sequence[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    begun = hand_of(0, first=20)[15:20]
    with pytest.raises(UsageError, match=r"no hand was played in table.mp4: .*/hand.no-hand.jpg shows what was read"):
        run(Film(begun), tmp_path, *keep)
    assert Path("hand.no-hand.jpg").exists()
    assert "say it with --east" in capsys.readouterr().err
    assert run(Film(begun), tmp_path, *keep, "--east", "bottom") == 1
    assert Path("hand.jpg").exists() is ("hand.jpg shows" in capsys.readouterr().err) is (not keep)


class Screen(StringIO):
    """Does something when a sentence is said, and waits for it, not for long."""

    def __init__(self, said: str, then: Callable[[], Future[None]]) -> None:
        super().__init__()
        self.said, self.then, self.done = said, then, list[Future[None]]()

    def write(self, text: str) -> int:
        if text.startswith(self.said):
            self.done.append(self.then())
            wait(self.done, 0.5)
        return super().write(text)


def test_an_answer_waits_while_its_hand_is_decoded(tmp_path: Path) -> None:
    """Otherwise the document is written over by one without it."""
    kept = RecordedHands(tmp_path / "kept")
    words = tmp_path, "--keep", str(kept.folder), "--force"
    run(Film(hand_of(0, first=20)), *words)
    asked = RECORDED.decode(present(kept.content("hand-1", ".json"))).questions[0]
    answers = GivenAnswers(kept, lambda: datetime(2026, 11, 30, tzinfo=UTC))
    answers.remake("hand-1")
    wanted = WantedAnswer(asked.seq, asked.about, "unknown", "Anna", 0)
    with ThreadPoolExecutor() as others:
        with redirect_stderr(Screen("decoding hand 1", lambda: others.submit(answers.answer, "hand-1", wanted))) as screen:
            run(Film(hand_of(0, first=20)), *words)
        screen.done[0].result()
    assert [each.by for each in RECORDED.decode(present(kept.content("hand-1", ".json"))).answered] == ["Anna"]


class Blind(KnowingFinder):
    def look(self, image: object) -> FoundTable:
        return FoundTable((), np.zeros((90, 120), np.float32))


def test_where_no_tile_is_found_the_corners_can_be_clicked_on_what_the_camera_saw(tmp_path: Path, browser: Browser) -> None:
    film = Film([MatObservation(20_000 * number) for number in range(8)], cut_short="9 pictures are left out")
    film.finder = Blind()
    with pytest.raises(
        UsageError,
        match=r"table.mp4: no tile in the first 60 s; .*hand.corners.html shows what the camera saw: .* click its corners there; 9",
    ):
        run(film, tmp_path)
    with browser.new_page(viewport={"width": 700, "height": 500}) as page:  # smaller than the picture, so that it is scaled
        page.goto((tmp_path / "hand.corners.html").as_uri())
        picture = page.locator("#picture")
        assert picture.evaluate("one => [one.naturalWidth, one.naturalHeight]") == [960, 720]
        scale = present(picture.bounding_box())["width"] / 960
        for corner, (x, y) in zip(("upper left", "upper right", "lower right", "lower left"), CORNERS_PX, strict=True):
            assert f"Click the {corner} corner" in page.locator("#ask").inner_text()
            assert page.locator("#words").is_hidden()
            picture.click(position={"x": x * scale, "y": y * scale}, force=True)
        said = shlex.split(page.locator("#words").inner_text())
        page.locator("#again").click()
        assert page.locator("#words").is_hidden()
    film.finder = Blind()
    with pytest.raises(UsageError, match="no hand was played"):
        run(film, tmp_path, *said)
    named = [tuple(map(float, point.split(","))) for point in said[1].split()]
    assert np.abs(np.array(named) - CORNERS_PX).max() < 2


def test_a_full_disk_is_said_and_leaves_no_half_record_but_one_that_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with full_disk(20_000), pytest.raises(UsageError, match="make room and start again"):
        run(Film(hand_of(0)), tmp_path, "--keep", str(tmp_path / "kept"))
    assert capsys.readouterr().out == ""
    with full_disk(300), pytest.raises(UsageError, match=r"hand.json cannot be written"):
        run(Film(hand_of(0)), tmp_path)
    assert json.loads(capsys.readouterr().out)["events"]
    assert not (tmp_path / "hand.json").exists()


def test_rules_and_files_are_looked_at_before_the_video(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    film = Film(hand_of(0)[:8])
    with pytest.raises(RuleSetError, match="no-such-rules"):
        run(film, tmp_path, "--rules", "no-such-rules")
    (tmp_path / "hand.jpg").touch()
    with pytest.raises(UsageError, match="--force"):
        run(film, tmp_path)
    with pytest.raises(UsageError, match="can be read; it was unplugged"):
        run(Film([], cut_short="it was unplugged"), tmp_path, "--force")

    Path("table.mp4").touch()
    Path("kept").mkdir()
    for over, *words in (
        ("table.mp4", "--out", "table.mp4"),
        ("table.mp4", "--keep", "table.mp4"),
        ("kept/hand-1.json", "--out", "kept/hand-1.json", "--keep", str(tmp_path / "kept")),
    ):
        with pytest.raises(UsageError, match=f"^{over} would be written over"):
            run(film, tmp_path, *words)
    with pytest.raises(UsageError, match=r"must not end in \.jpg"):
        run(film, tmp_path, "--out", "hand.jpg")
    for wrong in (("--tile", "0x0"), ("--corners", "0,0 nan,0 1,1 0,1")):
        with pytest.raises(SystemExit):
            run(film, tmp_path, *wrong)


def test_a_table_whose_corners_are_given_is_not_looked_for(tmp_path: Path) -> None:
    corners = FilmCamera().project(np.array([(-350.0, -350, 0), (350, -350, 0), (350, 350, 0), (-350, 350, 0)]))
    hand = [MatObservation(250 * number, (ObservedTile(-70, 108, 0),) if number > 4 else ()) for number in range(12)]
    with pytest.raises(UsageError, match="no hand was played"):
        run(Film(hand), tmp_path, "--corners", " ".join(f"{x:.1f},{y:.1f}" for x, y in corners.tolist()))
