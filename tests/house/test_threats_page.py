"""The attacks have tests that exist, every file of attacks has a number, and the page of threats a reason where nothing holds."""

import re

import pytest

from tools import attack
from tools.attack import TOP, attacks, main

TEXT = (TOP / "docs/explanation/threats.md").read_text("utf-8")
ATTACKS = attacks()
NAMED = [test for row in ATTACKS for test in (*row.tests, *row.controls)]


def around(test: str) -> list[str]:
    """What the file of a test has above the test, and below its name."""
    file, _, function = test.partition("::")
    return (TOP / file).read_text(encoding="utf-8").split(f"\ndef {function}(")


def test_every_test_that_a_row_names_exists() -> None:
    assert [row.number for row in ATTACKS if not row.tests] == []
    assert [test for test in NAMED if len(around(test)) != 2] == []


def test_no_attack_is_left_to_make_nightly() -> None:
    """A change must pass every attack, and ``make attack`` runs what ``make test`` runs."""
    assert [test for test in NAMED if "@pytest.mark.nightly" in around(test)[0].rpartition("\n\n\n")[2]] == []


def test_rows_are_numbered_in_order_and_say_what_the_attacker_gets_exactly_where_there_is_a_control() -> None:
    assert [row.number for row in ATTACKS] == list(range(1, len(ATTACKS) + 1))
    assert [row.number for row in ATTACKS if (row.gets_without == attack.NOTHING) is not (row.controls == ())] == []


def test_every_file_of_attacks_has_a_row_with_its_attack_and_its_control() -> None:
    files = {path.relative_to(TOP).as_posix() for path in (TOP / "tests/attacks").rglob("test_*.py")}
    for named in ([row.tests for row in ATTACKS], [row.controls for row in ATTACKS]):
        assert files - {test.partition("::")[0] for tests in named for test in tests} == set(), "add a number to docs/reference/attacks.md"


def test_controls_of_attacks_are_named_as_controls() -> None:
    of_attacks = [test for row in ATTACKS for test in row.controls if test.startswith("tests/attacks/")]
    assert [test for test in of_attacks if "::test_control_" not in test] == []


def test_what_is_not_held_has_a_reason() -> None:
    for heading in ("not held: why", "not held yet: what is missing"):
        (table,) = re.findall(rf"\| threat \| {heading} \|.*\n\|[-|]+\n((?:\|.+\n)+)", TEXT)
        for row in table.splitlines():
            assert all(cell.strip() for cell in row.strip("|").split("|")), row


def test_the_list_names_every_attack(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    listed = capsys.readouterr().out
    assert [row.number for row in ATTACKS if row.does not in listed] == []


def test_an_attack_tells_what_is_got_with_and_without_its_defence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[tuple[str, ...]] = []

    def passing(tests: tuple[str, ...]) -> bool:
        ran.append(tests)
        return True

    monkeypatch.setattr(attack, "run_tests", passing)
    row = ATTACKS[3]
    assert main([str(row.number)]) == 0
    told = capsys.readouterr().out
    assert ran == [row.controls, row.tests]
    assert told.index(f"He gets: {row.gets_without}.") < told.index(f"He gets: {row.gets_with}.")


def test_a_defence_that_fails_is_said_and_is_exit_1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(attack, "run_tests", lambda tests: tests == ATTACKS[3].controls)
    assert main(["4"]) == 1
    told = capsys.readouterr().out
    assert "The tests do not agree with the page" in told
    assert ATTACKS[3].gets_with not in told
