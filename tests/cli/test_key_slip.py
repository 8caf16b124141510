"""A table that lost power and network: its request is shown, and its camera reads the vaults' answers from a phone."""

import logging
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from cli.table.key_slip import SHOWN, forget_shown, shown_request, slips_are_read
from cli.table.table_journal import open_journal
from controller.adapters.journal_keys import JournalKeyFiles, JournalKeyRequest
from controller.settings import CustodySection, LedgerSection
from tests.support.custody.hall import EVENT, TWO, Hall, PlayedTable, boot_of, play
from tests.support.narrowed import present
from tests.support.vision.pictures import seen_phone
from tools.default_settings import TABLE
from twinwall.custody.release import AllowKey
from twinwall.wire.events.wall_events import ControllerStarted
from twinwall.wire.messages.vaults.key_codes import read_request_text, slip_texts
from twinwall.wire.mqtt.topics import Channel, Topic
from vision.cameras.qr_codes import QrCodes

AT = "2026-11-20T10:00:00.000Z"


class NoNetwork:
    def start(self) -> None:
        """Nobody is there."""

    def publish(self, topic: str, payload: bytes) -> int | None:
        return None

    def close(self) -> None:
        """Nothing was open."""


class DarkTable:
    """Table 1 in a hall of two vaults: it has played a deal, then power and network went away. Its camera shows a folder's pictures."""

    def __init__(self, folder: Path) -> None:
        self.hall = Hall(folder / "hall", event=TWO)
        self.disk, self.memory, self.phone = folder / "ledger", folder / "memory", folder / "phone"
        self.memory.mkdir()
        custody = CustodySection(Path("identity"), ("server " + "00" * 32,), None, self.memory, "https://hall.example")
        camera = replace(TABLE.camera, table=replace(TABLE.camera.table, source=f"files:{self.phone}", frame_interval_s=0.02))
        deals = replace(TABLE.deals, folder=None)
        self.settings = replace(TABLE, ledger=LedgerSection(self.disk), custody=custody, deals=deals, camera=camera)
        self.table = PlayedTable("1", folder / "played-0", event=TWO)
        self.hall.add(self.table)
        opened = present(open_journal(self.settings, self.table.deals, lambda _request: NoNetwork()))
        self.hall.settle()
        opened.journal.append(AT, (ControllerStarted("j1", "0.1.0", False, 1),))
        opened.journal.close()
        play(self.hall, "1")
        self.hall.cut("1")
        shutil.rmtree(self.memory)
        self.memory.mkdir()
        self.table = PlayedTable("1", folder / "played-1", boot=1, event=TWO)

    def allow(self) -> None:
        self.hall.order(AllowKey("1", boot_of("1", 1).public.fingerprint))

    def shown_text(self) -> str:
        """What a phone's camera reads of the table's screen."""
        assert present(shown_request(self.disk))["digits"] == boot_of("1", 1).public.fingerprint
        return present(re.search(r'"text":"([^"]+)"', (self.disk / SHOWN).read_text()))[1]

    def carry(self, text: str) -> dict[str, bytes]:
        """The phone brings it to the vaults; what they answer, by vault."""
        before = len(self.hall.sent)
        self.hall.arrive(str(Topic(EVENT, "1", Channel.KEY_REQUEST)), read_request_text(text).message)
        key_topic = str(Topic(EVENT, "1", Channel.JOURNAL_KEY))
        given = [payload for to, payload in self.hall.sent[before:] if to == key_topic]
        return dict(zip(self.table.deals.identity.vaults, given, strict=False))

    def hold_phone(self, texts: list[str]) -> None:
        """Hold a phone under the camera that shows these codes, each in several frames."""
        chance, beside = np.random.default_rng(3), self.phone.with_name("pictures")
        beside.mkdir()
        for number, text in enumerate(texts):
            for frame in range(2):
                cv2.imwrite(str(beside / f"{number:02d}-{frame}.png"), seen_phone(text, chance))
        beside.rename(self.phone)


@pytest.fixture
def dark(tmp_path: Path) -> Iterator[DarkTable]:
    dark = DarkTable(tmp_path)
    yield dark
    dark.hall.close()
    dark.table.close()


@pytest.mark.nightly
def test_a_table_without_network_goes_on_with_the_slips_of_both_vaults_that_its_camera_reads(
    dark: DarkTable, caplog: pytest.LogCaptureFixture
) -> None:
    dark.allow()

    @contextmanager
    def waiting(request: JournalKeyRequest) -> Iterator[None]:
        with slips_are_read(dark.settings, request):
            dark.hold_phone([text for each in dark.carry(dark.shown_text()).values() for text in slip_texts(each, "1")])
            yield

    with caplog.at_level(logging.INFO):
        opened = open_journal(dark.settings, dark.table.deals, lambda _request: NoNetwork(), waiting)
    assert opened is not None
    assert opened.known is not None
    assert [entry.event for entry in opened.journal.entries] == [ControllerStarted("j1", "0.1.0", False, 1)]
    assert [(vault, known.seq > 0) for vault, known in opened.known.items()] == [("vault", True), ("vault-witness", True)]
    assert caplog.text.count("a key slip was read") == 2
    assert not (dark.disk / SHOWN).exists(), "the screen of a station shows its tasks again"
    opened.journal.close()
    assert JournalKeyFiles(dark.memory, dark.disk, tuple(dark.table.deals.identity.vaults)).held() is not None, "a kill asks nobody"


def test_the_code_on_a_stations_screen_opens_the_page_of_the_request(dark: DarkTable) -> None:
    request = JournalKeyRequest(dark.table.deals, {"vault": "ab" * 80, "vault-witness": "cd" * 80}, dark.table.head)
    with slips_are_read(dark.settings, request):
        text = dark.shown_text()
        assert QrCodes().read(seen_phone(text, np.random.default_rng(2), module_px=6)) == (text,)
    assert text.startswith("HTTPS://HALL.EXAMPLE/K/")
    assert read_request_text(text).message == request.without_network


def test_what_a_killed_table_has_shown_is_forgotten_at_its_next_start(dark: DarkTable) -> None:
    dark.disk.joinpath(SHOWN).write_text('{"text":"/K/AAAA","digits":"1f3a 90c2 77e0 5b1d"}')
    assert shown_request(dark.disk) is not None
    forget_shown(dark.disk)
    assert shown_request(dark.disk) is None
    assert shown_request(None) is None
