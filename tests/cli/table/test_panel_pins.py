"""Pins whose libraries are absent, of another version, or refuse: a sentence with what to do."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from cli.table.table_panels import open_panels
from cli.usage import UsageError
from tools.default_settings import TABLE


class Broken(ModuleType):
    """A library that is there and cannot be loaded."""

    def __getattr__(self, name: str) -> object:
        raise PermissionError(13, "Permission denied", ".lgd-nfy-3")


@pytest.mark.parametrize(("library", "said"), [(None, "lgpio"), (Broken("lgpio"), "lgd-nfy")])
def test_pins_whose_library_cannot_be_loaded_are_refused_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, library: ModuleType | None, said: str
) -> None:
    for name in ("controller.adapters.panel", "RPi.GPIO", "RPi"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "lgpio", library)
    with pytest.raises(UsageError, match=f"pins cannot be used: .*{said}.*enabled = false"):
        open_panels(TABLE, lambda _press: None)


LOADING = """
import os
from cli.usage import UsageError
from cli.table.table_panels import open_panels
from tools.default_settings import TABLE
try:
    open_panels(TABLE, lambda _press: None)
except UsageError as error:
    print(error)
import lgpio
print(os.getcwd(), os.listdir())
"""


def test_lgpio_leaves_no_file_behind_and_the_process_where_it_is(tmp_path: Path) -> None:
    top = Path(__file__).parents[3]
    command = [sys.executable, "-c", LOADING]
    done = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(top), "RPI_LGPIO_REVISION": "d04170"}, capture_output=True, text=True, check=False
    )
    assert "can not open gpiochip" in done.stdout, done.stderr
    assert done.stdout.splitlines()[-1] == f"{tmp_path} []"
