"""Questions of tables as the server hears them: they count under the table's own key, and a forged one is named now and then."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dashboard.hall_intake import HallIntake, ListenerClock
from dashboard.projections.hall_views import HallViews, TableSnapshot
from tests.support.dashboard.tables.tables_in_play import IN_DOUBT, question
from tests.support.wire.streams import START, Line, public_events
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_writer import StoreWriter
from twinwall.wire.messages.boot_keys import SettledKeys
from twinwall.wire.messages.signing import Signer
from twinwall.wire.messages.tile_question import AskedRecord, AskedTile, ShownCall, ShownViolation, write_question
from twinwall.wire.mqtt.topics import Channel, Topic
from twinwall.wire.receiver import REFUSE_AGAIN_S

TABLE, ANOTHER = Signer("1", bytes(32)), Signer("1", bytes([7] * 32))
TOPIC = str(Topic("e", "1", Channel.QUESTION))


class Heard:
    """A server that hears tables 1 and 2, of which it knows the key of the first."""

    def __init__(self, folder: Path, *, keys: bool = True) -> None:
        self.seconds = 0.0
        self.views = HallViews("boot")
        self.desk = StoreWriter(folder / "event.sqlite", Programme("e", field_of(EntrantKind.INDIVIDUAL, ["1", "2"])), START)
        known = SettledKeys({"1": TABLE.public}) if keys else None
        self.intake = HallIntake(self.views, self.desk, ListenerClock(lambda: START, lambda: self.seconds), lambda _t, _c: True, known)
        self.complaints: list[str] = []
        for event in public_events(IN_DOUBT):
            self.views.add(event, START)

    def question(self, table: str = "1") -> AskedTile | None:
        status = self.views.table(table)
        return None if status is None else status.question

    def complained(self) -> str | None:
        status = self.views.table("1")
        return None if status is None else status.complaint


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Heard]:
    server = Heard(tmp_path)
    yield server
    server.desk.close()


def test_a_question_that_the_table_has_signed_is_shown_and_nothing_of_it_is_stored(heard: Heard, tmp_path: Path) -> None:
    heard.intake.take(TOPIC, write_question(TABLE, "e", "1", question()))
    assert heard.question() == question()
    heard.intake.finish()
    assert question().after not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize("signer", [ANOTHER, None], ids=["another key", "nobody"])
def test_a_question_that_the_table_has_not_signed_is_not_shown_and_named_now_and_then(heard: Heard, signer: Signer | None) -> None:
    forged = write_question(signer, "e", "1", question())
    heard.intake.take(TOPIC, forged)
    assert heard.question() is None
    assert "a question of table '1' is refused" in (heard.complained() or "")
    heard.views.complain("1", "something newer", START)
    heard.intake.take(TOPIC, forged)
    assert heard.complained() == "something newer", "it was named a moment ago"
    heard.seconds += REFUSE_AGAIN_S
    heard.intake.take(TOPIC, forged)
    assert "is refused" in (heard.complained() or "")


def test_a_question_of_a_table_without_a_known_key_waits_until_it_comes_again(heard: Heard) -> None:
    signer = Signer("2", bytes(32))
    heard.intake.take(str(Topic("e", "2", Channel.QUESTION)), write_question(signer, "e", "2", question()))
    assert heard.question("2") is None
    assert heard.views.table("2") is None


def test_in_a_rehearsal_without_signers_questions_come_bare(tmp_path: Path) -> None:
    server = Heard(tmp_path, keys=False)
    server.intake.take(TOPIC, write_question(None, "e", "1", question()))
    assert server.question() == question()
    server.desk.close()


AFTER, BEFORE = b"\xff\xd8\xff after", b"\xff\xd8\xff before"
VIOLATED: Line = ("violation", {"seat": "W", "what": "discarded-twice", "sentence": "West laid a second tile", "rule": "one tile a turn"})
PICTURES: dict[str, tuple[AskedRecord | ShownViolation | ShownCall, list[Line], Callable[[TableSnapshot], object]]] = {
    "of a doubted record": (AskedRecord(1, 7, after=AFTER, before=BEFORE), [], lambda seen: seen.asked_records),
    "of a violation": (
        ShownViolation(1, "W", "discarded-twice", after=AFTER, before=BEFORE),
        [VIOLATED],
        lambda seen: seen.shown_violations,
    ),
    "of what the table calls about": (
        ShownCall(1, "mat-differs", AFTER),
        [("referee-called", {"about": "mat-differs"})],
        lambda seen: seen.shown_calls,
    ),
}


@pytest.mark.parametrize(("shown", "told", "kept"), PICTURES.values(), ids=PICTURES)
def test_pictures_count_under_the_tables_key_alone(
    heard: Heard, shown: AskedRecord | ShownViolation | ShownCall, told: list[Line], kept: Callable[[TableSnapshot], object]
) -> None:
    for event in public_events([*IN_DOUBT, *told])[len(IN_DOUBT) :]:
        heard.views.add(event, START)
    heard.intake.take(TOPIC, write_question(ANOTHER, "e", "1", shown))
    assert kept(heard.views.tables()[0]) == ()
    assert "a question of table '1' is refused" in (heard.complained() or "")
    for _ in range(2):
        heard.intake.take(TOPIC, write_question(TABLE, "e", "1", shown))
    assert kept(heard.views.tables()[0]) == (shown,)
