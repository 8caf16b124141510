"""Pins whose libraries are absent, of another version, or refuse: a sentence with what to do."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from cli.errors import UsageError
from cli.table.table_panels import open_panels
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
