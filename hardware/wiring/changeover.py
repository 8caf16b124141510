"""Changeovers: what lets a motor run to the stop that its output asks for, and brakes it there, tried in every state of the contacts."""

import re
from collections.abc import Iterator, Sequence
from itertools import product

from firmware_bridge.electrics.wiring import Output
from hardware.wiring.netlist import Cable, Netlist

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
