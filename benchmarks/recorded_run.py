"""Play of a demo compared with a recorded one: ``python -m benchmarks.recorded_run --rules NAME [--record | --against] --json``.

A demo of ``--seed 1`` gives the same deals, the same events of play and the same scores on every machine. This command runs one
with four tables, two hands and one seed holder, whose deals the recordings hold, and reduces its public ledgers to digests: for each
table and ledger the SHA-256 of the lines of play, without times, chain hashes and numbers. ``--record`` writes them to
``benchmarks/recorded/NAME.json``; otherwise they are
compared with what is written there, and exit 1 names each difference. Where the ledger's other lines stand between those of play
depends on the machine, so the lines about walls and releases are compared by themselves, in any order.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from twinwall.game.rules import rule_set_names

FOLDER = Path(__file__).parent / "recorded"
LEDGERS = ("events", "public")
OF_THE_RUN = frozenset({"at", "prev", "journal", "seq", "version", "salt"})
OF_THE_START = "start-fixed"
"""The first line of each ledger: what it says is compared as the ledger's ``start``."""
OF_THE_WALL = frozenset({"deal-opened", "wall-ready", "wall-raised", "deal-released"})
OF_THE_MACHINE = frozenset(
    {
        "building",
        "wall-checked",
        "controller-started",
        "clearing-began",
        "well-counted",
        "cleared",
        "gate-unlocked",
        "fault",
        "fault-cleared",
        "link-lost",
        "link-restored",
        "camera-trouble",
        "heads-noted",
    }
)
"""What a machine does beside the play; when and how often depends on its pace and on the load of the computer."""


def main() -> int:
    """Run a demo and compare it; 0 the same, 1 not."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rules", choices=rule_set_names(), required=True)
    parser.add_argument("--folder", type=Path, help="a demo that has run: its folder, with its report beside it as FOLDER.json")
    parser.add_argument("--record", action="store_true", help="write what came of it instead of comparing")
    parser.add_argument("--json", action="store_true", help="the result as one JSON document")
    arguments = parser.parse_args()
    if arguments.folder is None:
        with tempfile.TemporaryDirectory(prefix="twinwall-recorded-run-") as made:
            found = digests(Path(made) / "demo", demo(Path(made) / "demo", arguments.rules))
    else:
        found = digests(arguments.folder, json.loads(Path(f"{arguments.folder}.json").read_text(encoding="utf-8")))
    file = FOLDER / f"{arguments.rules}.json"
    if arguments.record:
        FOLDER.mkdir(exist_ok=True)
        file.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return 0
    differ = sorted(differences("", json.loads(file.read_text(encoding="utf-8")), found))
    print(json.dumps({"rules": arguments.rules, "differences": differ}) if arguments.json else "\n".join(differ) or "the same")
    return 1 if differ else 0


def demo(folder: Path, rules: str) -> dict[str, object]:
    """The report of a demo of four tables and two hands."""
    command = [
        sys.executable,
        "-m",
        "cli",
        "demo",
        "--fast",
        "--headless",
        "--json",
        "--seed",
        "1",
        "--tables",
        "4",
        "--hands",
        "2",
        "--holders",
        "1",
    ]
    done = subprocess.run([*command, "--rules", rules, "--folder", str(folder)], check=True, stdout=subprocess.PIPE, text=True)
    report: dict[str, object] = json.loads(done.stdout)
    return report


def digests(folder: Path, report: dict[str, object]) -> dict[str, object]:
    """What has to be the same: deals, results, and the digests of each ledger."""
    tables = sorted(path for path in folder.glob("table-*") if path.is_dir())
    results = [
        {"table": table["table"], "hands": [{name: hand[name] for name in ("hand", "digest", "scores", "won")} for hand in table["hands"]]}
        for table in report["tables"]  # type: ignore[attr-defined]  # the demo's own report
    ]
    return {
        "root": report["root"],
        "deals": report["deals"],
        "imp": report["imp"],
        "results": results,
        "ledgers": {table.name: {name: ledger(table / "ledger" / f"{name}.jsonl") for name in LEDGERS} for table in tables},
    }


def ledger(file: Path) -> dict[str, object]:
    """What a ledger begins with, its lines of play in their order and its lines of walls in any, as counts and digests."""
    lines = list(stable_lines(file))
    start = lines[0][1] if lines and lines[0][0] == OF_THE_START else None
    play = [text for kind, text in lines if kind not in OF_THE_WALL and kind != OF_THE_START]
    walls = sorted(text for kind, text in lines if kind in OF_THE_WALL)
    return {"start": start, "play": len(play), "play_sha256": _sha256(play), "walls": len(walls), "walls_sha256": _sha256(walls)}


def stable_lines(file: Path) -> Iterator[tuple[str, str]]:
    """Each line's type and its text without what differs from run to run."""
    for line in file.read_text(encoding="utf-8").splitlines():
        event: dict[str, object] = json.loads(line)
        kind = str(event["type"])
        if kind not in OF_THE_MACHINE:
            kept = {name: value for name, value in event.items() if name not in OF_THE_RUN}
            yield kind, json.dumps(kept, sort_keys=True, ensure_ascii=False)


def differences(place: str, wanted: object, found: object) -> Iterator[str]:
    """Every place at which two documents differ."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        for name in wanted.keys() | found.keys():
            yield from differences(f"{place}.{name}".lstrip("."), wanted.get(name), found.get(name))
    elif wanted != found:
        yield f"{place}: {json.dumps(found, ensure_ascii=False)} instead of {json.dumps(wanted, ensure_ascii=False)}"


def _sha256(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


if __name__ == "__main__":
    raise SystemExit(main())
