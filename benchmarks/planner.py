"""Time of the controller's decisions: every message of whole builds, from its arrival to the resulting operations.

``python -m benchmarks.planner --json`` builds walls with the controller's own functions over the feeder of its tests, a machine without
time. It prints milliseconds a message for deciding, folding the events into the state, and computing the outputs, without disk and cameras.
"""

import random
import statistics
import time
from collections import deque

from benchmarks.support.measuring import run_measure
from controller.core.apply import apply
from controller.core.decide import decide, due_events
from controller.core.outputs import Outputs, outputs_of
from controller.ledger.journal_events import TileRead
from controller.state.messages import GateLook, GateSeen, Message, PauseTimer, Refused, TimerFired
from controller.state.sides import PlayStage
from controller.state.table_state import Setup, TableState
from firmware_bridge.link.events import OperationRequest
from tests.support.controller.feeder import Face, FakeFeeder
from tests.support.controller.rigs import opened, set_up
from tests.support.game.tables import random_walls
from twinwall.game.tiles import Tile

UNREAD_SHARE = 0.01


class Builder:
    """One build; ``times_ms`` has one entry per message."""

    def __init__(self, setup: Setup, seed: int) -> None:
        self._setup, self._chance = setup, random.Random(seed)
        self._inbox: deque[Message] = deque()
        faces: list[Face] = list(setup.rules.tiles)
        self._chance.shuffle(faces)
        self._feeder = FakeFeeder(faces, self._inbox.append, lambda: 0.0)
        self._state = TableState()
        self._asked: tuple[GateLook, ...] = ()
        self.times_ms: list[float] = []
        self._inbox.append(opened(random_walls(seed)))

    def build(self) -> None:
        """Build until the walls are in the magazines."""
        self._feeder.connect()
        while self._state.playing.stage is not PlayStage.TAKING:
            if self._inbox:
                self._do(self._timed(self._inbox.popleft()))
            elif moves := self._feeder.moves():
                self._chance.choice(moves)()
            elif self._state.making.build.blocked is not None:
                self._inbox.append(TimerFired(PauseTimer(self._state.making.build.blocked)))
            else:
                self._feeder.request_status()

    def _timed(self, message: Message) -> Outputs:
        began_ns = time.perf_counter_ns()
        decision = decide(self._setup, self._state, message)
        events = () if isinstance(decision, Refused) else decision
        while events:
            for event in events:
                self._state = apply(self._setup, self._state, event)
            events = due_events(self._setup, self._state)
        outputs = outputs_of(self._setup, self._state)
        self.times_ms.append((time.perf_counter_ns() - began_ns) / 1e6)
        return outputs

    def _do(self, outputs: Outputs) -> None:
        self._feeder.acknowledge(self._state.last_event)
        for pending in outputs.operations:
            self._feeder.submit(OperationRequest(pending.operation, pending.command))
        asked, self._asked = self._asked, outputs.gate_looks
        for look in self._asked:
            if look not in asked:
                seen = self._feeder.gate if self._chance.random() >= UNREAD_SHARE else None
                self._inbox.append(GateSeen(look, TileRead(seen if isinstance(seen, Tile) else None, 0.999, "")))


def measure(builds: int = 20) -> dict[str, object]:
    """Measure whole builds."""
    setup, times_ms = set_up(), []
    for seed in range(builds):
        builder = Builder(setup, seed)
        builder.build()
        times_ms += builder.times_ms
    percentiles = statistics.quantiles(times_ms, n=1000)
    return {
        "builds": builds,
        "decisions": len(times_ms),
        "p50_ms": round(percentiles[499], 3),
        "p99_ms": round(percentiles[989], 3),
        "p999_ms": round(percentiles[998], 3),
        "max_ms": round(max(times_ms), 3),
    }


if __name__ == "__main__":
    run_measure(measure)
