"""Electrical rules of the net list: each fault is a sentence that names pins, nets or rails."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from hardware.wiring.netlist import Netlist, Pin

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
