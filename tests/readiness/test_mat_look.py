"""The check of a mat as the guided pages get it: each fault has its text there, and the sentence that the check says."""

import numpy as np
import pytest

from dashboard.i18n.words import Words
from tableside.readiness.checked_table import mat_look
from twinwall.art.mat import Mat
from twinwall.art.names import LANGUAGES
from vision.calibration.mat_check import MatCheck, MatFault, MatFinding
from vision.calibration.mat_pieces import look_at_pieces

ADVICE = "this is the camera of table 1, and the mat that it sees names table 12"


def check_with(fault: MatFault) -> MatCheck:
    nothing = look_at_pieces(np.zeros((100, 100), np.uint8), Mat(), 1600.0)
    return MatCheck(nothing, findings=(MatFinding(fault, (12,), 1, "markers", ADVICE),))


@pytest.mark.parametrize("fault", MatFault)
def test_the_page_has_a_text_in_each_language_for_each_fault(fault: MatFault) -> None:
    (told,) = mat_look(1, check_with(fault)).faults
    assert (told.numbers, told.advice) == ((12,), ADVICE)
    assert all(Words(language)(f"ready.mat.fault.{told.key}", numbers=12) for language in LANGUAGES)
