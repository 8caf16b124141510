"""The host's side: who answers, whether the link is up, and that every event comes once and in order."""

import logging
import re
from random import Random

import pytest

from firmware_bridge.frames import TRACE, VERSION, VERSION_OF_GATES, Decoder, Frame, encode_frame
from firmware_bridge.link.events import Done, FeederStatus, LinkDown, LinkUp, NotAFeeder, OperationRequest
from firmware_bridge.link.operations import Operations
from firmware_bridge.link.session import FeederLink, KnownBoot, LinkSettings
from firmware_bridge.link.transitions import TIMERS, TRANSITIONS, LinkInput, LinkPhase
from firmware_bridge.messages import Ack, Capabilities, Feed, HelloAck, Message, Place, ResetReason, Sense, Stop, TileAtGate, encode_message
from simulator.feeder_simulator import CoreFirmware
from simulator.mechanics import MechanicsSettings
from tests.support.link.pair import Pair

HEARTBEAT = 0x04


def greeting_link() -> FeederLink:
    link = FeederLink(LinkSettings(), nonce=41)
    link.connect(0.0)
    link.data_to_send()
    return link


def wire(message: Message, version: int = VERSION) -> bytes:
    type_, payload = encode_message(message)
    return encode_frame(Frame(type_, 0, 0, 0, payload, version))


def hello_ack(nonce: int, protocol_version: int = VERSION) -> HelloAck:
    return HelloAck(nonce, protocol_version, bytes(8), 5, ResetReason.POWER_ON, bytes(8), bytes(8), 0, 1)


def pass_time(link: FeederLink, until_s: float, echo: bool = False) -> None:
    """Let the link's timers run; with ``echo`` everything sent comes back."""
    now_s = 0.0
    while (due_s := link.next_timer()) is not None and due_s <= until_s:
        now_s = max(now_s, due_s)
        link.handle_timer(now_s)
        sent = link.data_to_send()
        if echo:
            link.receive(sent, now_s)


def told(link: FeederLink) -> list[object]:
    events: list[object] = []
    while (event := link.next_event()) is not None:
        events.append(event)
    return events


def test_the_first_contact_tells_who_answers_and_what_it_has() -> None:
    up = Pair().up()
    assert up.hello.uid == b"TWSIM001"
    assert not up.same_boot
    assert (up.last_operation, up.capabilities.bypass_cells) == (0, 4)


def test_a_silent_port_is_reported_once() -> None:
    link = greeting_link()
    pass_time(link, 20.0)
    (lost,) = told(link)
    assert isinstance(lost, LinkDown)
    assert "nothing has answered" in lost.reason


OLDER = r"speaks TWF/[12], not TWF/3 or TWF/4: its firmware is older than this program: flash the one"
NEWER = "speaks TWF/9, not TWF/3 or TWF/4: update this program"


@pytest.mark.parametrize(
    ("answer", "echo", "said"),
    [
        pytest.param(
            b"$GPRMC,081836,A,3751.65,S,14507.36,E*62\r\n",
            False,
            r"^this port answers, but not as a Twinwall feeder.*\$GPRMC",
            id="a sample",
        ),
        pytest.param(b"", True, "sends back what it is sent", id="an echo"),
        pytest.param(wire(hello_ack(42, protocol_version=9)), False, NEWER, id="another version"),
        pytest.param(wire(hello_ack(42), version=9), False, NEWER, id="frames of another version"),
        pytest.param(wire(hello_ack(42, 1), version=1), False, OLDER, id="a board of before"),
        pytest.param(wire(hello_ack(42, 2), version=2), False, OLDER, id="with gates"),
    ],
)
def test_a_port_that_answers_and_is_no_feeder_of_this_version_is_named_as_what_it_is(answer: bytes, echo: bool, said: str) -> None:
    link = greeting_link()
    link.receive(answer, 0.1)
    pass_time(link, 20.0, echo=echo)
    (strange,) = told(link)
    assert isinstance(strange, NotAFeeder)
    assert re.search(said, strange.reason)


def test_a_feeder_with_other_sizes_than_the_settings_say_is_named_with_the_difference() -> None:
    pair = Pair(settings=LinkSettings(expected=Capabilities(bypass_cells=6)))
    assert "bypass cells is 4, not 6" in pair.wait(NotAFeeder).reason
    pair.run_for(5.0)
    assert not pair.all(LinkUp)


def test_a_gate_period_other_than_expected_is_no_difference() -> None:
    pair = Pair(settings=LinkSettings(expected=Capabilities(gate_period_ms=600)))
    assert pair.up().capabilities.gate_period_ms == 30


def test_an_answer_to_an_older_greeting_is_not_taken_for_an_answer() -> None:
    link = greeting_link()
    link.receive(wire(hello_ack(nonce=41)), 0.1)
    assert link.phase is LinkPhase.HELLO
    assert encode_message(hello_ack(0))[1] not in link.data_to_send()


def test_heartbeats_go_out_every_100_ms() -> None:
    pair = Pair().linked()
    heard = Decoder()
    frames: list[Frame] = []

    def listen(piece: bytes, _random: Random) -> list[tuple[float, bytes]]:
        frames.extend(heard.feed(piece))
        return [(0.0, piece)]

    pair.line = listen
    pair.run_for(2.0)
    assert 19 <= sum(frame.type == HEARTBEAT for frame in frames) <= 21


def test_silence_is_a_lost_link_and_the_feeder_is_greeted_until_it_answers_again() -> None:
    pair = Pair().linked()
    pair.cut = True
    assert "nothing heard" in pair.wait(LinkDown).reason
    pair.run_for(10.0)
    assert len(pair.all(LinkDown)) == 1
    pair.cut = False
    assert pair.wait(LinkUp).same_boot


def test_a_reboot_that_is_too_short_to_be_silence_is_noticed() -> None:
    pair = Pair().linked()
    pair.reboot()
    assert "restarted" in pair.wait(LinkDown, 0.3).reason
    assert not pair.wait(LinkUp).same_boot


class Bitten(Pair):
    """Its board starts because the watchdog has bitten."""

    def _boot(self) -> CoreFirmware:
        return CoreFirmware(self.wires, self.mechanics, self.boot_id, self.now_s, ResetReason.WATCHDOG)


def test_a_board_that_starts_again_and_again_says_why_and_its_operation_is_unknown_once_and_never_repeated() -> None:
    pair = Bitten(machine=MechanicsSettings(speed=4.0)).fed()
    operation = pair.submit(Place(0, 33))
    for _ in range(6):
        pair.run_for(0.25)
        pair.reboot()
    up = pair.wait(LinkUp)
    pair.run_for(5.0)
    assert up.hello.reset_reason is ResetReason.WATCHDOG
    assert [operation in each.unknown for each in pair.all(LinkUp)].count(True) == 1
    assert not any(pair.mechanics.levels().trays)


def test_operations_are_taken_on_in_the_order_in_which_they_were_given() -> None:
    pair = Pair().linked()
    for index in range(20):
        pair.submit(Feed() if index % 2 else Sense())
    pair.answer_to(20)
    assert [event.operation for event in pair.all(Done)] == list(range(1, 21))


def test_after_a_reboot_no_operation_is_sent_that_was_given_before_it() -> None:
    pair = Pair().linked()
    given = tuple(pair.submit(Sense()) for _ in range(3))
    pair.reboot()
    assert pair.wait(LinkUp).unknown == given
    pair.run_for(5.0)
    assert pair.all(Done) == []


def test_an_operation_that_takes_a_minute_is_asked_after_every_second() -> None:
    operations = Operations(answer_timeout_s=0.1, probe_after_s=0.2)
    operations.submit(OperationRequest(1, Sense()))
    operations.due(0.0)
    operations.answered(1, Ack(60_000), 0.0)
    assert operations.next_s() == 1.0


def test_an_operation_submitted_twice_is_answered_once_while_it_is_on_its_way() -> None:
    pair = Pair().linked()
    pair.submit(Sense(), 7)
    pair.submit(Sense(), 7)
    pair.run_for(2.0)
    assert [event.operation for event in pair.all(Done)] == [7]


@pytest.mark.parametrize("taken_over", [False, True])
def test_events_come_again_to_a_host_that_restarts_unless_it_has_taken_them_over(taken_over: bool) -> None:
    pair = Pair()
    pair.auto_acknowledge = False
    pair.up()
    pair.do(Feed())
    first = pair.wait(TileAtGate)
    pair.restart_host(known=KnownBoot(pair.boot_id, last_event=first.number if taken_over else 0))
    pair.wait(LinkUp)
    pair.run_for(2.0)
    assert pair.all(TileAtGate) == ([first] if taken_over else [first, first])


def test_status_requests_that_cross_are_answered_by_one_status() -> None:
    pair = Pair().linked()
    for _ in range(5):
        pair.link.request_status(pair.now_s)
    pair.run_for(3.0)
    assert len(pair.all(FeederStatus)) == 1


def test_a_port_that_goes_away_is_told_once_and_opens_again() -> None:
    link = greeting_link()
    for _ in range(3):
        link.disconnect("it has gone")
    assert told(link) == [LinkDown("it has gone")]
    assert link.next_timer() is None
    link.submit(OperationRequest(1, Feed()), 1.0)
    link.connect(2.0)
    assert link.data_to_send()


def test_every_pair_of_the_transition_table_can_be_reached_and_no_phase_is_a_dead_end() -> None:
    reached, waiting = {LinkPhase.CLOSED}, [LinkPhase.CLOSED]
    while waiting:
        here = waiting.pop()
        new = {after for (before, _), after in TRANSITIONS.items() if before is here} - reached
        reached |= new
        waiting += new
    assert reached == set(LinkPhase)
    assert {cause for _, cause in TRANSITIONS} == set(LinkInput)
    assert all((phase, LinkInput.PORT_CLOSED) in TRANSITIONS for phase in LinkPhase)
    assert set(TIMERS) == set(LinkPhase)


def test_a_trace_tells_each_frame_with_its_numbers_and_why_one_was_dropped(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, TRACE.name):
        link = greeting_link()
        damaged = bytearray(wire(hello_ack(42)))
        damaged[7] ^= 4
        link.receive(bytes(damaged) + wire(Sense()) + wire(Capabilities(), version=VERSION_OF_GATES) + wire(hello_ack(42)), 0.1)
    lines = caplog.messages
    assert "link closed -> hello: port opened" in lines
    assert any(line.startswith("-> HELLO seq 0 operation 0 Hello(") for line in lines)
    assert "<- dropped: the checksum does not fit the bytes" in lines
    assert "<- type 0x26 seq 0 operation 0 dropped: only a host sends it" in lines
    assert any(line.startswith("<- type 0x82") and line.endswith("dropped: it is no message of its type") for line in lines)
    assert any(line.startswith("<- HELLO_ACK seq 0 operation 0 HelloAck(nonce=42") for line in lines)
    assert "link hello -> capabilities: HELLO_ACK of the feeder that is wanted" in lines


def test_nothing_is_traced_that_nobody_asked_for(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        greeting_link()
    assert caplog.messages == []


def test_a_stop_is_sent_before_operations_that_wait_and_after_silence_each_under_way_is_asked_for() -> None:
    operations = Operations(answer_timeout_s=1.0, probe_after_s=10.0)
    operations.submit(OperationRequest(1, Feed()))
    operations.submit(OperationRequest(2, Sense()))
    operations.submit(OperationRequest(3, Stop()))
    assert [request.operation for request in operations.due(0.0)] == [3]
    operations.answered(3, Ack(60_000), 0.1)
    assert [request.operation for request in operations.due(0.1)] == [1]
    operations.answered(1, Ack(60_000), 0.2)
    assert [request.operation for request in operations.due(0.2)] == [2]
    assert operations.due(0.3) == []
    operations.resume(0.4)
    assert [request.operation for request in operations.due(0.4)] == [3, 1, 2]
