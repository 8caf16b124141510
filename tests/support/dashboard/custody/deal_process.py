"""A dashboard without pages as a process: its listener, its store and its vaults, ordered by lines of JSON; it can be killed.

``python -m tests.support.dashboard.custody.deal_process FOLDER PORT PASSWORD HOLDER=KEY …`` answers each line with where the deals are.
"""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dashboard.custody.deal_making import DealMaking
from dashboard.hall_intake import ListenerClock
from dashboard.listening import HallListener
from dashboard.projections.store import Store
from tests.support.children import ends_with_parent
from tests.support.custody.hall import EVENT
from tests.support.patience import PATIENCE_S
from twinwall.event.deal_state import MadeDeals, StartedEvent
from twinwall.event.field import EventField
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.event.store.store_writer import StoreWriter
from twinwall.game.deals import Plan
from twinwall.wire.messages.announced_keys import AnnouncedKeys
from twinwall.wire.messages.commands import CommandWriter
from twinwall.wire.messages.signing import Counter, Signer
from twinwall.wire.messages.vaults.vault_orders import SessionTable
from twinwall.wire.mqtt.access import SERVER_USER
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials

SERVER = Signer(SERVER_USER, b"\x09" * 32)


def _now() -> datetime:
    return datetime.now(UTC)


def _clock_ms() -> int:
    return time.time_ns() // 1_000_000


def _state(deals: DealMaking, desk: StoreWriter) -> dict[str, object]:
    state = deals.state
    code, root = "", ""
    if isinstance(state, MadeDeals | StartedEvent):
        root = state.commitments.root.hex()
    if isinstance(state, StartedEvent):
        code = state.code
    progress = {each.holder: [each.step.value, each.refusal or ""] for each in deals.progress}
    in_force = "" if desk.programme.custody is None else desk.programme.custody.start.code.hex()
    said: dict[str, object] = {"state": type(state).__name__, "root": root, "code": code, "in_force": in_force, "progress": progress}
    return said | {"released": list(desk.hall.released_deals())}


def main(folder: Path, port: int, password: str, vaults: dict[str, bytes]) -> None:
    """Serve until the input ends."""
    desk = StoreWriter(folder / "event.sqlite", Programme(EVENT, EventField(EntrantKind.INDIVIDUAL, ())), _now(), SERVER)
    deals = DealMaking(desk, vaults, SERVER, Counter(_clock_ms, folder / "orders.counter"), now=_now, monotonic_s=time.monotonic)
    store = Store("boot", ())
    listener = HallListener(
        store,
        desk,
        BrokerAddress("127.0.0.1", port),
        Credentials(SERVER_USER, password, os.urandom(4).hex()),
        ListenerClock(_now, time.monotonic),
        commands=CommandWriter(EVENT, SERVER, Counter(_clock_ms, folder / "commands.counter"), lambda: os.urandom(8).hex()),
        keys=AnnouncedKeys(EVENT, next(iter(vaults.values()))),
        deals=deals,
    )
    listener.start()
    for line in sys.stdin:
        asked = json.loads(line)
        refused = None
        match asked["do"]:
            case "make":
                refused = deals.make_deals(Plan.from_bytes(asked["plan"].encode()), asked["passphrase"], "Ann")
            case "start":
                refused = deals.fix_start(asked["public"], "Ann")
            case "session":
                refused = deals.begin_session(
                    asked["session"], [SessionTable(*table) for table in asked["tables"].items()], asked["groups"], "Ann"
                )
            case "unlock":
                deals.unlock(asked["passphrase"])
        problem = "" if refused is None else refused.problem.value
        sys.stdout.write(json.dumps({**_state(deals, desk), "problem": problem, "waits": [each.key for each in store.waits]}) + "\n")
        sys.stdout.flush()


@dataclass
class DealProcess:
    """That process, from a test."""

    folder: Path
    port: int
    password: str
    vaults: dict[str, bytes]
    process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        self.folder.mkdir(exist_ok=True)
        words = [f"{holder}={key.hex()}" for holder, key in self.vaults.items()]
        command = [sys.executable, "-m", __name__, str(self.folder), str(self.port), self.password, *words]
        with (self.folder / "log").open("a") as log:
            self.process = subprocess.Popen(
                ends_with_parent(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, bufsize=1
            )

    def ask(self, do: str = "", **asked: object) -> dict[str, object]:
        """Order something, or nothing; where the deals are then."""
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"do": do, **asked}) + "\n")
        self.process.stdin.flush()
        answer: dict[str, object] = json.loads(self.process.stdout.readline())
        return answer

    def stop(self, number: signal.Signals = signal.SIGKILL) -> None:
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(PATIENCE_S)
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    pipe.close()
            self.process = None


if __name__ == "__main__":
    named = (word.rpartition("=") for word in sys.argv[4:])
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], {holder: bytes.fromhex(key) for holder, _, key in named})
