"""A wiring that KiCad's files do not follow, a spoiled file and a broken electrical rule are found."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from hardware.boards.__main__ import faults, load
from hardware.boards.check import board_faults, electrical_faults
from hardware.boards.circuit import circuit
from hardware.boards.schematic import FLAG, pins_of
from hardware.boards.sexpr import Node, dump, nodes, numbers, one, parse, word
from hardware.wiring.netlist import Netlist, expand, read

Source = dict[str, Any]


def exchange(pins: list[str], first: int, second: int) -> None:
    """Exchange the nets of two pins and leave their numbers."""
    (one_pin, one_net), (other_pin, other_net) = (pins[index].rpartition(":")[::2] for index in (first, second))
    pins[first], pins[second] = f"{one_pin}:{other_net}".lstrip(":"), f"{other_pin}:{one_net}".lstrip(":")


CHANGED: dict[str, tuple[Callable[[Source], object], str]] = {
    "two rows exchanged at the computer": (
        lambda source: exchange(next(each["pins"] for each in source["cables"] if each["to"] == "A15.J1"), 3, 4),
        "A15: the board has J1.29, R1.1 on ROW_0_PI, the wiring J1.31, R2.1",
    ),
    "two keys exchanged in the cable": (
        lambda source: exchange(source["kinds"]["keys"]["pins"], 1, 2),
        "SEAT_0: the schematic has J1.2, S1.1 on CHOW, the wiring J1.3, S2.1",
    ),
    "two lamps exchanged at a chip": (
        lambda source: source["chips"]["A15"][0]["nets"].reverse(),
        "A15: the board has C0.9, U1.18 on TURN_0_LAMP, the wiring C0.9, U1.14",
    ),
    "a chip's outputs in the order of its inputs": (
        lambda source: source["pinout"]["ULN2803A"]["outputs"].update(O1=11, O8=18),
        "A15: U1: pin 11 is O8, the wiring has O1 there",
    ),
    "a diode the other way round": (
        lambda source: source["circuits"]["key"].__setitem__(1, ["BAT43", "row", "anode"]),
        "SEAT_0: the board has D1.2, S1.2 on CHOW_anode, the wiring D1.1, S1.2",
    ),
    "two rows of a seat exchanged": (
        lambda source: (source["rows"][1].update(out="MI"), source["rows"][2].update(out="TI")),
        "A2: the schematic has TI1.6, U1.9 on DATA_0, the wiring TI1.6, U6.9",
    ),
    "the bits of a chip in the other order": (
        lambda source: source["pinout"]["74HC165"].update(
            inputs=dict(zip(("D0", "D1", "D2", "D3", "D4", "D5", "D6", "D7"), (6, 5, 4, 3, 14, 13, 12, 11), strict=True))
        ),
        "A2: U1: pin 6 is D7, the wiring has D0 there",
    ),
    "two gates of the buffers exchanged": (
        lambda source: source["pinout"]["74AHCT125"].update(outputs={"Y1": 6, "Y2": 3, "Y3": 8, "Y4": 11}),
        "A2: U11: pins 2 and 6 are no gate",
    ),
    "no supply of a seat's places": (
        lambda source: next(each for each in source["cables"] if each["to"] == "A{seat:2}.X2").update(over={"seat": [1, 2, 3]}),
        "A2: 5V has chips and no supply",
    ),
    "two channels of MOSFETs exchanged": (
        lambda source: exchange(next(each for each in source["cables"] if each["to"] == "A7.X1")["pins"], 0, 1),
        "A7: the board has R1.1, X1.1 on TRAY_FLOOR_0, the wiring R3.1, X1.2",
    ),
    "a relay's pole the other way round": (
        lambda source: source["changeovers"]["halfturn"]["contacts"][1].__setitem__(slice(2, None), ["0VM", "24M"]),
        "A6: the board has F1.2, K0.1, RL1.11, RL1.8 on K0_24M, the wiring F1.2, K0.1, RL1.8, RL1.9",
    ),
    "no suppressor at a row": (
        lambda source: source["circuits"]["row"].pop(),
        "A15: the board has D1.1, C0.1, R1.2 on ROW_0, the wiring C0.1, R1.2",
    ),
}


@pytest.mark.parametrize("changed", CHANGED)
def test_a_wiring_that_the_files_do_not_follow_is_found(changed: str) -> None:
    (spoil, sentence), source = CHANGED[changed], deepcopy(dict(read()))
    spoil(source)
    found = faults(expand(source), [sentence.partition(":")[0]])
    assert sentence in (fault.replace("C0.1, D1.1", "D1.1, C0.1") for fault in found)


def replaced(file: Node, old: str, new: str) -> Node:
    """The file with one text instead of the first of another."""
    return parse(dump(file).replace(old, new, 1))


def without_a_track(board: Node) -> Node:
    """The board without the only track of a net's piece."""
    last = next(index for index in reversed(range(len(board))) if board[index][:1] == ["segment"])
    return [*board[:last], *board[last + 1 :]]


def with_two_nets_exchanged(file: Node) -> Node:
    """Both names where the other was."""
    text = dump(file).replace('"CHOW"', '"?"').replace('"PUNG"', '"CHOW"').replace('"?"', '"PUNG"')
    return parse(text)


SPOILED: dict[str, tuple[Callable[[Node, Node], tuple[Node, Node]], str]] = {
    "two nets exchanged on the board": (
        lambda schematic, board: (schematic, with_two_nets_exchanged(board)),
        "the board has J1.3, S2.1 on CHOW, the wiring J1.2, S1.1",
    ),
    "two nets exchanged in the schematic": (
        lambda schematic, board: (with_two_nets_exchanged(schematic), board),
        "the schematic has J1.3, S2.1 on CHOW, the wiring J1.2, S1.1",
    ),
    "a track that is missing": (lambda schematic, board: (schematic, without_a_track(board)), " is in 2 pieces of copper"),
    "a screw elsewhere": (
        lambda schematic, board: (schematic, replaced(board, "(at 31.6 115.6)", "(at 32.6 115.6)")),
        "screws are at [(-70.0, 14.0), (-69.0, -14.0)",
    ),
    "a diode in a resistor's place": (
        lambda schematic, board: (schematic, replaced(board, 'value "R150"', 'value "BAT43"')),
        "R1 is ('BAT43', 'Resistor_THT:",
    ),
    "a part on the back": (
        lambda schematic, board: (schematic, replaced(board, '(layer "F.Cu")', '(layer "B.Cu")')),
        "J1 is ('WIRES-12', ",
    ),
}


@pytest.mark.parametrize("spoiled", SPOILED)
def test_a_spoiled_file_is_found(netlist: Netlist, spoiled: str) -> None:
    spoil, sentence = SPOILED[spoiled]
    assert any(sentence in fault for fault in board_faults(netlist, circuit(netlist, "SEAT_0"), *spoil(*load("SEAT_0"))))


def with_label(sheet: Node, number: str, new: str) -> Node:
    """The schematic with something else in the place of the label at a pin of the first chip; ``@`` in it is that place."""
    end = next(pin.end for pin in pins_of(sheet) if (pin.ref, pin.number) == ("U1", number))
    found = next(each for each in nodes(sheet, "global_label") if (*numbers(one(each, "at"))[:2],) == end)
    added = parse(f"(new {new.replace('@', dump(one(found, 'at')))})")[1:]
    return [*(each for each in sheet if each is not found), *added]


def without_flags(sheet: Node) -> Node:
    flags = [symbol for symbol in nodes(sheet, "symbol") if word(one(symbol, "lib_id")) == FLAG]
    return [each for each in sheet if each not in flags]


RULES: dict[str, tuple[Callable[[Node], Node], str]] = {
    "a pin without a name or mark": (lambda sheet: with_label(sheet, "1", ""), "U1.1 has 0 names and marks"),
    "a name and a mark at one pin": (
        lambda sheet: with_label(sheet, "1", '(global_label "TURN_0" @) (no_connect @)'),
        "U1.1 has 2 names and marks",
    ),
    "an input marked as open": (lambda sheet: with_label(sheet, "1", "(no_connect @)"), "U1.1 is an input and open"),
    "a name at nothing": (
        lambda sheet: [*sheet, parse('(global_label "0V" (at 1 2 0))')],
        "nothing is at (1.0, 2.0), where a name or mark is",
    ),
    "a net of one pin": (lambda sheet: with_label(sheet, "18", '(global_label "X" @)'), "X has the pin U1.18 alone"),
    "two outputs on a net": (
        lambda sheet: with_label(sheet, "18", '(global_label "CALL_0_LAMP" @)'),
        "CALL_0_LAMP has two outputs",
    ),
    "inputs alone": (
        lambda sheet: with_label(with_label(sheet, "1", '(global_label "X" @)'), "2", '(global_label "X" @)'),
        "X is read at U1.1 and never driven",
    ),
    "chips on a net that is no supply": (
        lambda sheet: with_label(sheet, "9", '(global_label "CHOW" @)'),
        "CHOW has chips and no supply",
    ),
    "a supply without its flag": (without_flags, "0V has no power:PWR_FLAG, which KiCad asks for"),
}


@pytest.mark.parametrize("broken", RULES)
def test_a_broken_electrical_rule_is_found_in_a_schematic(netlist: Netlist, broken: str) -> None:
    spoil, sentence = RULES[broken]
    own, sheet = circuit(netlist, "A15"), load("A15")[0]
    assert list(electrical_faults(netlist, own, sheet)) == []
    assert sentence in list(electrical_faults(netlist, own, spoil(sheet)))
