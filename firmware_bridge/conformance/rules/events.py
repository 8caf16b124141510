"""Events: numbered, sent again until they are taken over, and never overwritten (PROTOCOL.md, rule 6)."""

from itertools import pairwise
from statistics import median

from firmware_bridge.conformance.bench import Bench, rule
from firmware_bridge.conformance.bench_line import Broken
from firmware_bridge.conformance.preparing import feed_one, greet
from firmware_bridge.frames import TIME_MODULUS
from firmware_bridge.messages import DeviceEvent, EventAck, Feed, FeederState, Hello, HelloAck, Hold, Recirculate, TileAtGate, limits

_LONGEST_PAUSE_S = 0.15
_MOST_OFTEN = 15
_RULES = "Rules"
_EVENTS = "Messages, firmware to host"


def _events(bench: Bench, since: int) -> list[DeviceEvent]:
    return [heard.message for heard in bench.heard[since:] if isinstance(heard.message, DeviceEvent)]


def _numbers(bench: Bench, since: int) -> list[int]:
    """The numbers of the events since a mark, each once."""
    return sorted({event.number for event in _events(bench, since)})


@rule(_EVENTS)
def events_are_numbered(bench: Bench) -> None:
    """Events are numbered 1, 2, 3 … from each boot, and sent in order.

    Tried: three tiles brought to the gate, and the numbers of their events.
    """
    mark = bench.mark()
    for _ in range(3):
        feed_one(bench)
        bench.do(Recirculate())
    numbers = _numbers(bench, mark)
    if numbers != list(range(numbers[0], numbers[0] + 3)) or numbers[0] < 1:
        raise Broken(f"three events were numbered {numbers}")


@rule(_RULES)
def events_are_told_again(bench: Bench) -> None:
    """An event that is not acknowledged is sent again every 100 ms, under the same number and with the same content.

    Tried: a tile at the gate, no EVENT_ACK for 1 s.
    """
    with bench.not_acknowledging():
        mark = bench.mark()
        event = feed_one(bench)
        bench.pass_time(1.0)
        sent = _events(bench, mark)
    again = [each for each in sent if each == event]
    if len(again) != len(sent):
        raise Broken(f"it sent {next(each for each in sent if each != event)} instead of {event} again")
    times_us = [heard.frame.time_us for heard in bench.heard[mark:] if heard.message == event]
    pause_s = median((after - before) % TIME_MODULUS for before, after in pairwise(times_us)) / 1_000_000 if len(again) > 2 else 1.0
    if pause_s > _LONGEST_PAUSE_S or len(again) > _MOST_OFTEN:
        raise Broken(f"in 1 s it was sent {len(again)} times, every {1000 * pause_s:.0f} ms by its own clock")


@rule(_RULES)
def acknowledged_is_over(bench: Bench) -> None:
    """An event that is acknowledged is not sent any more.

    Tried: a tile at the gate, EVENT_ACK, and half a second.
    """
    with bench.not_acknowledging():
        feed_one(bench)
    bench.pass_time(0.05)
    mark = bench.mark()
    bench.pass_time(0.5)
    if _events(bench, mark):
        raise Broken("it was sent again after EVENT_ACK")


@rule(_RULES)
def acknowledge_up_to(bench: Bench) -> None:
    """EVENT_ACK is for all events up to its number, and for none above.

    Tried: three events, EVENT_ACK of the second.
    """
    with bench.not_acknowledging():
        mark = bench.mark()
        _bring(bench, 3)
        numbers = _numbers(bench, mark)
        bench.send(EventAck(numbers[1]))
        bench.pass_time(0.05)
        mark = bench.mark()
        bench.pass_time(0.5)
        left = {event.number for event in _events(bench, mark)}
    if left != {numbers[2]}:
        raise Broken(f"of the events {numbers}, {sorted(left)} were sent again after EVENT_ACK({numbers[1]})")


@rule(_RULES)
def eight_at_once(bench: Bench) -> None:
    """Every 100 ms the oldest eight events not yet acknowledged are sent again, no more.

    Tried: ten events, and which are sent again in half a second.
    """
    with bench.not_acknowledging():
        mark = bench.mark()
        _bring(bench, limits.EVENTS_AT_ONCE + 2)
        numbers = _numbers(bench, mark)
        mark = bench.mark()
        bench.pass_time(0.5)
        again = _numbers(bench, mark)
    if again != numbers[: limits.EVENTS_AT_ONCE]:
        raise Broken(f"of the events {numbers}, {again} were sent again")


@rule("Session")
def next_event(bench: Bench) -> None:
    """HELLO_ACK names the oldest event not yet acknowledged, and events go on in the new session.

    Tried: an event, HELLO before EVENT_ACK, a session, and HELLO after it.
    """
    with bench.not_acknowledging():
        event = feed_one(bench)
        kept = bench.ask(Hello(7, 1, 1), HelloAck).next_event
        greet(bench)
        mark = bench.mark()
        bench.wait(TileAtGate, 1.0, since=mark, when=lambda again: again.number == event.number)
    bench.pass_time(0.05)
    free = bench.ask(Hello(8, 1, 1), HelloAck).next_event
    if (kept, free) != (event.number, event.number + 1):
        raise Broken(f"HELLO_ACK named event {kept} before and {free} after event {event.number} was acknowledged")


@rule(_RULES)
def full_buffer_holds(bench: Bench) -> None:
    """32 events are kept; when no more find room no tile is fed, and nothing is overwritten.

    Tried: tiles sent round without EVENT_ACK until 32 events are kept; FEED; then EVENT_ACK, and the numbers.
    """
    kept = bench.capabilities.events_kept
    with bench.not_acknowledging():
        mark = bench.mark()
        _bring(bench, kept)
        bench.do(Recirculate())
        bench.do(Feed())
        bench.pass_time(0.3 + 2 * bench.capabilities.gate_period_ms / 1000)
        full = bench.status()
        sent = {event.number for event in _events(bench, mark)}
    more = bench.mark()
    bench.wait(TileAtGate, 10.0, since=more, when=lambda event: event.number not in sent)
    bench.do(Hold())
    first = min(sent)
    if len(sent) != kept or full.gate_occupied or full.state is not FeederState.HOLDING:
        raise Broken(f"with {len(sent)} events kept it is {full.state.name}, gate {'occupied' if full.gate_occupied else 'empty'}")
    numbers = _numbers(bench, mark)
    if numbers != list(range(first, first + len(numbers))):
        raise Broken("an event was overwritten")


def _bring(bench: Bench, count: int) -> None:
    """Bring ``count`` tiles to the gate, one after the other; the last one stays."""
    for left in range(count, 0, -1):
        feed_one(bench)
        if left > 1:
            bench.do(Recirculate())
