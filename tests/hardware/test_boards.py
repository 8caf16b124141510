"""KiCad's files of our own boards say what the wiring says, a spoiled one is found, and what a maker gets is complete."""

import re
from collections import Counter
from functools import cache
from math import hypot, pi
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from hardware.boards import drawing
from hardware.boards.__main__ import BOARDS, FOLDER, LAID_OUT, PICTURES, faults, files, has_kicad, lists, load, plot, write
from hardware.boards.circuit import LAYOUT, Circuit, circuit, places, size
from hardware.boards.drawing import picture
from hardware.boards.layout import FOOTPRINTS, MIDDLE, board_file, pads_of
from hardware.boards.router import Pad, route
from hardware.boards.schematic import SYMBOLS, nets_of, schematic_file
from hardware.boards.sexpr import dump, nodes, numbers, one, parse, word
from hardware.dimensions import nominal
from hardware.wiring.firmware import inputs_at, outputs_at
from hardware.wiring.netlist import Netlist
from twinwall.wire.shapes.panel import KEYS

Source = dict[str, Any]
LIBRARIES = pytest.mark.skipif(not (FOOTPRINTS.is_dir() and SYMBOLS.is_dir()), reason="needs kicad-symbols and kicad-footprints of Debian")
KICAD = pytest.mark.skipif(not has_kicad(), reason="needs KiCad's pcbnew: apt-get install --no-install-recommends kicad")
EACH = pytest.mark.parametrize("board", BOARDS)
EACH_LAYOUT = pytest.mark.parametrize("board", LAID_OUT)
SHORTED_AMPS = {
    "panel": {"5P": 1.0, "5P_PI": 1.0, "0V": 1.0},
    "seat": {"5P": 1.0},
    "carrier": {"5V_IN": 3.0, "5V": 2.2, "0V": 2.2, "12V": 1.25},
    "places": {"5V_IN": 3.0, "5V": 2.2, "0V": 2.2},
    "grippers": {"24M": 6.3, "24L": 5, "24S": 1, "0VM": 4.4, r"K\d_.*|.*_COIL|.*_A|.*_B": 2.2},
    "floors": {"24M": 6.3, "0VM": 4.4, r"K\d_.*|.*_COIL": 2.2},
    "cells": {"24M": 6.3, "0VM": 4.4, r"K\d_.*|.*_COIL": 2.2},
    "belts": {"24M": 6.3, "0VM": 4.4, r"K[01357]_.*|(DRUM|EJECT|PURGE)_COIL|.*_M.": 2.2, "K4_.*|LIFT_COIL": 3.7},
    "locks": {"24M": 6.3, "24L": 5, "0VM": 4.4, r"K\d_.*|.*_COIL": 2.2, "coil of K2 4": 1},
    "stepper": {"24M": 6.3, "0VM": 4.4, "VM|STEPPER_.*": 3.7},
}
"""What the fuse of a board, a channel or a rail lets through, or the supply before it; elsewhere chips' outputs and resistors are the
limit. Tracks of 0VM carry two channels that are short-circuited, both pours the others."""

INPUTS = dict(zip("ABCDEFGH", ("11", "12", "13", "14", "3", "4", "5", "6"), strict=True))
"""Of a 74HC165."""


@cache
def footprints(board: str) -> dict[str, list[Pad]]:
    """The pads of each part on a board, as its file has them."""
    return {word(one(footprint, "fp_text"), 2): list(pads_of(footprint)) for footprint in nodes(load(board)[1], "footprint")}


@cache
def pads(board: str) -> dict[str, dict[str, str]]:
    """The net of each pad on a board, by part and number."""
    return {ref: {pad.number: pad.net for pad in own} for ref, own in footprints(board).items()}


def middle(board: str, ref: str) -> tuple[float, float]:
    """Where the middle of a part's pads is, from the board's middle."""
    xs, ys = zip(*((pad.x, pad.y) for pad in footprints(board)[ref]), strict=True)
    return round((min(xs) + max(xs)) / 2 - MIDDLE[0], 3), round(MIDDLE[1] - (min(ys) + max(ys)) / 2, 3)


def test_schematics_and_boards_have_the_nets_of_the_wiring_in_one_piece_each(netlist: Netlist) -> None:
    assert list(faults(netlist)) == []


def test_each_wire_of_the_list_ends_at_the_pad_of_its_number(netlist: Netlist) -> None:
    panel, seat = pads("A15"), pads("SEAT_0")
    ends = [pin for wire in netlist.wires for pin in (wire.start, wire.end) if pin.name.startswith(("A15.", "SEAT_0."))]
    for pin in ends:
        *socket, number = pin.name.split(".")[1:]
        if socket:
            assert panel[socket[0]][number] in (pin.net, f"{pin.net}_PI")
        else:
            assert seat["J1"][number] == pin.net.replace("_0", "")
    assert len(ends) == 25 + 4 * 11 + 3 * 2 + 11


def test_all_four_seats_are_wired_alike(netlist: Netlist) -> None:
    seats = {seat: set[str]() for seat in "0123"}
    for end in (wire.end for wire in netlist.wires if wire.end.name.startswith("SEAT_")):
        seats[end.name[5]].add(f"{end.name} {end.net}".replace(f"_{end.name[5]}", ""))
    assert seats["0"] == seats["1"] == seats["2"] == seats["3"] != set()


def chained(own: Circuit, kind: str, net: str, first: str, onward: str) -> list[str]:
    """The chips of a chain in their order: each has the net at its pin ``first`` and the next one's at ``onward``."""
    chips, found = {part.ref: part.pins for part in own.parts if part.kind == kind}, list[str]()
    while ref := next((ref for ref, pins in chips.items() if pins[first] == net), ""):
        found.append(ref)
        net = chips[ref].get(onward, "")
    return found


def test_each_signal_is_at_the_chip_and_pin_that_feeder_pins_shows(netlist: Netlist) -> None:
    seat, carrier = circuit(netlist, "A2"), circuit(netlist, "A1")
    chains = {
        "seat 0 tray, 74HC165": (seat, chained(seat, "74HC165", "DATA_0", "9", "10")),
        "seat 0 magazine, 74HC165": (seat, chained(seat, "74HC165", "DATA_4", "9", "10")),
        "controller, 74HC165": (carrier, chained(carrier, "74HC165", "MISO", "9", "10")),
        "74HC595": (carrier, chained(carrier, "74HC595", "MOSI", "14", "9")),
    }
    assert [len(chips) for _, chips in chains.values()] == [5, 5, 6, 4]
    pins = INPUTS | dict(zip(("QA", "QB", "QC", "QD", "QE", "QF", "QG", "QH"), ("15", "1", "2", "3", "4", "5", "6", "7"), strict=True))
    tried = 0
    for name, at in (inputs_at(netlist) | outputs_at(netlist)).items():
        where, _, rest = at.partition(" no. ")
        if where in chains:
            own, chips = chains[where]
            number, letter = rest[0], rest.rpartition(", ")[2]
            pin = f"{chips[int(number) - 1]}.{pins[letter]}"
        elif ", Mega pin " in at:
            own, pin = carrier, f"MEGA1.{at.rpartition(' ')[2]}"
        else:
            continue
        assert pin in own.nets.get(f"{name}_IN", own.nets.get(name, set())), name
        tried += 1
    assert tried == 71 + 44 + 14 + 42, "places of a seat, sensors of the carrier, inputs at the Mega, outputs"


def test_every_board_of_the_wiring_has_a_layout_or_is_like_one_that_has(netlist: Netlist) -> None:
    table = (FOLDER.parent / "README.md").read_text(encoding="utf-8").partition("| folder of `boards/` |")[2].partition("\n\n")[0]
    for board in LAID_OUT:
        wide, deep = size(board)
        assert re.search(rf"\| `{LAYOUT[board]['file']}` \| {board.removeprefix('SEAT_0')}\b.* \| {wide:g} × {deep:g} \|", table), board
    alike = {"A3": "A2", "A4": "A2", "A5": "A2", "A12": "A11", "A13": "A11", "A14": "A11"}
    named = {name for name in netlist.document["names"] if re.fullmatch(r"A\d+", name)}
    assert {alike.get(name, name) for name in named} | {"SEAT_0"} == set(LAID_OUT)


def test_the_machines_schematic_joins_both_ends_of_each_wire_and_no_other_terminal(netlist: Netlist) -> None:
    at = {pin: net for net, pins in nets_of(load("MACHINE")[0]).items() for pin in pins}
    parts = {part.kind: part.ref for part in circuit(netlist, "MACHINE").parts}
    used = set[str]()
    for wire in netlist.wires:
        ends = [f"{parts[name]}.{pin}" for name, _, pin in (end.name.partition(".") for end in (wire.start, wire.end))]
        assert at[ends[0]] == at[ends[1]], wire
        used |= {*ends}
    assert used == at.keys()


def test_each_bit_of_a_ribbon_works_the_mosfet_of_the_channel_of_its_number(netlist: Netlist) -> None:
    found = dict[str, set[str]]()
    for board in ("A6", "A7", "A8", "A9", "A10"):
        own = circuit(netlist, board)
        pins = {part.ref: part.pins for part in own.parts}
        for mosfet in (part for part in own.parts if part.kind == "IRLZ44N"):
            gate, drain, source = (mosfet.pins[pin] for pin in "123")
            bit = next(pins[pin.partition(".")[0]]["1"] for pin in own.nets[gate] if pin.endswith(".2") and pin[0] == "R")
            number = next(pin for pin in own.nets[bit] if pin.startswith("X1."))
            relay = next((pins[pin.partition(".")[0]] for pin in own.nets[drain] if pin.startswith("RL")), None)
            at = own.nets[relay["4"] if relay else drain]
            found[board] = found.get(board, set()) | {f"{number} {pin}" for pin in at if pin[0] == "K"}
            assert source == "0VM"
    assert found["A7"] == {f"X1.{channel + 1} K{channel}.2" for channel in range(8)} == found["A6"]
    assert {board: len(found[board]) for board in found} == {"A6": 8, "A7": 8, "A8": 4, "A9": 4, "A10": 5}
    assert found["A8"] | found["A9"] | found["A10"] <= found["A7"]


def test_a_gripper_relay_at_rest_gives_ground_and_plus_to_its_motor_and_the_reverse_when_worked(netlist: Netlist) -> None:
    own = circuit(netlist, "A6")
    at = {pin: net for net, pins in own.nets.items() for pin in pins}
    for seat in range(4):
        relay = {pin: at[f"RL{seat + 1}.{pin}"] for pin in ("4", "6", "8", "13", "11", "9")}
        plus = at[f"K{seat}.1"]
        assert [at[f"K{seat}.{pin}"] for pin in "23"] == [relay["4"], relay["13"]]
        assert ([relay[pin] for pin in ("6", "11")], [relay[pin] for pin in ("8", "9")]) == (["0VM", plus], [plus, "0VM"])


def test_one_board_serves_the_steppers_of_all_four_seats(netlist: Netlist) -> None:
    at = {pin: net for net, pins in circuit(netlist, "A11").nets.items() for pin in pins}
    ends = [(pin.name.split("."), pin.net) for wire in netlist.wires for pin in (wire.start, wire.end)]
    tried = {(board, socket) for (board, socket, *_), _ in ends if board in ("A11", "A12", "A13", "A14")}
    assert len(tried) == 4 * 4 + 3, "X1, X2, Y1 and M each, Y2 where the line goes on"
    for (board, *rest), net in ends:
        if board in ("A11", "A12", "A13", "A14"):
            socket, number = rest
            assert at[f"{socket.replace('M', 'M1')}.{number}"] == net.replace(f"_{int(board[1:]) - 11}", "")


def test_the_places_of_all_seats_are_read_by_boards_alike(netlist: Netlist) -> None:
    def forgotten(board: str, seat: int) -> list[tuple[str, list[str]]]:
        own = circuit(netlist, board)
        parts = [(part.kind, sorted(re.sub(rf"_{seat}_|_\d(?=_Y|$)", "_", net) for net in part.pins.values())) for part in own.parts]
        return sorted(part for part in parts if part[0] != "BHD-10")

    assert forgotten("A2", 0) == forgotten("A3", 1) == forgotten("A4", 2)


def test_a_ribbon_plugged_in_the_wrong_way_round_joins_no_two_pins_of_the_computer() -> None:
    wired = [net for net in pads("A15")["J1"].values() if net]
    assert len(wired) == len(set(wired)) == 25


def test_each_socket_is_the_header_that_the_bill_has_for_its_cable(netlist: Netlist) -> None:
    for name, (kind, *_) in LAYOUT["A15"]["sockets"].items():
        cable = next(cable for cable in netlist.cables if f"A15.{name}" in (cable.start, cable.end))
        assert kind in cable.source["parts"]


def kinds(netlist: Netlist, **pieces: int) -> Counter[str]:
    """How many parts of each kind so many of each board have."""
    return Counter(part.kind for board, many in pieces.items() for part in circuit(netlist, board).parts * many)


def test_the_bill_has_the_parts_of_one_panel_and_four_seats(netlist: Netlist) -> None:
    counts = kinds(netlist, A15=1, SEAT_0=4)
    del counts["WIRES-12"]
    bill = netlist.bill()["C"]
    assert {kind: bill[kind] for kind in counts} == counts


def test_the_document_names_each_stages_prices_as_its_bill_adds_them_up() -> None:
    bill = (FOLDER.parent / "sheets" / "bill.md").read_text(encoding="utf-8")
    sums = re.findall(r"^\| ([A-E]) .*\| ([\d,]+) \| ([\d,]+) \| [\d,]+ \|$", bill, re.MULTILINE)
    said = re.findall(r"sheets/bill\.md#([a-e])-[^€]*€ ([\d,]+) to\s([\d,]+\d)", (FOLDER.parent / "README.md").read_text(encoding="utf-8"))
    assert [(stage.upper(), least, most) for stage, least, most in said] == sums


def test_the_bill_has_the_parts_of_the_boards_with_motors(netlist: Netlist) -> None:
    counts = kinds(netlist, A1=1, A2=4, A6=1, A7=1, A8=1, A9=1, A10=1, A11=4)
    bill = sum(netlist.bill().values(), start=Counter[str]())
    motors = ("IRLZ44N", "G5V-2", "C470u", "MF-R110", "MF-R185", "DRV8874", "DRV8434A", "MF-2-header", "MF-4-header", "R100k")
    assert [bill[kind] for kind in motors] == [counts[kind] for kind in motors]
    assert bill["SB560"] == counts["SB560"] + 4, "one at each gripper's motor"
    assert bill["TVS36"] == counts["TVS36"] + 1, "one at the coil of K2"
    assert bill["FUSE-6A3"] == sum(1 for wire in netlist.wires if wire.start.name.startswith("X24M.") and ".X2." in wire.end.name)


def test_the_pieces_of_a_stage_are_the_chips_of_its_boards_with_a_capacitor_each(netlist: Netlist) -> None:
    for counts, stage, more in ((kinds(netlist, A1=1), "D", 1), (kinds(netlist, A2=4), "E", 0)):
        listed = netlist.document["pieces"][stage]
        for kind in ("MEGA", "74HC165", "74HC595", "74AHCT125", "C100n"):
            assert listed.get(kind, 0) == counts[kind], kind
        assert listed["R100"] == counts["R100"] - more, "one behind each buffer; the carrier has one more at its servo's socket"


def test_keys_and_lamps_are_where_the_plate_has_its_holes() -> None:
    columns = [nominal("panel.pitch") * (column - 3) for column in range(len(KEYS))]
    assert [middle("SEAT_0", f"S{column + 1}") for column in range(7)] == [(x, nominal("panel.key_row")) for x in columns]
    assert [pads("SEAT_0")[f"S{column + 1}"]["1"] for column in range(7)] == [key.name for key in KEYS]
    apart, row = nominal("panel.lamps_apart"), nominal("panel.lamp_row")
    assert [middle("SEAT_0", lamp) for lamp in ("D8", "D9")] == [(-apart / 2, row), (apart / 2, row)]


@EACH_LAYOUT
def test_each_part_stands_where_the_layout_has_it(netlist: Netlist, board: str) -> None:
    own = circuit(netlist, board)
    where = places(own)
    assert {part.ref: middle(board, part.ref) for part in own.parts} == {
        part.ref: (round(where[part.ref][0], 3), round(where[part.ref][1], 3)) for part in own.parts
    }


@pytest.mark.parametrize("board", ["A1", "A2"])
def test_each_chip_stands_behind_the_inputs_that_it_reads_at_the_edge_in_their_order(netlist: Netlist, board: str) -> None:
    own, edge = circuit(netlist, board), size(board)[1] / 2
    inputs = {part.pins["2"] + "_IN": part.ref for part in own.parts if part.kind == "B3B-XH-A"}
    inputs |= {part.pins["1"]: part.ref for part in own.parts if part.pins.get("2") == "0V" and part.pins["1"] not in inputs}
    chips = [part for part in own.parts if part.kind == "74HC165"]
    assert len(chips) == {"A1": 6, "A2": 10}[board]
    for chip in chips:
        (x, y), read = middle(board, chip.ref), [inputs[chip.pins[pin]] for pin in INPUTS.values()]
        at = [middle(board, ref) for ref in read]
        assert [each for each, _ in at] == sorted(each for each, _ in at), chip
        assert at[0][0] < x < at[-1][0], chip
        assert all(up * y > 0 and edge - abs(up) < 8 for ref, (_, up) in zip(read, at, strict=True) if ref[0] != "R"), chip


@LIBRARIES
def test_the_carriers_header_pins_are_where_kicads_uno_has_its_own() -> None:
    names = "NC IOREF RESET 3V3 5V1 GND GND VIN A0 A1 A2 A3 A4 A5 0 1 2 3 4 5 6 7 8 9 10 11 12 13 GND AREF SDA SCL"
    uno = parse((FOOTPRINTS / "Module.pretty" / "Arduino_UNO_R3.kicad_mod").read_text(encoding="utf-8"))  # its face is down, hence y
    found = {(pad.number, round(pad.x, 1), round(pad.y, 1)) for pad in footprints("A1")["MEGA1"]}
    first = next((x, y) for number, x, y in found if number == "NC")
    for name, pad in zip(names.split(), nodes(uno, "pad"), strict=True):
        x, y = numbers(one(pad, "at"))[:2]
        assert any(number == name and hypot(first[0] - x - right, first[1] + y - down) < 0.2 for number, right, down in found), name


def test_a_net_that_is_shut_in_is_routed_before_the_other() -> None:
    def pad(net: str, x: float, y: float, half: float = 0.4) -> Pad:
        return Pad(net, x, y, half, half, net != "", "1")

    crossed = [pad("", 5, 5, 6), pad("A", 1, 5), pad("A", 9, 5), pad("B", 5, 4), pad("B", 5, 6)]
    copper = route(crossed, {"A": 0.5}, (0, 0, 10, 10))
    assert {piece.layer for piece in copper} == {1}, "the front is covered"
    assert {piece.start[0] for piece in copper if piece.net == "B"} == {5}
    assert max(abs(piece.start[1] - 5) for piece in copper if piece.net == "A") > 1.5, "around a pad of B"
    with pytest.raises(RuntimeError, match="finds no way"):
        route(crossed, {"A": 0.5}, (0, 3, 10, 7))


@EACH_LAYOUT
def test_no_copper_is_thinner_than_what_may_flow_needs(board: str) -> None:
    layout = load(board)[1]
    names, shorted = {word(net): word(net, 2) for net in nodes(layout, "net")}, SHORTED_AMPS[LAYOUT[board]["file"]]
    for piece in (*nodes(layout, "segment"), *nodes(layout, "via")):
        width = numbers(one(piece, "width"))[0] if piece[0] == "segment" else pi * numbers(one(piece, "drill"))[0] * 25 / 35  # 25 µm deep
        carries = 0.048 * 10**0.44 * (width / 0.0254 * 35 / 25.4) ** 0.725  # IPC-2221, outside, 35 µm, 10 K warmer
        name = names[word(one(piece, "net"))]
        assert carries > next((amps for net, amps in shorted.items() if re.fullmatch(net, name)), 0.5), name


def test_a_column_reads_low_while_all_seven_keys_of_a_seat_are_down(netlist: Netlist) -> None:
    ohms = {"R47": 47, "R1k": 1_000, "R10k": 10_000}
    circuits = netlist.document["circuits"]
    pull_up, series, row = (ohms[circuits[name][index][0]] for name, index in (("column", 0), ("column", 1), ("row", 0)))
    volts, diode, pins_own, output = 3.3, 0.33, 50_000, 40  # BAT43 at 2 mA at most; a Pi's pull-up and output
    through_pin = volts / pins_own
    low = 7 * (volts / pull_up + through_pin) * (row + output) + diode + through_pin * series
    assert low < 0.8, "what a Pi takes for low"


@EACH
def test_pins_that_nothing_uses_are_those_of_sockets_and_outputs(board: str) -> None:
    free = nets_of(load(board)[0]).get("", set())
    if board == "MACHINE":
        assert not free
    elif board == "A1":
        assert {f"U{chip}.7" for chip in range(5, 11)} | {"U4.9", "U12.8", "U12.11"} <= free
    elif board == "A2":
        assert free == {f"U{chip}.7" for chip in range(1, 11)} | {f"{socket}1.8" for socket in ("TI", "TO", "MI", "MO")}
    elif board == "A15":
        header = {f"J1.{number}" for number, net in pads(board)["J1"].items() if not net}
        assert free == header | {"U1.11", "U1.12", "U1.13", "U2.11", "U2.12", "L0.3", "L1.3", "L2.3"} | {f"C{seat}.12" for seat in range(4)}
    elif board == "SEAT_0":
        assert free == {"J1.12"}
    else:
        assert {pin[0] for pin in free} <= {"X", "K", "Y"}, "sockets"


@EACH
def test_drawings_and_lists_name_every_part(netlist: Netlist, board: str) -> None:
    own, schematic = circuit(netlist, board), load(board)[0]
    page, written = drawing.pdf(schematic), lists(netlist, own)
    places = [int(line.split()[0]) for line in page.splitlines() if line.endswith(b" n ")]
    assert [page[place:].split(maxsplit=1)[0] for place in places] == [b"1", b"2", b"3", b"4", b"5"]
    assert page.startswith(b"%PDF-1.4") and b"\nendstream\nendobj\n" in page
    for part in own.parts:
        assert f"({part.ref})".encode() in page
        assert board not in LAID_OUT or f"\n{part.ref},{part.kind}," in written["places.csv"]
        assert part.ref in written["bill.csv"].replace(",", " ").split()


@EACH_LAYOUT
def test_the_picture_is_that_of_the_board(board: str) -> None:
    file = PICTURES / f"board-{LAYOUT[board]['file']}.svg"
    assert file.read_text(encoding="utf-8") == picture(load(board)[1], *size(board)), "python -m hardware.boards --make"


@LIBRARIES
def test_files_made_again_are_the_same(netlist: Netlist) -> None:
    for board in BOARDS:
        assert dump(schematic_file(circuit(netlist, board))) + "\n" == files(board)[0].read_text(encoding="utf-8"), "--make"
    assert dump(board_file(circuit(netlist, "SEAT_0"))) + "\n" == files("SEAT_0")[1].read_text(encoding="utf-8"), "--make"


@KICAD
@EACH_LAYOUT
def test_kicads_design_rules_find_nothing(board: str, tmp_path: Path) -> None:
    assert plot(board, tmp_path) == []


@KICAD
def test_a_maker_gets_copper_mask_silk_outline_and_holes(netlist: Netlist, tmp_path: Path) -> None:
    assert write(netlist, "SEAT_0", tmp_path) == []
    kinds = {name.partition("-")[2] for name in ZipFile(tmp_path / "gerbers.zip").namelist()}
    assert kinds >= {"F_Cu.gtl", "B_Cu.gbl", "F_Mask.gts", "B_Mask.gbs", "F_SilkS.gto", "Edge_Cuts.gm1", "PTH.drl", "NPTH.drl"}
    assert FOLDER not in tmp_path.parents
