"""Staff texts: no fault that the controller reports is without the page's advice in any language."""

from dataclasses import replace

from controller.state import faults
from controller.state.waits import Wait, stands
from dashboard.i18n.words import Words
from dashboard.pages.table.troubles import place_name, trouble
from firmware_bridge.messages import FaultCode, Where
from twinwall.art.names import LANGUAGES


def test_no_report_of_the_feeder_and_no_wait_is_without_a_sentence_in_the_pages_language() -> None:
    reported = [faults.feeder_fault(code, where) for code in set(FaultCode) - {FaultCode.NONE} for where in Where]
    for event in [*reported, *(faults.overdue(stands(wait)) for wait in Wait)]:
        fault = replace(event, sentence="only the table's own words")
        for words in map(Words, LANGUAGES):
            sentence, _, hand = trouble(fault, words)
            assert "only" not in sentence
            assert "0x" not in place_name(fault, words)
            if fault.code == "feeder-jam":
                assert hand, f"nobody is told how to reach {event.where}"
