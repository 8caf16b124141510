"""Serves the dashboard with a scripted hand, for work on the pages."""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from dashboard.app import WebSettings
from dashboard.serving import StoredEvent
from dashboard.serving import serve as serve_dashboard
from tests.support.dashboard.example import ledger_lines, whole_hand
from tests.support.dashboard.staff import new_staff
from tests.support.wire.brokers import LedgerPublisher, RunningBroker, free_port
from twinwall.event.field import field_of
from twinwall.event.results import EntrantKind
from twinwall.event.store.programme import Programme
from twinwall.wire.messages.commands import Health, write_health
from twinwall.wire.mqtt.access import SALT_BYTES, SERVER_USER, AccessFiles, write_access_files
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.embedded_broker import EmbeddedBrokerSettings
from twinwall.wire.mqtt.embedded_broker import serve as serve_broker
from twinwall.wire.mqtt.topics import Channel, Topic

EVENT = "Autumn / Herbst"
PASSWORDS = {SERVER_USER: "of the server", "1": "of table one", "2": "of table two"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--pace", type=float, default=0.4, help="seconds between two events")
    parser.add_argument("--stop-after", type=int, default=0, help="stop the script after so many events and stay there")
    parser.add_argument("--empty", action="store_true", help="no table at all")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write_access_files(folder, EVENT, PASSWORDS, dict.fromkeys(PASSWORDS, b"." * SALT_BYTES))
        broker_port = free_port()
        dashboard = WebSettings(
            event=EVENT,
            staff=folder / "staff.sqlite",
            secret=b"only for looking" * 2,
            broker=BrokerAddress("127.0.0.1", broker_port),
            credentials=Credentials(SERVER_USER, PASSWORDS[SERVER_USER], "dashboard"),
            port=options.port,
        )
        new_staff(dashboard.staff).close()
        event = StoredEvent(folder / "event.sqlite", Programme(EVENT, field_of(EntrantKind.INDIVIDUAL, ("1",))))
        processes = [
            multiprocessing.Process(
                target=serve_broker, args=(EmbeddedBrokerSettings(AccessFiles(files.passwords, files.rights), port=broker_port),)
            ),
            multiprocessing.Process(target=serve_dashboard, args=(dashboard, event)),
        ]
        for process in processes:
            process.start()
        try:
            _play(RunningBroker("amqtt", folder, broker_port), options.pace, options.stop_after, empty=options.empty)
        finally:
            for process in processes:
                process.terminate()
                process.join()


def _play(broker: RunningBroker, pace_s: float, stop_after: int, *, empty: bool) -> None:
    table = None if empty else LedgerPublisher(broker, "1")
    run = 0
    while True:
        run += 1
        journal = f"look-{run}"
        lines = ledger_lines(whole_hand(), journal=journal, start=datetime.now(UTC), step_s=pace_s)
        if table is not None:
            table.lines, table.acknowledged = [], 0
        for number in range(10**9 if stop_after else len(lines) + 20):
            if table is not None:
                if number < min(stop_after or len(lines), len(lines)):
                    table.append(lines[number])
                health = Health("1", journal, len(table.lines), datetime.now(UTC))
                table.link.publish(str(Topic(EVENT, "1", Channel.HEALTH)), write_health(health))
            time.sleep(pace_s)


if __name__ == "__main__":
    main()
