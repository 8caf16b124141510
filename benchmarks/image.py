"""Boots the images in QEMU as a hall and a table of it: ``python -m benchmarks.image HALL.img.zst [TABLE.img.zst] [--json]``.

The hall's image starts by UEFI, emulated or with ``--kvm`` on this computer's processor, and ``twinwall demo`` plays a hand in it. An
emulated processor is too slow for a feeder's safety times, so without KVM the hand is played in the image's root on this computer's kernel.
The table's image is emulated with the kernel and options of its boot partition, since QEMU has no Raspberry Pi firmware; it joins the hall
by the file on its boot partition. Times count from QEMU's start. Both are asked over ssh with a key put on the boot partitions, as a person
does. Needs root, qemu-system-x86, qemu-system-arm, ovmf, mtools, zstd and openssh-client.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tests.support.wire.brokers import free_port
from tools.image import BOOT_MIB

LIMIT_S = 900.0
GROWN_MIB = 2048
"""How much larger than the image the disk is, like a card."""
DEMO = "twinwall demo --fast --headless --tables 1 --hands 1 --seed 43 --json --port 8090"
HALL_ADDRESS = "10.0.9.15"
HEAR = f"""
from paho.mqtt.subscribe import simple
hall = "/var/lib/twinwall/hall"
account = {{"username": "server", "password": open(hall + "/server.password").read().strip()}}
tls = {{"ca_certs": hall + "/certificates/authority.pem"}}
at = {{"hostname": "{HALL_ADDRESS}", "port": 8883, "client_id": "server/ear"}}
print(simple("twinwall-hall/1/waiting", 1, auth=account, tls=tls, **at).payload.decode())
"""
"""Prints a heartbeat of table 1 that the hall's broker hears."""
UEFI = Path("/usr/share/ovmf/OVMF.fd")
_BOOT = "@@1M"
"""Where an image's boot partition begins, for mtools."""
_ROOT = (1 + BOOT_MIB) << 20


def said_by(*words: str | Path, at_most_s: float = 60.0) -> str:
    """Return a program's output."""
    return subprocess.run([*map(str, words)], check=True, capture_output=True, text=True, timeout=at_most_s).stdout


class BootedImage:
    """A computer in QEMU with a disk made from an image, reached by ssh at a port of this computer."""

    def __init__(self, name: str, image: Path, folder: Path, key: Path) -> None:
        self.name, self.folder, self.port = name, folder, free_port()
        self.disk, self.console = folder / f"{name}.img", folder / f"{name}.txt"
        with self.disk.open("wb") as disk:
            subprocess.run(["zstd", "--quiet", "--decompress", "--stdout", image], stdout=disk, check=True)
        self.disk_mib = self.disk.stat().st_size >> 20
        os.truncate(self.disk, self.disk.stat().st_size + (GROWN_MIB << 20))
        self.put("authorized_keys", key.with_suffix(".pub").read_text(encoding="utf-8"))
        with (folder / "ssh").open("a", encoding="utf-8") as config:
            config.write(f"Host {name}\nPort {self.port}\nHostName 127.0.0.1\nUser root\nIdentityFile {key}\nLogLevel ERROR\n")
            config.write("StrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nConnectTimeout 20\n")

    def put(self, name: str, text: str) -> None:
        subprocess.run(["mcopy", "-o", "-i", f"{self.disk}{_BOOT}", "-", f"::{name}"], input=text, text=True, check=True)

    def take(self, name: str) -> Path:
        said_by("mcopy", "-n", "-i", f"{self.disk}{_BOOT}", f"::{name}", taken := self.folder / name)
        return taken

    @contextmanager
    def running(self, network: str, *words: str | Path) -> Iterator[None]:
        """Run the machine; ``network`` completes QEMU's "user" network."""
        drive = f"if=virtio,format=raw,file={self.disk}"
        net = f"user,id=net,net=10.0.9.0/24,hostfwd=tcp:127.0.0.1:{self.port}-:22,{network}"
        shown = ("-display", "none", "-monitor", "none", "-serial", f"file:{self.console}")
        command = (*words, "-m", "2048", "-smp", "2", "-drive", drive, "-netdev", net, "-device", "virtio-net-pci,netdev=net", *shown)
        self.began_s = time.monotonic()
        with subprocess.Popen([*map(str, command)]) as process:
            try:
                yield
            finally:
                process.kill()

    def ask(self, command: str, at_most_s: float = 120.0) -> str:
        """Return a command's output there."""
        return said_by("ssh", "-F", self.folder / "ssh", self.name, command, at_most_s=at_most_s)

    def until_seen(self, pattern: str) -> tuple[str, float]:
        """Return the first match on the console, and its time in seconds; raises SystemExit with the console's last lines."""

        def seen() -> str | None:
            text = self.console.read_text(encoding="utf-8", errors="replace") if self.console.exists() else ""
            found = re.search(pattern, text)
            return found and found[0]

        return self.until(seen, pattern)

    def until(self, seen: Callable[[], str | None], what: str) -> tuple[str, float]:
        """Wait until something is seen; return it, and its time in seconds."""
        while not (found := seen()):
            if time.monotonic() - self.began_s > LIMIT_S:
                last = "\n".join(self.console.read_text(encoding="utf-8", errors="replace").splitlines()[-20:])
                raise SystemExit(f"{self.name}: {what!r} was not seen in {LIMIT_S:.0f} s; its console ends with\n{last}")
            time.sleep(1)
        return found, round(time.monotonic() - self.began_s, 1)


def root_mib(machine: BootedImage) -> int:
    """Return the size of the root."""
    return int(machine.ask("df --output=size -BM / | tail -n 1").strip().removesuffix("M"))


def measure_hall(hall: BootedImage) -> dict[str, Any]:
    """Measure from the switch to the director's link."""
    link, link_s = hall.until_seen(r"choose your password at https://\S+")
    state = hall.ask("systemctl is-active twinwall-hall; systemctl list-units --failed --plain --no-legend").split("\n")
    return {
        "disk_mib": hall.disk_mib,
        "root_mib": root_mib(hall),
        "to_the_link_s": link_s,
        "link_at": link.split("/")[2],
        "service": state[0],
        "failed_units": [line for line in state[1:] if line],
    }


def measure_table(table: BootedImage, hall: BootedImage, line: str) -> dict[str, Any]:
    """Measure from the switch until the hall has heard the table."""
    table.put("twinwall-join.txt", line + "\n")
    options = dict(pair for each in table.take("config.txt").read_text(encoding="utf-8").splitlines() if (pair := option(each)))
    kernel, initrd = table.take(options["kernel"]), table.take(options["initramfs"])
    arguments = f"{table.take('cmdline.txt').read_text(encoding='utf-8').strip()} console=ttyAMA0"
    ways = ",".join(
        f"guestfwd=tcp:{HALL_ADDRESS}:{port}-cmd:ssh -F {table.folder}/ssh -W {HALL_ADDRESS}:{port} hall" for port in (8444, 8883)
    )
    words = ("qemu-system-aarch64", "-machine", "virt", "-cpu", "cortex-a72", "-kernel", kernel, "-initrd", initrd, "-append", arguments)
    with table.running(f"dhcpstart=10.0.9.20,{ways}", *words):
        said, joined_s = table.until_seen(r"This is table \S+")

        def heard() -> str | None:
            try:
                return hall.ask(f"timeout 60 /opt/twinwall/.venv/bin/python -c {shlex.quote(HEAR)}")
            except subprocess.CalledProcessError:
                return None

        heartbeat, heard_s = table.until(heard, "a heartbeat of the table at the hall")
        return {
            "disk_mib": table.disk_mib,
            "said": said,
            "joined_s": joined_s,
            "heard_s": heard_s,
            "lacks": json.loads(heartbeat)["lacks"],
            "root_mib": root_mib(table),
            "service": table.ask("systemctl is-active twinwall-table").strip(),
            "left_on_boot_partition": table.ask("ls /boot/firmware | grep ^twinwall").split(),
        }


def option(line: str) -> tuple[str, str] | None:
    """Split a line of a Raspberry Pi's config.txt into key and value."""
    found = re.fullmatch(r"(\w+)[= ](\S+)", line)
    return None if found is None else (found[1], found[2])


def measure(hall_image: Path, table_image: Path | None, accelerator: str) -> dict[str, Any]:
    """Measure both images, or the hall's alone."""
    with tempfile.TemporaryDirectory(prefix="twinwall-image-", dir="/var/tmp") as name, ExitStack() as running:
        folder = Path(name)
        said_by("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key := folder / "key")
        hall = BootedImage("hall", hall_image, folder, key)
        processor = ("-machine", f"q35,accel={accelerator}", "-cpu", "max", "-bios", UEFI)
        report: dict[str, Any] = {}
        if accelerator == "tcg":
            (root := folder / "root").mkdir()
            report["demo"] = played(partial(play_in_root, hall.disk, root))
        running.enter_context(hall.running(f"dhcpstart={HALL_ADDRESS}", "qemu-system-x86_64", *processor))
        report["hall"] = {"mib": hall_image.stat().st_size >> 20, "accelerator": accelerator, **measure_hall(hall)}
        if table_image is not None:
            table = BootedImage("table", table_image, folder, key)
            with subprocess.Popen(
                ["ssh", "-F", folder / "ssh", "hall", "twinwall-enrol --table 1 --minutes 60"], stdout=subprocess.PIPE, text=True
            ) as enrol:
                assert enrol.stdout is not None
                line = next(each for each in enrol.stdout if each.startswith("twinwall-join")).strip()
                report["table"] = {"mib": table_image.stat().st_size >> 20, **measure_table(table, hall, line)}
                enrol.kill()
        if accelerator == "kvm":
            report["demo"] = played(partial(hall.ask, DEMO, LIMIT_S))
        return report


def played(demo: Callable[[], str]) -> dict[str, Any]:
    """Return this part of a demo's report, and its time."""
    began_s = time.monotonic()
    said = json.loads(demo())
    hands = sum(len(each["hands"]) for each in said["tables"])
    return {"seconds": round(time.monotonic() - began_s), "hands": hands, "wrong_reads": said["reads"]["wrong"]}


def play_in_root(disk: Path, root: Path) -> str:
    """Return the output of a demo in the root of a disk, on this computer's own kernel and processor."""
    mounts = f"mount -o loop,ro,noload,offset={_ROOT} {disk} {root}; mount -t proc proc {root}/proc; mount --rbind /dev {root}/dev"
    inside = f"{mounts}; mount -t tmpfs tmpfs {root}/tmp; mount -t tmpfs tmpfs {root}/run; exec chroot {root} env -i HOME=/tmp {DEMO}"
    return said_by("unshare", "--mount", "sh", "-ec", inside, at_most_s=LIMIT_S)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hall", type=Path)
    parser.add_argument("table", type=Path, nargs="?")
    parser.add_argument("--kvm", action="store_true", help="run the hall by KVM; not every cloud's KVM starts UEFI")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(arguments)
    report = measure(asked.hall, asked.table, "kvm" if asked.kvm else "tcg")
    print(json.dumps(report, indent=1) if asked.json else report)


if __name__ == "__main__":
    main()
