"""A board as it is flashed: it starts with the record that `feeder record` writes, says why it starts, and no host can starve it."""

import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from cli import main
from firmware_bridge.board.table_record import NAMELESS, decode
from firmware_bridge.frames import Frame, encode_frame
from firmware_bridge.intel_hex import loads
from firmware_bridge.link.events import LinkUp
from firmware_bridge.messages import Lid, ResetReason, Sense, StatusRequest, encode_message
from simulator.mechanics import MechanicsSettings
from tests.firmware.test_emulation import Table, powered, program_of
from tests.support.firmware.core_board import FIRMWARE

QUICK = MechanicsSettings(speed=8.0)
UID = b"TABLE-07"
LINE_BYTES = 15_000
"""Of questions: the line is full of them for more than a second."""


def emulated(folder: Path, *options: str, record: bytes | None = None) -> AbstractContextManager[Table]:
    """The AVR build in its emulator, with a program at its port."""
    return powered(replace(program_of("avr"), options=options), QUICK, folder / "feeder", record)


def written_record(folder: Path) -> bytes:
    """What `twinwall feeder record` writes for the quick machine, as a programmer reads it."""
    file = folder / "table.eep"
    sizes = ["--speed-percent", "800", "--steps-per-position", "4", "--gate-period-ms", "75"]
    assert main(["feeder", "record", "--uid", UID.decode(), *sizes, "--out", str(file)]) == 0
    return loads(file.read_text())


def damaged(record: bytes) -> bytes:
    """The same with one bit turned over."""
    return bytes([*record[:20], record[20] ^ 1, *record[21:]])


def same(record: bytes) -> bytes:
    return record


@pytest.mark.parametrize(("altered", "uid"), [(same, UID), (damaged, NAMELESS)], ids=["whole", "damaged"])
def test_a_board_starts_as_its_records_table_or_without_one_nameless(altered: Callable[[bytes], bytes], uid: bytes, tmp_path: Path) -> None:
    record = altered(written_record(tmp_path))
    with emulated(tmp_path, record=record) as table:
        up = table.desk.wait(LinkUp)
    assert up.hello.uid == uid
    assert up.capabilities.gate_period_ms == (decode(record).gate_period_ms if uid == UID else 600)


@pytest.mark.parametrize("options", [(), ("--bootloader",)], ids=["alone", "behind-a-bootloader"])
def test_a_board_says_why_it_has_started(options: tuple[str, ...], tmp_path: Path) -> None:
    with emulated(tmp_path, *options) as table:
        reasons = [table.desk.wait(LinkUp).hello]
        for what_happens in ("reset", "pull-chain"):
            table.board.process.say(what_happens)
            reasons.append(table.desk.wait(LinkUp).hello)
    assert [hello.reset_reason for hello in reasons] == [ResetReason.POWER_ON, ResetReason.RESET_PIN, ResetReason.WATCHDOG]
    assert len({hello.boot_id for hello in reasons}) == 3


def test_a_host_that_never_pauses_keeps_the_inputs_from_nothing(tmp_path: Path) -> None:
    """Questions come as fast as the line carries them; the lid is noticed meanwhile, and the watchdog does not bite."""
    type_, payload = encode_message(StatusRequest())
    question = encode_frame(Frame(type_, 0, 0, 0, payload))
    with emulated(tmp_path) as table:
        table.desk.wait(LinkUp)
        assert table.board.process.path.startswith("/proc/"), "a killed board's number may be another terminal's"
        line = os.open(table.board.process.path, os.O_WRONLY | os.O_NOCTTY)
        asking = threading.Thread(target=os.write, args=(line, LINE_BYTES // len(question) * question))
        asking.start()
        for opened in (True, False):
            table.feeder.set_lid(opened)
            assert table.desk.wait(Lid).open is opened
        asking.join()
        os.close(line)
        assert table.desk.ended(1, Sense()).operation == 1, "the session has lasted: it was no new boot that told of the lid"


def flashing(*words: str) -> subprocess.CompletedProcess[str]:
    """What `make flash` calls avrdude with, or says."""
    program_of("avr")
    return subprocess.run(
        ["make", "--silent", "-C", str(FIRMWARE), "flash", "AVRDUDE=echo avrdude", *words], capture_output=True, text=True, check=False
    )


@pytest.fixture
def port() -> Iterator[str]:
    """A serial port, as far as anybody can tell who opens it."""
    own, other = os.openpty()
    yield os.ttyname(other)
    os.close(other)
    os.close(own)


def test_flashing_writes_firmware_and_record_through_the_bootloader_unerased_or_with_a_programmer(port: str, tmp_path: Path) -> None:
    (record := tmp_path / "1.eep").touch()
    through = flashing(f"PORT={port}", f"RECORD={record}").stdout
    assert through.endswith(f"-c wiring -P {port} -D -U flash:w:build/twinwall-feeder-avr.hex:i -U eeprom:w:{record}:i\n")
    assert flashing("PORT=usb", "PROGRAMMER=usbasp").stdout.endswith("-c usbasp -P usb -U flash:w:build/twinwall-feeder-avr.hex:i\n")


def test_flashing_without_a_port_says_what_to_name() -> None:
    done = flashing()
    assert done.returncode != 0
    assert "name the board's port" in done.stderr


@pytest.mark.parametrize("device", ["/dev/null", "/dev/no-such-board"])
def test_flashing_names_what_is_no_serial_port_before_anything_is_written(device: str) -> None:
    done = flashing(f"PORT={device}")
    assert done.returncode != 0
    assert f"{device} is no serial port" in done.stderr
    assert "avrdude" not in done.stdout


def test_flashing_names_a_record_that_is_missing_before_anything_is_written(port: str, tmp_path: Path) -> None:
    done = flashing(f"PORT={port}", f"RECORD={tmp_path / 'none.eep'}")
    assert done.returncode != 0
    assert "none.eep" in done.stderr
    assert "avrdude" not in done.stdout
