"""What a person sees in the terminal while the demo runs: one line a table, from its public ledger."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from twinwall.cli.demo.stage import Stage

WORDS: Mapping[str, str] = {
    "controller-started": "starting",
    "deal-opened": "building the wall",
    "building": "building the wall",
    "wall-ready": "wall ready, rising",
    "wall-raised": "players take their hands",
    "hand-started": "playing",
    "win-declared": "a win is declared",
    "hand-shown": "the hand is shown",
    "payments-proposed": "payments to be confirmed",
    "hand-ended": "hand ended",
    "hand-closed": "hand recorded",
    "link-lost": "a part of the table is not heard",
}


@dataclass(slots=True)
class TableProgress:
    """One table's line, fed from its ledger file as it grows."""

    name: str
    ledger: Path
    offset: int = 0
    placed: int = 0
    of: int = 136
    words: str = "starting"
    discards: int = 0
    last: str = ""
    fault: str = ""

    def update(self) -> None:
        """Take in the lines written since the last time."""
        if not self.ledger.exists():
            return
        with self.ledger.open("rb") as file:
            file.seek(self.offset)
            content = file.read()
        whole = content[: content.rfind(b"\n") + 1]
        self.offset += len(whole)
        for line in whole.splitlines():
            self._take(json.loads(line))

    def _take(self, event: dict[str, object]) -> None:
        kind = str(event["type"])
        self.words = WORDS.get(kind, self.words)
        match kind:
            case "deal-opened":
                self.placed = self.discards = 0
            case "building":
                self.placed, self.of = int(str(event["placed"])), int(str(event["of"]))
            case "tile-discarded":
                self.discards += 1
                self.last = f"{event['seat']} discards {event['tile']}"
            case "claimed":
                self.last = f"{event['seat']} {event['meld']} {event['tiles']}"
            case "win-declared" | "hand-ended":
                self.last = f"{event.get('seat', '')} {event.get('scores', '')}".strip()
            case "deal-fouled":
                self.fault = str(event["reason"])
            case "fault" | "violation" | "deal-refused":
                self.fault = str(event["sentence"])
            case "fault-cleared":
                self.fault = ""
            case _:
                pass


def picture(stage: Stage, tables: list[TableProgress]) -> RenderableType:
    """Address, password and the state of every table."""
    grid = Table.grid(padding=(0, 2))
    for table in tables:
        bar = ProgressBar(total=table.of, completed=table.placed, width=34)
        tail = Text(table.fault, style="bold red") if table.fault else Text(table.last)
        grid.add_row(f"Table {table.name}", bar, f"{table.placed:>3}/{table.of}", table.words, f"{table.discards} discards", tail)
    head = Text.assemble(("Twinwall demo  ", "bold"), (stage.dashboard_url, "underline"), "  password ", (stage.password, "bold"))
    return Panel(Group(head, Text(), grid, Text("Ctrl-C stops everything", style="dim")))
