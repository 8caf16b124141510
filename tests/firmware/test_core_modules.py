"""The modules of the firmware's core: a source with its header. None includes one that includes it, directly or through others."""

import re
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.support.firmware.core_board import FIRMWARE

CORE = FIRMWARE / "core"
INCLUDED = re.compile(r'^#include "(.+)\.h"$', re.MULTILINE)


def included(files: Iterable[tuple[Path, str]]) -> dict[Path, set[Path]]:
    """Each module, by its path without a suffix, and those that its source or header includes."""
    modules: dict[Path, set[Path]] = {}
    for file, text in files:
        found = modules.setdefault(file.with_suffix(""), set())
        found |= {(file.parent / name).resolve() for name in INCLUDED.findall(text)} - {file.with_suffix("")}
    return modules


def test_no_module_of_the_core_includes_one_that_includes_it() -> None:
    modules = included((file, file.read_text(encoding="utf-8")) for file in sorted(CORE.rglob("*.[ch]")))
    order = [str(module.relative_to(CORE)) for module in TopologicalSorter(modules).static_order()]
    assert order.index("machine") < order.index("motion/shuttle") < order.index("run") < order.index("feeder"), "includes are read"


def test_a_source_that_includes_the_header_of_what_includes_its_own_is_a_circle() -> None:
    files = [
        (CORE / "motion" / "a.h", '#include "../b.h"\n'),
        (CORE / "b.h", ""),
        (CORE / "b.c", '#include "b.h"\n#include "motion/a.h"\n'),
    ]
    with pytest.raises(CycleError):
        TopologicalSorter(included(files)).prepare()
