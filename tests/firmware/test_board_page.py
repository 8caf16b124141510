"""BOARD.md, the header for the compiler and the wiring for the simulated table say the same."""

import re

import pytest

from firmware_bridge.electrics import wiring
from tests.support.firmware.core_board import FIRMWARE

_PAGE = (FIRMWARE / "BOARD.md").read_text(encoding="utf-8")
_HEADER = (FIRMWARE / "core" / "board" / "board.h").read_text(encoding="utf-8")


def numbers_on_the_page(section: str) -> dict[str, int]:
    """The first number of each signal in a section's table, by its name without what counts seats, cells and places."""
    table = _PAGE.split(f"## {section}\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (\d+)[^|]*\| ([A-Z_0-9a-z]+)", table, re.MULTILINE)
    named = {("REAR_" if name.endswith("_4") else "") + re.sub(r"_(n_p|n|k|\d)$", "", name): int(number) for number, name in rows}
    return {name: number for name, number in named.items() if name.isupper()}


def numbers_in_the_header(prefix: str) -> dict[str, int]:
    """What the header defines with a prefix."""
    return {name: int(number) for name, number in re.findall(rf"^#define TWF_{prefix}_([A-Z_]+) (\d+)u", _HEADER, re.MULTILINE)}


@pytest.mark.parametrize(("section", "prefix", "wired"), [("Inputs", "IN", wiring.Input), ("Outputs", "OUT", wiring.Output)])
def test_page_header_and_wiring_number_the_same_signals_alike(
    section: str, prefix: str, wired: type[wiring.Input] | type[wiring.Output]
) -> None:
    page = numbers_on_the_page(section)
    assert page
    assert page == numbers_in_the_header(prefix)
    assert page == {signal.name: int(signal) for signal in wired}


def test_the_images_are_as_long_as_their_last_signals_need() -> None:
    sizes = {name: int(number) for name, number in re.findall(r"^#define TWF_(\w+_BYTES) (\d+)u", _HEADER, re.MULTILINE)}
    assert sizes["INPUT_BYTES"] == wiring.INPUT_BYTES == max(wiring.Input) // 8 + 1
    assert sizes["OUTPUT_BYTES"] == wiring.OUTPUT_BYTES == max(wiring.Output) // 8 + 1
    assert sizes["CHAIN_BYTES"] == sizes["INPUT_BYTES"] - 2
    assert range(8 * sizes["FAST_BYTES"]) == wiring.FAST_INPUTS
