"""The session: who answers, what it has, and what must not happen without one (PROTOCOL.md, "Session")."""

from firmware_bridge.conformance.bench import Bench, name_of, rule
from firmware_bridge.conformance.bench_line import Broken
from firmware_bridge.conformance.preparing import configure, greet
from firmware_bridge.frames import VERSION
from firmware_bridge.messages import (
    Beat,
    Capabilities,
    Config,
    ConfigAck,
    DoneReport,
    Flags,
    GetCapabilities,
    Heartbeat,
    Hello,
    HelloAck,
    Hold,
    Nak,
    NakCode,
    Sense,
    capabilities_digest,
    encode_message,
    limits,
)

_SECTION = "Session"
_MESSAGES = "Messages, host to firmware"


def _hello(bench: Bench, nonce: int) -> HelloAck:
    return bench.ask(Hello(nonce, VERSION, VERSION), HelloAck)


def _in_session(bench: Bench) -> bool:
    return Flags.SESSION in bench.ask(Heartbeat(), Beat).flags


@rule(_SECTION)
def hello_identity(bench: Bench) -> str:
    """HELLO_ACK carries the nonce of its HELLO, and the same machine and boot each time; a boot id is never 0.

    Tried: HELLO with two nonces.
    """
    first, second = _hello(bench, 1), _hello(bench, 0xFFFFFFFF)
    if (first.nonce, second.nonce) != (1, 0xFFFFFFFF):
        raise Broken(f"the nonces 1 and {0xFFFFFFFF} came back as {first.nonce} and {second.nonce}")
    if first.boot_id == 0 or first.boot_id != second.boot_id or first.uid != second.uid:
        raise Broken("boot id or uid changes between two HELLOs")
    if first.protocol_version != VERSION:
        raise Broken(f"HELLO_ACK says version {first.protocol_version}, not {VERSION}")
    return f"uid {first.uid.hex()}, {first.reset_reason.name}"


@rule(_SECTION)
def hello_closes_session(bench: Bench) -> None:
    """HELLO closes the session and leaves everything else as it is.

    Tried: HELLO within a session; the flags, the last operation and the next event before and after.
    """
    operation = bench.order(Sense())
    bench.end(operation)
    hello = _hello(bench, 2)
    if _in_session(bench):
        raise Broken("the session is still open after HELLO")
    if hello.last_operation != operation:
        raise Broken(f"HELLO_ACK says that the last operation was {hello.last_operation}, not {operation}")


@rule(_SECTION)
def no_session(bench: Bench) -> None:
    """Outside a session operations get NO_SESSION, which is not remembered.

    Tried: HOLD after HELLO, and under the same number again once the session is open.
    """
    hello = _hello(bench, 3)
    operation = bench.order(Hold())
    answer = bench.answer(operation)
    if answer != Nak(NakCode.NO_SESSION):
        raise Broken(f"an operation without a session was answered {name_of(answer)}")
    configure(bench, hello.capabilities_digest)
    answer = bench.repeat(operation, Hold())
    if not isinstance(answer, DoneReport):
        raise Broken(f"the same number within a session was answered {name_of(answer)}")


@rule(_SECTION)
def answers_outlive_session(bench: Bench) -> None:
    """A host that has restarted fetches the answers that it missed by sending the same numbers again.

    Tried: SENSE, a new session, and SENSE again under the same number.
    """
    operation = bench.order(Sense())
    first = bench.end(operation)
    greet(bench)
    again = bench.repeat(operation, Sense())
    if again != first:
        raise Broken(f"operation {operation} was answered {name_of(first)}, and {name_of(again)} in a new session")


@rule(_SECTION)
def capabilities_digest_fits(bench: Bench) -> None:
    """HELLO_ACK's capabilities digest is the first 8 bytes of SHA-256 over the payload of CAPS.

    Tried: both, compared.
    """
    hello = _hello(bench, 4)
    capabilities = bench.ask(GetCapabilities(), Capabilities)
    if capabilities_digest(encode_message(capabilities)[1]) != hello.capabilities_digest:
        raise Broken("the digest is of something else")


@rule(_SECTION)
def capabilities_possible(bench: Bench) -> str:
    """CAPS describes a machine that can be: sizes that fit each other, and the counts and times that the protocol fixes.

    Tried: every field.
    """
    has = bench.ask(GetCapabilities(), Capabilities)
    if has.seats != 4 or not has.hand_places < has.wall_places <= has.tray_places <= 40:
        raise Broken(f"seats or places do not fit each other: {has}")
    if not 0 <= has.bypass_cells <= 8 or not has.gate_period_ms:
        raise Broken(f"from 0 to 8 bypass cells and a gate period above 0 are possible: {has}")
    fixed = (has.answers_kept, has.events_kept, has.hold_after_ms, has.motors_off_after_ms)
    if fixed != (64, 32, 300, 1000):
        raise Broken(f"64 answers, 32 events, 300 ms and 1000 ms are fixed, not {fixed}")
    return f"{has.tray_places} places a seat, {has.bypass_cells} cells, gate {has.gate_period_ms} ms"


@rule(_SECTION)
def config_digest(bench: Bench) -> None:
    """CONFIG with another digest opens nothing, and CONFIG_ACK says what it should have been.

    Tried: CONFIG with a wrong digest after HELLO, then with the one that CONFIG_ACK gave.
    """
    hello = _hello(bench, 5)
    refused = bench.ask(Config(bytes(8)), ConfigAck)
    if refused.accepted or _in_session(bench):
        raise Broken("a wrong digest opened the session")
    if refused.digest != hello.capabilities_digest:
        raise Broken("CONFIG_ACK names another digest than HELLO_ACK")
    configure(bench, refused.digest)
    if not _in_session(bench):
        raise Broken("CONFIG_ACK confirmed a session that BEAT does not know of")


@rule("Rules")
def heartbeat_answered(bench: Bench) -> None:
    """Every HEARTBEAT is answered by one BEAT with the boot id.

    Tried: 30 heartbeats at their ordinary pace.
    """
    boot_id = _hello(bench, 6).boot_id
    with bench.silent():
        bench.pass_time(limits.HEARTBEAT_MS / 1000)
        mark = bench.mark()
        for count in range(1, 31):
            bench.send(Heartbeat())
            bench.pass_time(limits.HEARTBEAT_MS / 1000)
            beats = bench.messages(Beat, mark)
            if len(beats) != count or beats[-1].boot_id != boot_id:
                raise Broken(f"{count} heartbeats were answered by {len(beats)} beats of boot {beats[-1].boot_id if beats else 0}")


@rule(_MESSAGES)
def unknown_command(bench: Bench) -> None:
    """An operation of an unknown type, of a wrong length or with an unknown code is UNKNOWN_COMMAND, and not remembered.

    Tried: type 0x2f, PLACE and RECIRCULATE of gate 1 as a machine with several gates has them, DUMP of container 9; then SENSE under
    the number of each.
    """
    wrong = {
        "type 0x2f": (0x2F, b""),
        "PLACE of gate 1": (0x12, bytes([0, 0, 1])),
        "RECIRCULATE of gate 1": (0x16, bytes([1])),
        "DUMP of container 9": (0x18, bytes([9, 0])),
    }
    for what, (type_, payload) in wrong.items():
        _refused_raw(bench, type_, payload, NakCode.UNKNOWN_COMMAND, what)
        answer = bench.repeat(bench.last_operation + 1, Sense())
        if not isinstance(answer, DoneReport):
            raise Broken(f"the number of {what} could not be used for SENSE: {name_of(answer)}")


@rule(_MESSAGES)
def service_range(bench: Bench) -> None:
    """Without the service switch nothing can change the firmware: 0x30 to 0x3f are SERVICE_SWITCH.

    Tried: every type of the range, with payloads of 0 and 48 bytes.
    """
    for type_ in limits.SERVICE_TYPES:
        for payload in (b"", bytes(48)):
            _refused_raw(bench, type_, payload, NakCode.SERVICE_SWITCH, f"type 0x{type_:02x} with {len(payload)} bytes")


@rule(_MESSAGES)
def unreadable_message(bench: Bench) -> None:
    """A message that is no operation and cannot be read is dropped like a damaged one.

    Tried: type 0x0f, HELLO with 2 bytes, CONFIG with 9, and a message that only firmware sends; then GET_CAPS.
    """
    mark = bench.mark()
    for type_, payload in ((0x0F, b""), (0x01, bytes(2)), (0x03, bytes(9)), (0x85, bytes(4))):
        bench.send_bytes(bench.wire_bytes(type_, payload))
    bench.ask(GetCapabilities(), Capabilities)
    others = [heard for heard in bench.heard[mark:] if not isinstance(heard.message, Beat | Capabilities)]
    if others:
        raise Broken(f"it answered with a message of type 0x{others[0].frame.type:02x}")


def _refused_raw(bench: Bench, type_: int, payload: bytes, code: NakCode, what: str) -> None:
    """Send an operation of any type under a number that is used again later, and expect its refusal."""
    mark, operation = bench.mark(), bench.last_operation + 1
    bench.send_bytes(bench.wire_bytes(type_, payload, operation))
    answer = bench.answer(operation, mark)
    if answer != Nak(code):
        raise Broken(f"{what} was answered {name_of(answer)}, not {code.name}")
