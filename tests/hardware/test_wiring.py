"""The wiring's net list is the firmware's, its rules find what is spoiled, and its bill counts what the lists name."""

import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.electrics.wiring import inputs_of
from firmware_bridge.messages import Capabilities
from hardware.wiring.__main__ import SHEETS, faults, sheets
from hardware.wiring.firmware import chain_offsets, inputs_at
from hardware.wiring.netlist import Netlist, expand, read
from hardware.wiring.rules import peak_amps, pin_faults, source
from hardware.wiring.sheets import stage_sum, wire_lines
from twinwall.wire.shapes.panel import PanelPins

Source = dict[str, Any]
TABLE = Capabilities()
PANEL = Path(__file__).parents[2] / "controller" / "adapters" / "panel.py"


def faults_of(spoil: Callable[[Source], object]) -> list[str]:
    """What the rules say of the wiring when one thing in its source is spoiled."""
    source = deepcopy(dict(read()))
    spoil(source)
    return list(faults(expand(source)))


def cable(source: Source, end: str) -> Source:
    """The source's entry of the cables that end at a device."""
    return next(each for each in source["cables"] if each["to"] == end)


def path(source: Source, name: str) -> Source:
    return next(each for each in source["paths"] if each["name"] == name)


def contact(source: Source, index: int) -> list[str]:
    """A contact of the grippers' changeover: two of the relay, half, up."""
    found: list[str] = source["changeovers"]["halfturn"]["contacts"][index]
    return found


def swap(source: Source, end: str, other: str) -> None:
    """Exchange the sockets of two devices."""
    one, two = cable(source, end), cable(source, other)
    one["from"], two["from"] = two["from"], one["from"]


def exchange_pins(entry: Source, first: int, second: int) -> None:
    """Exchange two pins of a cable."""
    pins = entry["pins"]
    pins[first], pins[second] = pins[second], pins[first]


def test_every_signal_of_the_firmware_ends_at_its_chip_or_pin_and_no_rule_is_broken() -> None:
    assert faults_of(lambda source: None) == []


def test_the_net_list_has_the_inputs_that_feeder_pins_shows_and_no_others(netlist: Netlist) -> None:
    shown = {signal.name: signal.at for signal in inputs_of(TABLE)}
    assert inputs_at(netlist) == shown
    assert len(shown) == 342


SPOILED: dict[str, tuple[Callable[[Source], object], str]] = {
    "two devices at each other's sockets": (
        lambda source: swap(source, "DRUM_MOUTH", "REJECT_MOUTH"),
        "DRUM_MOUTH: feeder pins shows controller, 74HC165 no. 1, E, the wire ends at controller, 74HC165 no. 1, F",
    ),
    "two pins of a ribbon cable exchanged": (
        lambda source: exchange_pins(cable(source, "A6.X1"), 0, 1),
        "PICKER_0: feeder pins shows 74HC595 no. 4 from the controller, QA, the wire ends at 74HC595 no. 4 from the controller, QB",
    ),
    "a motor at another channel": (lambda source: cable(source, "DRUM").update({"from": "A9.K7"}), "A9.K7.1 has 2 wires"),
    "no motor at a channel": (
        lambda source: source["cables"].remove(cable(source, "DRUM")),
        "DRUM drives A9.K0, where nothing is connected",
    ),
    "a socket used twice": (lambda source: cable(source, "GATE_FULL").update({"from": "A1.J6"}), "A1.J6.2 has 2 wires"),
    "a socket left out": (
        lambda source: source["cables"].remove(cable(source, "LIFT_DOWN")),
        "LIFT_DOWN: feeder pins shows controller, 74HC165 no. 6, E, the wire ends at nothing",
    ),
    "two rows of the chain in the other order": (
        lambda source: (cable(source, "A2.MI").update(to="A3.MI"), cable(source, "A{hop:-2}.MI").update(over={"hop": [6, 7]})),
        "board.h has MAGAZINE_0_0 at 208, the chain has it at None",
    ),
    "a pin of the Mega exchanged": (
        lambda source: source["carrier"].update(SCK=["PB2", "51", ""]),
        "SCK: BOARD.md has ('PB1', '52'), the wires ('PB2', '51')",
    ),
    "no pull-up at the stop's input": (lambda source: source["circuits"]["loop"].pop(0), "ESTOP has no pull-up for K1.33"),
    "no pull-down at a switch": (lambda source: source["circuits"]["switch"].pop(0), "PICKED_0 has no pull-down for PICKED_0.2"),
    "no pull-up of the drivers' line": (
        lambda source: cable(source, "A11.Y1").pop("far"),
        "DRIVER_FAULT has no pull-up for A11.Y1.2",
    ),
    "a supply of 15 A": (lambda source: source["rails"]["24V"].update(amps=15), "PS1 gives 15 A at 24V, and 19.9 A are drawn"),
    "reflective sensors that draw 40 mA": (
        lambda source: [each.update(amps=0.04) for each in source["cables"] if each["kind"] == "upper"],
        "T1 gives 3 A at 5V, and 4.4 A are drawn",
    ),
    "a small fuse": (lambda source: source["rails"]["24L"].update(fuse=2), "the fuse of 24L is 2 A, and 3.2 A are drawn"),
    "no fuse": (lambda source: source["rails"]["24S"].pop("fuse"), "24S has no fuse"),
    "a thin wire behind a large fuse": (lambda source: source["kinds"]["coil"].pop("fuse"), "A9.K0 to DRUM: AWG 22 behind a fuse of 15 A"),
    "a resettable fuse that does not hold": (
        lambda source: cable(source, "LIFT").update(kind="cam"),
        "A9.K4 to LIFT draws 1.8 A, and its fuse holds 1.1 A",
    ),
    "a thin wire to a rail": (lambda source: path(source, "motors").update(awg=22), "motors: AWG 22 behind a fuse of 15 A"),
    "locks around the stop": (lambda source: path(source, "locks")["route"].pop(2), "K1 does not cut locks"),
    "a coil that the lid does not cut": (lambda source: path(source, "coil of K2")["route"].pop(2), "S3 does not cut coil of K2"),
    "a thin way back": (
        lambda source: path(source, "ground of the motors").update(awg=14),
        "ground of the motors: AWG 14 back to a supply of 20 A",
    ),
    "a rail that nothing feeds": (lambda source: source["paths"].remove(path(source, "sensors")), "24S is fed by 0 paths"),
    "two outputs on one net": (
        lambda source: cable(source, "A8.X1")["pins"].__setitem__(4, "CELL_0 drive"),
        "CELL_0 has two outputs: A1.Q2.1, A1.Q2.5",
    ),
    "an input that nothing drives": (
        lambda source: cable(source, "A{hop:-2}.MI").update(pins=["2:SCK_{hop} of"]),
        "SCK_5 is read at A2.MO.2 and never driven",
    ),
    "a gripper wired like a floor": (
        lambda source: cable(source, "PICKER_{seat}").update(kind="cam"),
        "PICKER_0 changes twice a turn, and cam has no changeover",
    ),
    "a relay's pole the other way round": (
        lambda source: contact(source, 1).__setitem__(slice(2, None), ["0VM", "24M"]),
        "PICKER_1, relay on, half 2, at a stop: the motor should brake and is at 24M",
    ),
    "a gripper's motor that nothing brakes": (
        lambda source: contact(source, 0).__setitem__(2, ""),
        "PICKER_2, relay off, half 1, at a stop: the motor should brake and is at nothing",
    ),
    "a gripper that stops where its output changes": (
        lambda source: contact(source, 3).__setitem__(2, "H"),
        "PICKER_3, relay off, half 1, between stops: the motor should run and is at 0VM",
    ),
    "a relay that falls with the motors": (
        lambda source: source["circuits"]["changeover"][4].__setitem__(2, "24M"),
        "the relay of PICKER_0 falls with 24M",
    ),
    "a gripper's cable without its second way": (
        lambda source: source["kinds"]["halfturn"]["pins"].__setitem__(2, "SPARE shield"),
        "PICKER_0 has no wire for B",
    ),
}


@pytest.mark.parametrize("spoiled", SPOILED)
def test_a_spoiled_wiring_is_found(spoiled: str) -> None:
    spoil, sentence = SPOILED[spoiled]
    assert sentence in faults_of(spoil)


MISREAD = {
    "the lid's port": ("twf_bit(PING, PG5)", "twf_bit(PINE, PG5)", "LID_OPEN: hal_avr has PE5 as input with pull-up"),
    "the lid's bit": ("twf_bit(PING, PG5)", "twf_bit(PING, PG4)", "LID_OPEN: hal_avr has PG4 as input"),
    "the stop and the well": ("twf_bit(port_e, PE5)", "twf_bit(port_e, PE3)", "ESTOP: hal_avr has PE3 as input with pull-up"),
    "no pull-up at the stop": (" | 1u << PE5);", ");", "ESTOP: hal_avr has PE5 as input"),
    "a pull-up at the drivers' line": (
        "PORTG = ",
        "PORTH = (uint8_t)(1u << PH3); PORTG = ",
        "DRIVER_FAULT: hal_avr has PH3 as input with pull-up",
    ),
    "flags that drive": ("DDRA = 0xffu;", "DDRA = 0xffu; DDRF = 0x02u;", "AT_PLACE_1: hal_avr has PF1 as output"),
    "flags and grippers exchanged": (
        "~PINK & GRIPPERS_UP) << 4u",
        "~PINK & GRIPPERS_UP) << 0u",
        "AT_PLACE_0: hal_avr has PK0 as input with pull-up",
    ),
    "three grippers": ("GRIPPERS_UP 0x0fu", "GRIPPERS_UP 0x07u", "GRIPPER_UP_3: hal_avr has nothing"),
    "a beam that is timed elsewhere": ("(PINE & (1u << PE4))", "(PINE & (1u << PE3))", "GATE_BEAM: hal_avr has PE3 as input with pull-up"),
    "power at another bit": ("MOTOR_POWER PL5", "MOTOR_POWER PL3", "MOTOR_POWER: hal_avr has PL3 as output"),
    "power at another port": ("set_pin(&PORTL,", "set_pin(&PORTK,", "MOTOR_POWER: hal_avr has PK5 as input"),
    "locks at another port": ("PORTC = (uint8_t)(pins", "PORTF = (uint8_t)(pins", "LOCK_4: hal_avr has PF0 as input with pull-up"),
    "locks that drive nothing": ("DDRC = REAR_LOCKS", "DDRC = 0", "LOCK_7: hal_avr has PC3 as input"),
    "steps and directions exchanged": ("outward << 4", "outward << 3", "DIR_3: hal_avr has PA6 as output"),
    "the latch at the load's pin": ("CHAIN_LATCH PL6", "CHAIN_LATCH PL7", "CHAIN_LATCH: hal_avr has PL7 as output"),
    "the clock at another pin": ("SCK_PIN PB1", "SCK_PIN PB4", "SCK: hal_avr has PB4 as output"),
    "the servo at another timer": ("SERVO_PIN PB5", "SERVO_PIN PB6", "DIVERTER: hal_avr has PB6 as output"),
    "a pin that no signal has": ("1u << SS_PIN |", "1u << SS_PIN | 1u << PB6 |", "no signal: hal_avr has PB6 as output"),
}


@pytest.mark.parametrize("spoiled", MISREAD)
def test_a_pin_that_the_firmware_takes_for_another_is_found(netlist: Netlist, spoiled: str) -> None:
    right, wrong, sentence = MISREAD[spoiled]
    assert source().count(right) == 1
    assert f"{sentence}, the wires" in "\n".join(pin_faults(netlist, source().replace(right, wrong)))


def test_the_chain_is_followed_by_its_wires_to_the_bytes_that_the_firmware_reads(netlist: Netlist) -> None:
    rows = [f"seat {seat} {kind}" for kind in ("tray", "magazine") for seat in range(4)]
    assert chain_offsets(netlist) == {"controller": 0, **{row: 6 + 5 * number for number, row in enumerate(rows)}}


def test_the_drivers_line_goes_through_every_driver_before_it_is_pulled_up(netlist: Netlist) -> None:
    wires = {wire.start.name.partition(".")[0]: wire.end for wire in netlist.wires if wire.start.net == "DRIVER_FAULT"}
    passed, board = [], "A1"
    while board in wires:
        end = wires[board]
        board = end.name.partition(".")[0]
        passed.append((board, end.circuit))
    assert passed == [("A9", ""), ("A14", ""), ("A13", ""), ("A12", ""), ("A11", "fault")]


def test_a_place_above_another_has_a_sensor_at_its_side(netlist: Netlist) -> None:
    sideways = {each.end for each in netlist.cables if each.source["kind"] == "upper"}
    stacked = {place for column in range(TABLE.tray_places) for place in TABLE.in_column(column)[1:]}
    assert sideways == {f"{row}_{seat}_{place}" for row in ("TRAY", "MAGAZINE") for seat in range(4) for place in stacked}


def test_the_motors_never_draw_more_than_the_designers_budget(netlist: Netlist) -> None:
    assert peak_amps(netlist, "24M") == pytest.approx(14.2), "chains, steppers and eight floors"
    assert peak_amps(netlist, "24L") == pytest.approx(3.2)


def test_the_panel_is_at_the_pins_that_the_settings_have_by_themselves(netlist: Netlist) -> None:
    found = re.search(r"^_HEADER = \((.*)\)$", PANEL.read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    header, pins = [int(number) for number in found[1].split(", ")], PanelPins()
    keys = ("CHOW", "PUNG", "KONG", "WIN", "CONFIRM", "REFEREE", "RIICHI")
    named = {
        **{f"ROW_{seat}": pins.rows[seat] for seat in range(4)},
        **dict(zip(keys, pins.columns, strict=True)),
        **{f"TURN_{seat}": pins.turn[seat] for seat in range(4)},
        **{f"CALL_{seat}": pins.call[seat] for seat in range(4)},
        **{"WINDOW": pins.window, "FAULT": pins.fault, "BUZZER": pins.buzzer},
    }
    wired = {
        net: number for each in netlist.cables if each.start == "PI.J8" for number, net, role in each.pins if role not in ("power", "tie")
    }
    assert wired == {name: str(header[number]) for name, number in named.items()}


def test_the_bill_has_what_the_lists_name(netlist: Netlist) -> None:
    bill = netlist.bill()
    everything = sum((bill[stage] for stage in bill), start=type(bill["A"])())
    assert everything["74HC165"] == sum(row["chips"] for row in netlist.rows) == 46
    assert everything["74HC595"] == 4
    assert everything["SS-01GL-E"] + everything["TCRT5000"] == 4 * (TABLE.tray_places + TABLE.wall_places) + 4 + TABLE.bypass_cells
    assert [everything[part] for part in ("NEMA17", "LOCK", "SOLENOID-15", "EE-SX671", "EE-SX671P")] == [4, 4, 4, 8, 4]
    assert everything["IRLZ44N"] == 29, "42 outputs of DRIVE without eight ways of steppers, the diverter, and four of bridges"
    assert everything["STRIP"] == len(netlist.terminals)
    assert everything["FUSE"] == len({element for each, _ in netlist.paths for element in each["route"] if element.startswith("F")})
    assert everything.keys() == netlist.document["parts"].keys(), "each part is ordered somewhere"
    assert everything["WIRE-26"] > sum(wire.length_m for wire in netlist.wires if wire.awg == "26")


def test_stage_d_orders_the_board_that_pulls_the_drivers_line_up_and_none_for_bypass_cells(netlist: Netlist) -> None:
    gate, trays = (netlist.bill()[stage] for stage in "DE")
    assert (gate["PCB-A11"], gate["Z5V1"], gate["C470u"], gate["FUSE-6A3"]) == (1, 1, 2, 3)
    assert (gate["PCB-A8"], trays["PCB-A8"], trays["PCB-A11"], trays["DRV8434A"]) == (0, 1, 3, 4)


def test_a_stages_sum_is_that_of_its_parts(netlist: Netlist) -> None:
    least, most = 4 * 0.02 + 5 * 0.2 + 3 * 1 + 13 * 5 + 3 * 20 + 50, 4 * 0.2 + 5 * 1 + 3 * 5 + 13 * 20 + 3 * 50 + 100
    assert stage_sum(netlist, "A") == pytest.approx((29, least, most, 46 + 4 + 3600 + 1000 + 20))


def test_each_wire_has_its_line(netlist: Netlist) -> None:
    lines = wire_lines(netlist).splitlines()
    assert len(lines) == 1 + sum(1 for _ in netlist.wires)
    assert 'A1.J4.2,DRUM_MOUTH.2,DRUM_MOUTH,26,black,2,"controller, 74HC165 no. 1, E"' in lines


def test_lists_and_drawings_are_those_of_the_source(netlist: Netlist) -> None:
    written = {file.name: file.read_text(encoding="utf-8") for file in SHEETS.iterdir()}
    assert written == sheets(netlist), "python -m hardware.wiring"
