"""Strict settings: what a file may not say, and the sentence that says so."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config import SettingsError, load, loads
from config.connections import DatabaseSection, is_loopback
from config.reading import dumps
from controller.settings import TableSettings
from tableside.station.settings import StationSettings
from tools.default_settings import EXAMPLES, FOLDER, TABLE

FILE = Path("/etc/twinwall/table.toml")
TEXT = dumps(TABLE)


def refusal(text: str) -> str:
    with pytest.raises(SettingsError) as caught:
        loads(text, TableSettings, FILE)
    return str(caught.value)


@pytest.mark.parametrize(
    ("said", "instead", "sentence"),
    [
        ("claim_window_s = 3.0", 'claim_window_s = "three"', 'play.claim_window_s must be a number from 0.5 to 30.0, not "three".'),
        ("claim_window_s = 3.0", "claim_window_s = 99", "play.claim_window_s must be a number from 0.5 to 30.0, not 99."),
        ("claim_window_s = 3.0", "claim_window_s = nan", "play.claim_window_s must be a number from 0.5 to 30.0, not NaN."),
        ("baud_rate = 115200", "baud_rate = 115200.0", "feeder.baud_rate must be a whole number from 9600 to 3000000, not 115200.0."),
        ("baud_rate = 115200", "baud_rate = true", "feeder.baud_rate must be a whole number from 9600 to 3000000, not true."),
        ("enabled = true", "enabled = 1", "panel.enabled must be true or false, not 1."),
        ('source = "system"', 'source = "sundial"', 'clock.source must be "system" or "http://127.0.0.1:PORT", not "sundial".'),
        ("rows = [5, 6, 13, 19]", "rows = [5, 6, 13]", "panel.rows must be a list, 4 times a whole number from 0 to 27, not [5, 6, 13]."),
        ("rows = [5, 6, 13, 19]", "rows = 5", "panel.rows must be a list, 4 times a whole number from 0 to 27, not 5."),
        ("window = 26", "window = 5", "[panel] gives 5 to more than one wire, and a pin can have only one."),
        ("\nlast = 16\n", "\nlast = 0\n", "hands.last must be a whole number from 1 to 16, not 0."),
        (
            "\nfirst = 1\n# The last hand to play. (a whole number from 1 to 16)\nlast = 16\n",
            "\nfirst = 3\nlast = 2\n",
            "[hands] first (3) must not be after last (2).",
        ),
        ('port = "/dev/ttyUSB0"', "", "feeder.port is missing; it must be the full path of a device."),
        ('port = "/dev/ttyUSB0"', 'port = "COM3"', 'feeder.port must be the full path of a device, not "COM3".'),
        ("[rules]", "[rulez]", "there is no section rulez; known here: table, feeder, camera, mqtt,"),
        ("session = 1", "sesion = 1", "there is no key hands.sesion; known here: session, first, last, begins."),
        ("[table]", "[table", "this is not TOML: "),
        ("session = 1", f"session = {'1' * 5000}", "this is not TOML: "),
    ],
)
def test_a_refusal_is_one_sentence_with_file_key_and_what_is_allowed(said: str, instead: str, sentence: str) -> None:
    text = TEXT.replace(said, instead, 1)
    message = refusal(text)
    assert message.startswith(f"{FILE}: {sentence}")
    assert "\n" not in message
    assert message.endswith(".")


def test_a_section_that_is_a_plain_value_is_refused() -> None:
    document = "\n".join(["play = 3", TEXT.replace("[play]", "[hands.play]")])
    assert "play must be a section, not 3." in refusal(document)


@pytest.mark.parametrize(
    "source", ["http://192.168.1.7/gate.jpg", "http://127.0.0.1.example.org/gate.jpg", "rtsp://127.0.0.1/gate", "/dev/video0"]
)
def test_a_gate_camera_beyond_this_machine_is_refused(source: str) -> None:
    assert "camera.gate.source must be" in refusal(TEXT.replace('"v4l2:0"', f'"{source}"'))


@pytest.mark.parametrize(
    "source",
    [
        "http://127.0.0.1:8123/gate.jpg",
        "http://localhost/gate.jpg",
        "http://[::1]:80/gate.jpg",
        "v4l2:7",
        "v4l2:/dev/v4l/by-id/a",
    ],
)
def test_a_gate_camera_of_this_machine_is_taken(source: str) -> None:
    settings = loads(TEXT.replace('"v4l2:0"', f'"{source}"'), TableSettings, FILE)
    assert settings.camera.gate.source == source


def test_a_missing_file_a_folder_and_bytes_that_are_no_text_are_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"nowhere\.toml: there is no such settings file"):
        load(tmp_path / "nowhere.toml", TableSettings)
    with pytest.raises(SettingsError, match="cannot be read"):
        load(tmp_path, TableSettings)
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9")
    with pytest.raises(SettingsError, match="not UTF-8"):
        load(tmp_path / "latin.toml", TableSettings)


def sections(document: dict[str, object], name: str = "") -> list[str]:
    """The dotted names of all sections of a TOML document, the top ("") included."""
    found = [name]
    for key, value in document.items():
        if isinstance(value, dict):
            found += sections(value, f"{name}.{key}" if name else key)
    return found


@given(data=st.data(), key=st.from_regex(r"[a-z]{3,12}_[a-z]{3,12}", fullmatch=True))
def test_an_unknown_key_is_refused_in_every_section_of_every_form(data: st.DataObject, key: str) -> None:
    name = data.draw(st.sampled_from(sorted(EXAMPLES)))
    text = (FOLDER / name).read_text(encoding="utf-8")
    section = data.draw(st.sampled_from(sections(tomllib.loads(text))))
    changed = text.replace(f"\n[{section}]\n", f"\n[{section}]\n{key} = 1\n") if section else f"{key} = 1\n{text}"
    if f"\n{key} = " in text:
        return
    with pytest.raises(SettingsError, match=f"there is no (key|section) {section}.?{key}" if section else key):
        loads(changed, type(EXAMPLES[name]), FILE)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda text: text.replace('folder = "/var/lib/twinwall/table/deals"', ""), "deals.folder or from the vault"),
        (
            lambda text: text.replace("vault_keys = []", f'vault_keys = ["server {"0" * 64}"]'),
            "needs identity where it names vault_keys",
        ),
        (
            lambda text: text.replace("# identity is left out", 'identity = "/k"').replace(
                "vault_keys = []", f'vault_keys = ["server {"0" * 64}"]'
            ),
            "deals.folder or from the vault",
        ),
    ],
    ids=["from nowhere", "half of custody", "from both"],
)
def test_deals_come_from_one_place_and_custody_is_whole(change: Callable[[str], str], named: str) -> None:
    changed = change(TEXT)
    assert changed != TEXT
    assert named in refusal(changed)


@pytest.mark.parametrize("name", ["cameras", "players"])
def test_a_table_cannot_be_served_twice(name: str) -> None:
    text = dumps(EXAMPLES[f"{name}.toml"]).replace(
        'worlds = ["1 http://127.0.0.1:8101"]', 'worlds = ["1 http://127.0.0.1:1", "2 http://127.0.0.1:2", "1 http://127.0.0.1:3"]'
    )
    with pytest.raises(SettingsError, match="worlds names table 1 more than once"):
        loads(text, type(EXAMPLES[f"{name}.toml"]), FILE)


def test_every_gate_has_a_camera_and_no_camera_is_without_a_gate() -> None:
    one_more = TEXT.replace("other_gates = []", 'other_gates = ["v4l2:4"]')
    assert "feeder.gates is 1, but cameras are named for 2" in refusal(one_more)
    two_gates = "gates = 2\nexchangers = 1\npocket_places = 2"
    sizes = re.sub(r"^(exchangers|pocket_places) = 0\n", "", one_more, flags=re.MULTILINE).replace("gates = 1\n", f"{two_gates}\n", 1)
    assert loads(sizes, TableSettings, FILE).camera.other_gates == ("v4l2:4",)


def test_several_gates_without_exchangers_are_no_machine() -> None:
    for sizes in (("gates = 1\n", "gates = 2\n"), ("exchangers = 0\n", "exchangers = 1\n"), ("pocket_places = 0\n", "pocket_places = 2\n")):
        assert "[feeder] has several gates with exchangers and pocket_places" in refusal(TEXT.replace(*sizes, 1))


def test_one_camera_is_not_named_for_two_places() -> None:
    assert "camera names v4l2:0 for two places" in refusal(TEXT.replace('"v4l2:2"', '"v4l2:0"'))
    station = dumps(EXAMPLES["station.toml"])
    walls = station.replace("[walls]\n", '[walls]\nsource = "v4l2:0"\n')
    with pytest.raises(SettingsError, match="are one camera: above the walls another"):
        loads(walls, StationSettings, FILE)


@pytest.mark.parametrize(
    ("host", "own"),
    [
        *(("localhost", True), ("127.0.0.1", True), ("127.8.0.1", True), ("[::1]", True), ("", False), ("localhost.example", False)),
        *((other, False) for other in ("0.0.0.0", "192.168.1.9", "10.0.0.1", "169.254.1.1", "fe80::1", "8.8.8.8", "hall")),
    ],
)
def test_loopback_alone_is_this_machine(host: str, own: bool) -> None:
    assert is_loopback(host) == own


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://twinwall@127.0.0.1/hall",
        "postgresql:///hall",
        "postgresql://twinwall@/hall?host=/run/postgresql",
        "postgresql://twinwall@db.example/hall?sslmode=verify-full",
    ],
)
def test_a_database_of_this_machine_or_behind_tls_is_taken(url: str) -> None:
    assert DatabaseSection(url).in_clear is None


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://twinwall@db.example/hall",
        "postgresql://twinwall@db.example/hall?sslmode=require",
        "postgresql://twinwall@127.0.0.1/hall?host=db.example",
        "postgresql://twinwall@localhost/hall?hostaddr=192.0.2.7",
    ],
)
def test_another_machine_in_clear_or_unproved_is_refused_unless_it_is_allowed(url: str) -> None:
    with pytest.raises(ValueError, match="write sslmode=verify-full into url"):
        DatabaseSection(url)
    assert DatabaseSection(url, allow_clear_text=True).in_clear == f"url {url}"


@pytest.mark.parametrize("url", ["postgresql://twinwall:secret@127.0.0.1/hall", "postgresql://127.0.0.1/hall?password=secret"])
def test_a_password_has_its_own_file(url: str) -> None:
    with pytest.raises(ValueError, match="write it into password_file"):
        DatabaseSection(url)
