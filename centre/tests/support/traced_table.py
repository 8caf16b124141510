"""A table's sending end as a process, over a ledger that is written already: ``python -m centre.tests.support.traced_table``."""

import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from centre.tests.support.playing_venue import EVENT, played_hands
from controller.ledger.public import open_ledger, table_ledger
from controller.ledger.publisher import Publisher
from tests.support.wire.streams import Line, ledger_lines
from twinwall.wire.line_traces import open_traces
from twinwall.wire.mqtt.access import table_user
from twinwall.wire.mqtt.broker_address import BrokerAddress, Credentials
from twinwall.wire.mqtt.link import MqttLink

TABLE, JOURNAL, TILE = "1", "j", "7s"
BEAT_S = 0.5
(STARTED, *ENDED) = played_hands(TABLE, [(75, -25, -25, -25)])
SCRIPT: list[Line] = [STARTED, ("tile-discarded", {"seat": "E", "tile": TILE}), *ENDED]


def main(port: int, password: str, folder: Path) -> None:
    """Send the ledger to the hall's broker, and beat until somebody ends this."""
    ledgers = table_ledger(folder, TABLE, JOURNAL), open_ledger(folder, TABLE, JOURNAL)
    ledgers[0].lines = ledger_lines(SCRIPT, TABLE, JOURNAL)
    traces = open_traces("twinwall-table", EVENT)
    publisher = Publisher(EVENT, TABLE, ledgers, folder, lambda: datetime.now(UTC), traces=traces)
    credentials = Credentials(table_user(TABLE), password)
    publisher.link = MqttLink(BrokerAddress("127.0.0.1", port), credentials, publisher, subscriptions=publisher.subscriptions)
    publisher.link.start()
    while True:
        time.sleep(BEAT_S)
        publisher.beat(())


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
