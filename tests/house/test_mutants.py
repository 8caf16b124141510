"""The list of mutants fits the code; in the nightly tier each of them dies."""

import pytest

from tools.mutants import main, misfit, mutants


def test_each_mutant_changes_one_place_of_the_code_and_names_tests_that_exist() -> None:
    assert [reason for mutant in mutants() if (reason := misfit(mutant))] == []


@pytest.mark.nightly
def test_every_mutant_dies() -> None:
    assert main([]) == 0
