"""BOARD.md, the header for the compiler and the wiring for the simulated table say the same."""

import re

import pytest

from firmware_bridge.electrics import wiring
from firmware_bridge.electrics.wiring import inputs_of, outputs_of
from firmware_bridge.messages import Capabilities
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
    return {name: int(number) for name, number in re.findall(rf"^#define TWF_{prefix}_([A-Z_]+) (\d+)u", _HEADER, re.MULTILINE)}


@pytest.mark.parametrize(("section", "prefix", "wired"), [("Inputs", "IN", wiring.Input), ("Outputs", "OUT", wiring.Output)])
def test_page_header_and_wiring_number_signals_alike(section: str, prefix: str, wired: type[wiring.Input] | type[wiring.Output]) -> None:
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


def test_the_pins_of_the_page_are_those_that_a_person_is_shown() -> None:
    table = _PAGE.split("## Pins\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([A-Z_0-9]+)[^|]*\| (P\w\d)[^|]*\| (\w+)", table, re.MULTILINE)
    shown = {name: f"{port}, Mega pin {pin}" for name, port, pin in rows if name in wiring.PINS}
    assert shown.keys() == {name for name in wiring.PINS if not name.endswith(("_1", "_2", "_3", "K_5", "_6", "_7"))}
    assert shown == {name: wiring.PINS[name] for name in shown}


def test_each_signal_of_a_table_has_one_name() -> None:
    for found, numbers in ((inputs_of(Capabilities()), wiring.Input), (outputs_of(Capabilities()), wiring.Output)):
        assert len({signal.name for signal in found}) == len({signal.number for signal in found}) == len(found)
        assert {signal.number for signal in found} >= {int(number) for number in numbers}
    small = Capabilities(bypass_cells=0, tray_places=3, wall_places=2)
    assert len(inputs_of(Capabilities())) - len(inputs_of(small)) == 4 + 4 * (37 - 3) + 4 * (34 - 2)
