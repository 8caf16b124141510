"""The first line of a journal says under which start it is, to whoever acts on its lines."""

import pytest

from tests.support.event.ledgers import events
from tests.support.wire.streams import Line
from twinwall.game.deals import Start
from twinwall.game.deals.encoding import Sha256
from twinwall.wire.journal_start import start_problem

START = Start(Sha256(32), Sha256(32), "5p 3s E")
OTHER = Start(Sha256(32), Sha256(32), "5p 3s W")
STARTED: Line = ("controller-started", {"version": "0.1.0", "resumed": False})


def first(start: Start) -> Line:
    return "start-fixed", {"code": start.code.hex()}


def test_a_journal_of_the_events_start_is_taken() -> None:
    assert [start_problem(event, START) for event in events([first(START), STARTED])] == [None, None]


@pytest.mark.parametrize(("line", "named"), [(first(OTHER), OTHER.words), (STARTED, "does not begin with a start")])
def test_a_journal_of_another_start_or_of_none_is_named_with_the_events_code(line: Line, named: str) -> None:
    sentence = start_problem(events([line])[0], START)
    assert sentence is not None
    assert named in sentence
    assert START.words in sentence
