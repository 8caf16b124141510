"""Event mode: each setting of a rehearsal is refused by its key, and no key of any form is forgotten."""

from collections.abc import Callable, Iterator
from dataclasses import is_dataclass, replace
from pathlib import Path

import pytest

from cli.run_settings import has_mode, is_event, load_to_run, rehearsal_settings, value_of, watched
from config import BrokerSettings, DashboardSettings, PhonesSettings, SettingsError, VaultSettings, write
from config.reading import keys_of
from controller.settings import TableSettings
from tableside.station.settings import StationSettings
from tools.default_settings import BROKER, DASHBOARD, EXAMPLES, HALL, PHONES, STATION, TABLE, VAULT

KEY = "ab" * 32
FORMS = (TableSettings, DashboardSettings, VaultSettings, BrokerSettings, StationSettings, PhonesSettings)

HARMLESS: dict[type, dict[str, str]] = {
    TableSettings: {
        "table": "name mode",
        "feeder": "port baud_rate uid search gates exchangers pocket_places shuttles bypass_cells",
        "camera": "read_timeout_s other_calibrations",
        "camera.gate": "calibration",
        "camera.gate.lock": "width height frames_per_s exposure gain focus white_balance_k colour_gains",
        "camera.table": "frame_interval_s calibration",
        "camera.table.lock": "width height frames_per_s exposure gain focus white_balance_k colour_gains",
        "mqtt": "url password_file ca_file certificate_file key_file",
        "deals": "plan start",
        "ledger": "folder",
        "custody": "identity vault_keys memory pages",
        "seats": "players check",
        "hands": "session first last begins",
        "rules": "name options",
        "build": "drum_empty_s frames_to_agree frames_before_recirculating showings_before_rejecting showings_before_staff "
        "decoys_before_naming well_patience_s machine_patience_s",
        "audit": "share most_doubtful",
        "play": "claim_window_s unlock_lease_s show_timeout_s turn_limit_s turn_notice_s hand_limit_s hand_notice_s",
        "recorder": "mode",
        "panel": "enabled phones rows columns turn call window fault buzzer wall scan_period_s debounce_s",
        "vision": "model accept_probability gate_frames",
        "sets.first": "back name profile model accept_probability",
        "sets.second": "back name profile model accept_probability",
        "mat": "tile_width_mm tile_height_mm half_side_mm river_columns river_rows river_pitch_mm river_first_row_mm row_pitch_mm "
        "hand_row_mm hand_pitch_mm kong_row_mm meld_row_mm meld_pitch_mm meld_group_gap_mm shared_row_mm marker_mm marker_centre_mm",
        "service": "most_kept",
    },
    DashboardSettings: {
        "dashboard": "staff secret_file host port address certificate certificate_key proxies spectators language phones readiness "
        "venue simulated mode",
        "mqtt": "url password_file ca_file certificate_file key_file",
        "event": "tables store kind group_size teams scale scale_signers points players names vault_keys",
        "events": "folder tables scale scale_signers",
    },
    VaultSettings: {
        "vault": "holder seed signing_key server_key folder released mode",
        "deals": "plan start session commitments",
        "hall": "tables group_size spread",
        "mqtt": "url password_file ca_file certificate_file key_file",
    },
    BrokerSettings: {"broker": "passwords rights host port ca_file certificate_file key_file mode"},
    StationSettings: {
        "station": "feeder_link memory port backs names builders phones mode machine",
        "camera": "read_timeout_s look_interval_s",
        "camera.lock": "width height frames_per_s exposure gain focus white_balance_k colour_gains",
        "walls": "height_mm look_interval_s settle_s",
        "walls.lock": "width height frames_per_s exposure gain focus white_balance_k colour_gains",
    },
    PhonesSettings: {"phones": "tables memory gates host port local_port address certificate certificate_key stations mode"},
}
"""Keys that no rehearsal sets otherwise than an event. ``deals.folder`` and ``custody.vault_keys`` exclude each other."""


def changed(settings: object, key: str, value: object) -> object:
    name, _, inner = key.partition(".")
    new = changed(getattr(settings, name), inner, value) if inner else value
    return replace(settings, **{name: new})  # type: ignore[type-var]  # every section is a dataclass


def of_event(settings: object, *changes: tuple[str, object]) -> object:
    for key, value in changes:
        settings = changed(settings, key, value)
    return settings


def table() -> object:
    deals = replace(TABLE.deals, folder=None)
    custody = replace(TABLE.custody, identity=Path("/k"), vault_keys=(f"server {KEY}",), server_key=KEY)
    return replace(TABLE, deals=deals, custody=custody, table=replace(TABLE.table, mode="event"))


def dashboard() -> object:
    event = replace(DASHBOARD.one_event, plan=Path("/p"), start=Path("/s"), vault_key=KEY)
    return replace(DASHBOARD, event=event, dashboard=replace(DASHBOARD.dashboard, mode="event", signing_key=Path("/k")))


assert HALL.events is not None
HALL_EVENTS = HALL.events


def hall() -> object:
    """A dashboard whose events are made in the browser."""
    events = replace(HALL_EVENTS, vault_keys=(f"server {KEY}",))
    return replace(HALL, events=events, dashboard=replace(HALL.dashboard, mode="event", signing_key=Path("/k")))


EVENTS: dict[type, object] = {
    TableSettings: table(),
    DashboardSettings: dashboard(),
    VaultSettings: of_event(VAULT, ("vault.mode", "event")),
    BrokerSettings: of_event(BROKER, ("broker.mode", "event")),
    StationSettings: of_event(STATION, ("station.mode", "event"), ("station.ledger", Path("/ledger"))),
    PhonesSettings: of_event(PHONES, ("phones.mode", "event")),
}
SIMULATED = "http://127.0.0.1:8102/1/table.jpg"
Change = Callable[[object], object]


def at(key: str, value: object) -> Change:
    return lambda settings: changed(settings, key, value)


def together(**sections: object) -> Change:
    """Other sections at once, where they depend on each other."""
    return lambda settings: replace(settings, **sections)  # type: ignore[type-var]  # every form is a dataclass


REHEARSALS: tuple[tuple[type, str, Change], ...] = (
    (TableSettings, "table.event", at("table.event", "Demo")),
    (TableSettings, "table.kind", at("table.kind", "simulated")),
    (TableSettings, "deals.folder", together(deals=TABLE.deals, custody=TABLE.custody)),
    (TableSettings, "custody.server_key", at("custody.server_key", None)),
    (TableSettings, "clock.source", at("clock.source", "http://127.0.0.1:8101")),
    (TableSettings, "camera.gate.source", at("camera.gate.source", "http://127.0.0.1:8102/1/gate.jpg")),
    (
        TableSettings,
        "camera.other_gates",
        together(
            camera=replace(TABLE.camera, other_gates=("http://127.0.0.1:8102/1/gate-1.jpg",)),
            feeder=replace(TABLE.feeder, gates=2, exchangers=1, pocket_places=2),
        ),
    ),
    (TableSettings, "camera.table.source", at("camera.table.source", SIMULATED)),
    (TableSettings, "camera.table.allow_clear_text", at("camera.table.allow_clear_text", True)),
    (TableSettings, "service.switch", at("service.switch", True)),
    (
        TableSettings,
        "service.keep_refused",
        together(deals=TABLE.deals, custody=TABLE.custody, service=replace(TABLE.service, switch=True, keep_refused=Path("/kept"))),
    ),
    (TableSettings, "mqtt.allow_clear_text", at("mqtt.allow_clear_text", True)),
    (TableSettings, "mqtt.user", at("mqtt.password_file", None)),
    (DashboardSettings, "event.name", at("event.name", "Demo")),
    (DashboardSettings, "event.plan", together(event=DASHBOARD.event)),
    (DashboardSettings, "event.start", together(event=DASHBOARD.event)),
    (DashboardSettings, "event.vault_key", together(event=DASHBOARD.event)),
    (DashboardSettings, "event.table_keys", together(event=replace(DASHBOARD.one_event, table_keys=(f"1 {KEY}",)))),
    (DashboardSettings, "events.vault_keys", together(event=None, events=HALL_EVENTS)),
    (DashboardSettings, "events.table_keys", together(event=None, events=replace(HALL_EVENTS, table_keys=(f"1 {KEY}",)))),
    (DashboardSettings, "dashboard.allow_clear_text", at("dashboard.allow_clear_text", True)),
    (DashboardSettings, "dashboard.signing_key", at("dashboard.signing_key", None)),
    (DashboardSettings, "mqtt.allow_clear_text", at("mqtt.allow_clear_text", True)),
    (DashboardSettings, "mqtt.user", at("mqtt.password_file", None)),
    (VaultSettings, "vault.new_keys", at("vault.new_keys", "accept")),
    (VaultSettings, "mqtt.allow_clear_text", at("mqtt.allow_clear_text", True)),
    (VaultSettings, "mqtt.user", at("mqtt.password_file", None)),
    (BrokerSettings, "broker.allow_clear_text", at("broker.allow_clear_text", True)),
    (PhonesSettings, "phones.allow_clear_text", at("phones.allow_clear_text", True)),
    (StationSettings, "station.ledger", at("station.ledger", None)),
    (StationSettings, "camera.source", at("camera.source", "files:tiles")),
    (StationSettings, "walls.source", at("walls.source", SIMULATED)),
)


@pytest.mark.parametrize(("form", "key", "change"), REHEARSALS, ids=[f"{form.__name__}.{key}" for form, key, _ in REHEARSALS])
def test_each_setting_of_a_rehearsal_is_refused_by_its_key(form: type, key: str, change: Change, tmp_path: Path) -> None:
    settings = change(EVENTS[form])
    assert any(sentence.startswith(f"{key} is ") and "as in a rehearsal: " in sentence for sentence in rehearsal_settings(settings))
    path = tmp_path / "settings.toml"
    write(path, settings)
    with (
        pytest.MonkeyPatch.context() as patched,
        pytest.raises(SettingsError, match=rf"the mode is 'event', and .*\b{key.replace('.', chr(92) + '.')} is "),
    ):
        patched.setattr(Path, "exists", lambda _self: True)
        load_to_run(path, form)


@pytest.mark.parametrize("form", FORMS)
def test_the_settings_of_an_event_are_not_refused(form: type) -> None:
    assert is_event(EVENTS[form])
    assert list(rehearsal_settings(EVENTS[form])) == []


@pytest.mark.parametrize("form", FORMS)
def test_every_key_of_a_form_is_refused_at_an_event_or_known_to_be_harmless(form: type) -> None:
    harmless = {f"{section}.{key}" for section, keys in HARMLESS[form].items() for key in keys.split()}
    others = [hall()] if form is DashboardSettings else []
    refused = {key for settings in (EVENTS[form], *others) for key, _, _ in watched(settings)}
    assert harmless & refused == set()
    keys = {key for settings in (EVENTS[form], *others) for key in all_keys(settings)}
    assert harmless | refused == keys, "say in cli/run_settings.py or in this list what an event makes of a new key"
    assert refused == {key for of, key, _ in REHEARSALS if of is form}, "each refusal has a row above"


def all_keys(section: object, inside: str = "") -> Iterator[str]:
    for each in keys_of(type(section)):
        value, key = getattr(section, each.name), f"{inside}.{each.name}" if inside else each.name
        if value is not None or not each.is_section:
            yield from all_keys(value, key) if is_dataclass(value) else (key,)


def test_every_process_of_an_event_has_the_mode_and_no_simulated_one() -> None:
    assert {type(settings) for settings in EXAMPLES.values() if has_mode(type(settings))} == set(FORMS)


@pytest.mark.parametrize("form", FORMS)
def test_a_rehearsal_is_said_at_start(
    form: type, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = next(each for each in EXAMPLES.values() if type(each) is form)
    path = tmp_path / "settings.toml"
    write(path, settings)
    monkeypatch.setattr(Path, "exists", lambda _self: True)
    load_to_run(path, form)
    assert 'this is a rehearsal; at an event write mode = "event"' in caplog.text


def test_a_stations_picture_of_the_gate_is_no_simulated_one() -> None:
    settings = changed(EVENTS[TableSettings], "camera.gate.source", "http://127.0.0.1:8105/gate.jpg")
    assert list(rehearsal_settings(settings)) == []
    assert value_of(settings, "camera.gate.source") == "http://127.0.0.1:8105/gate.jpg"
