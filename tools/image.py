"""Makes a disk image of Debian with the program, for a card or a stick: ``python -m tools.image hall table --out FOLDER``.

``hall`` is for a PC (amd64, UEFI) and serves a hall; ``table`` is for a Raspberry Pi (arm64) and joins one. mmdebstrap fetches Debian,
``scripts/image/finish`` adds the program's package and the files of ``scripts/image``, and Debian's tools write the file systems into
one file: a FAT boot partition, which any computer can read and write, and the root, which fills its disk at the first start. The package
is taken from FOLDER where ``make package`` put it, and else made in a Debian of the image's kind, by emulation if need be.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tools.package import NEEDED, TOP, PackageError, version_of_head
from twinwall.values import frozen

SUITE = "bookworm"
"""Debian 12, which Raspberry Pi OS of the same name is made from."""
FILES = TOP / "scripts" / "image"
EMULATORS = Path("/proc/sys/fs/binfmt_misc")
"""By what is registered here the kernel starts programs of other computers."""
BOOT_MIB = 256
SPARE_MIB = 256
"""Free in the root until it fills its disk."""
MIB = 2**20
ROOM = 7 * 1024 * MIB
"""An image is written three times: as files, as a disk, compressed; a package is made before."""
TOOLS = {
    "mmdebstrap": "mmdebstrap",
    "mke2fs": "e2fsprogs",
    "mcopy": "mtools",
    "sfdisk": "fdisk",
    "zstd": "zstd",
}
"""Each program, and Debian's package that has it."""
BOTH = (
    *("systemd-sysv", "udev", "dbus", "systemd-resolved", "iproute2", "kmod", "initramfs-tools", "zstd", "python3"),
    *("openssh-server", "cloud-guest-utils", "fdisk", "e2fsprogs", "wpasupplicant", "wireless-regdb"),
    *(each.partition("|")[0].strip() for each in NEEDED.split(",")),
)
BUILDERS = ("python3", "python3-venv", "python3-dev", "gcc", "g++", "make", "git", "binutils", "libpangoft2-1.0-0", "fonts-noto-cjk")
"""What making the package needs (``scripts/setup run``)."""


@frozen
class Image:
    """What one of the images has of its own.

    Attributes:
        emulator: of its architecture, as Debian registers it.
        label: of the partition table: firmware of a PC reads GPT, that of a Raspberry Pi 3 only a DOS table.
    """

    name: str
    architecture: str
    emulator: str
    label: str
    packages: tuple[str, ...]


IMAGES = {
    "hall": Image(
        *("hall", "amd64", "qemu-x86_64", "gpt"),
        ("linux-image-amd64", "shim-signed", "grub-efi-amd64-signed", "chrony", "firmware-realtek", "firmware-iwlwifi"),
    ),
    "table": Image(
        "table", "arm64", "qemu-aarch64", "dos", ("linux-image-arm64", "raspi-firmware", "firmware-brcm80211", "systemd-timesyncd")
    ),
}


@frozen
class RaspberryArchive:
    """Raspberry Pi's own archive, for a table's image with its kernel and Picamera2; the key's file is fetched by hand."""

    key: Path
    url: str = "http://archive.raspberrypi.com/debian"
    packages: tuple[str, ...] = ("linux-image-rpi-v8", "linux-image-rpi-2712", "raspi-firmware", "firmware-brcm80211", "python3-picamera2")


class ImageError(Exception):
    """No image can be made; the message says why, and what to do."""


def say(sentence: str) -> None:
    """Say on standard error what is done."""
    print(f"image: {sentence}", file=sys.stderr)


def run(*words: str | Path, **environment: str) -> str:
    """What a program prints; its other words are passed on as they come. Raises ImageError."""
    done = subprocess.run([*map(str, words)], cwd=TOP, env={**os.environ, **environment}, check=False, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise ImageError(f"{Path(str(words[0])).name} failed ({done.returncode}); its last lines above say why")
    return done.stdout


def refuse(out: Path, user: int, free: int, lacking: str = "") -> None:
    """Raise ImageError where this machine cannot make an image: ``user`` is its number, ``free`` the bytes free in ``out``, and
    ``lacking`` an architecture whose programs do not run here."""
    if user != 0:
        raise ImageError("only root can make another system's files: sudo make image")
    if missing := [package for program, package in TOOLS.items() if shutil.which(program) is None]:
        raise ImageError(f"tools are missing: apt-get install {' '.join(missing)}")
    if lacking:
        raise ImageError(f"this computer runs no programs of {lacking}: apt-get install qemu-user-static; systemctl restart systemd-binfmt")
    if free < ROOM:
        raise ImageError(f"{out} has {free // MIB} MiB free, and {ROOM // MIB} are needed: make room, or name another folder with --out")


def debian(root: Path, architecture: str, packages: Sequence[str], *options: str) -> None:
    """Make a Debian of an architecture in a folder that is not there yet."""
    components = "--components=main,non-free-firmware"
    run(
        "mmdebstrap",
        f"--architectures={architecture}",
        "--variant=minbase",
        components,
        "--dpkgopt=force-unsafe-io",
        f"--include={','.join(packages)}",
        *options,
        SUITE,
        root,
    )


def package_of(architecture: str, out: Path, folder: Path) -> Path:
    """The program's package of HEAD for an architecture: from ``out``, or made in a Debian of that architecture in ``folder``."""
    name = f"twinwall_{version_of_head()}_{architecture}.deb"
    if (made := out / name).exists():
        say(f"taking {made}")
        return made
    say(f"making {name}; by emulation that takes a quarter of an hour")
    root = folder / "build"
    debian(root, architecture, BUILDERS)
    run("git", "clone", "--quiet", TOP.as_uri(), root / "twinwall")
    # What this computer trusts: an office's proxy has an authority of its own.
    shutil.copy("/etc/ssl/certs/ca-certificates.crt", root / "etc/ssl/certs/ca-certificates.crt")
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    inside = "cd /twinwall && scripts/setup run && .venv/bin/python -m tools.package --out dist --quick"
    with kernel_folders(root):
        run("chroot", root, "sh", "-c", inside, HOME="/root")
    shutil.copy(root / "twinwall" / "dist" / name, made)
    shutil.rmtree(root)
    return made


@contextmanager
def kernel_folders(root: Path) -> Iterator[None]:
    """The kernel's folders in another root, as a compiler and Python need them."""
    mounted = [("proc", "proc"), ("devtmpfs", "dev")]
    try:
        for kind, name in mounted:
            run("mount", "-t", kind, kind, root / name)
        yield
    finally:
        for _, name in mounted:
            subprocess.run(["umount", root / name], check=False)


def partitions(label: str, root_mib: int) -> str:
    """What sfdisk reads: a boot partition (FAT) of ``BOOT_MIB`` after the first MiB, and the root after it."""
    boot = "U" if label == "gpt" else "c"
    return f"label: {label}\nstart=1MiB, size={BOOT_MIB}MiB, type={boot}, bootable\nsize={root_mib}MiB, type=L\n"


def write_disk(image: Image, root: Path, disk: Path) -> None:
    """Write a root folder, whose ``boot/firmware`` is the boot partition's, into a disk's file."""
    boot = root / "boot" / "firmware"
    boot_files = [*boot.iterdir()]
    used_mib = int(run("du", "--summarize", "--block-size=1M", f"--exclude={boot}/*", root).split()[0])
    root_mib = used_mib * 108 // 100 + SPARE_MIB
    with disk.open("wb") as file:
        file.truncate((1 + BOOT_MIB + root_mib + 1) * MIB)
    subprocess.run(["sfdisk", "--quiet", disk], input=partitions(image.label, root_mib), check=True, text=True)
    start, sectors = f"{disk}@@1M", MIB // 512
    run(
        "mformat", "-i", start, "-F", "-c", "4", "-v", "TWINWALL", "-h", "64", "-s", "32", "-H", str(sectors), "-T", str(BOOT_MIB * sectors)
    )
    run("mcopy", "-s", "-i", start, *boot_files, "::")
    for path in boot_files:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    run("mke2fs", "-q", "-t", "ext4", "-L", "twinwall", "-d", root, "-E", f"offset={(1 + BOOT_MIB) * MIB}", disk, f"{root_mib}M")


def make(image: Image, out: Path, raspberry: RaspberryArchive | None = None) -> dict[str, object]:
    """Make an image in a folder, compressed; what it is, as JSON has it. Raises ImageError."""
    began_s = time.monotonic()
    runs = run("dpkg", "--print-architecture").strip() == image.architecture or (EMULATORS / image.emulator).exists()
    refuse(out, os.geteuid(), shutil.disk_usage(out).free, lacking="" if runs else image.architecture)
    with tempfile.TemporaryDirectory(dir=out, prefix="image-") as folder:
        Path(folder).chmod(0o755)  # apt reads it as a user of its own
        package = package_of(image.architecture, out, Path(folder))
        root = Path(folder) / "root"
        say(f"making a Debian {SUITE} for {image.architecture}; some minutes")
        finish = f'--customize-hook=DEBIAN_FRONTEND=noninteractive {FILES}/finish "$1" {image.name} {package}'
        # The kernel's package makes its initrd, and asks them.
        before = f'--essential-hook=mkdir -p "$1/boot/firmware" && cp -r {FILES}/{image.name}/etc/initramfs* "$1/etc"'
        options, packages = [before, finish], (*BOTH, *image.packages)
        if raspberry is not None:
            packages = (*BOTH, *(each for each in image.packages if each != "linux-image-arm64"), *raspberry.packages)
            source = f'"deb {raspberry.url} {SUITE} main" >"$1/etc/apt/sources.list.d/raspberrypi.list"'
            options.append(f'--setup-hook=cp {raspberry.key} "$1/etc/apt/trusted.gpg.d" && echo {source}')
        debian(root, image.architecture, packages, *options)
        disk = Path(folder) / f"twinwall-{image.name}-{version_of_head()}-{image.architecture}.img"
        say("writing the disk")
        write_disk(image, root, disk)
        shutil.rmtree(root)
        say("compressing it")
        run("zstd", "--quiet", "-T0", "-9", disk)
        made = out / f"{disk.name}.zst"
        disk.with_name(made.name).replace(made)
    return {"image": str(made), "mib": round(made.stat().st_size / MIB), "seconds": round(time.monotonic() - began_s)}


def main(arguments: list[str]) -> int:
    """Make them, and print where each is, its size and how long it took."""
    parser = argparse.ArgumentParser(prog="python -m tools.image", description=__doc__)
    parser.add_argument("names", choices=IMAGES, nargs="+", metavar="hall|table")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the folder for the image")
    parser.add_argument("--raspberry-key", type=Path, metavar="FILE", help="also from Raspberry Pi's archive, whose key FILE holds")
    asked = parser.parse_args(arguments)
    try:
        asked.out.mkdir(parents=True, exist_ok=True)
        raspberry = None if asked.raspberry_key is None else RaspberryArchive(asked.raspberry_key.resolve())
        for name in asked.names:
            print(json.dumps(make(IMAGES[name], asked.out.resolve(), raspberry)), flush=True)
    except (ImageError, PackageError, OSError, subprocess.CalledProcessError) as error:
        print(f"image: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
