"""Threads that read documents of a type for the first time, at once."""

import subprocess
import sys

import pytest

from tests.support.first_use import WAYS
from tests.support.patience import PATIENCE_S


@pytest.mark.parametrize("way", WAYS)
def test_a_type_may_be_read_for_the_first_time_by_several_threads_at_once(way: str) -> None:
    words = [sys.executable, "-m", "tests.support.first_use", way]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=PATIENCE_S)
    assert (done.returncode, done.stderr) == (0, "")
