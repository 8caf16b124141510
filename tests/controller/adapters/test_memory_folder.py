"""Folder in memory: how it is recognised, and the key that exists only there."""

from pathlib import Path

import pytest

from controller.adapters.memory_folder import NotInMemoryError, boot_secrets, file_system_of, open_folder

MOUNTINFO = """\
22 1 179:2 / / rw,noatime shared:1 - ext4 /dev/root rw
25 22 0:22 / /run rw,nosuid,nodev shared:5 - tmpfs tmpfs rw,size=386000k
31 25 0:27 / /run/lock rw shared:6 - tmpfs tmpfs rw
40 25 179:3 / /run/kept\\040here rw - ext4 /dev/mmcblk0p3 rw
41 22 0:30 / /mnt rw - ramfs none rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/run/twinwall/table", "tmpfs"),
        ("/var/lib/twinwall", "ext4"),
        ("/running", "ext4"),
        ("/run/kept here/x", "ext4"),
        ("/mnt/x", "ramfs"),
    ],
)
def test_the_file_system_of_a_path_is_that_of_the_nearest_mount_above_it(path: str, kind: str) -> None:
    assert file_system_of(Path(path), MOUNTINFO) == kind


def test_the_later_of_two_mounts_on_one_point_counts() -> None:
    assert file_system_of(Path("/run/x"), MOUNTINFO + "50 25 8:1 / /run rw - ext4 /dev/sda1 rw\n") == "ext4"


def test_a_folder_on_a_disk_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NotInMemoryError, match=r"is on a disk \(ext4\): set \[custody\] memory"):
        open_folder(tmp_path / "table", MOUNTINFO.replace(" / /run", " / /elsewhere"))


def test_a_folder_in_memory_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = open_folder(tmp_path / "table", "1 1 0:1 / / rw - tmpfs tmpfs rw\n")
    assert folder.stat().st_mode & 0o777 == 0o700


def test_boot_keys_last_as_long_as_their_folder(tmp_path: Path) -> None:
    first = boot_secrets(tmp_path, "1", b"\x01" * 64)
    assert boot_secrets(tmp_path, "1", b"\x02" * 64) == first
    assert (tmp_path / "boot.keys").stat().st_mode & 0o777 == 0o600
    (tmp_path / "boot.keys").unlink()
    assert boot_secrets(tmp_path, "1", b"\x02" * 64) != first


def test_torn_keys_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "boot.keys").write_bytes(b"\x01" * 33)
    assert boot_secrets(tmp_path, "1", b"\x02" * 64).signer.secret == b"\x02" * 32
