"""What a referee is asked and shown about a table's play: spectators, directors and scorers are neither asked nor shown it."""

from base64 import b64encode
from collections.abc import Callable

import pytest

from tests.dashboard.pages.rulings import test_violation_in_doubt, test_violations_shown, test_which_record, test_which_tile
from tests.support.dashboard.referee import Referee, others
from tests.support.dashboard.tables.questions import IN_DOUBT, question

ASKED: dict[str, tuple[Callable[[], Referee], dict[str, object]]] = {
    "which tile": (lambda: test_which_tile.asking(IN_DOUBT), {"tile": "5m"}),
    "which record": (lambda: test_which_record.doubting(test_which_record.ASKED), {"number": test_which_record.NUMBER, "right": "record"}),
    "a violation in doubt": (
        lambda: test_which_record.doubting(test_violation_in_doubt.ASKED),
        {"number": test_which_record.NUMBER, "seat": "S", "right": "drew-early"},
    ),
    "violations": (lambda: test_violations_shown.called_referee(test_violations_shown.TWICE, test_violations_shown.CALLED), {}),
}


@pytest.mark.parametrize(("asked", "form"), ASKED.values(), ids=ASKED)
def test_no_other_is_asked_or_led_there_or_shown_a_picture(asked: Callable[[], Referee], form: dict[str, object]) -> None:
    referee = asked()
    pictures = [b64encode(picture)[:200] for picture in (question().after, test_violations_shown.AFTER)]
    for client in others(referee.hall):
        assert client.get(referee.page_path).status_code in (302, 404)
        assert client.post(referee.page_path, data=form).status_code in (400, 401, 404, 405)
        calls = client.get("/calls").text
        assert referee.page_path not in calls
        for path in ("/", "/table/1", "/calls", "/events?table=1&page=which-tile", "/events?table=1&page=violations", "/seat/1/2"):
            referee.hall.turns_left = 1
            assert not any(picture in client.get(path).data for picture in pictures)
    assert referee.sent == []


def test_in_the_list_of_calls_no_other_reads_the_seat_of_a_violation_in_doubt() -> None:
    for client in others(test_which_record.doubting(test_violation_in_doubt.ASKED).hall):
        assert "South" not in client.get("/calls").text
