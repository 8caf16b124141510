"""Rules of the net list: each fault is a sentence that names pins, nets or rails.

Electrical rules; changeovers, tried in every state of the contacts; and the pins of the microcontroller that ``hal_avr`` reads and writes
under each signal's name, drives and pulls up.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import product

from firmware_bridge.electrics.wiring import Output, inputs_of, outputs_of
from firmware_bridge.messages import Capabilities
from hardware.wiring.firmware import FIRMWARE, pin_at
from hardware.wiring.netlist import Cable, Netlist, Pin

HALF_TURNS = re.compile(rf"{Output.PICKER.name}_\d+")
"""Outputs that ask for half a turn at each change (PHYSICS.md); other cams make one turn at each pulse."""


def changeover_faults(netlist: Netlist) -> Iterator[str]:
    """Each motor that stops twice a turn runs, between its stops or until it is at the right one, and is short-circuited there."""
    for cable in netlist.cables:
        if HALF_TURNS.fullmatch(cable.end):
            yield from _faults(netlist, cable)


def _faults(netlist: Netlist, cable: Cable) -> Iterator[str]:
    found = netlist.document["changeovers"].get(cable.source["kind"])
    if found is None:
        yield f"{cable.end} changes twice a turn, and {cable.source['kind']} has no changeover"
        return
    contacts, motor, rails = found["contacts"], found["motor"], netlist.document["rails"]
    wired = {net.removeprefix(f"{cable.end}_") for _, net, role in cable.pins if role not in ("shield", "spare")}
    board, far = ({node for by, *nodes in contacts if (by == "relay") is at for node in nodes} for at in (True, False))
    for node in sorted((far | set(motor)) & (board | rails.keys()) - wired):
        yield f"{cable.end} has no wire for {node}"
    coil = [rail for _, *nodes in netlist.document["circuits"][cable.source["circuit"]] for rail in nodes if rail in rails]
    if motor_rail := next((node for node in coil if node in board and rails[node]["volts"]), ""):
        yield f"the relay of {cable.end} falls with {motor_rail}"
    for relay, half, up in product((False, True), repeat=3):
        closed = [(common, worked if {"relay": relay, "half": half, "up": up}[by] else rest) for by, common, rest, worked in contacts]
        fed = {node for node in _joined(closed, motor[0]) if node in rails}
        runs = relay != half or not up
        if fed != ({"24M"} if runs else {motor[1]}):
            state = f"relay {'on' if relay else 'off'}, half {2 if half else 1}, {'at a stop' if up else 'between stops'}"
            yield f"{cable.end}, {state}: the motor should {'run' if runs else 'brake'} and is at {' and '.join(sorted(fed)) or 'nothing'}"


def _joined(pairs: Sequence[tuple[str, str]], node: str) -> set[str]:
    """The nodes that closed contacts join to one."""
    found, grown = {node}, True
    while grown:
        more = {each for pair in pairs if found & set(pair) for each in pair} - found
        found, grown = found | more, bool(more)
    return found


_BY_THEMSELVES = {"MISO", "TWF_RX", "TWF_TX"}
"""SPI and UART set these, whatever the registers of the port say."""
_READ = re.compile(r"twf_bit\((\w+), (\w+)\)\)\s*pins \|= twf_mask\(TWF_IN_(\w+) % 8u\)")
_READ_BYTE = re.compile(r"~PIN([A-L]) & (\w+)\)(?: << (\d)u)?")
_SET = re.compile(r"set_pin\(&PORT([A-L]), (\w+), twf_bit\(pins, TWF_OUT_(\w+) % 8u\)\)")
_SET_BYTE = re.compile(r"PORT([A-L]) = \(uint8_t\)\(pins >> \(TWF_OUT_(\w+) % 8u\) & (\w+)\)")
_TURN = re.compile(r"P(?:ORT(?=[A-L] = \(uint8_t\)\(PORT)|IN)([A-L]) = \(uint8_t\)\((?:PORT[A-L] [|&] ~?\()?1u << (\w+)\)")
_STEPS = re.compile(r"PORT([A-L]) = \(uint8_t\)\(directions \| pulses\.step\)")
_BEAM = re.compile(r"ISR\(INT4_vect\).*?\(PIN([A-L]) & \(1u << (\w+)\)", re.DOTALL)


def source() -> str:
    """The C code that touches pins."""
    return "".join((FIRMWARE / "hal_avr" / name).read_text(encoding="utf-8") for name in ("board.c", "timers.c"))


def pin_faults(netlist: Netlist, code: str) -> Iterator[str]:
    """Each signal whose port and bit, direction or pull-up in ``code`` is not that of its wire."""
    code = re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)
    names = dict(re.findall(r"^#define (\w+) (\w+)$", code, re.MULTILINE))
    driven, high = (
        {
            f"P{letter}{bit}"
            for letter, mask in dict(reversed(re.findall(rf"{register}([A-L]) = (.*?);", code))).items()
            for bit in _bits(mask, names)
        }
        for register in ("DDR", "PORT")
    )
    wired, written = dict(_wired(netlist)), set(_signals(code, names))
    used = {(name, port, port in driven, port in high - driven) for name, port in written}
    unnamed = (driven | high) - {port for _, port in written} - {_port("", "SS_PIN", names)}
    used |= {("", port, port in driven, port in high) for port in unnamed}
    expected = {(name, *found) for name, found in wired.items()}
    for name, port, out, high_in in sorted(used - expected):
        meant = _words(*wired[name]) if name in wired else "nothing"
        yield f"{name or 'no signal'}: hal_avr has {_words(port, out, high_in)}, the wires {meant}"
    for name in sorted(wired.keys() - {name for name, _ in written}):
        yield f"{name}: hal_avr has nothing, the wires {_words(*wired[name])}"


def _wired(netlist: Netlist) -> Iterator[tuple[str, tuple[str, bool, bool]]]:
    """Signals with their port, whether it is an output, and whether their circuit expects its pull-up."""
    for name, (port, _, _) in netlist.document["carrier"].items():
        if name not in _BY_THEMSELVES:
            yield name, (port, True, False)
    for cable in netlist.cables:
        for number, net, role in cable.pins:
            port, _, pin = pin_at(netlist, cable.start, int(number)).partition(", Mega pin ")
            if pin and role in ("drive", "contact", "open"):
                yield net, (port, role == "drive", role != "drive" and "up" in pulled(netlist, cable.source.get("circuit", "")))


def _signals(code: str, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Signals as the code reads and writes them, and the port of each."""
    aliases = dict(re.findall(r"(\w+) = PIN([A-L]);", code))
    inputs, outputs = ({signal.number: signal.name for signal in of(Capabilities())} for of in (inputs_of, outputs_of))
    first = {name.removesuffix("_4"): number for number, name in outputs.items()}
    for register, pin, name in _READ.findall(code):
        yield name, _port(aliases.get(register, register[-1]), pin, names)
    for letter, mask, shift in _READ_BYTE.findall(code):
        yield from ((inputs[max(inputs) // 8 * 8 + bit + int(shift or 0)], f"P{letter}{bit}") for bit in _bits(mask, names))
    for letter, pin, name in _SET.findall(code):
        yield name, _port(letter, pin, names)
    for letter, name, mask in _SET_BYTE.findall(code):
        yield from ((outputs[first[name.removeprefix("REAR_")] + bit], f"P{letter}{bit}") for bit in _bits(mask, names))
    yield from ((pin.removesuffix("_PIN"), _port(letter, pin, names)) for letter, pin in _TURN.findall(code))
    shift = re.findall(r"pulses\.outward << (\d)", code)
    for letter in _STEPS.findall(code):
        yield from ((f"{name}_{seat}", f"P{letter}{seat + at}") for name, at in (("STEP", 0), ("DIR", int(*shift))) for seat in range(4))
    yield from (("GATE_BEAM", _port(letter, pin, names)) for letter, pin in _BEAM.findall(code))
    yield from ((name, _port("", pin, names)) for name, pin in (("SCK", "SCK_PIN"), ("MOSI", "MOSI_PIN"), ("DIVERTER", "SERVO_PIN")))


def _port(letter: str, pin: str, names: dict[str, str]) -> str:
    """A bit of a register: its letter is the register's, or the pin's own."""
    named = names.get(pin, pin)
    return f"P{letter or named[1]}{named[2]}"


def _bits(mask: str, names: dict[str, str]) -> Iterator[int]:
    for term in re.sub(r"\(uint8_t\)|[() ]", "", mask).split("|"):
        if term.startswith("1u<<"):
            yield int(names.get(term[4:], term[4:])[2])
        else:
            number = int(names.get(term, term).removesuffix("u"), 0)
            yield from (bit for bit in range(8) if number >> bit & 1)


def _words(port: str, out: bool, pulled: bool) -> str:
    return f"{port} as {'output' if out else 'input'}{' with pull-up' if pulled else ''}"


EFFICIENCY = 0.85
"""Of a converter between two rails."""


def electrical_faults(netlist: Netlist) -> Iterator[str]:
    """What is wrong with the wires themselves, whatever the firmware expects."""
    yield from _doubled_pins(netlist)
    yield from _nets(netlist)
    yield from _supplies(netlist)
    yield from _fuses(netlist)
    yield from _cuts(netlist)


def peak_amps(netlist: Netlist, rail: str) -> float:
    """What a rail gives at most: all that may be at once, with the rails that draw from it."""
    rails, cases = netlist.document["rails"], defaultdict[str, float](float)
    for load in netlist.loads:
        if load.rail == rail:
            cases[load.case] += load.amps
    own = cases.pop("", 0.0) + max(cases.values(), default=0.0)
    for name, other in rails.items():
        if other.get("feeds") == rail:
            ratio = other["volts"] / rails[rail]["volts"]
            own += peak_amps(netlist, name) * (1.0 if ratio == 1 else ratio / EFFICIENCY)
    return float(own)


def _doubled_pins(netlist: Netlist) -> Iterator[str]:
    ends = Counter(pin.name for wire in netlist.wires for pin in (wire.start, wire.end))
    yield from (f"{name} has {count} wires" for name, count in ends.items() if count > 1)


def _nets(netlist: Netlist) -> Iterator[str]:
    nets = defaultdict[str, set[Pin]](set)
    for wire in netlist.wires:
        nets[wire.start.net] |= {wire.start, wire.end}
    for net, pins in nets.items():
        by_role = {role: sorted(pin.name for pin in pins if pin.role == role) for role in ("in", "out", "open", "contact")}
        pulls = {pull for pin in pins for pull in pulled(netlist, pin.circuit)}
        if len(by_role["out"]) > 1 or (by_role["out"] and by_role["open"]):
            yield f"{net} has two outputs: {', '.join(by_role['out'] + by_role['open'])}"
        if not by_role["in"]:
            continue
        if not (by_role["out"] or by_role["open"] or by_role["contact"]):
            yield f"{net} is read at {by_role['in'][0]} and never driven"
        if by_role["open"] and "up" not in pulls:
            yield f"{net} has no pull-up for {by_role['open'][0]}"
        if by_role["contact"] and "down" not in pulls:
            yield f"{net} has no pull-down for {by_role['contact'][0]}"


def pulled(netlist: Netlist, circuit: str) -> Iterator[str]:
    """Which way the resistors of a socket's circuit pull its pin, through another resistor as well."""
    rails, reached = netlist.document["rails"], ["signal"]
    resistors = [set(nodes) for part, *nodes in netlist.document["circuits"].get(circuit, ()) if part.startswith("R")]
    for node in reached:
        for other in {each for nodes in resistors if node in nodes for each in nodes} - set(reached):
            if other in rails or other == "5Z":
                yield "down" if other.startswith("0V") else "up"
            else:
                reached.append(other)


def _supplies(netlist: Netlist) -> Iterator[str]:
    for name, rail in netlist.document["rails"].items():
        peak = peak_amps(netlist, name) if rail["volts"] else 0.0
        if peak > rail.get("amps", peak):
            yield f"{rail['supply']} gives {rail['amps']} A at {name}, and {peak:.1f} A are drawn"
        if rail.get("feeds"):
            through = peak * rail["volts"] / netlist.document["rails"][rail["feeds"]]["volts"]
            if through > rail.get("fuse", through):
                yield f"the fuse of {name} is {rail['fuse']} A, and {through:.1f} A are drawn"


def _fuses(netlist: Netlist) -> Iterator[str]:
    """Each rail has a fuse, and each wire that a rail feeds carries what its fuse lets through, each way back what its supply gives."""
    rails, awg = netlist.document["rails"], netlist.document["awg"]
    yield from (f"{name} has no fuse" for name, rail in rails.items() if rail.get("feeds") and "fuse" not in rail)
    for cable in netlist.cables:
        rail = next((net for _, net, role in cable.pins if role == "power" and rails[net]["volts"]), "")
        supply = rails.get(rail, {})
        fuse = cable.source.get("fuse", supply.get("amps", supply.get("fuse", 0)))
        if fuse > awg[str(cable.source["awg"])]["amps"]:
            yield f"{cable.start or rail} to {cable.end}: AWG {cable.source['awg']} behind a fuse of {fuse} A"
        if "fuse" in cable.source and cable.source.get("amps", 0) > fuse / 2:
            yield f"{cable.start} to {cable.end} draws {cable.source['amps']} A, and its fuse holds {fuse / 2} A"
    for path, _ in netlist.paths:
        if rails[path["rail"]].get("fuse", 0) > awg[str(path["awg"])]["amps"]:
            yield f"{path['name']}: AWG {path['awg']} behind a fuse of {rails[path['rail']]['fuse']} A"
        from_supply = path["route"][0].partition(".")[0]
        given = (each.get("amps", 0) for each in rails.values() if each["supply"] == from_supply)
        gives = 0 if rails[path["rail"]]["volts"] else max(given, default=0)
        if gives > awg[str(path["awg"])]["amps"]:
            yield f"{path['name']}: AWG {path['awg']} back to a supply of {gives} A"


def _cuts(netlist: Netlist) -> Iterator[str]:
    """What must cut a path stands in it with both its terminals, and each strip of a rail is fed by one path alone."""
    for path, _ in netlist.paths:
        through = {element.partition(".")[0] for element in path["route"] if "/" in element}
        yield from (f"{each} does not cut {path['name']}" for each in path.get("cut_by", ()) if each not in through)
    fed = Counter(path["route"][-1] for path, _ in netlist.paths)
    for name, rail in netlist.document["rails"].items():
        if rail.get("feeds") and fed[f"X{name}.*"] != 1:
            yield f"{name} is fed by {fed[f'X{name}.*']} paths"
