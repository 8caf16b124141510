"""The camera above a table with a computer of its own, as its drawn tiles are read: the one of who plays, or one of the reading's own."""

from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from cli.table.table import UNUSABLE
from cli.tiles.drawn_tiles import DrawnTilesReader
from controller.device_settings import TableCameraSection
from tests.support.vision.cameras import ShownPictures
from tests.support.vision.pictures import MatPicture
from tests.support.wire.brokers import free_port
from tools.default_settings import TABLE
from twinwall.game.documents import DocumentError
from twinwall.wire.messages.tile_reading import TileOrder
from vision.mat import Mat

ORDER = TileOrder("Autumn", "ab" * 32, 1)


def lent_camera(*covered: int) -> ShownPictures:
    """Shows a bare mat, or one whose markers are covered."""
    return ShownPictures(MatPicture(Mat(), covered_markers=covered).picture)


@pytest.fixture
def reader() -> DrawnTilesReader:
    """Of a table at whose camera's address nobody answers, and whose sets have no profiles."""
    camera = replace(TABLE.camera, table=TableCameraSection(f"http://127.0.0.1:{free_port()}/table.jpg"))
    first, second = (replace(each, profile=None) for each in (TABLE.sets.first, TABLE.sets.second))
    return DrawnTilesReader(replace(TABLE, camera=camera, sets=replace(TABLE.sets, first=first, second=second)))


def test_while_the_table_has_its_camera_a_reading_borrows_it(reader: DrawnTilesReader) -> None:
    camera = lent_camera()
    with reader.lending(camera):
        reading = reader.read(ORDER)
    assert (reading.order, reading.tiles, reading.unread, reading.refused) == (ORDER, "", (), "")
    assert camera.asked > 1


def test_after_it_a_reading_opens_a_camera_of_its_own_and_says_when_none_is_there(reader: DrawnTilesReader) -> None:
    camera = lent_camera()
    with reader.lending(camera):
        pass
    assert "127.0.0.1" in reader.read(ORDER).refused
    assert camera.asked == 0


def test_a_mat_that_is_not_found_is_told(reader: DrawnTilesReader) -> None:
    with reader.lending(lent_camera(0, 1, 2)):
        assert "marker" in reader.read(ORDER).refused


def test_a_damaged_calibration_is_told_and_ends_no_table(tmp_path: Path) -> None:
    calibration = tmp_path / "table.json"
    calibration.write_text("{")
    camera = replace(TABLE.camera, table=replace(TABLE.camera.table, calibration=calibration))
    assert "calibrate the camera again" in DrawnTilesReader(replace(TABLE, camera=camera)).read(ORDER).refused
    assert issubclass(DocumentError, UNUSABLE)


def test_who_lends_a_camera_has_it_back_when_the_reading_has_ended(reader: DrawnTilesReader) -> None:
    camera, read = lent_camera(), list[str]()
    with reader.lending(camera):
        reading = Thread(target=lambda: read.append(reader.read(ORDER).refused))
        reading.start()
        while not camera.asked and reading.is_alive():
            reading.join(0.01)
    asked = camera.asked
    reading.join()
    assert asked, "the reading has begun while the camera was lent"
    assert (read, camera.asked) == ([""], asked), "the reading has ended before the camera is given back"
