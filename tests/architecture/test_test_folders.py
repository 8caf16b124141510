"""Imports between tests: shared helpers are in ``tests.support``, and a folder of tests imports only them and its own modules."""

from collections.abc import Iterator
from pathlib import Path

from tests.architecture.test_rooms import TOP, TOP_ROOMS, imports, within

SUPPORT = "tests.support"
ROOMS_TABLE = "tests.architecture.test_rooms"
"""Whoever draws the rooms, or checks the drawing, reads the table of arrows."""


def imported_tests(folder: Path) -> Iterator[tuple[str, str]]:
    """Each Python file below a folder with each name of a test package that it imports."""
    for path in sorted(folder.rglob("*.py")):
        if "tests" not in path.read_text(encoding="utf-8"):
            continue
        module = ".".join(path.relative_to(TOP).with_suffix("").parts).removesuffix(".__init__")
        yield from ((module, name) for name in imports(path, module) if within(name, "tests"))


def test_no_room_imports_tests() -> None:
    assert [(module, name) for room in TOP_ROOMS for module, name in imported_tests(TOP / room) if ".tests." not in module] == []


def test_benchmarks_import_only_what_tests_share() -> None:
    assert [(module, name) for module, name in imported_tests(TOP / "benchmarks") if not within(name, SUPPORT)] == []


def test_every_attack_has_a_control_in_which_it_succeeds() -> None:
    attacks = sorted((TOP / "tests" / "attacks").rglob("test_*.py"))
    assert attacks
    assert [path.name for path in attacks if "\ndef test_control_" not in path.read_text(encoding="utf-8")] == []


def test_a_folder_of_tests_imports_only_what_is_shared_and_its_own() -> None:
    strangers = [
        (module, name)
        for module, name in imported_tests(TOP / "tests")
        if not any(within(name, allowed) for allowed in (SUPPORT, ROOMS_TABLE, ".".join(module.split(".")[:2])))
    ]
    assert strangers == []
