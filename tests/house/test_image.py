"""The images: what making one refuses, what their scripts do with a boot partition, and that they boot in QEMU."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.image import UEFI
from tools.image import BOOT_MIB, FILES, IMAGES, MIB, ROOM, TOOLS, Image, ImageError, partitions, refuse

TOP = Path(__file__).parents[2]
LINE = "twinwall-join 10.0.0.5:8444 AAAA-BBBB-CCCC-DDDD-EEEE-FFFF-GGGG-HHHH 1"
JOINS = 'echo "joined: $*"; touch "${@: -1}/table.toml"'
REFUSES = 'echo "twinwall: this code has run out: ask for a new one" >&2; exit 1'


def test_no_unit_of_an_image_gets_the_sandbox_of_the_programs() -> None:
    units = {path.name for path in FILES.rglob("*.service") if path.is_file()}
    assert units == {"image-start.service", "image-screen.service", "table-join.service"}


def test_what_a_computer_lacks_to_make_an_image_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ImageError, match="sudo make image"):
        refuse(tmp_path, 1000, ROOM)
    with pytest.raises(ImageError, match=f"apt-get install {' '.join(TOOLS.values())}"):
        refuse(tmp_path, 0, ROOM)
    for name in TOOLS:
        (tmp_path / name).touch(mode=0o755)
    with pytest.raises(ImageError, match="no programs of arm64: apt-get install qemu-user-static"):
        refuse(tmp_path, 0, ROOM, "arm64")
    with pytest.raises(ImageError, match=f"{tmp_path} has 5 MiB free"):
        refuse(tmp_path, 0, 5 * MIB)
    refuse(tmp_path, 0, ROOM)


@pytest.mark.skipif(shutil.which("sfdisk") is None, reason="sfdisk is not installed (apt: fdisk)")
@pytest.mark.parametrize("image", IMAGES.values(), ids=lambda image: image.name)
def test_a_disk_has_its_boot_partition_first_and_its_root_last(image: Image, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.touch()
    os.truncate(disk, (BOOT_MIB + 102) * MIB)
    subprocess.run(["sfdisk", "--quiet", disk], input=partitions(image.label, 100), text=True, check=True)
    table = json.loads(subprocess.run(["sfdisk", "--json", disk], capture_output=True, check=True).stdout)["partitiontable"]
    assert table["label"] == image.label
    sectors = MIB // 512
    assert [(each["start"] // sectors, each["size"] // sectors) for each in table["partitions"]] == [(1, BOOT_MIB), (1 + BOOT_MIB, 100)]


class Card:
    """A table's file system, with programs that stand in for those that its scripts call."""

    def __init__(self, root: Path, twinwall: str) -> None:
        self.root, self.boot, self.log = root, root / "boot" / "firmware", root / "log"
        for folder in (self.boot, root / "etc" / "twinwall", root / "bin"):
            folder.mkdir(parents=True)
        for name, body in {"twinwall": twinwall, "systemctl": f'echo "systemctl $*" >>{self.log}', "chown": ":", "ip": "cat $IP"}.items():
            (root / "bin" / name).write_text(f"#!/bin/bash\n{body}\n")
            (root / "bin" / name).chmod(0o755)

    def run(self, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.root / 'bin'}:{os.environ['PATH']}"
        words = [FILES / script, self.root]
        return subprocess.run(words, env={"PATH": path, **environment}, capture_output=True, text=True, check=False)

    def result(self) -> str:
        return (self.boot / "twinwall-result.txt").read_text()


@pytest.mark.parametrize("name", ["twinwall-join.txt", "twinwall-join.txt.txt", "TWINWALL-JOIN.TXT"])
def test_a_table_joins_by_the_file_and_the_file_is_gone(name: str, tmp_path: Path) -> None:
    card = Card(tmp_path, JOINS)
    (card.boot / name).write_text(LINE)
    assert card.run("table/usr/lib/twinwall/table-join").returncode == 0
    assert f"joined: table join --file {card.boot / name}" in card.result()
    assert not (card.boot / name).exists(), "its code is used"
    assert (tmp_path / "etc/systemd/timesyncd.conf.d/hall.conf").read_text() == "[Time]\nNTP=10.0.0.5\n"
    assert card.log.read_text().splitlines() == ["systemctl restart systemd-timesyncd", "systemctl start --no-block twinwall-table"]


def test_a_refusal_is_on_the_boot_partition_and_the_file_stays(tmp_path: Path) -> None:
    card = Card(tmp_path, REFUSES)
    (card.boot / "twinwall-join.txt").write_text(LINE)
    done = card.run("table/usr/lib/twinwall/table-join")
    assert done.returncode == 1, "the unit tries again"
    assert card.result() == done.stdout == "twinwall: this code has run out: ask for a new one\n"
    assert (card.boot / "twinwall-join.txt").exists()


def test_a_table_without_a_file_reads_the_code_with_its_camera(tmp_path: Path) -> None:
    card = Card(tmp_path, JOINS)
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "video0").touch()
    assert card.run("table/usr/lib/twinwall/table-join").returncode == 0
    assert "--camera v4l2:0" in card.result()


def test_a_table_with_neither_is_told_what_to_do(tmp_path: Path) -> None:
    card = Card(tmp_path, JOINS)
    assert card.run("table/usr/lib/twinwall/table-join").returncode == 1
    assert "copy the line of twinwall hall enrol into that file" in card.result()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("# a comment\r\n--tables 4\r\n", "--tables 4 --host 10.0.0.7"),
        ("--tables 2\n--host 10.0.0.9\n", "--tables 2 --host 10.0.0.9"),
    ],
)
def test_a_hall_is_at_this_computers_address_unless_its_options_name_one(options: str, expected: str, tmp_path: Path) -> None:
    card = Card(tmp_path, "")
    (card.boot / "twinwall-hall.txt").write_bytes(options.encode())
    (tmp_path / "addresses").write_text("2: eth0    inet 10.0.0.7/24 brd 10.0.0.255 scope global dynamic eth0\n")
    assert card.run("hall/usr/lib/twinwall/hall-options", IP=str(tmp_path / "addresses")).returncode == 0
    assert (tmp_path / "etc/twinwall/hall.env").read_text().replace('"', "").split() == f"HALL={expected}".split()


def test_a_hall_without_a_network_says_what_to_do(tmp_path: Path) -> None:
    card = Card(tmp_path, "")
    (card.boot / "twinwall-hall.txt").write_text("--tables 4\n")
    done = card.run("hall/usr/lib/twinwall/hall-options", IP=os.devnull)
    assert done.returncode == 1
    assert "connect a cable" in done.stderr


@pytest.mark.nightly
@pytest.mark.timeout(4 * 3600)
def test_a_hall_and_a_table_boot_in_qemu_and_the_table_joins() -> None:
    missing = [name for name in ("qemu-system-x86_64", "qemu-system-aarch64", "ssh", str(UEFI), *TOOLS) if not shutil.which(name, os.R_OK)]
    if missing or os.geteuid() != 0:
        pytest.skip(f"images are made by root (scripts/setup image): missing {', '.join(missing) or 'root'}")
    images = []
    for name in IMAGES:
        made = subprocess.run([sys.executable, "-m", "tools.image", name, "--out", TOP / "dist"], stdout=subprocess.PIPE, check=True)
        images.append(json.loads(made.stdout)["image"])
    report = json.loads(
        subprocess.run([sys.executable, "-m", "benchmarks.image", *images, "--json"], capture_output=True, check=True).stdout
    )
    hall, table = report["hall"], report["table"]
    assert (hall["service"], hall["failed_units"], hall["root_mib"] > hall["disk_mib"]) == ("active", [], True)
    assert (report["demo"]["hands"], report["demo"]["wrong_reads"]) == (1, 0)
    assert (table["said"], table["service"], table["left_on_boot_partition"]) == ("This is table 1.", "active", ["twinwall-result.txt"])
    assert table["heard_s"] <= 180
