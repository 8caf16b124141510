"""The systemd units: each service in its sandbox, and each path of the default settings where its service may read or write it."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from centre.commands.deploy import PAGES, VIEWER_CREDENTIALS, VIEWERS_RUN
from cli.commands import COMMANDS
from cli.usage import EXIT_WRONG_USE
from tests.support.commands import Twinwall
from tools.default_settings import EXAMPLES

FOLDER = Path(__file__).parents[2] / "config" / "systemd"
UNITS = sorted(FOLDER.glob("*.service"))
SANDBOX = FOLDER / "twinwall-.service.d" / "sandbox.conf"
MOST_EXPOSED = 2.0
MAY_STAND_IN_BOTH = {"RestrictAddressFamilies", "After", "Wants"}
"""Lists, which systemd adds up; any other key of the sandbox would replace the unit's."""
OTHERS_FILE = {"twinwall-readiness": FOLDER / "twinwall-table.service"}
"""A service that reads the settings of another one, with that one."""
STARTED_FOR_AN_EVENT = {"table", "hall", "vault"}
"""Commands that refuse a rehearsal; the settings of a centre have no mode."""
WRITES_ITS_SETTINGS = {"twinwall-hall"}
"""Services that keep their own settings in their state directory."""
OF_OTHER_PROJECTS = {"twinwall-mosquitto", "twinwall-gateway", "twinwall-viewers"}
NEEDED = {"NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes"} | {
    "LimitCORE": "0",
    "MemorySwapMax": "0",
    "MemoryDenyWriteExecute": "yes",
}


def settings_of(file: Path) -> dict[str, list[str]]:
    """The keys of a unit file with their values."""
    found: dict[str, list[str]] = {}
    for key, value in re.findall(r"^(\w+)=(.*)$", file.read_text(encoding="utf-8"), re.MULTILINE):
        found.setdefault(key, []).append(value)
    return found


def analyze(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run systemd-analyze over a folder of units."""
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not here: apt-get install systemd brings it")
    return subprocess.run(
        [program, "--no-pager", *words],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{folder}:", "LC_ALL": "C.UTF-8"},
    )


def exposure(unit: Path, folder: Path) -> float:
    """What systemd-analyze says of a unit in a folder of units; 10 is no protection at all."""
    done = analyze(folder, "security", "--offline=true", str(folder / unit.name))
    if "unrecognized option" in done.stderr:
        pytest.skip("this systemd-analyze cannot judge files (--offline needs systemd 250)")
    (value,) = re.findall(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    return float(value)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_no_service_is_exposed_more_than_the_limit(unit: Path) -> None:
    assert exposure(unit, FOLDER) <= MOST_EXPOSED


def test_control_without_the_sandbox_every_service_is_exposed(tmp_path: Path) -> None:
    for unit in UNITS:
        shutil.copy(unit, tmp_path)
    assert [unit.stem for unit in UNITS if exposure(unit, tmp_path) <= MOST_EXPOSED] == []


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A copy of the units whose program, which is not installed here, is one that every machine has."""
    folder = tmp_path / "units"
    shutil.copytree(FOLDER, folder)
    for unit in folder.glob("*.service"):
        text = unit.read_text(encoding="utf-8")
        unit.write_text(
            re.sub(r"(?:/opt/twinwall/\.venv|/usr/s?bin)/\S*(?:twinwall|mosquitto|nginx)\b", "/bin/true", text), encoding="utf-8"
        )
    return folder


def test_systemd_finds_nothing_wrong_in_any_unit(installed: Path) -> None:
    done = analyze(installed, "verify", "--man=no", *(str(installed / unit.name) for unit in UNITS))
    assert (done.returncode, done.stderr) == (0, "")


def test_control_systemd_names_a_misspelt_key(installed: Path) -> None:
    unit = installed / UNITS[0].name
    unit.write_text(unit.read_text(encoding="utf-8").replace("ExecStart=", "StateDirectry=x\nExecStart="), encoding="utf-8")
    assert "'StateDirectry'" in analyze(installed, "verify", "--man=no", str(unit)).stderr


def test_the_sandbox_covers_every_unit_and_holds_what_matters_most() -> None:
    assert UNITS
    assert all(unit.name.startswith("twinwall-") for unit in UNITS)
    sandbox = settings_of(SANDBOX)
    assert {key: sandbox[key][-1] for key in NEEDED} == NEEDED


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_no_key_of_a_unit_is_replaced_by_the_sandbox(unit: Path) -> None:
    assert settings_of(unit).keys() & settings_of(SANDBOX).keys() <= MAY_STAND_IN_BOTH


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_each_service_has_a_user_without_a_login(unit: Path) -> None:
    made = re.findall(r'^u (\S+) - "[^"]+"$', (FOLDER / "sysusers.conf").read_text(encoding="utf-8"), re.MULTILINE)
    keys = settings_of(unit)
    assert keys["User"] == keys["Group"]
    assert keys["User"][0] in made


DEBIANS = {"dialout", "video"}
"""Groups of every Debian (base-passwd)."""


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_each_further_group_of_a_service_is_one_of_debian_or_made_with_the_users(unit: Path) -> None:
    made = re.findall(r"^g (\S+) -$", (FOLDER / "sysusers.conf").read_text(encoding="utf-8"), re.MULTILINE)
    assert {*" ".join(settings_of(unit).get("SupplementaryGroups", [])).split()} <= {*DEBIANS, *made}


def makes_users(file: Path) -> subprocess.CompletedProcess[str]:
    """What systemd-sysusers would do with a file of users."""
    program = shutil.which("systemd-sysusers")
    if program is None:
        pytest.skip("systemd-sysusers is not here: apt-get install systemd brings it")
    return subprocess.run([program, "--dry-run", str(file)], check=False, capture_output=True, text=True)


def test_systemd_takes_the_file_of_users() -> None:
    done = makes_users(FOLDER / "sysusers.conf")
    assert (done.returncode, "field" in done.stderr) == (0, False)


def test_control_systemd_refuses_a_colon_in_a_users_description(tmp_path: Path) -> None:
    file = tmp_path / "users.conf"
    file.write_text('u twinwall-table - "Twinwall: table"\n', encoding="utf-8")
    assert makes_users(file).returncode != 0


def test_nginx_finds_its_files_where_its_unit_and_the_shared_folders_are() -> None:
    unit = settings_of(FOLDER / "twinwall-viewers.service")
    folders = dict(re.findall(r"^d (\S+) \d+ (\S+) twinwall-centre$", (FOLDER / "tmpfiles.conf").read_text(encoding="utf-8"), re.MULTILINE))
    assert folders == {str(PAGES): "twinwall-centre", str(VIEWERS_RUN): unit["User"][0]}
    assert unit["ReadWritePaths"] == [str(VIEWERS_RUN)]
    assert [VIEWER_CREDENTIALS / each.partition(":")[0] for each in unit["LoadCredential"]] == [
        VIEWER_CREDENTIALS / "viewers.pem",
        VIEWER_CREDENTIALS / "viewers.key",
    ]
    published = settings_of(FOLDER / "twinwall-publisher.service")["ExecStart"][0]
    assert f"--out {PAGES} --nginx {VIEWERS_RUN}/publish.sock" in published


def paths(settings: object) -> Iterator[Path]:
    if isinstance(settings, Path):
        yield settings
    elif isinstance(settings, tuple):
        for each in settings:
            yield from paths(each)
    elif is_dataclass(settings):
        for field in fields(settings):
            yield from paths(getattr(settings, field.name))


def written_by(unit: dict[str, list[str]]) -> list[Path]:
    state = [Path("/var/lib") / folder for folder in unit.get("StateDirectory", [])]
    return state + [Path("/run") / folder for folder in unit.get("RuntimeDirectory", [])]


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_what_the_default_settings_name_is_read_from_etc_or_kept_in_the_services_own_folders(unit: Path) -> None:
    keys = settings_of(unit)
    started = re.search(r"/twinwall ([a-z ]+) .*?/etc/twinwall/(\S+\.toml)", keys["ExecStart"][0])
    if started is None:
        assert unit.stem in OF_OTHER_PROJECTS | WRITES_ITS_SETTINGS
        return
    assert started[1] in COMMANDS
    may_be = [Path("/etc/twinwall"), *written_by(keys), *written_by(settings_of(OTHERS_FILE.get(unit.stem, unit)))]
    assert [path for path in paths(EXAMPLES[started[2]]) if not any(path.is_relative_to(folder) for folder in may_be)] == []


@pytest.mark.parametrize("unit", [unit for unit in UNITS if unit.stem not in OF_OTHER_PROJECTS], ids=lambda unit: unit.stem)
def test_each_program_of_a_hall_is_started_for_an_event_alone(unit: Path) -> None:
    command = settings_of(unit)["ExecStart"][0].partition("/.venv/bin/twinwall ")[2].split()
    assert ("--event" in command) is (command[0] in STARTED_FOR_AN_EVENT)


@pytest.mark.parametrize("unit", [unit for unit in UNITS if unit.stem not in OF_OTHER_PROJECTS], ids=lambda unit: unit.stem)
def test_each_program_knows_every_word_of_its_unit(unit: Path, twinwall: Twinwall) -> None:
    written = settings_of(unit)["ExecStart"][0].partition("/.venv/bin/twinwall ")[2].removesuffix("'").split()
    words = [word for word in written if word != "$HALL"]
    assert twinwall(*words, "--no-such-word", code=EXIT_WRONG_USE).err.endswith("unrecognized arguments: --no-such-word\n")


def test_the_hall_keeps_its_folder_where_its_service_may_write() -> None:
    unit = settings_of(FOLDER / "twinwall-hall.service")
    words = unit["ExecStart"][0].split()
    assert words[words.index("--event") + 1 :] == [str(written_by(unit)[0]), "$HALL"]


def test_the_table_finds_the_station_where_its_service_puts_it_and_the_readiness_reserves_it() -> None:
    table, station, readiness = (settings_of(FOLDER / f"twinwall-{name}.service") for name in ("table", "station", "readiness"))
    assert table["User"] == station["User"] == readiness["User"], "a pseudo-terminal opens for the user who made it"


def test_a_service_that_ends_takes_no_runtime_directory_of_another_with_it() -> None:
    kept = [folder for unit in UNITS for folder in settings_of(unit).get("RuntimeDirectory", [])]
    assert sorted(kept) == sorted(set(kept))


def test_the_page_names_every_unit() -> None:
    page = (FOLDER.parents[1] / "docs" / "how-to" / "services.md").read_text(encoding="utf-8")
    assert [unit.stem for unit in UNITS if f"| `{unit.stem}`" not in page] == []
