"""Progress of a demo in the terminal: one line a table, without tiles, claims or scores of an unreleased deal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from cli.demo.browser import DemoLogin
from twinwall.game.documents import parse_object

PLAY_WORDS: Mapping[str, str] = {"wall-raised": "players take their hands", "hand-started": "playing", "deal-released": "deal released"}
WALL_WORDS: Mapping[str, str] = {
    "deal-opened": "wall begins",
    "building": "wall building",
    "wall-ready": "wall ready",
    "wall-raised": "wall raised",
}
TROUBLES = frozenset({"fault", "deal-refused"})


@dataclass(slots=True)
class DemoTableProgress:
    """One table's line, fed from its ledger of events as it grows: the hand that is played, and the wall that is built meanwhile."""

    name: str
    ledger: Path
    offset: int = 0
    hand: int = 0
    play: str = "starting"
    wall: str = ""
    placed: int = 0
    of: int = 136
    fault: str = ""
    code: str = ""
    """That of the fault; empty for what a referee is called to."""
    fouled: bool = False
    """Whether the deal is fouled, and no referee has ruled on it yet."""

    def update(self) -> bool:
        """Take in the lines written since the last time; whether there were any. A ledger that is gone begins again."""
        if not self.ledger.exists():
            self.offset = 0
            return False
        with self.ledger.open("rb") as file:
            file.seek(self.offset)
            content = file.read()
        whole = content[: content.rfind(b"\n") + 1]
        self.offset += len(whole)
        for line in whole.splitlines():
            self._take(parse_object(line))
        return bool(whole)

    def _take(self, event: dict[str, object]) -> None:
        kind = str(event["type"])
        self.play = PLAY_WORDS.get(kind, self.play)
        self.wall = WALL_WORDS.get(kind, self.wall)
        match kind:
            case "deal-opened":
                self.placed = 0
            case "building":
                self.placed, self.of = int(str(event["placed"])), int(str(event["of"]))
            case "hand-started":
                self.hand = int(str(event["hand"]))
            case "deal-fouled" | "violation":
                self.fault, self.code = "the referee is needed", ""
                self.fouled |= kind == "deal-fouled"
            case "ruling":
                self.fouled = False
            case _ if kind in TROUBLES:
                self.fault, self.code = str(event["sentence"]), str(event.get("code", ""))
            case "fault-cleared":
                self.fault = self.code = ""


def picture(url: str, login: DemoLogin, tables: Sequence[DemoTableProgress], hands: int) -> RenderableType:
    """Address, account and the state of every table."""
    grid = Table.grid(padding=(0, 2))
    for table in tables:
        bar = ProgressBar(total=table.of, completed=table.placed, width=20)
        grid.add_row(
            f"Table {table.name}",
            f"hand {table.hand}/{hands}" if table.hand else "",
            table.play,
            bar,
            f"{table.placed:>3}/{table.of} {table.wall}",
            Text(table.fault, style="bold red"),
        )
    head = Text.assemble(
        ("Twinwall demo  ", "bold"), (url, "underline"), "  name ", (login.name, "bold"), "  password ", (login.password, "bold")
    )
    return Panel(Group(head, Text(), grid, Text("Ctrl-C stops everything", style="dim")))
