"""Walls of a machine with lanes, built without hardware by the lines that hardware/README.md gives for it (stage D)."""

import re
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen

import msgspec
import pytest

from config import load
from controller.settings import TableSettings
from tableside.station.settings import StationSettings
from tests.support.children import ends_with_parent
from tests.support.commands import Twinwall
from tests.support.wire.brokers import eventually
from twinwall.free_ports import free_ports
from twinwall.web.http_request import ask

pytestmark = pytest.mark.slow
TOP = Path(__file__).parents[2]
README = TOP / "hardware" / "README.md"
Start = Callable[..., Popen[str]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts commands, and ends them."""
    with ExitStack() as running:

        def begin(*words: str) -> Popen[str]:
            command = ends_with_parent([sys.executable, "-m", "cli", *words])
            process = running.enter_context(Popen(command, stdout=PIPE, stderr=DEVNULL, text=True, cwd=TOP))
            running.callback(process.terminate)
            return process

        yield begin


def written(folder: Path, screen: int, broker: int, cameras: int) -> list[list[str]]:
    """The page's settings in a folder, for these ports; the commands to type, in order."""
    here = {"/tmp/lanes": str(folder), "8105": str(screen), "1883": str(broker), "8102": str(cameras)}
    part = README.read_text(encoding="utf-8").split("**Try it without hardware**")[1]
    typed, station, table = re.findall(r"```(?:toml)?\n(.*?)```", re.sub("|".join(here), lambda found: here[found[0]], part), re.DOTALL)
    (folder / "station.toml").write_text(station.replace("[station]", f"[station]\nport = {screen}"))
    (folder / "table.toml").write_text(table)
    return [shlex.split(line)[1:] for line in typed.splitlines() if line.startswith("twinwall ")]


def test_the_settings_of_the_page_are_those_of_a_machine_with_lanes(tmp_path: Path) -> None:
    *_, machine = written(tmp_path, 8105, 1883, 8102)
    station, table = load(tmp_path / "station.toml", StationSettings), load(tmp_path / "table.toml", TableSettings)
    assert str(station.station.machine) in machine
    assert table.feeder.port == str(station.station.feeder_link)


@pytest.mark.nightly
def test_a_simulated_machine_a_station_and_a_table_build_walls(
    tmp_path: Path, start: Start, twinwall: Twinwall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In ``make test`` tests/station/test_lanes.py builds walls at such a machine, in memory and at a serial port."""
    screen, broker, cameras = free_ports(3)
    (tmp_path / "seed").write_bytes(bytes(80))
    *deals, machine = written(tmp_path, screen, broker, cameras)
    served = start(*machine, "--station", f"http://127.0.0.1:{screen}").stdout
    monkeypatch.chdir(tmp_path)
    for words in deals:
        twinwall(*words)
    assert served is not None
    assert "The simulated feeder is on" in served.readline()
    first = start("table", "station", "--settings", str(tmp_path / "station.toml"))
    start("table", "run", "--settings", str(tmp_path / "table.toml"))
    eventually(lambda: placed(screen) >= 2, "tiles are in their places")
    first.kill()
    first.wait()
    start("table", "station", "--settings", str(tmp_path / "station.toml"))
    eventually(lambda: placed(screen) >= 4, "what was on its way is put into the well, and comes again")


def placed(screen: int) -> int:
    """How many tiles lie in the walls, as the station's screen says."""
    try:
        return int(msgspec.json.decode(ask(f"127.0.0.1:{screen}", "GET", "/now", patience_s=10.0)[1])["placed"])
    except OSError:
        return 0
