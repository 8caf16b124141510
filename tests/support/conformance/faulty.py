"""Machines that break one rule each: a good machine, and a fault on its line that alters what passes.

Every fault names the rules that it breaks; most break one, some cannot help breaking several that
say the same of different moments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from firmware_bridge.conformance import suite
from firmware_bridge.conformance.rule import Rule
from firmware_bridge.conformance.rules import RULES
from firmware_bridge.conformance.suite import RuleOutcome
from firmware_bridge.messages import (
    REAR_GATE,
    Answer,
    Beat,
    Bypass,
    Clear,
    CloseWell,
    DoneReport,
    Drawn,
    Dump,
    FaultCode,
    Feed,
    FeederState,
    Flags,
    HelloAck,
    Lock,
    Message,
    Nak,
    NakCode,
    Place,
    PutBack,
    Raise,
    Recirculate,
    Reject,
    Release,
    Result,
    Return,
    Sensors,
    StatusCounters,
    StatusState,
    Taken,
    TileAtGate,
    Unlock,
    Well,
)
from tests.support.conformance.faults import frames, gates, moving, numbers, telling
from tests.support.conformance.line import Line
from tests.support.conformance.machine import MemoryMachine, Tamperer
from twinwall.cli.feeder.feeder_hands import SimulatedHands

NEAR_THE_WRAP_S = 4285.0
"""Header times wrap ten seconds later."""
_DONE = DoneReport(Result.OK, Sensors(0), 1)
Say = Callable[[Line, Message, Message | None], Message | None]


@dataclass(frozen=True, slots=True)
class Mutation:
    """A fault: what it does, and the rules that it breaks."""

    does: str
    breaks: frozenset[str]
    fault: Callable[[], Tamperer]
    slow: bool = False
    """It shows only when the clock wraps."""


class Saying(Line):
    """A machine that says something else than it should."""

    def __init__(self, saying: Say) -> None:
        super().__init__()
        self._saying = saying

    def say(self, message: Message, command: Message | None) -> Message | None:
        return self._saying(self, message, command)


def says(does: str, breaks: str, saying: Say) -> Mutation:
    return Mutation(does, frozenset(breaks.split()), lambda: Saying(saying))


def instead(does: str, breaks: str, commands: type | tuple[type, ...], code: NakCode, answer: Answer = _DONE) -> Mutation:
    """A machine that answers some commands with something else where a refusal is due."""
    return says(does, breaks, lambda _line, message, command: answer if message == Nak(code) and isinstance(command, commands) else message)


def done(does: str, breaks: str, commands: type[Message], altered: Callable[[DoneReport], DoneReport]) -> Mutation:
    """A machine whose DONE of some commands is altered."""
    return says(
        does,
        breaks,
        lambda _line, message, command: altered(message) if isinstance(message, DoneReport) and isinstance(command, commands) else message,
    )


def without(sensor: Sensors) -> Callable[[DoneReport], DoneReport]:
    return lambda report: replace(report, sensors=report.sensors & ~sensor)


def _state(altered: Callable[[Line, StatusState], StatusState]) -> Say:
    return lambda line, message, _command: altered(line, message) if isinstance(message, StatusState) else message


def _counters(altered: Callable[[StatusCounters], StatusCounters]) -> Say:
    return lambda _line, message, _command: altered(message) if isinstance(message, StatusCounters) else message


def failures(tamperer: Tamperer, rules: tuple[Rule, ...] = RULES, *, slow: bool = False) -> dict[str, str]:
    """The rules that a machine breaks, with what it did; slow ones are tried where ``slow``, on a clock that is about to wrap."""
    machine = MemoryMachine(tamperer, begun_s=NEAR_THE_WRAP_S) if slow else MemoryMachine(tamperer)
    tried = tuple(rule for rule in rules if slow or not rule.slow)
    verdicts = suite.run(machine, rules=tried, hands=SimulatedHands(machine), slow=slow)
    return {verdict.rule.name: verdict.reason for verdict in verdicts if verdict.outcome is not RuleOutcome.PASSED}


def fault(does: str, breaks: str, tamperer: Callable[[], Tamperer]) -> Mutation:
    return Mutation(does, frozenset(breaks.split()), tamperer)


MUTATIONS: tuple[Mutation, ...] = (
    fault("mends broken stuffing", "frame-stuffing", frames.Mending),
    fault("fills short frames", "frame-short frame-resync", frames.FillingUp),
    fault("is out of step after noise", "frame-resync", frames.OutOfStep),
    Mutation("stops its clock where it wraps", frozenset({"frame-time-wraps"}), frames.StandingStill, slow=True),
    fault("answers after the host has asked again", "answers-in-time", moving.Slow),
    fault("promises other times than the protocol", "capabilities-possible", moving.ImpossibleSizes),
    fault("brings a tile more after HOLD", "hold-feeds-no-further", moving.OneMore),
    says(
        "does not reach the first place of seat 3",
        "every-seat",
        lambda _l, m, c: replace(m, result=Result.FAILED) if isinstance(m, DoneReport) and c == Place(3, 0) else m,
    ),
    fault("judges a cell as it is now", "cell-judged-as-it-will-be", moving.JudgesNow),
    fault("forgets whose tile comes while it feeds", "returned-goes-first", moving.ForgetsWhoseTile),
    fault(
        "tells each event under two numbers",
        "events-are-numbered one-tile-per-unlock events-are-told-again acknowledge-up-to eight-at-once next-event full-buffer-holds",
        moving.TellsTwice,
    ),
    fault("tells an event once more", "acknowledged-is-over", moving.TellsOnceMore),
    says(
        "names an event that is over",
        "next-event",
        lambda _l, m, _c: replace(m, next_event=max(m.next_event - 1, 1)) if isinstance(m, HelloAck) else m,
    ),
    fault("checks no checksum", "frame-damage", frames.NoChecksum),
    fault("chokes on a long piece", "frame-oversize", frames.Choking),
    fault("loses a frame behind two zeros", "frame-zeros", frames.AfraidOfZeros),
    fault("understands whole frames only", "frame-pieces", frames.WholeOnly),
    fault("answers any version", "frame-version", frames.AnyVersion),
    fault("does not count its frames", "frame-sequence", frames.Renumbering),
    fault("counts milliseconds", "frame-time", frames.Milliseconds),
    fault("drops frames whose time goes back", "frame-host-time", frames.Timed),
    says("gives back another nonce", "hello-identity", lambda _l, m, _c: replace(m, nonce=m.nonce ^ 1) if isinstance(m, HelloAck) else m),
    fault("leaves the session open at HELLO", "hello-closes-session no-session config-digest", numbers.HelloKeepsSession),
    fault("remembers NO_SESSION", "no-session", numbers.RemembersNoSession),
    fault("forgets its answers at HELLO", "answers-outlive-session", numbers.HelloForgetsAnswers),
    fault("gives another digest than that of CAPS", "capabilities-digest-fits", numbers.OtherDigest),
    fault("takes any digest", "config-digest", numbers.AnyDigest),
    fault("answers two heartbeats of three", "heartbeat-answered", numbers.LazyHeart),
    instead("takes an unknown command for a busy machine", "unknown-command", object, NakCode.UNKNOWN_COMMAND, Nak(NakCode.BUSY)),
    instead("has no service switch", "service-range", object, NakCode.SERVICE_SWITCH, Nak(NakCode.UNKNOWN_COMMAND)),
    fault("answers what it cannot read", "unreadable-message", numbers.Talkative),
    fault("moves twice when a number is repeated", "repeat-moves-nothing", numbers.MovesTwice),
    fault("is deaf to repeats while it moves", "repeat-while-running", numbers.DeafWhileRunning),
    fault("forgets its refusals", "refusal-remembered", numbers.ForgetsRefusals),
    fault("keeps 63 answers", "sixty-four-answers", numbers.KeepsSixtyThree),
    fault("keeps answers for ever", "stale-after-sixty-four", numbers.KeepsForever),
    fault("takes numbers that were overtaken", "stale-when-overtaken", numbers.TakesAnyNumber),
    fault("compares numbers only", "mismatch", numbers.LooksAtNumbersOnly),
    says("is one operation behind", "last-operation", _state(lambda _l, m: replace(m, last_operation=max(m.last_operation - 1, 0)))),
    says("does not measure tiles", "tile-at-gate", lambda _l, m, _c: replace(m, width=0) if isinstance(m, TileAtGate) else m),
    done("does not see the shuttle's pick", "place-edges", Place, without(Sensors.PICKED)),
    instead("is busy where no tile lies", "no-tile", (Recirculate, Reject), NakCode.NO_TILE, Nak(NakCode.BUSY)),
    instead("returns from anywhere", "no-such-place", Return, NakCode.NO_SUCH_PLACE),
    instead("fills a full cell", "occupied", Bypass, NakCode.OCCUPIED),
    instead("releases from an empty cell", "empty", Release, NakCode.EMPTY),
    instead("lays tiles on nothing", "two-high-support", Place, NakCode.UNSUPPORTED),
    instead("pulls tiles out from below", "two-high-covered", Return, NakCode.COVERED),
    instead("fills a place twice", "queued-counts-as-filled", Release, NakCode.OCCUPIED),
    instead("takes two commands at the gate", "gate-takes-one-command", Recirculate, NakCode.BUSY),
    instead("overfills a shuttle", "shuttle-queue", Release, NakCode.BUSY),
    done("does not see a cell's tile leave", "bypass-and-release", Release, without(Sensors.CELL_OUT)),
    done("does not see the drum's mouth", "recirculated", Recirculate, without(Sensors.DRUM_IN)),
    done("does not see the reject cell", "rejected", Reject, without(Sensors.REJECT_IN)),
    done("does not see a returned tile's pick", "returned", Return, without(Sensors.PICKED)),
    instead("returns two tiles at once", "one-return", Return, NakCode.BUSY),
    fault("dumps every tray", "dump-one-tray", gates.DumpsAll),
    instead("dumps under a moving shuttle", "dump-waits-for-shuttles", Dump, NakCode.BUSY),
    done("does not see the lift", "raise-walls", Raise, without(Sensors.RAISED)),
    instead("raises walls onto walls", "raise-only-into-empty", Raise, NakCode.OCCUPIED),
    instead("unlocks a falling magazine", "dumped-magazine-stays-locked", Unlock, NakCode.BUSY),
    instead("feeds with the well open", "well-ends-feeding", Feed, NakCode.WELL_OPEN),
    says("counts on from last time", "well-counts-from-zero", _state(lambda _l, m: replace(m, well=m.well + 5))),
    says("misses a tile in the well", "well-counts-tiles", lambda _l, m, _c: replace(m, count=m.count - 1) if isinstance(m, Well) else m),
    fault("disagrees with itself", "sense-agrees", telling.Disagrees),
    done("takes its time", "acknowledged-at-once", CloseWell, lambda report: replace(report, ms=60_000)),
    says("does not count what is returned", "tiles-are-kept-track-of", _counters(lambda c: replace(c, arrived=c.arrived - c.returned))),
    instead("locks gates that are not there", "unlock-empty", Lock, NakCode.NO_SUCH_PLACE),
    done("does not see a lock move", "unlock-opens-one", Unlock, without(Sensors.LOCK_MOVED)),
    fault("grants twice the lease", "lease-runs-out unlock-again-prolongs lease-outlives-silence", gates.LongLeases),
    fault("does not prolong by UNLOCK", "unlock-again-prolongs", gates.UnlockDoesNotProlong),
    fault("does not prolong by RENEW", "renew-prolongs", gates.RenewDoesNotProlong),
    fault("opens by RENEW", "renew-never-opens", gates.RenewOpens),
    says("tells hand places wrongly", "hand-tiles-told", lambda _l, m, _c: replace(m, place=0) if isinstance(m, Taken) else m),
    fault("lets two tiles pass", "one-tile-per-unlock", gates.LetsTwoPass),
    instead("unlocks past the host", "draw-unacknowledged", Unlock, NakCode.UNACKNOWLEDGED),
    says("takes PUT_BACK for a draw", "put-back-told", lambda _l, m, _c: Drawn(m.seat, m.number) if isinstance(m, PutBack) else m),
    says(
        "takes the rear gate for the front one",
        "rear-gate",
        lambda _l, m, _c: replace(m, seat=m.seat % REAR_GATE) if isinstance(m, Drawn) else m,
    ),
    fault("changes what it has told", "events-are-told-again", telling.ChangesWhatItTold),
    fault("takes every event as acknowledged", "acknowledge-up-to", telling.TakesEveryEventAsAcknowledged),
    fault("tells all its events again at once", "eight-at-once", telling.ManyAtOnce),
    fault("overwrites its oldest event", "full-buffer-holds", telling.Overwrites),
    fault("has one snapshot number", "one-snapshot", telling.OneSnapshot),
    fault("counts before it senses", "snapshot-consistent", lambda: telling.WhileWaiting(lambda c: replace(c, placed=c.placed + 1))),
    fault("takes a counter back", "counters-grow", lambda: telling.WhileWaiting(lambda c: replace(c, arrived=0))),
    says(
        "does not beat as its status says",
        "beat-agrees-with-status",
        lambda _l, m, _c: replace(m, flags=m.flags & ~Flags.GATE_OCCUPIED) if isinstance(m, Beat) else m,
    ),
    says(
        "feeds on in silence",
        "holds-after-300-ms",
        _state(lambda line, m: replace(m, state=FeederState.FEEDING) if line.silent_s > 0.25 and m.state is FeederState.HOLDING else m),
    ),
    says(
        "leaves its motors on",
        "motors-off-after-1-s",
        _state(lambda _l, m: replace(m, flags=m.flags | Flags.MOTORS_ON) if m.state is FeederState.OFF else m),
    ),
    fault(
        "does not mind silence",
        "holds-after-300-ms motors-off-after-1-s session-ends-in-silence feed-forgotten-in-silence",
        telling.DoesNotMindSilence,
    ),
    fault("feeds again by itself", "feed-forgotten-in-silence", telling.FeedsAgain),
    says(
        "shuts open locks in silence",
        "lease-outlives-silence",
        _state(lambda line, m: replace(m, open_locks=0) if line.silent_s > 1.0 else m),
    ),
    instead("moves though it is stopped", "stop-stops", Bypass, NakCode.STOPPED),
    done("trusts what was disturbed", "stop-disturbs", Place, lambda report: replace(report, result=Result.OK)),
    says("refuses to clear nothing", "clear-of-nothing", lambda _l, m, c: Nak(NakCode.EMPTY) if c == Clear(FaultCode.NONE) else m),
    instead("unlocks in an emergency", "emergency-stop", Unlock, NakCode.STOPPED),
    says("clears the lid while it is open", "lid", lambda _l, m, c: _DONE if c == Clear(FaultCode.LID) else m),
    fault("fails everything when a tile sticks", "what-sticks", moving.FailsEverything),
    says("keeps its boot id", "restart", lambda _l, m, _c: replace(m, boot_id=100) if isinstance(m, HelloAck | Beat | StatusState) else m),
)
