"""What others give is decoded in few places, each of which knows and bounds its size before it decodes."""

import re

import pytest

from tests.architecture.test_rooms import modules, within

PLACES: dict[str, tuple[str, ...]] = {
    r"cv2\.im(decode|read)": ("vision.cameras.port",),
    r"cv2\.VideoCapture": ("vision.anytable.sources", "vision.cameras.stream_camera", "vision.cameras.usb_camera"),
    r"tomllib\.loads?": ("twinwall.game.documents", "config.reading"),
    r"zipfile\.ZipFile": ("twinwall.event.bundle.bundle_files", "cli.table.pack"),  # the latter writes
    r"sqlite3\.connect": ("twinwall.event.store.databases.sqlite",),
    r"msgpack\.decode": ("twinwall.wire.messages.vaults.key_codes",),
    r"(?<!typed_)json\.(loads?|decode)": (
        "twinwall.game.typed_json",
        "twinwall.web.http_server",
        # what this program has written itself, or another of its programs on this machine answers
        "dashboard.api.result_operations",
        "dashboard.api.table_operations",
        "twinwall.art.glyphset",
        "centre.store.centre_rows",
        "cli.demo",
        "cli.table.phones_server",
        "tableside.phones",
        "tableside.readiness.recorded_hands",
        "simulator",
        "tableside.station.confirmed_places",
    ),
}
OWN_FILES = (  # of this machine's system, of the demo, and of the hall's folder
    "centre.commands",
    "cli.demo",
    "cli.run_settings",
    "cli.hall.hall_serve",
    "cli.hall.hall_folder",
    "cli.hall.hall_serve",
    "cli.rules.video",
    "cli.table.key_slip",
    "cli.table.table_parts",
    "cli.table.table_journal",
    "cli.table.upgrade",
    "cli.tiles.cameras",
)


@pytest.mark.parametrize("call", PLACES)
def test_a_decoder_is_called_in_its_places_alone(call: str) -> None:
    found = re.compile(rf"\b{call}\(")
    callers = {module for module, path in modules() if found.search(path.read_text(encoding="utf-8"))}
    assert {module for module in callers if not any(within(module, place) for place in PLACES[call])} == set()
    assert {place for place in PLACES[call] if not any(within(module, place) for module in callers)} == set()


def test_a_command_reads_a_file_that_somebody_names_as_far_as_its_size_is_allowed() -> None:
    readers = {module for module, path in modules() if within(module, "cli") and re.search(r"\.read_(bytes|text)\(", path.read_text())}
    assert {module for module in readers if not any(within(module, place) for place in OWN_FILES)} == set()
