"""Questions of a recorded hand are answered by people: the answer is a line of its file, and its record is made anew."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cli import main
from controller.recorder.hand_answers import AnswerRefusedError
from controller.recorder.margins.event_questions import COURSE, KIND
from tableside.readiness.recorded_hands import GivenAnswers, RecordedHands
from tests.support.disks import full_disk
from tests.support.recorder.doubted_hand import ALIKE, DOUBTED, KINDS, record_doubted_hand
from twinwall.wire.shapes.readiness import WantedAnswer

NAME, UNSEEN_S = "2026-11-23-200000", 12.5
AT = datetime(2026, 11, 23, 20, 30, tzinfo=UTC)
RIGHT, OTHER = (kind.text for kind in KINDS)


class AskedHand:
    """A recorded hand with two questions, and those who take answers to them."""

    def __init__(self, folder: Path) -> None:
        self.hands = RecordedHands(folder)
        self.file = record_doubted_hand(self.hands, NAME, UNSEEN_S)
        self.answers = self.started()

    def started(self) -> GivenAnswers:
        return GivenAnswers(self.hands, lambda: AT)

    def document(self) -> dict[str, Any]:
        content = self.hands.content(NAME, ".json")
        assert content is not None
        found: dict[str, Any] = json.loads(content)
        return found

    def given(self) -> list[dict[str, Any]]:
        """The answers in the file."""
        return [line for line in map(json.loads, self.file.read_bytes().splitlines()) if line.get("line") == "answer"]

    def course(self) -> int:
        """The event from which on the course of play is asked about."""
        return next(int(question["seq"]) for question in self.document()["questions"] if not question["kinds"])


@pytest.fixture
def asked(tmp_path: Path) -> AskedHand:
    return AskedHand(tmp_path / "recorded")


def kind(said: str, by: str = "Anna", seen: int = 0) -> WantedAnswer:
    return WantedAnswer(DOUBTED, KIND, said, by, seen)


def test_an_answer_is_a_line_with_name_and_time_and_the_record_is_made_anew(asked: AskedHand, capsys: pytest.CaptureFixture[str]) -> None:
    before = asked.document()
    place = {key: before["questions"][0][key] for key in ("x_mm", "y_mm", "before_ms")}
    asked.answers.answer(NAME, kind(OTHER))
    assert asked.given() == [
        {"line": "answer", "number": DOUBTED, "about": "kind", "said": OTHER, "by": "Anna", "at": "2026-11-23T20:30:00Z", **place}
    ]
    after = asked.document()
    assert (before["record"]["events"][DOUBTED - 1]["tile"], after["record"]["events"][DOUBTED - 1]["tile"]) == (RIGHT, OTHER)
    assert [question["seq"] for question in after["questions"]] == [asked.course()]
    ((answered,),) = [after["answered"]]
    assert (answered["seq"], answered["about"], answered["said"]) == (DOUBTED, "kind", OTHER)
    assert (answered["by"], answered["given"]) == ("Anna", 1)
    assert after["unseen_s"] == UNSEEN_S
    assert asked.hands.listed()[0].doubts == 1
    main(["record", "decode", str(asked.file)])
    assert json.loads(capsys.readouterr().out) == after["record"], "the command makes the same of the file"


def test_an_answer_torn_by_a_power_cut_is_given_again_outlives_a_restart_and_can_be_changed_by_who_has_seen_it(asked: AskedHand) -> None:
    with asked.file.open("ab") as file:
        file.write(b'{"line":"answer","number":5,"ab')
    asked.answers.answer(NAME, kind(OTHER))
    assert [answer["said"] for answer in asked.given()] == [OTHER]
    asked.started().answer(NAME, kind(RIGHT, "Ben", seen=1))
    assert asked.document()["record"]["events"][DOUBTED - 1]["tile"] == RIGHT
    assert [answer["said"] for answer in asked.given()] == [OTHER, RIGHT], "the first one is kept"


def test_two_people_who_answer_at_once_lose_nothing(asked: AskedHand) -> None:
    wanted = [kind(OTHER, "Anna"), WantedAnswer(asked.course(), COURSE, "yes", "Ben", 0)]
    with ThreadPoolExecutor(len(wanted)) as people:
        for done in [people.submit(asked.answers.answer, NAME, each) for each in wanted]:
            done.result()
    assert {answer["by"] for answer in asked.given()} == {"Anna", "Ben"}
    document = asked.document()
    assert document["questions"] == []
    assert {answered["by"] for answered in document["answered"]} == {"Anna", "Ben"}


def test_two_programs_that_answer_on_one_folder_lose_nothing(asked: AskedHand) -> None:
    """The second one answers when the first has read the file and has not written to it."""
    other = asked.started()
    other.remake(NAME)
    with ThreadPoolExecutor() as programs:

        def now() -> datetime:
            answered = programs.submit(other.answer, NAME, WantedAnswer(asked.course(), COURSE, "yes", "Ben", 0))
            wait([answered], 0.5)
            return AT

        GivenAnswers(asked.hands, now).answer(NAME, kind(OTHER))
    assert {answer["by"] for answer in asked.given()} == {"Anna", "Ben"}
    assert {answered["by"] for answered in asked.document()["answered"]} == {"Anna", "Ben"}


def test_a_file_with_a_number_that_nothing_can_tell_of_is_refused_with_its_line(asked: AskedHand) -> None:
    header, frame, *rest = asked.file.read_bytes().splitlines(keepends=True)
    harmed = b'{"line":"mat","at_ms":0,"tiles":[{"x_mm":1e200,"y_mm":0,"angle_deg":0}]}\n'
    asked.file.write_bytes(b"".join([header, harmed, frame, *rest]))
    with pytest.raises(AnswerRefusedError, match=r"cannot be decoded: line 2 of the observations: .*x_mm"):
        asked.started().answer(NAME, kind(OTHER))


def test_a_hand_without_a_record_has_no_questions(asked: AskedHand) -> None:
    for name in ("2026-11-23-210000", "../other"):
        with pytest.raises(AnswerRefusedError, match="there is no recorded hand"):
            asked.answers.answer(name, kind(OTHER))
    asked.file.with_suffix(".json").write_bytes(b'{"rec')
    with pytest.raises(AnswerRefusedError, match="there is no recorded hand"):
        asked.answers.answer(NAME, kind(OTHER))


def test_an_answer_that_was_kept_before_a_power_cut_and_not_in_the_document_comes_into_it(asked: AskedHand) -> None:
    with asked.file.open("ab") as file:
        file.write(b'{"line":"answer","number":5,"about":"kind","said":"%b","by":"Anna","at":""}\n' % OTHER.encode())
    with pytest.raises(AnswerRefusedError, match="has been answered meanwhile"):
        asked.answers.answer(NAME, kind(RIGHT, "Ben"))
    assert [answered["by"] for answered in asked.document()["answered"]] == ["Anna"]


def test_an_answer_that_was_given_to_another_tile_leaves_the_question_open_and_it_is_answered(asked: AskedHand) -> None:
    """An earlier version of the decoder gave the other tile this number."""
    with asked.file.open("ab") as file:
        line = b'{"line":"answer","number":5,"about":"kind","said":"%b","by":"Ben","at":"","x_mm":200,"y_mm":200,"before_ms":1}\n'
        file.write(line % OTHER.encode())
    asked.answers.answer(NAME, kind(RIGHT))
    ((answered,),) = [asked.document()["answered"]]
    assert (answered["said"], answered["by"], answered["given"]) == (RIGHT, "Anna", 1)
    asked.answers.answer(NAME, kind(OTHER, seen=1))
    assert asked.document()["answered"][0]["given"] == 2


def test_an_answer_of_an_old_page_to_another_tile_with_the_same_number_is_refused(asked: AskedHand) -> None:
    """Somebody else's answer has given the number to another event since the page was opened."""
    x_mm, y_mm, before_ms = (asked.document()["questions"][0][key] for key in ("x_mm", "y_mm", "before_ms"))
    with pytest.raises(AnswerRefusedError, match="The page shows what is asked now"):
        asked.answers.answer(NAME, WantedAnswer(DOUBTED, KIND, OTHER, "Anna", place=(x_mm + 60, y_mm, before_ms)))
    assert asked.given() == []
    asked.answers.answer(NAME, WantedAnswer(DOUBTED, KIND, OTHER, "Anna", place=(x_mm, y_mm, before_ms)))
    assert [answer["said"] for answer in asked.given()] == [OTHER]


@pytest.mark.parametrize("seen", [pytest.param(0, id="an open question"), pytest.param(1, id="a question with an answer")])
def test_an_answer_to_a_document_of_an_earlier_version_makes_it_anew_and_is_then_given(asked: AskedHand, seen: int) -> None:
    """Its questions do not say what they are about."""
    document = asked.document()
    earlier = [{key: told for key, told in question.items() if key != "about"} for question in document["questions"]]
    asked.file.with_suffix(".json").write_text(json.dumps(document | {"questions": earlier}))
    with pytest.raises(AnswerRefusedError, match=f"something else is asked about event {DOUBTED}. The page shows what is asked now"):
        asked.answers.answer(NAME, WantedAnswer(DOUBTED, "", OTHER, "Anna", seen))
    assert asked.given() == []
    assert asked.document() == document
    asked.answers.answer(NAME, WantedAnswer(DOUBTED, document["questions"][0]["about"], OTHER, "Anna"))
    assert [answer["about"] for answer in asked.given()] == ["kind"]


def test_an_answer_that_cannot_be_kept_for_a_full_disk_or_without_observations_changes_nothing(asked: AskedHand) -> None:
    before = asked.file.read_bytes(), asked.document()
    with full_disk(len(before[0]) + 20), pytest.raises(OSError, match="File too large"):
        asked.answers.answer(NAME, kind(OTHER))
    assert (asked.file.read_bytes(), asked.document()) == before
    asked.answers.answer(NAME, kind(OTHER))
    assert [answer["said"] for answer in asked.given()] == [OTHER], "with room on the disk it is taken"
    after = asked.document()
    asked.file.unlink()
    with pytest.raises(FileNotFoundError):
        asked.answers.answer(NAME, kind(RIGHT, seen=1))
    assert asked.document() == after


def test_the_command_takes_answers_and_refuses_those_that_cannot_be(asked: AskedHand, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "decode", str(asked.file), "--answer", f"{DOUBTED}={OTHER}", "--answer", f"{asked.course()}=yes"]) == 1
    told = capsys.readouterr()
    assert json.loads(told.out)["events"][DOUBTED - 1]["tile"] == OTHER
    assert told.err == "the observations end before the hand does\n"
    assert asked.given() == [], "the command only reads the file"
    for answer, why in (
        ("5", "say the number of an event and what it is"),
        ("2=1m", "event 2 is not asked about"),
        (f"5={ALIKE.text}", "cannot be"),
        (f"{'9' * (sys.get_int_max_str_digits() + 1)}=5m", "say the number of an event and what it is"),
    ):
        assert main(["record", "decode", str(asked.file), "--answer", answer]) == 2
        assert why in capsys.readouterr().err
