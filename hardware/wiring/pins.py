"""Pins of the microcontroller: which ``hal_avr`` reads and writes under each signal's name, drives and pulls up, against the wires."""

import re
from collections.abc import Iterator

from firmware_bridge.electrics.signals import inputs_of, outputs_of
from firmware_bridge.messages import Capabilities
from hardware.wiring.firmware import FIRMWARE, pin_at
from hardware.wiring.netlist import Netlist
from hardware.wiring.rules import pulled

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
